// gramc lsp as the protocol's own library sees it: messages go through vscode-jsonrpc, each answer is judged by
// vscode-languageserver-types, and what the server thinks a text is by vscode-languageserver-textdocument.
//   node lsp.mjs GRAMC [EDITS]
import assert from 'node:assert';
import {spawn} from 'node:child_process';
import {mkdtempSync, realpathSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(import.meta.url);
const rpc = require('vscode-jsonrpc/node');
const lsp = require('vscode-languageserver-protocol/node');
const {TextDocument} = require('vscode-languageserver-textdocument');

const gramc = process.argv[2];
const edits = Number(process.argv[3] ?? 300);
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gramc-lsp-')));
const uri = (name) => pathToFileURL(join(folder, name)).href;

const files = {
    'types.gram': '[Color:Text {enum: ["red", "green"]}]\n',
    'shop.gram': `{imports: ["types.gram"]}
[clerk:Agent {description: "Sells \u{1f4e6}", instruction: "Sell \${what}.", model: "OpenAI/gpt-4o-mini"} |
  [find:Tool {description: "Finds a box"} |
    (color::Color {default: "red"})==>(note::Text {maxLength: 9})==>(::Text)],
  sell
]
[sell:Tool {description: "Sells a box"} | (price::Double {min: 0})==>(::Null)]
`,
    'desk.gram': '[desk:ToolLibrary {description: "By hand"} | [find:ToolImpl {returns: "a box"}]]\n',
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

const server = spawn(gramc, ['lsp'], {stdio: ['pipe', 'pipe', 'inherit']});
const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(server.stdout),
                                               new rpc.StreamMessageWriter(server.stdin));
const published = new Map();
let waiting = [];
connection.onError((error) => { throw error[0] ?? error; });
connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
    for (const d of params.diagnostics) assert(lsp.Diagnostic.is(d), JSON.stringify(d));
    published.set(params.uri, params);
    waiting = waiting.filter((w) => !(w.uri === params.uri && params.version >= w.version && (w.done(params), true)));
});
const judged = (of, version) => new Promise((done) => {
    const last = published.get(of);
    if (last && last.version >= version) done(last);
    else waiting.push({uri: of, version, done});
});
connection.listen();

const markup = ['markdown', 'plaintext'];
const initialized = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid, rootUri: pathToFileURL(folder).href, workspaceFolders: null,
    capabilities: {
        general: {positionEncodings: ['utf-16']},
        textDocument: {completion: {completionItem: {snippetSupport: true, documentationFormat: markup}}, hover: {contentFormat: markup},
                       rename: {prepareSupport: true}, publishDiagnostics: {relatedInformation: true, versionSupport: true}},
        workspace: {workspaceEdit: {documentChanges: true, resourceOperations: ['create']}},
    },
});
const can = initialized.capabilities;
assert.strictEqual(can.positionEncoding, 'utf-16');
connection.sendNotification(lsp.InitializedNotification.type, {});

const shop = TextDocument.create(uri('shop.gram'), 'gram', 1, files['shop.gram']);
const open = (document) => connection.sendNotification(lsp.DidOpenTextDocumentNotification.type,
    {textDocument: {uri: document.uri, languageId: 'gram', version: document.version, text: document.getText()}});
open(shop);
assert.deepStrictEqual((await judged(shop.uri, 1)).diagnostics, []);

const place = (part, more = 1) => {
    const at = shop.getText().indexOf(part);
    assert(at >= 0, part);
    return shop.positionAt(at + more);
};
const textDocument = {uri: shop.uri};
const at = (part, more) => ({textDocument, position: place(part, more)});
const whole = {start: shop.positionAt(0), end: shop.positionAt(shop.getText().length)};
let questions = 0;
const ask = async (type, params, judge) => {
    const answer = await connection.sendRequest(type, params);
    questions++;
    const list = Array.isArray(answer) ? answer : [answer];
    assert(list.length > 0 && list[0] !== null, `${type.method}: nothing`);
    for (const item of list) assert(judge(item), `${type.method}: ${JSON.stringify(item)}`);
    return answer;
};

