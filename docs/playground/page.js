// The playground: what is typed goes to gramc in this page, and what gramc says is shown. Texts are put
// into the page as texts, never as mark-up.
import {load} from '../../wasm/gramc.js';
import {fromFragment, indented, mended, offsetOf, pieces, toFragment} from './parts.js';

const $ = id => document.getElementById(id);
const say = text => { $('status').textContent = text; };

function make(name, properties = {}, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
}

/* ## gramc */

async function open() {
    const coded = Uint8Array.from(atob($('wasm').textContent.trim()), c => c.charCodeAt(0));
    const stream = new Blob([coded]).stream().pipeThrough(new DecompressionStream('gzip'));
    return load(await new Response(stream).arrayBuffer());
}

let gramc;

// What gramc cannot answer is said, and the page goes on.
function ask(question) {
    try {
        return question();
    } catch (error) {
        say(error.message);
        return null;
    }
}

/* ## Findings */

function select(area, start, end) {
    area.focus();
    area.setSelectionRange(start, end);
}

// In the editor, or in the other version.
function goTo(area, range) {
    select(area, offsetOf(area.value, range.start), offsetOf(area.value, range.end));
}

function explanation(code) {
    const details = make('details', {}, make('summary', {textContent: `What ${code} means`}));
    details.addEventListener('toggle', () => {
        if (details.children.length > 1) return;
        const {explanation: words, bad, good} = gramc.explain(code);
        details.append(make('p', {textContent: words ?? ''}));
        if (bad) details.append(make('p', {textContent: 'This gives it:'}), make('pre', {textContent: bad}));
        if (good) details.append(make('p', {textContent: 'This does not:'}), make('pre', {textContent: good}));
    });
    return details;
}

function placeButton(area, {range}) {
    const place = `${range.start.line + 1}:${range.start.character + 1}`;
    const button = make('button', {type: 'button', className: 'place', textContent: place});
    button.setAttribute('aria-label', `Go to ${place}`);
    button.addEventListener('click', () => goTo(area, range));
    return button;
}

function findingItem(diagnostic) {
    const {severity, code, message, help, fix} = diagnostic;
    const item = make('li', {className: severity}, placeButton($('spec'), diagnostic), ' ',
        make('span', {className: 'kind', textContent: `${severity === 'information' ? 'note' : severity} ${code}`}),
        ` ${message}`);
    if (help) item.append(make('p', {className: 'help', textContent: help}));
    const actions = make('div', {className: 'actions'});
    if (fix) {
        const button = make('button', {type: 'button', textContent: 'Fix'});
        button.setAttribute('aria-label', `Fix ${code} in line ${diagnostic.range.start.line + 1}`);
        button.addEventListener('click', () => setSpec(mended($('spec').value, fix)));
        actions.append(button);
    }
    actions.append(explanation(code));
    item.append(actions);
    return item;
}

const FEW = 200; // what is more is counted

function showFindings(reply) {
    const all = reply.report.files.flatMap(file => file.diagnostics);
    $('marks').replaceChildren(...pieces($('spec').value, all).map(({text, severity}) =>
        (severity ? make('mark', {className: severity, textContent: text}) : text)), '\n');
    $('findings').replaceChildren(...all.slice(0, FEW).map(findingItem));
    if (all.length > FEW) $('findings').append(make('li', {textContent: `and ${all.length - FEW} more`}));
    const counts = [['error', reply.errors], ['warning', reply.warnings], ['note', reply.notes]]
        .filter(([, count]) => count).map(([name, count]) => `${count} ${name}${count === 1 ? '' : 's'}`);
    $('counts').textContent = counts.join(', ') || 'no findings';
    $('counts').className = counts.length ? '' : 'good';
    $('fix').disabled = !all.some(diagnostic => diagnostic.fix);
}

/* ## The schema */

function showAgents(names) {
    const chosen = $('agent').value;
    $('agent-label').hidden = names.length < 2;
    $('agent').replaceChildren(...names.map(name => make('option', {value: name, textContent: name})));
    if (names.includes(chosen)) $('agent').value = chosen;
}

function showSchema() {
    const target = $('target').value, text = $('spec').value;
    $('about').textContent = $('target').selectedOptions[0].dataset.about;
    let reply = gramc.compile(text, target, $('agent').value ? {agent: $('agent').value} : {});
    if (reply.status === 'not-found') reply = gramc.compile(text, target);
    if (reply.agents) showAgents(reply.agents);
    if (reply.status === 'ambiguous') reply = gramc.compile(text, target, {agent: $('agent').value});
    $('output').textContent = reply.output === undefined ? 'Nothing is printed while the spec has errors.'
        : target === 'markdown' ? reply.output : indented(reply.output);
}

/* ## Comparing */

function changeItem(diagnostic, path) {
    const {impact, code, message, help, example} = diagnostic;
    const severity = {breaking: 'error', additive: 'information'}[impact] ?? 'information';
    const area = path === 'before.gram' ? $('before') : $('spec');
    const item = make('li', {className: severity}, placeButton(area, diagnostic), ' ',
        make('span', {className: 'kind', textContent: `${impact} ${code}`}), ` ${message}`);
    for (const words of [help, example]) if (words) item.append(make('p', {className: 'help', textContent: words}));
    return item;
}

