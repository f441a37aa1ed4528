// A headless Chromium for tests of pages: the one of GRAMC_BROWSER, of the PATH, or of the peers.
import {execFileSync} from 'node:child_process';
import puppeteer from 'puppeteer-core';

// Without a browser the test is skipped, and fails where CI=true.
function lack(why) {
    console.log(`cannot run: ${why}`);
    process.exit(process.env.CI === 'true' ? 1 : 77);
}

async function findBrowser() {
    if (process.env.GRAMC_BROWSER) return {path: process.env.GRAMC_BROWSER, args: []};
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
        try {
            return {path: execFileSync('sh', ['-c', `command -v ${name}`]).toString().trim(), args: []};
        } catch { /* the next one */ }
    }
    try {
        const {default: chromium} = await import('@sparticuz/chromium');
        return {path: await chromium.executablePath(), args: chromium.args};
    } catch (error) {
        return {why: error.message};
    }
}

export async function launch() {
    const found = await findBrowser();
    if (!found.path) lack(`there is no Chromium (${found.why})`);
    try {
        return await puppeteer.launch(
            {executablePath: found.path, args: [...found.args, '--no-sandbox'], headless: 'shell'});
    } catch (error) {
        lack(`Chromium does not start: ${error.message.split('\n')[0]}`);
    }
}