const completion = await ask(lsp.CompletionRequest.type, at('::Color', 3), (list) => list.items.every((i) => typeof i.label === 'string' && lsp.TextEdit.is(i.textEdit) && lsp.MarkupContent.is(i.documentation ?? {kind: 'markdown', value: ''})));
assert(completion.items.some((i) => i.label === 'Color') && completion.items.some((i) => i.label === 'Text'));
const hover = await ask(lsp.HoverRequest.type, at('find:'), lsp.Hover.is);
assert.match(hover.contents.value, /"color"[^]*"enum"/);
assert.match(hover.contents.value, /`desk`/);
const defined = await ask(lsp.DefinitionRequest.type, at('::Color', 3), lsp.Location.is);
assert.strictEqual(defined[0].uri, uri('types.gram'));
const used = await ask(lsp.ReferencesRequest.type, {...at('find:'), context: {includeDeclaration: true}}, lsp.Location.is);
assert.deepStrictEqual(used.map((l) => l.uri).sort(), [uri('desk.gram'), uri('shop.gram')]);
await ask(lsp.DocumentHighlightRequest.type, at('  sell', 3), (h) => lsp.Range.is(h.range) && [2, 3].includes(h.kind));
assert.strictEqual((await connection.sendRequest(lsp.PrepareRenameRequest.type, at('find:'))).placeholder, 'find');
const renamed = await ask(lsp.RenameRequest.type, {...at('find:'), newName: 'look'}, lsp.WorkspaceEdit.is);
assert.deepStrictEqual(renamed.documentChanges.map((c) => c.textDocument.uri).sort(), [uri('desk.gram'), uri('shop.gram')]);
const outline = await ask(lsp.DocumentSymbolRequest.type, {textDocument}, lsp.DocumentSymbol.is);
assert.deepStrictEqual(outline.map((s) => s.name), ['clerk', 'sell']);
const symbols = await ask(lsp.WorkspaceSymbolRequest.type, {query: 'desk'}, (s) => typeof s.name === 'string' && lsp.Location.is(s.location));
assert.strictEqual(symbols[0].name, 'desk');
const actions = await ask(lsp.CodeActionRequest.type, {textDocument, range: {start: place('note::'), end: place('note::')}, context: {diagnostics: []}}, (a) => lsp.CodeAction.is(a) && lsp.WorkspaceEdit.is(a.edit));
assert(actions.some((a) => a.kind === 'refactor.extract'));
await ask(lsp.InlayHintRequest.type, {textDocument, range: whole}, lsp.InlayHint.is);
await ask(lsp.SemanticTokensRequest.type, {textDocument}, (t) => lsp.SemanticTokens.is(t) && t.data.length % 5 === 0);
await ask(lsp.SemanticTokensRangeRequest.type, {textDocument, range: {start: place('find:'), end: place('sell')}}, lsp.SemanticTokens.is);
await ask(lsp.FoldingRangeRequest.type, {textDocument}, lsp.FoldingRange.is);
await ask(lsp.SelectionRangeRequest.type, {textDocument, positions: [place('note::')]}, lsp.SelectionRange.is);
await ask(lsp.DocumentLinkRequest.type, {textDocument}, lsp.DocumentLink.is);
const lenses = await ask(lsp.CodeLensRequest.type, {textDocument}, (l) => lsp.CodeLens.is(l) && lsp.Command.is(l.command));
assert(lenses.some((l) => /bound by desk/.test(l.command.title)), JSON.stringify(lenses));
const pulled = await connection.sendRequest(lsp.DocumentDiagnosticRequest.type, {textDocument});
assert.deepStrictEqual(pulled, {kind: 'full', items: []});
const schema = await connection.sendRequest(lsp.ExecuteCommandRequest.type, {command: 'gramc.schema', arguments: [shop.uri, 'clerk', 'anthropic']});
assert.deepStrictEqual(JSON.parse(schema).map((t) => t.name), ['find', 'sell']);
assert(can.executeCommandProvider.commands.includes('gramc.targets'));

// Formatting: the library applies the edits.
const change = async (document, ...changes) => {
    TextDocument.update(document, changes, document.version + 1);
    connection.sendNotification(lsp.DidChangeTextDocumentNotification.type,
        {textDocument: {uri: document.uri, version: document.version}, contentChanges: changes});
    return judged(document.uri, document.version);
};
const options = {tabSize: 2, insertSpaces: true};
const unformatted = shop.getText();
await change(shop, {text: TextDocument.applyEdits(shop, await connection.sendRequest(lsp.DocumentFormattingRequest.type, {textDocument, options}))});
const pretty = shop.getText();
assert.notStrictEqual(pretty, unformatted);
assert.deepStrictEqual(await connection.sendRequest(lsp.DocumentFormattingRequest.type, {textDocument, options}), []);
await change(shop, {range: {start: place('{description: "Sells a box"'), end: place('{description: "Sells a box"')}, text: '   '});
assert.strictEqual(TextDocument.applyEdits(shop, await connection.sendRequest(lsp.DocumentFormattingRequest.type, {textDocument, options})), pretty);
const range = {start: place('[sell'), end: place('[sell')};
assert.strictEqual(TextDocument.applyEdits(shop, await connection.sendRequest(lsp.DocumentRangeFormattingRequest.type, {textDocument, range, options})), pretty);
await change(shop, {text: pretty});

// Incremental texts: whatever is edited where, the server's text is the library's. A text that begins with an
// identifier of its own is shown by the place of what is found in it.
let seed = 5;
const chance = (n) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % n; };
const pieces = ['{', '}', '[', ']', '(', ')', '|', ',', '::', '"', '`', '==>', 'a', 'Text', ' ', '\n', '\r\n', '\u00e9', '\u{1f600}', '//', '${x}', '```\n', 'default: ', '\u2028'];
const copy = TextDocument.create(uri('copy.gram'), 'gram', 1, '');
open(copy);
// No editor cuts a character in two.
const uncut = at => at - /[\uDC00-\uDFFF]/.test(shop.getText()[at] ?? '');
for (let i = 0; i < edits; i++) {
    const length = shop.getText().length;
    const changes = [];
    if (length > 5000 || i % 50 === 49) changes.push({text: pretty});
    else {
        // The document's end of one change is where the next begins, so one at a time.
        const from = uncut(chance(length + 1)), to = uncut(Math.min(length, from + [0, 0, 1, 3, 12][chance(5)]));
        changes.push({range: {start: shop.positionAt(from), end: shop.positionAt(to)}, text: Array.from({length: chance(3)}, () => pieces[chance(pieces.length)]).join('')});
    }
    const said = await change(shop, ...changes);
    const told = await change(copy, {text: shop.getText()});
    const plain = (list) => JSON.parse(JSON.stringify(list).replaceAll(shop.uri, 'X').replaceAll(copy.uri, 'X').replaceAll('copy.gram', 'shop.gram'));
    assert.deepStrictEqual(plain(said.diagnostics), plain(told.diagnostics), `after edit ${i}: ${JSON.stringify(shop.getText())}`);
}

await connection.sendRequest(lsp.ShutdownRequest.type);
connection.sendNotification(lsp.ExitNotification.type);
const code = await new Promise((done) => server.on('exit', done));
assert.strictEqual(code, 0);
connection.dispose();
rmSync(folder, {recursive: true});
console.log(`${questions} kinds of questions answered as the protocol's types say, ${edits} edits followed`);
assert(questions >= 15);
