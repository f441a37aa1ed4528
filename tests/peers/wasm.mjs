// gramc.wasm beside the program: for the specs and the golden cases, check, compile to every target, format, import and
// compare give the same bytes. The module is built first, which takes minutes: in the short run it is only said that
// this is in ./dev test --long.
//     wasm.mjs GRAMC SOURCE_FOLDER WASM_FOLDER [EVERY]
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [gramc, source, built] = process.argv.slice(2, 5).map(word => path.resolve(word));
const every = Number(process.argv[5] ?? 1);
if (process.env.GRAMC_LONG !== '1') {
    console.log('not run: the build for WebAssembly is part of ./dev test --long; test_wasm tests its calls here');
    process.exit(0);
}

function build() {
    if (spawnSync('sh', ['-c', 'command -v emcc']).status !== 0) {
        console.log('cannot run: emscripten is not installed');
        process.exit(process.env.CI === 'true' ? 1 : 77);
    }
    const made = spawnSync('sh', [path.join(source, 'wasm/build.sh'), built], {encoding: 'utf8', maxBuffer: 1 << 28});
    assert.equal(made.status, 0, `wasm/build.sh: ${made.stdout.slice(-2000)}${made.stderr.slice(-2000)}`);
    assert.doesNotMatch(made.stdout + made.stderr, /warning:/, 'the build has warnings');
}

build();
const {load, GramcError} = await import(pathToFileURL(path.join(built, 'module/gramc.js')));
const module = await load();
const targets = module.version().targets.map(({name}) => name);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-wasm-'));
process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
const counts = {};
// What these say depends on folders, and on files that are no text; the module has neither.
const ofFolders = ['check-outside-project.test', 'guard-missing-script.test'];

/* ## What is compared */

// The files of a golden case, by name; null for what is no text of UTF-8.
function filesOf(name) {
    const bytes = fs.readFileSync(name), text = bytes.toString();
    if (!Buffer.from(text).equals(bytes) || text.includes('\0')) return null;
    const [head, ...sections] = text.split(/^--- /m);
    const files = {};
    for (const section of sections) {
        const [, kind, rest, body] = section.match(/^(\S*) ?(.*)\n([^]*)$/);
        if (kind === 'file') files[rest] = body;
    }
    return {command: head.match(/^command: (.*)$/m)?.[1] ?? '', files};
}

function native(files, ...args) {
    const here = fs.mkdtempSync(path.join(folder, 'case-'));
    for (const [name, text] of Object.entries(files)) {
        fs.mkdirSync(path.dirname(path.join(here, name)), {recursive: true});
        fs.writeFileSync(path.join(here, name), text);
    }
    const done = spawnSync(gramc, args, {cwd: here, encoding: 'utf8', maxBuffer: 1 << 28});
    fs.rmSync(here, {recursive: true});
    return {code: done.status, out: done.stdout};
}

// A status is an exit code; what a limit or a usage stops is 2 in the program.
function ours(operation, request, output) {
    const reply = JSON.parse(module.raw(operation, request));
    const code = {ok: 0, findings: 1}[reply.status] ?? 2;
    return {code, out: reply[output] ?? ''};
}

function same(kind, where, mine, theirs) {
    counts[kind] = (counts[kind] ?? 0) + 1;
    assert.deepEqual(mine, theirs, `${kind}: ${where}`);
}

function compareSpec(where, name, files) {
    const request = {text: files[name], name, files};
    const checked = native(files, 'check', '--no-config', '--format=json', '--', name);
    same('check', where, ours('check', request, 'report'), checked);
    const format = ours('format', request, 'output');
    const theirs = spawnSync(gramc, ['fmt', '-'], {cwd: folder, input: files[name], encoding: 'utf8'});
    same('format', where, format, {code: theirs.status, out: theirs.status ? '' : theirs.stdout});
    if (checked.code !== 0) return;
    for (const target of targets) {
        const theirs = native(files, 'compile', '--no-config', `--target=${target}`, '--', name);
        const mine = ours('compile', {...request, target}, 'output');
        same('compile', `${where} for ${target}`, mine, {code: theirs.code, out: theirs.out});
    }
}

function compareImport(where, name, files) {
    const theirs = native(files, 'import', '--', name);
    same('import', where, ours('import', {text: files[name], name}, 'output'), theirs);
}

function compareDiff(where, before, after) {
    const theirs = native({'before.gram': before, 'after.gram': after}, 'diff', '--format=json', '--fail-on=none', 'before.gram', 'after.gram');
    const mine = ours('diff', {before, after}, 'report');
    same('diff', where, mine, theirs);
}

const cases = path.join(source, 'tests/golden/cases');
const names = fs.readdirSync(cases).filter(name => name.endsWith('.test')).sort();
for (const [i, name] of names.entries()) {
    const found = i % every || ofFolders.includes(name) ? null : filesOf(path.join(cases, name));
    if (!found) continue;
    const {command, files} = found;
    for (const file of Object.keys(files)) {
        const where = `${name} ${file}`;
        if (/\.\.|^\/|^-|[^\x20-\x7e]/.test(file) || file === 'gramc.gram') continue;
        if (file.endsWith('.gram')) compareSpec(where, file, files);
        if (command.startsWith('import ') && /\.(json|ya?ml)$/.test(file)) compareImport(where, file, files);
    }
    const sides = command.match(/^diff .*?(\S+\.gram) (\S+\.gram)/)?.slice(1).map(side => files[side]);
    if (sides?.every(side => side !== undefined)) compareDiff(name, ...sides);
}
for (const name of fs.readdirSync(path.join(source, 'specs')).filter(each => each.endsWith('.gram')))
    compareSpec(name, name, {[name]: fs.readFileSync(path.join(source, 'specs', name), 'utf8')});

/* ## What would break the module */

// At the limits of nesting the answer is an answer, and past them a finding.
for (const depth of [100, 1000, 1023, 1030, 100000]) {
    const spec = `[t:Tool {description: "d", x: ${'['.repeat(depth)}${']'.repeat(depth)}} | ()==>(::Text)]`;
    assert.ok(['ok', 'findings'].includes(module.check(spec).status), `${depth} brackets`);
    const schema = `${'{"type":"object","properties":{"a":'.repeat(depth / 4)}{"type":"string"}${'}}'.repeat(depth / 4)}`;
    const imported = module.import(`{"name":"t","description":"d","inputSchema":${schema}}`, {kind: 'mcp'});
    if (imported.output) assert.ok(module.compile(imported.output, 'openai').status, `${depth} schemas`);
}
// Much text, and then little: the memory grew, and the next call is as the first.
const large = Array.from({length: 20000}, (_, i) => `[t${i}:Tool {description: "Tool ${i}"} | (a::Int)==>(::Text)]\n`).join('');
assert.equal(module.check(large).status, 'ok');
assert.equal(module.compile(large, 'openai').status, 'ok');
assert.equal(module.check('[t:Tool {description: "d"} | (a::Int)==>(::Text)]').status, 'ok');
assert.throws(() => module.check('', {colour: 'red'}), error => error instanceof GramcError && error.status === 'usage');
assert.throws(() => module.compile('', 'nope'), /there is no such target/);
assert.equal(module.explain('G0209').slug, 'missing-description');
assert.ok(counts.check > 300 / every && counts.compile > 1000 / every && counts.import > 5 / every && counts.diff > 5 / every, JSON.stringify(counts));
console.log(`equal to the program: ${Object.entries(counts).map(([kind, count]) => `${count} ${kind}`).join(', ')}`);