function showChanges() {
    const before = $('before').value;
    $('changes').replaceChildren();
    $('impact').textContent = '';
    if (!before.trim()) return;
    const reply = ask(() => gramc.diff(before, $('spec').value));
    if (!reply) return;
    if (reply.status !== 'ok') {
        $('impact').textContent = reply.side === 'before' ? 'The version before has errors.' : 'The spec has errors.';
        return;
    }
    $('impact').textContent = `${reply.breaking} breaking, ${reply.additive} additive, ${reply.cosmetic} cosmetic`;
    $('changes').replaceChildren(...reply.report.files.flatMap(({path, diagnostics}) =>
        diagnostics.map(diagnostic => changeItem(diagnostic, path))));
}

/* ## Whenever something changes */

let waiting = 0;

function look() {
    clearTimeout(waiting);
    waiting = 0;
    const checked = ask(() => gramc.check($('spec').value, {target: $('target').value}));
    if (checked) showFindings(checked);
    ask(showSchema);
    if (!$('compare').hidden) showChanges();
}

function lookSoon() {
    clearTimeout(waiting);
    waiting = setTimeout(look, 80);
}

function setSpec(text) {
    $('spec').value = text;
    look();
}

/* ## Import */

let old = null;

function takeForeign() {
    const options = {};
    if ($('kind').value) options.kind = $('kind').value;
    if ($('agent-name').value.trim()) options.agent = $('agent-name').value.trim();
    const reply = ask(() => gramc.import($('foreign').value, options));
    if (!reply) return;
    $('losses').hidden = !reply.report;
    $('losses').textContent = reply.report;
    if (reply.output === undefined) {
        say('Nothing was imported: see what the import says.');
        return;
    }
    old = $('spec').value;
    $('back').hidden = false;
    setSpec(reply.output);
    say(reply.report ? 'Imported; not everything could be said as it was.' : 'Imported; nothing was lost.');
}

function goBack() {
    $('back').hidden = true;
    setSpec(old);
    say('The old spec is back.');
}

/* ## The bar */

function formatSpec() {
    const reply = ask(() => gramc.format($('spec').value));
    if (!reply) return;
    if (reply.output === undefined) say('A spec with errors of syntax cannot be formatted.');
    else {
        setSpec(reply.output);
        say('Formatted.');
    }
}

function fixSpec() {
    const reply = ask(() => gramc.fix($('spec').value));
    if (!reply) return;
    setSpec(reply.output);
    say(`${reply.fixed} fixed.`);
}

async function share() {
    history.replaceState(null, '', await toFragment(
        {text: $('spec').value, target: $('target').value, before: $('before').value}));
    try {
        await navigator.clipboard.writeText(location.href);
        say('The link is copied, and in the address bar. The spec is in it; no server sees it.');
    } catch {
        say('The link is in the address bar. The spec is in it; no server sees it.');
    }
}

async function takeLink() {
    if (location.hash.length < 2) return false;
    try {
        const {text, target, before} = await fromFragment(location.hash);
        $('spec').value = text;
        $('before').value = before;
        if ([...$('target').options].some(option => option.value === target)) $('target').value = target;
        say('The spec is the one of the link.');
    } catch (error) {
        say(`The link cannot be read: ${error.message}.`);
        return false;
    }
    return true;
}

/* ## Tabs: arrows go from one to the next */

const tabs = [...document.querySelectorAll('[role=tab]')];

function choose(tab) {
    for (const each of tabs) {
        each.setAttribute('aria-selected', String(each === tab));
        each.tabIndex = each === tab ? 0 : -1;
        $(each.getAttribute('aria-controls')).hidden = each !== tab;
    }
    tab.focus();
    if (tab.id === 'tab-compare') showChanges();
}

function moveTab(event) {
    const at = tabs.indexOf(event.target);
    const next = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1}[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose(tabs[(next + tabs.length) % tabs.length]);
}

/* ## The beginning */

function fill() {
    const {version, notation, targets, kinds} = gramc.version();
    $('version').textContent = `${version}, notation ${notation}`;
    for (const {name, about} of targets) {
        const option = make('option', {value: name, textContent: name});
        option.dataset.about = about;
        $('target').append(option);
    }
    $('kind').append(...kinds.map(({name}) => make('option', {value: name, textContent: name})));
    $('example').append(...Object.keys(examples).map(name => make('option', {value: name, textContent: name})));
}

const examples = JSON.parse($('examples').textContent);

function listen() {
    $('spec').addEventListener('input', lookSoon);
    $('spec').addEventListener('keydown', event => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) formatSpec();
    });
    $('before').addEventListener('input', showChanges);
    for (const id of ['target', 'agent']) $(id).addEventListener('change', look);
    $('example').addEventListener('change', () => $('example').value && setSpec(examples[$('example').value]));
    const buttons = {format: formatSpec, fix: fixSpec, share, take: takeForeign, back: goBack};
    for (const [id, act] of Object.entries(buttons)) $(id).addEventListener('click', act);
    $('keep').addEventListener('click', () => {
        $('before').value = $('spec').value;
        showChanges();
    });
    for (const tab of tabs) {
        tab.addEventListener('click', () => choose(tab));
        tab.addEventListener('keydown', moveTab);
    }
    addEventListener('hashchange', async () => await takeLink() && look());
}

async function start() {
    try {
        gramc = await open();
    } catch (error) {
        say(`gramc cannot be loaded here: ${error.message}`);
        return;
    }
    fill();
    say('gramc runs in this page. Nothing that you type leaves it.');
    if (!await takeLink()) $('spec').value = Object.values(examples)[0];
    listen();
    look();
    document.body.dataset.ready = 'yes';
}

start();
