// The colours of editors/vscode, by the engine of VS Code: what the TextMate grammar calls a string or a comment is what
// the language server's lexer calls so, in every spec and golden case; a table of lines has the scopes that themes ask
// for; each snippet becomes a spec that gramc takes.
//     textmate.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import {spawn, spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const [source, gramc] = process.argv.slice(2, 4).map(word => path.resolve(word));
const require = createRequire(import.meta.url);
const oniguruma = require('vscode-oniguruma'), textmate = require('vscode-textmate'), rpc = require('vscode-jsonrpc/node');
const extension = path.join(source, 'editors/vscode');
const read = name => fs.readFileSync(path.join(extension, name), 'utf8');

await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
const registry = new textmate.Registry({
    onigLib: Promise.resolve({createOnigScanner: sources => new oniguruma.OnigScanner(sources), createOnigString: text => new oniguruma.OnigString(text)}),
    loadGrammar: async () => textmate.parseRawGrammar(read('syntaxes/gram.tmLanguage.json'), 'gram.json'),
});
const grammar = await registry.loadGrammar('source.gram');

// The scopes of each character, a line a list.
function coloured(text) {
    let stack = textmate.INITIAL;
    return text.split('\n').map(line => {
        const {tokens, ruleStack} = grammar.tokenizeLine(line, stack);
        stack = ruleStack;
        const scopes = [];
        for (const token of tokens) for (let at = token.startIndex; at < token.endIndex; at++) scopes[at] = token.scopes.slice(1).join(' ');
        return scopes;
    });
}

/* ## Lines, what stands in them, and its scope */

const lines = [
    ['[clerk:Agent {model: "OpenAI/x"} |', {Agent: 'keyword.other.label', model: 'variable.other.property', 'OpenAI/x': 'string.quoted.double'}],
    ['  [find:Tool {description: "a \\" // b"} | (x::Text)==>(::Color)]', {'// b': 'string.quoted.double', '\\"': 'constant.character.escape', Text: 'entity.name.type', Color: 'entity.name.type', '==>': 'keyword.operator.arrow'}],
    ['// [a:Agent {b: "c"}]', {'[a': 'comment.line', '"c"': 'comment.line'}],
    ['{a: -1.5e3, b: true, c: 0xFF} // d', {'-1.5e3': 'constant.numeric', true: 'constant.language', '0xFF': 'constant.numeric', '// d': 'comment.line'}],
    ['[a:Agent {instruction: "Sell ${what} now"}]', {'${what}': 'variable.other.input', ' now': 'string.quoted.double'}],
    ['[`gpt-4o`:Model {inputPerMillion: 1}]', {'gpt-4o': 'variable.other.quoted', Model: 'keyword.other.label'}],
    ['{a: json`{"b": 1}`}', {json: 'entity.name.tag', '"b"': 'string.quoted.other.tagged'}],
    ["{a: 'it is \"b\"', c: 2}", {'"b"': 'string.quoted.single', c: 'variable.other.property'}],
];
for (const [line, wanted] of lines) {
    const [scopes] = coloured(line);
    for (const [part, scope] of Object.entries(wanted)) {
        const from = line.indexOf(part);
        for (let at = from; at < from + part.length; at++)
            assert.ok(scopes[at]?.includes(scope), `${line}: ${part} is ${scopes[at]}, not ${scope}`);
    }
}

/* ## Every spec, beside the server's lexer */

function* specs() {
    const roots = ['specs', 'examples', 'docs', 'tests/data'].map(name => path.join(source, name));
    for (const root of roots)
        for (const name of fs.readdirSync(root, {recursive: true}))
            if (name.endsWith('.gram')) yield [name, fs.readFileSync(path.join(root, name), 'utf8')];
    const golden = path.join(source, 'tests/golden/cases');
    for (const name of fs.readdirSync(golden)) {
        const [head, ...sections] = fs.readFileSync(path.join(golden, name), 'utf8').split(/^--- /m);
        // What is broken on purpose has no right colours; what is no JSON or JSONL is a spec.
        if (!/^exit: 0$/m.test(head)) continue;
        for (const section of sections) {
            const [, file, body] = section.match(/^file (\S+\.gram)\n([^]*)$/) ?? [];
            if (file) yield [`${name}: ${file}`, body];
        }
    }
}

