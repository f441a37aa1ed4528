// The chat page of gramc serve in headless Chromium, light and dark, wide and as narrow as a phone: by
// keyboard alone, with calls, both libraries, hostile texts, a token; nothing complains, nothing is
// fetched from elsewhere, nothing sticks out sideways, axe finds nothing.
//     chat_page.mjs GRAMC [FOLDER_FOR_SCREENSHOTS]
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import {launch} from './browser.mjs';
import {serve} from './served.mjs';

const require = createRequire(import.meta.url);
const [gramc, pictures] = process.argv.slice(2);
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const browser = await launch();
const server = await serve(gramc, '--token-env', 'SERVE_TOKEN');

async function open(scheme, width) {
    const tab = await browser.newPage();
    const complaints = [];
    await tab.setViewport({width, height: 800});
    await tab.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}]);
    // The 401 before the token, and the session that is gone, are meant.
    tab.on('console', message => message.type() === 'error' && !/status of 40[14]/.test(message.text()) && complaints.push(message.text()));
    tab.on('pageerror', error => complaints.push(error.message));
    tab.on('dialog', dialog => { complaints.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    tab.on('request', request => {
        const url = request.url();
        if (!url.startsWith(`${server.address}/`) && url !== 'data:,') complaints.push(url);
    });
    await tab.goto(server.address);
    return {tab, complaints};
}

const text = (tab, selector) => tab.$$eval(selector, found => found.map(each => each.textContent));
const over = tab => tab.waitForFunction('document.getElementById("stop").hidden', {timeout: 20000});

async function say(tab, message) {
    await tab.focus('#message');
    await tab.keyboard.type(message);
    await tab.keyboard.press('Enter');
}

async function judge(tab, where) {
    const out = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(out <= 0, `${where}: sticks out by ${out} pixels`);
    if (pictures) await tab.screenshot({path: path.join(pictures, `${where.replaceAll(' ', '-')}.png`)});
    await tab.evaluate(axe);
    const found = await tab.evaluate(async () => (await window.axe.run()).violations
        .map(v => `${v.id}: ${v.nodes[0].html} ${v.nodes[0].failureSummary}`));
    assert.deepEqual(found, [], `${where}: axe`);
}

async function chat(scheme, width) {
    const where = `${scheme} ${width}`;
    const {tab, complaints} = await open(scheme, width);
    await tab.waitForSelector('#enter:not([hidden])');
    await judge(tab, `${where} token`);
    await tab.keyboard.type('a-wrong-token-of-it');
    await tab.keyboard.press('Enter');
    await tab.waitForFunction('document.getElementById("about").textContent.includes("not known")');
    await tab.$eval('#token', field => { field.value = ''; });
    await tab.keyboard.type('a-token-of-the-test');
    await tab.keyboard.press('Enter');
    await tab.waitForSelector('#ask:not([hidden])');
    assert.deepEqual(await text(tab, '#library option'), ['desk', 'attic']);

    await say(tab, 'look at <b>this</b>');
    await tab.waitForSelector('button.again');
    await over(tab);
    assert.deepEqual(await text(tab, '.mine .text'), ['look at <b>this</b>']);
    assert.deepEqual(await text(tab, '.theirs .text'),
        ['Let me look.', 'You said: look at <b>this</b> (a desk <img src=x onerror=alert(1)>)']);
    assert.deepEqual(await text(tab, 'details .result'), ['a desk <img src=x onerror=alert(1)>']);
    assert.deepEqual(await text(tab, 'details .arguments'), ['{\n  "where": "here"\n}']);
    assert.match((await text(tab, 'details .state'))[0], /^ok, [0-9.]+ (µs|ms|s)$/);
    assert.deepEqual(await text(tab, '.library'), ['library desk']);
    assert.deepEqual(await text(tab, 'summary .given'), ['{"where":"here"}']);
    assert.deepEqual(await text(tab, 'summary .mark'), []);
    await tab.$$eval('details', all => all.forEach(each => { each.open = true; }));
    await judge(tab, where);

    // The other library, beside the conversation; then the conversation goes on.
    await tab.focus('button.again');
    await tab.keyboard.press('Space');
    await tab.waitForFunction('document.querySelectorAll(".mark").length === 2');
    await over(tab);
    assert.deepEqual(await text(tab, '.mine .text'), ['look at <b>this</b>'], 'the question stands there once');
    assert.deepEqual(await text(tab, 'summary .mark'), ['differs', 'differs']);
    assert.deepEqual(await text(tab, 'button.again'), [], 'nobody is left to be asked');
    const [left, right] = await tab.$$eval('.theirs', found => found.map(each => each.getBoundingClientRect().toJSON()));
    assert.ok(width > 1000 ? left.top === right.top && left.right < right.left : left.bottom < right.top, `${where}: ${JSON.stringify([left, right])}`);
    await tab.$$eval('details', all => all.forEach(each => { each.open = true; }));
    assert.equal((await tab.$$('details[open]')).length, 2, 'both can be looked at');
    await judge(tab, `${where} two`);
    assert.deepEqual((await text(tab, 'details .result')).at(-1).trim(), 'dust');
    assert.deepEqual(await text(tab, '.library'), ['library desk', 'library attic']);
    await tab.select('#library', 'attic');
    await say(tab, 'goodbye');
    await tab.waitForSelector('button.again');
    await over(tab);
    assert.equal((await text(tab, '.theirs .text')).at(-1), 'You said: look at <b>this</b>, then goodbye');

    // Streamed, and stopped by Escape.
    await say(tab, 'slow');
    await tab.waitForFunction('[...document.querySelectorAll(".theirs .text")].at(-1).textContent.includes("word2")');
    assert.ok(!(await text(tab, '.theirs .text')).at(-1).includes('word49'), 'it is not streamed');
    await tab.keyboard.press('Escape');
    await over(tab);
    assert.deepEqual(await text(tab, '.wrong'), ['Stopped.']);
    assert.ok(!await tab.$('.busy'), 'it seems to go on');

    // A little Markdown, and nothing of HTML.
    await say(tab, 'Use `<b>` and **care**');
    await tab.waitForFunction('[...document.querySelectorAll(".theirs .text")].at(-1).querySelector("code + strong")');
    assert.deepEqual(await tab.$$eval('.theirs:last-of-type .text > *', found => found.map(each => each.outerHTML)).then(all => all.slice(-2)),
        ['<code>&lt;b&gt;</code>', '<strong>care</strong>']);
    await over(tab);
    await say(tab, 'please fail');
    await tab.waitForFunction('document.querySelectorAll(".wrong").length === 2');
    assert.match((await text(tab, '.wrong')).at(-1), /^model-error: /);

    // Another agent, with an input.
    await tab.select('#agent', 'guide');
    assert.deepEqual(await text(tab, '.message'), []);
    await tab.type('#inputs input', 'Latin');
    await say(tab, 'Hi');
    await tab.waitForSelector('button.again');
    assert.deepEqual(await text(tab, '.theirs .text'), ['You said: Hi']);
    await judge(tab, `${where} guide`);

    // Everything is reached with Tab.
    const reached = new Set();
    for (let i = 0; i < 30; i++) {
        await tab.keyboard.press('Tab');
        reached.add(await tab.evaluate(() => document.activeElement.id || document.activeElement.tagName));
    }
    for (const wanted of ['agent', 'library', 'fresh', 'MAIN', 'message', 'send', 'INPUT', 'BUTTON'])
        assert.ok(reached.has(wanted), `${wanted} is not reached: ${[...reached]}`);
    assert.deepEqual(complaints, [], where);
    await tab.close();
}

try {
    for (const scheme of ['light', 'dark'])
        for (const width of [1200, 360]) await chat(scheme, width);
} finally {
    await browser.close();
}
await server.stop();
console.log('the chat page in two schemes and two widths: nothing found');
