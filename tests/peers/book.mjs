// Opens the book of docs/ in headless Chromium, from files: that no page complains or fetches anything from
// elsewhere, that each link and anchor leads somewhere, that nothing sticks out of a phone's screen, that axe finds
// nothing in light and dark, that the search finds words, and that the switch makes it dark.
//     book.mjs SOURCE_FOLDER OUT_FOLDER [FOLDER_FOR_SCREENSHOTS]
// scripts/book makes it, of which a warning is a failure; without Sphinx it is skipped.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {launch} from './browser.mjs';

const [source, out, pictures] = process.argv.slice(2).map(word => path.resolve(word));
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const made = spawnSync(path.join(source, 'scripts/book'), [out], {encoding: 'utf8'});
if (made.status === 2) {
    console.log(`cannot run: ${made.stderr}`);
    process.exit(process.env.CI === 'true' ? 1 : 77);
}
assert.equal(made.status, 0, `${made.stdout}${made.stderr}`);
assert.equal(made.stderr, '');

const html = path.join(out, 'html');
const pages = fs.readdirSync(html, {recursive: true}).filter(name => name.endsWith('.html')).sort();
assert.ok(pages.length > 45, `there are only ${pages.length} pages`);
const urlOf = name => pathToFileURL(path.join(html, name)).href;

async function open(browser, url) {
    const tab = await browser.newPage();
    const complaints = [];
    await tab.setViewport({width: 1200, height: 900});
    await tab.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'light'}]);
    tab.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    tab.on('pageerror', error => complaints.push(error.message));
    tab.on('requestfailed', request => complaints.push(`${request.url()} failed`));
    tab.on('request', request => request.url().match(/^(file|data):/) || complaints.push(request.url()));
    await tab.goto(url);
    return {tab, complaints};
}

async function judge(tab, where) {
    await tab.evaluate(axe);
    const found = await tab.evaluate(async () => (await window.axe.run()).violations
        .map(v => `${v.id}, ${v.nodes.length} times: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`));
    assert.deepEqual(found, [], `${where}: axe`);
}

// What stands in a page: its anchors, and where its links lead to.
function read(tab) {
    return tab.evaluate(() => ({
        ids: [...document.querySelectorAll('[id]')].map(e => e.id),
        links: [...document.querySelectorAll('a[href]')].map(a => a.href),
    }));
}

function isDark(tab) {
    return tab.evaluate(() => {
        const numbers = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
        return numbers.slice(0, 3).every(n => n < 64) && numbers[3] !== 0;
    });
}

async function look(browser, name, known) {
    const {tab, complaints} = await open(browser, urlOf(name));
    known.set(urlOf(name), await read(tab));
    await judge(tab, `${name}, light`);
    await tab.setViewport({width: 360, height: 800});
    // What the page does when its size changes, it does before the next frame.
    await tab.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const over = await tab.evaluate(() => {
        window.scrollTo(10000, 0);
        return [window.scrollX, document.documentElement.scrollWidth - document.documentElement.clientWidth];
    });
    assert.ok(over[0] === 0 && over[1] <= 0, `${name} sticks out of 360 pixels by ${over}`);
    if (pictures) await tab.screenshot({path: path.join(pictures, `${name.replaceAll('/', '-')}-360.png`)});
    await tab.emulateMediaFeatures([{name: 'prefers-color-scheme', value: 'dark'}]);
    assert.ok(await isDark(tab), `${name} stays light where all is dark`);
    await judge(tab, `${name}, dark, 360`);
    assert.deepEqual(complaints, [], name);
    await tab.close();
}

// Every link leads to a page with that anchor, or to a file that is there.
function follow(known) {
    let seen = 0;
    const bad = [];
    for (const [from, {links}] of known) {
        for (const link of links) {
            if (!link.startsWith('file:')) continue;
            seen++;
            const [url, anchor] = link.split('#');
            const target = known.get(url);
            if (!target ? !fs.existsSync(new URL(url)) : anchor && !target.ids.includes(decodeURIComponent(anchor)))
                bad.push(`${from} leads to ${link}`);
        }
    }
    assert.deepEqual(bad, []);
    assert.ok(seen > 2000, `only ${seen} links were followed`);
    return seen;
}

async function search(browser) {
    const {tab, complaints} = await open(browser, urlOf('index.html'));
    await tab.type('input[name=q]', 'cassette');
    await Promise.all([tab.waitForNavigation(), tab.keyboard.press('Enter')]);
    await tab.waitForSelector('#search-results li a');
    const found = await tab.$$eval('#search-results li a', links => links.map(a => a.getAttribute('href').split('?')[0]));
    assert.ok(found.includes('docs/formats/cassette.html'), `cassette was found in ${found}`);
    await judge(tab, 'results of a search');
    await tab.goto(`${urlOf('search.html')}?q=nosuchwordanywhere`);
    await tab.waitForFunction(() => document.querySelector('#search-results p')?.textContent.includes('did not match'));
    assert.deepEqual(complaints, []);
    await tab.close();
}

async function darken(browser) {
    const {tab} = await open(browser, urlOf('docs/run.html'));
    assert.ok(!await isDark(tab), 'light is dark');
    for (let i = 0; i < 3 && await tab.evaluate(() => document.body.dataset.theme) !== 'dark'; i++)
        await tab.click('.theme-toggle-content button');
    assert.equal(await tab.evaluate(() => document.body.dataset.theme), 'dark', 'the switch does not make it dark');
    assert.ok(await isDark(tab), 'dark looks like light');
    // It stays so on the next page.
    await tab.goto(urlOf('docs/serve.html'));
    assert.equal(await tab.evaluate(() => document.body.dataset.theme), 'dark', 'dark is forgotten');
    if (pictures) await tab.screenshot({path: path.join(pictures, 'dark.png')});
    await judge(tab, 'dark by the switch');
    await tab.close();
}

const browser = await launch();
try {
    const known = new Map();
    for (const name of pages) await look(browser, name, known);
    const links = follow(known);
    await search(browser);
    await darken(browser);
    console.log(`${pages.length} pages, ${links} links, a search and the dark: nothing found`);
} finally {
    await browser.close();
}