const server = spawn(gramc, ['lsp'], {stdio: ['pipe', 'pipe', 'inherit']});
const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
connection.listen();
const {capabilities} = await connection.sendRequest('initialize', {processId: null, rootUri: null, capabilities: {}});
await connection.sendNotification('initialized', {});
const types = capabilities.semanticTokensProvider.legend.tokenTypes;

async function tokensOf(uri) {
    const {data} = await connection.sendRequest('textDocument/semanticTokens/full', {textDocument: {uri}});
    const tokens = [];
    for (let at = 0, line = 0, column = 0; at < data.length; at += 5) {
        column = data[at] ? data[at + 1] : column + data[at + 1];
        line += data[at];
        tokens.push({line, column, length: data[at + 2], type: types[data[at + 3]]});
    }
    return tokens;
}

// What is inside of a text or a comment in one of them, and not in the other.
function differs(scopes = '', token, text) {
    const isText = scopes.includes('string.'), isComment = scopes.includes('comment.');
    if (token.type === 'comment') return !isComment;
    if (token.type === 'string') return !isText && !scopes.includes('variable.other.quoted') && !scopes.includes('entity.name.tag') && !/^\w*`/.test(text);
    return isComment || (isText && token.type !== 'variable' && !/^["'`]/.test(text)); // a type may stand in quotes
}

const counts = {specs: 0, tokens: 0};
for (const [name, text] of specs()) {
    if (/\r|[\uD800-\uDFFF]/.test(text)) continue; // columns of lines that split elsewhere
    const uri = `file:///nowhere/${counts.specs++}.gram`;
    await connection.sendNotification('textDocument/didOpen', {textDocument: {uri, languageId: 'gram', version: 1, text}});
    const rows = text.split('\n'), scopes = coloured(text);
    for (const token of await tokensOf(uri)) {
        const part = rows[token.line].slice(token.column, token.column + token.length);
        for (let at = token.column; at < token.column + token.length; at++)
            assert.ok(!differs(scopes[token.line][at], token, part),
                `${name}:${token.line + 1}:${at + 1}: \`${part}\` is a ${token.type} for the lexer, and ${scopes[token.line][at] || 'nothing'} for the colours\n${rows[token.line]}`);
        counts.tokens++;
    }
    await connection.sendNotification('textDocument/didClose', {textDocument: {uri}});
}
await connection.sendRequest('shutdown');
await connection.sendNotification('exit');
connection.dispose();

/* ## Snippets, as they are when nobody fills anything in */

const filled = body => body.join('\n').replace(/\$\{\d+:([^}]*)\}/g, '$1').replace(/\$\d+/g, 'something');
const snippets = Object.entries(JSON.parse(read('snippets/gram.json')));
for (const [name, {body}] of snippets) {
    const spec = filled(body);
    const done = spawnSync(gramc, ['check', '--no-config', '--format', 'json', '-'], {input: spec, encoding: 'utf8'});
    // Only what a snippet refers to may be missing.
    const own = JSON.parse(done.stdout).files[0].diagnostics.filter(d => d.severity === 'error' && d.slug !== 'unresolved-name');
    assert.deepEqual(own.map(d => `${d.code}: ${d.message}`), [], `the snippet ${name}:\n${spec}`);
}

console.log(`${lines.length} lines, ${counts.specs} specs with ${counts.tokens} tokens, ${snippets.length} snippets`);
assert.ok(counts.specs > 300 && counts.tokens > 10000 && snippets.length >= 5, 'too few');
