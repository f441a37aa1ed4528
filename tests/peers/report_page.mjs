// Opens the pages of experiments' reports in headless Chromium, light and dark, wide and as narrow
// as a phone, and holds that nothing complains, nothing is fetched, nothing sticks out sideways,
// nothing is shown that a text of a case meant as mark-up, and axe finds nothing.
//     report_page.mjs SOURCE_FOLDER [FOLDER_FOR_SCREENSHOTS]
// The browser is the one of GRAMC_BROWSER, of the PATH, or of the peers; without one it is skipped.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {launch} from './browser.mjs';

const require = createRequire(import.meta.url);
const [source, pictures] = process.argv.slice(2);
const folder = path.resolve(source, 'tests/data/report');
const pages = fs.readdirSync(folder).filter(name => name.endsWith('.html'));
assert.ok(pages.length >= 2, 'there are too few pages');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

async function open(browser, page, scheme, width) {
    const tab = await browser.newPage();
    const complaints = [];
    await tab.setViewport({width, height: 900});
    await tab.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
    tab.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    tab.on('pageerror', error => complaints.push(error.message));
    tab.on('dialog', dialog => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    tab.on('request', request => request.url().startsWith('file:') || complaints.push(request.url()));
    await tab.goto(`file://${path.join(folder, page)}`);
    return {tab, complaints};
}

async function look(browser, page, scheme, width) {
    const {tab, complaints} = await open(browser, page, scheme, width);
    const seen = await tab.evaluate(() => ({
        over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        plots: document.querySelectorAll('figure svg[role=img] title').length,
        tables: document.querySelectorAll('table caption').length,
        foreign: document.querySelectorAll('script, img, iframe, object, embed, link').length,
        open: [...document.querySelectorAll('details')].map(d => { d.open = true; }).length,
    }));
    assert.ok(seen.over <= 0, `${page} ${scheme} ${width}: sticks out by ${seen.over} pixels`);
    assert.ok(seen.plots >= 8 && seen.tables >= 4 && seen.open >= 6, JSON.stringify(seen));
    assert.equal(seen.foreign, 0, 'the page has elements that a text made');
    if (pictures)
        await tab.screenshot({path: path.join(pictures, `${page}-${scheme}-${width}.png`), fullPage: true});
    // The page itself lets no script in; axe comes by way of the browser.
    await tab.setBypassCSP(true);
    await tab.reload();
    await tab.evaluate(() => document.querySelectorAll('details').forEach(d => { d.open = true; }));
    await tab.evaluate(axe);
    const found = await tab.evaluate(async () => (await window.axe.run()).violations
        .map(v => `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`));
    assert.deepEqual(found, [], `${page} ${scheme} ${width}: axe`);
    assert.deepEqual(complaints, [], `${page} ${scheme} ${width}`);
    await tab.close();
}

// Every place that can be scrolled or opened is reached with Tab, in order.
async function walk(browser, page) {
    const {tab} = await open(browser, page, 'light', 1200);
    const wanted = await tab.evaluate(() => document.querySelectorAll('[tabindex="0"], summary').length);
    const reached = new Set();
    for (let i = 0; i < 3 * wanted; i++) {
        await tab.keyboard.press('Tab');
        const at = await tab.evaluate(() => {
            const all = [...document.querySelectorAll('[tabindex="0"], summary')];
            return all.indexOf(document.activeElement);
        });
        if (at >= 0) reached.add(at);
    }
    const visible = await tab.evaluate(() => [...document.querySelectorAll('[tabindex="0"], summary')]
        .filter(e => e.checkVisibility()).length);
    assert.ok(reached.size >= visible && visible >= 8, `${reached.size} of ${visible} reached`);
    await tab.close();
}

const browser = await launch();
try {
    for (const page of pages) {
        for (const scheme of ['light', 'dark'])
            for (const width of [1200, 360]) await look(browser, page, scheme, width);
        await walk(browser, page);
    }
    console.log(`${pages.length} pages in two schemes and two widths: nothing found`);
} finally {
    await browser.close();
}
