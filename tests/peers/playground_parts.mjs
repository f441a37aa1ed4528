// What needs neither a page nor the build for WebAssembly: places, underlines, fixes, indentation and links of the
// playground, and what the module for JavaScript makes of a gramc.wasm that fails.
//     playground_parts.mjs SOURCE_FOLDER
import assert from 'node:assert/strict';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const parts = pathToFileURL(path.resolve(process.argv[2], 'docs/playground/parts.js'));
const {offsetOf, pieces, mended, indented, toFragment, fromFragment} = await import(parts);

const at = (line, character) => ({line, character});
const range = (line, from, to) => ({start: at(line, from), end: at(line, to)});

// Characters are UTF-16 units: an emoji is two of them.
const text = 'one\n😀two\n';
assert.equal(offsetOf(text, at(0, 0)), 0);
assert.equal(offsetOf(text, at(1, 2)), 6);
assert.equal(offsetOf(text, at(2, 0)), 10);
assert.equal(offsetOf(text, at(9, 9)), text.length);

// Pieces make up the text, the worse finding shows, and one without length has a character.
const found = [{range: range(0, 0, 3), severity: 'warning'}, {range: range(0, 1, 2), severity: 'error'},
    {range: range(1, 2, 2), severity: 'information'}];
assert.deepEqual(pieces(text, found).map(piece => [piece.text, piece.severity]),
    [['o', 'warning'], ['n', 'error'], ['e', 'warning'], ['\n😀', undefined], ['t', 'information'], ['wo\n', undefined]]);
assert.deepEqual(pieces('', [{range: range(0, 0, 0), severity: 'error'}]), []);
assert.deepEqual(pieces('a', []), [{text: 'a', severity: undefined}]);

// All edits of a fix are of the text as it was.
assert.equal(mended('a b c', [{range: range(0, 0, 1), newText: 'long'}, {range: range(0, 4, 5), newText: ''}]), 'long b ');

// Nothing but blanks changes.
assert.equal(indented('{"a":[1.0,{"b":[ ],"c":{}},"x\\":{,"],"n":1e400}\n'),
    '{\n  "a": [\n    1.0,\n    {\n      "b": [],\n      "c": {}\n    },\n    "x\\":{,"\n  ],\n  "n": 1e400\n}');
for (const value of [[], {}, 'a b', 12, [[], [{}]], {'': null}])
    assert.equal(indented(JSON.stringify(value)), JSON.stringify(value, null, 2));

// A link gives back what it was made of, and nothing that is not a text.
const value = {text: `${'[t:Tool]\n'.repeat(1000)}😀\ud800`, target: 'openai', before: ''};
const link = await toFragment(value);
assert.match(link, /^#1[A-Za-z0-9_-]+$/);
assert.ok(link.length < 400, `the link has ${link.length} characters`);
assert.deepEqual(await fromFragment(link), value);
assert.deepEqual(await fromFragment(await toFragment({text: 'a', target: 7, more: 1})), {text: 'a', target: '', before: ''});
const bomb = await toFragment({text: ' '.repeat(5 << 20)});
for (const bad of ['', '#', '#1', '#2abc', '#1!!!', '#1AAAA', `${link.slice(0, -8)}`, await toFragment({}), await toFragment(null), bomb])
    await assert.rejects(fromFragment(bad), undefined, bad.slice(0, 20));
// A gramc.wasm by hand: room is at 16, and a call does what `body` says.
function moduleOf(...body) {
    const section = (id, ...bytes) => [id, bytes.length, ...bytes];
    const entry = (name, kind, index) => [name.length, ...new TextEncoder().encode(name), kind, index];
    const code = (...bytes) => [bytes.length + 2, 0, ...bytes, 0x0b];
    const i32 = 0x7f;
    return Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
        ...section(1, 4, 0x60, 0, 0, 0x60, 1, i32, 1, i32, 0x60, 1, i32, 0, 0x60, 3, i32, i32, i32, 1, i32),
        ...section(3, 4, 0, 1, 2, 3), ...section(5, 1, 0, 1),
        ...section(7, 5, ...entry('memory', 2, 0), ...entry('_initialize', 0, 0), ...entry('gramc_wasm_alloc', 0, 1),
            ...entry('gramc_wasm_free', 0, 2), ...entry('gramc_wasm_call', 0, 3)),
        ...section(10, 4, ...code(), ...code(0x41, 16), ...code(), ...code(...body))]);
}

const {load, GramcError} = await import(pathToFileURL(path.resolve(process.argv[2], 'wasm/gramc.js')));
const failing = async (status, ...body) => {
    const module = await load(moduleOf(...body));
    for (let i = 0; i < 3; i++) // each time anew
        assert.throws(() => module.check('a'), error => error instanceof GramcError && error.status === status);
};
// Ends as a stack that is overrun does; the second time the same instance would give no reply.
await failing('internal', 0x41, 0, 0x28, 2, 0, 0x04, 0x40, 0x41, 0, 0x0f, 0x0b, 0x41, 0, 0x41, 1, 0x36, 2, 0, 0x00);
await failing('memory', 0x41, 0); // no reply
await assert.rejects(load(new Uint8Array(8)), WebAssembly.CompileError);

console.log('places, underlines, fixes, indentation and links are right');
