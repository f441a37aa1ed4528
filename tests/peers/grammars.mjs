// The grammars of `compile --target gbnf-arguments` in llama.cpp itself: its parser takes each, and of each text that
// house/grammars asks our recogniser about, llama.cpp says the same. So what that test proves of grammars and the
// validator holds for llama.cpp. No model is needed: what is loaded is the addon of node-llama-cpp alone.
//     grammars.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';

const [source, gramc] = process.argv.slice(2, 4).map(word => path.resolve(word));
const require = createRequire(import.meta.url);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'grammars-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));

// Only its binary; the package's own entry would look for graphics cards.
function llama() {
    const home = path.dirname(path.dirname(require.resolve('@node-llama-cpp/linux-x64')));
    return require(path.join(home, 'bins/linux-x64/llama-addon.node')).AddonGrammar;
}

const Grammar = llama();
const record = path.join(folder, 'record.jsonl');
execFileSync('python3', [path.join(source, 'tests/house/grammars.py'), source, gramc, record], {stdio: ['ignore', 'ignore', 'inherit']});

// A judge that takes everything, or nothing, would be no judge.
const digits = new Grammar('root ::= [0-9]{2,3} "\\u00e9"?\n', {rootRuleName: 'root'});
assert.deepEqual(['1', '12', '123é', '1234', ''].map(text => digits.isTextCompatible(text)), [false, true, true, false, false]);

const counts = {grammars: 0, accepted: 0, refused: 0};
for (const line of fs.readFileSync(record, 'utf8').split('\n').filter(Boolean)) {
    const {tool, grammar, asked} = JSON.parse(line);
    let judge;
    try { judge = new Grammar(grammar, {rootRuleName: 'root'}); }
    catch (error) { assert.fail(`${tool}: llama.cpp refuses the grammar: ${error.message}\n${grammar}`); }
    counts.grammars++;
    for (const [text, accepted] of Object.entries(asked)) {
        assert.equal(judge.isTextCompatible(text), accepted, `${tool}: llama.cpp and our recogniser differ on\n${text}\n${grammar}`);
        counts[accepted ? 'accepted' : 'refused']++;
    }
}
const calls = execFileSync(gramc, ['compile', path.join(source, 'tests/data/targets/rich.gram'), '--target', 'gbnf'], {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']});
const call = new Grammar(calls, {rootRuleName: 'root'});
assert.equal(call.isTextCompatible('{"name":"calc.add","arguments":{"b":2}}'), true, calls);
assert.equal(call.isTextCompatible('{"name":"calc.add","arguments":{"b":4}}'), false, calls);
assert.equal(call.isTextCompatible('{"name":"calc.sub","arguments":{"b":2}}'), false, calls);
console.log(JSON.stringify(counts));
assert.ok(counts.grammars > 200 && counts.accepted > 1000 && counts.refused > 1000, 'too few');
