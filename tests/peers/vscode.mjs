// The extension of editors/vscode beside the real server and the real vscode-languageclient, in a stand-in for the editor
// that has what these two ask for: it starts, findings come, the schema is shown and follows the text, a restart works,
// and a program that is not there is told with the setting that names it.
//     vscode.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import {EventEmitter as Events} from 'node:events';
import {createRequire, Module} from 'node:module';
import path from 'node:path';

const [source, gramc] = process.argv.slice(2, 4).map(word => path.resolve(word));
const require = createRequire(import.meta.url);

/* ## The editor */

const settings = {path: gramc, arguments: [], target: 'openai', 'rename.keepWireNames': false};
const said = {errors: [], typed: [], shown: []}, commands = {}, diagnostics = new Map(), contents = {};
const providers = [], documents = [], nothing = {dispose() {}};
class Disposable { constructor(end) { this.dispose = end ?? (() => {}); } static from() { return nothing; } }
class EventEmitter {
    constructor() {
        this.events = new Events();
        this.event = (hearer, self, ends) => {
            const call = value => hearer.call(self, value), end = new Disposable(() => this.events.off('it', call));
            this.events.on('it', call);
            ends?.push(end);
            return end;
        };
    }
    fire(value) { this.events.emit('it', value); }
    dispose() {}
}
class Uri {
    static parse(text) { const url = new URL(text); return Object.assign(new Uri(), {scheme: url.protocol.slice(0, -1), path: decodeURIComponent(url.pathname), query: decodeURIComponent(url.search.slice(1)), text}); }
    static from({scheme, path, query}) { return Uri.parse(`${scheme}:${path}?${encodeURIComponent(query)}`); }
    get fsPath() { return this.path; }
    toString() { return this.text; }
}
class Position { constructor(line, character) { Object.assign(this, {line, character}); } }
class Range {
    constructor(...at) {
        const [start, end] = at.length === 2 ? at : [new Position(at[0], at[1]), new Position(at[2], at[3])];
        Object.assign(this, {start, end});
    }
}
class CodeActionKind { constructor(value) { this.value = value; } append(part) { return new CodeActionKind(this.value ? `${this.value}.${part}` : part); } }
CodeActionKind.Empty = new CodeActionKind('');
for (const kind of ['quickfix', 'refactor', 'source']) CodeActionKind[kind === 'quickfix' ? 'QuickFix' : kind[0].toUpperCase() + kind.slice(1)] = new CodeActionKind(kind);
class Diagnostic { constructor(range, message, severity) { Object.assign(this, {range, message, severity}); } }

class CancellationTokenSource {
    constructor() { this.token = {isCancellationRequested: false, onCancellationRequested: () => nothing}; }
    cancel() { this.token.isCancellationRequested = true; }
    dispose() {}
}
class TabInputText { constructor(uri) { this.uri = uri; } }
const tabs = [];

const events = {};
const hear = name => (...words) => (events[name] ??= new EventEmitter()).event(...words);
const tell = (name, value) => events[name]?.fire(value);
// Events are heard, enums and classes are there, and what else is asked for does nothing.
const withRest = (known, rest) => new Proxy(known, {get: (object, key) => key in object ? object[key] : typeof key === 'symbol' || key === 'then' ? undefined : object[key] = rest(key)});
const surface = known => withRest(known, key => key.startsWith('on') ? hear(key) : () => nothing);
const enumOf = known => withRest(known, key => key);

const vscode = withRest({
    version: '1.90.0', Disposable, EventEmitter, Uri, Position, Range, Diagnostic, CodeActionKind, CancellationTokenSource, TabInputText,
    DiagnosticSeverity: {Error: 0, Warning: 1, Information: 2, Hint: 3}, ViewColumn: enumOf({}), StatusBarAlignment: enumOf({}), LogLevel: enumOf({}),
    env: surface({appName: 'stand-in', language: 'en', clipboard: {}, onDidChangeTelemetryEnabled: hear('telemetry')}),
    extensions: surface({getExtension: () => undefined, all: []}),
    workspace: surface({
        textDocuments: documents, workspaceFolders: undefined, isTrusted: true, notebookDocuments: [],
        getConfiguration: section => ({get: (key, other) => (section === 'gramc' ? settings[key] : undefined) ?? other, has: () => false, inspect: () => undefined}),
        registerTextDocumentContentProvider: (scheme, provider) => { contents[scheme] = provider; return nothing; },
        openTextDocument: async uri => ({uri, text: await contents[uri.scheme].provideTextDocumentContent(uri)}),
        createFileSystemWatcher: () => surface({}),
        asRelativePath: uri => String(uri),
    }),
    window: surface({
        activeTextEditor: undefined, visibleTextEditors: [], terminals: [], tabGroups: surface({all: [{tabs}]}),
        createOutputChannel: () => surface({append() {}, appendLine() {}}),
        createTerminal: () => ({show() {}, sendText: (text, enter) => said.typed.push([text, enter])}),
        showErrorMessage: async (message, ...choices) => { said.errors.push(message); return choices[0]; },
        showTextDocument: async document => { said.shown.push(document); },
    }),
    languages: withRest({
        createDiagnosticCollection: () => ({set: (uri, list) => { diagnostics.set(String(uri), list); tell('findings'); }, delete: uri => diagnostics.delete(String(uri)), clear: () => diagnostics.clear(), dispose() {}}),
        match: (selector, document) => [selector].flat().some(one => one.language === document.languageId) ? 1 : 0,
    }, key => (...words) => { providers.push(key); return nothing; }),
    commands: {
        registerCommand: (name, run) => { commands[name] = run; return nothing; },
        executeCommand: async (...words) => { said.errors.push(words.join(' ')); },
    },
}, key => /^[A-Z]/.test(key) ? class {} : undefined);
const load = Module._load;
Module._load = (request, ...rest) => request === 'vscode' ? vscode : load(request, ...rest);

