// The playground in headless Chromium, from a file and offline: a spec is typed and findings follow, fixes, targets,
// import, comparison and links work, by keyboard too; nothing complains, nothing is fetched, nothing sticks out of a
// phone's screen, and axe finds nothing in light and dark.
//     playground.mjs SOURCE_FOLDER WASM_FOLDER [FOLDER_FOR_SCREENSHOTS]
// WASM_FOLDER is what wasm/build.sh made. In the short run, which builds nothing for WebAssembly, the page has no gramc
// inside: that it says so, and how it looks, is all that is tested then.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {launch} from './browser.mjs';

const [source, built, pictures] = process.argv.slice(2).map(word => path.resolve(word));
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'playground-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
const long = process.env.GRAMC_LONG === '1';

function makePage() {
    const wasm = path.join(built, 'module/gramc.wasm'), page = path.join(folder, 'playground.html');
    const stub = path.join(folder, 'stub.wasm');
    fs.writeFileSync(stub, 'no WebAssembly');
    execFileSync('python3', [path.join(source, 'wasm/page.py'), long ? wasm : stub, page]);
    return pathToFileURL(page).href;
}

async function open(browser, url, {scheme = 'light', width = 1280} = {}) {
    const tab = await browser.newPage();
    const complaints = [];
    await tab.setViewport({width, height: 900});
    await tab.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
    tab.on('console', message => ['error', 'warn'].includes(message.type()) && complaints.push(message.text()));
    tab.on('pageerror', error => complaints.push(error.message));
    tab.on('dialog', dialog => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    tab.on('request', request => request.url().match(/^(file:|data:,$)/) || complaints.push(request.url()));
    await tab.setOfflineMode(true);
    await tab.goto(url);
    return {tab, complaints};
}

const ready = tab => tab.waitForSelector('body[data-ready=yes]', {timeout: 30000});
const textOf = (tab, selector) => tab.$eval(selector, found => found.value ?? found.textContent);
const holds = (tab, selector, part) => tab.waitForFunction(
    (where, what) => (document.querySelector(where).value ?? document.querySelector(where).textContent).includes(what),
    {timeout: 10000}, selector, part);

// Replaces what stands in an area, as a person does.
async function type(tab, selector, text) {
    await tab.focus(selector);
    await tab.keyboard.down('Control');
    await tab.keyboard.press('a');
    await tab.keyboard.up('Control');
    await tab.keyboard.type(text);
}

async function judge(tab, where) {
    const over = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(over <= 0, `${where}: sticks out by ${over} pixels`);
    if (pictures) await tab.screenshot({path: path.join(pictures, `playground-${where.replaceAll(/\W+/g, '-')}.png`), fullPage: true});
    await tab.evaluate(axe);
    const found = await tab.evaluate(async () => (await window.axe.run()).violations
        .map(v => `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`));
    assert.deepEqual(found, [], `${where}: axe`);
}

/* ## Using it */

async function typing(tab) {
    await holds(tab, '#counts', 'no findings');
    await holds(tab, '#output', '"stringLength"');
    await type(tab, '#spec', '[t:Tool {desciption: "Adds"} | (a::Int)==>(::Int)]');
    await holds(tab, '#findings', 'G0206');
    assert.equal(await textOf(tab, '#marks mark'), 'desciption', 'the wrong place is underlined');
    await holds(tab, '#output', 'Nothing is printed');
    await tab.click('#findings details summary');
    await holds(tab, '#findings details', 'This gives it');
}

async function fixing(tab) {
    await tab.click('#findings button[aria-label^="Fix G0206"]');
    await holds(tab, '#spec', '{description: "Adds"}');
    await holds(tab, '#counts', 'no findings');
    await type(tab, '#spec', '[t:Tool{desciption:"Adds"}|(a::Int)==>(::Int)]');
    await tab.waitForFunction('!document.getElementById("fix").disabled');
    await tab.click('#fix');
    await holds(tab, '#counts', 'no findings');
    await tab.click('#format');
    assert.equal(await textOf(tab, '#spec'), '[t:Tool {description: "Adds"} | (a::Int)==>(::Int)]\n');
}

async function targets(tab) {
    const names = await tab.$$eval('#target option', options => options.map(option => option.value));
    assert.ok(names.length >= 10, `there are only ${names.length} targets`);
    const seen = new Set();
    for (const name of names) {
        await tab.select('#target', name);
        seen.add(await textOf(tab, '#output'));
    }
    assert.ok(seen.size >= names.length - 1, `${seen.size} outputs of ${names.length} targets`);
    await tab.select('#target', 'openai');
    await holds(tab, '#output', '"parameters": {');
}

async function importing(tab) {
    await tab.click('#tab-import');
    await type(tab, '#foreign', '[{"name":"sub","description":"Takes away","input_schema":{"type":"object",');
    await tab.click('#take');
    await holds(tab, '#losses', 'not JSON');
    await tab.keyboard.press('Escape');
    await type(tab, '#foreign', '[{"name":"sub","description":"Takes away","input_schema":'
        + '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}]');
    await tab.click('#take');
    await holds(tab, '#spec', 'sub:Tool');
    await tab.click('#back');
    await holds(tab, '#spec', 't:Tool');
}

async function comparing(tab) {
    await tab.click('#tab-compare');
    await tab.click('#keep');
    await holds(tab, '#impact', '0 breaking');
    await type(tab, '#spec', '[t:Tool {description: "Adds"} | (a::Int {min: 3})==>(::Int)]');
    await holds(tab, '#impact', '1 breaking');
    await holds(tab, '#changes', 'D209');
    await type(tab, '#before', '[t:Tool');
    await holds(tab, '#impact', 'before has errors');
    await type(tab, '#before', '[t:Tool {description: "Adds"} | (a::Int)==>(::Int)]');
}

async function sharing(browser, tab) {
    await tab.click('#share');
    await holds(tab, '#status', 'in the address bar');
    const link = tab.url();
    assert.match(link, /#1[A-Za-z0-9_-]+$/);
    const {tab: other, complaints} = await open(browser, link);
    await ready(other);
    assert.equal(await textOf(other, '#spec'), await textOf(tab, '#spec'));
    assert.equal(await textOf(other, '#target'), 'openai');
    assert.equal(await textOf(other, '#before'), await textOf(tab, '#before'));
    await other.evaluate(() => { location.hash = '#1broken'; });
    await holds(other, '#status', 'cannot be read');
    assert.deepEqual(complaints, []);
    await other.close();
}

// What a spec says is never mark-up.
async function hostile(tab, complaints) {
    await type(tab, '#spec', '[t:Tool {`<img src=x onerror=alert(1)>`: "</script><b>"} | (a::Int)==>(::Int)]');
    await holds(tab, '#findings', '<img src=x');
    assert.equal(await tab.$$eval('main img, main b', found => found.length), 0);
    assert.deepEqual(complaints, []);
}

// Deep and broken texts end in findings, and the page goes on.
async function deep(tab) {
    for (const text of ['['.repeat(3000), `[t:Tool {description: "d", x: ${'['.repeat(2000)}`, '\ud800', '\0']) {
        await tab.evaluate(words => {
            const area = document.getElementById('spec');
            area.value = words;
            area.dispatchEvent(new Event('input'));
        }, text);
        await tab.waitForFunction('/error/.test(document.getElementById("counts").textContent)');
    }
    await type(tab, '#spec', '[t:Tool {description: "Adds"} | (a::Int)==>(::Int)]');
    await holds(tab, '#counts', 'no findings');
}

// Everything that acts is reached with Tab, and the tabs with arrows.
async function keyboard(tab) {
    await tab.click('#tab-schema');
    await tab.evaluate(() => { document.activeElement.blur(); window.scrollTo(0, 0); });
    const wanted = await tab.evaluate(() => [...document.querySelectorAll('button, select, input, textarea, summary, [tabindex="0"]')]
        .filter(e => e.checkVisibility() && !e.disabled && e.tabIndex >= 0).length);
    const reached = new Set();
    for (let i = 0; i < 2 * wanted + 10; i++) {
        await tab.keyboard.press('Tab');
        reached.add(await tab.evaluate(() => [...document.querySelectorAll('*')].indexOf(document.activeElement)));
    }
    assert.ok(reached.size >= wanted && wanted >= 7, `${reached.size} of ${wanted} reached`);
    await tab.focus('#tab-schema');
    for (const id of ['tab-import', 'tab-compare', 'tab-schema']) {
        await tab.keyboard.press('ArrowRight');
        assert.equal(await tab.evaluate(() => document.activeElement.id), id);
    }
}

async function use(browser, url) {
    const {tab, complaints} = await open(browser, url);
    await ready(tab);
    for (const step of [typing, fixing, targets, importing, comparing]) await step(tab);
    await sharing(browser, tab);
    await keyboard(tab);
    await hostile(tab, complaints);
    await deep(tab);
    assert.deepEqual(complaints, []);
    await tab.close();
}

const broken = '[t:Tool {desciption: "Adds"} | (a::Int)==>(b::Txt)==>(::Int)]\n'
    + `[u:Tool {description: "${'A long text without a blank'.replaceAll(' ', '_').repeat(8)}"} | (x::Text {enum: ["a", "a"]})==>(::Text)]\n`;

async function look(browser, url, scheme, width) {
    const {tab, complaints} = await open(browser, url, {scheme, width});
    await ready(tab);
    await judge(tab, `${scheme} ${width}`);
    await type(tab, '#spec', broken);
    await holds(tab, '#findings', 'G0332');
    await tab.click('#tab-import');
    await judge(tab, `${scheme} ${width} import`);
    await tab.click('#tab-compare');
    await type(tab, '#before', '[t:Tool {description: "Adds"} | (a::Int)==>(b::Text)==>(::Int)]');
    await type(tab, '#spec', '[t:Tool {description: "Adds two"} | (a::Int {min: 3})==>(c::Text)==>(::Int)]');
    await holds(tab, '#changes', 'breaking');
    await judge(tab, `${scheme} ${width} compare`);
    assert.deepEqual(complaints, []);
    await tab.close();
}

async function lookWithout(browser, url, scheme, width) {
    const {tab, complaints} = await open(browser, url, {scheme, width});
    await holds(tab, '#status', 'cannot be loaded here');
    await judge(tab, `${scheme} ${width}`);
    assert.deepEqual(complaints, []);
    await tab.close();
}

const browser = await launch();
try {
    const url = makePage();
    if (long) await use(browser, url);
    for (const scheme of ['light', 'dark'])
        for (const width of [1280, 360]) await (long ? look : lookWithout)(browser, url, scheme, width);
    console.log(long ? 'the playground works' : 'the page without gramc inside is well; with it, it is tried by ./dev test --long');
} finally {
    await browser.close();
}