/* ## What a person does */

function opened(name, text) {
    const lines = () => document.text.split('\n');
    const document = {uri: Uri.parse(`file:///nowhere/${name}`), languageId: 'gram', version: 1, text, isClosed: false, getText: () => document.text,
        get lineCount() { return lines().length; }, lineAt: at => ({text: lines()[at]})};
    documents.push(document);
    tell('onDidOpenTextDocument', document);
    tabs.push({input: new TabInputText(document.uri)});
    vscode.window.activeTextEditor = {document};
    tell('onDidChangeTabs', {opened: tabs, closed: [], changed: []});
    return document;
}

function changed(document, text) {
    document.version++;
    document.text = text;
    tell('onDidChangeTextDocument', {document, contentChanges: [{text, range: new Range(new Position(0, 0), new Position(1e6, 0)), rangeOffset: 0, rangeLength: 0}], reason: undefined});
}

async function until(what, fits) {
    for (const end = Date.now() + 20000; !fits(); await new Promise(done => setTimeout(done, 10)))
        assert.ok(Date.now() < end, `${what}: ${JSON.stringify([...diagnostics])} ${said.errors}`);
}
const findings = document => diagnostics.get(String(document.uri)) ?? [];

/* ## The extension's own sources, as they would be bundled */

// Its folder has no node_modules of its own here; what it requires is the peers'.
const extensionFile = path.join(source, 'editors/vscode/extension.js');
const resolve = Module._resolveFilename, languageClient = require.resolve('vscode-languageclient/node');
Module._resolveFilename = (request, ...rest) => request === 'vscode-languageclient/node' ? languageClient : resolve(request, ...rest);
const extension = require(extensionFile);
await extension.activate({subscriptions: []});
assert.deepEqual(said.errors, []);
const manifest = require(path.join(source, 'editors/vscode/package.json'));
for (const {command} of manifest.contributes.commands) assert.ok(commands[command], `${command} does nothing`);
for (const kind of ['Hover', 'Completion', 'Definition', 'Reference', 'Rename', 'DocumentFormatting', 'CodeActions', 'CodeLens', 'InlayHints', 'DocumentSemanticTokens', 'FoldingRange'])
    assert.ok(providers.some(name => name.includes(kind)), `nothing provides ${kind}: ${providers}`);

const spec = '[clerk:Agent {model: "OpenAI/x"} |\n  [find:Tool {description: "Finds"} | (size::Itn)==>(::Text)]\n]\n';
const document = opened('shop.gram', spec);
await until('findings', () => findings(document).length === 1);
assert.match(findings(document)[0].message, /Itn/);
assert.equal(findings(document)[0].range.start.line, 1);

await commands['gramc.showSchema']();
assert.match(JSON.parse(said.shown[0].text), /error/, 'a broken spec has no schema, and that is said');
documents.push({...said.shown[0], languageId: 'json'});
let follows = 0;
contents['gramc-schema'].onDidChange(() => follows++);
changed(document, spec.replace('Itn', 'Int'));
await until('mended', () => findings(document).length === 0);
assert.equal(follows, 1, 'the schema follows the text');
await commands['gramc.showSchema'](String(document.uri), 'clerk');
assert.equal(JSON.parse(said.shown[1].text)[0].function.parameters.properties.size.type, 'integer');
assert.match(said.shown[1].uri.path, /^\/shop\.gram\.clerk\.openai\.json$/);

commands['gramc.run']();
commands['gramc.run'](String(document.uri), 'clerk');
assert.deepEqual(said.typed, [[`'${gramc}' run '/nowhere/shop.gram' --chat`, false], [`'${gramc}' run '/nowhere/shop.gram' --agent 'clerk' --chat`, false]]);

diagnostics.clear();
await commands['gramc.restart']();
changed(document, spec);
await until('findings of the second server', () => findings(document).length === 1);

await extension.deactivate();
settings.path = '/nowhere/gramc';
await commands['gramc.restart']();
assert.ok(said.errors.some(words => /\/nowhere\/gramc cannot be started.*gramc\.path/.test(words)), `${said.errors}`);
assert.ok(said.errors.includes('workbench.action.openSettings gramc.path'), `${said.errors}`);
console.log(`${providers.length} providers, ${Object.keys(commands).length} commands`);
process.exit(0);
