// Reads what gramc prints for machines as its readers would: SARIF by the schema of the standard (as
// Microsoft's package ships it) with Ajv and with gramc's own validator, the diagnostics by our schema
// with Ajv, and workflow commands by the rules of the runner of GitHub Actions, which must find what
// the diagnostics say, hostile texts included.
//     formats.mjs GRAMC SOURCE_FOLDER [EVERY]    EVERY 4: each fourth case
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import os from 'node:os';
import path from 'node:path';

const require = createRequire(import.meta.url);
const requireOfSarif = createRequire(require.resolve('@microsoft/jest-sarif/package.json'));
const [gramc, source, every = '1'] = process.argv.slice(2);
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-formats-'));
const FORMATS = ['json', 'sarif', 'github'];
const WORDS = ['check', 'diff', 'fmt', 'validate'];

// ## Cases

// The sections of a golden case, as bytes: a file's name need not be UTF-8.
function readCase(file) {
    const lines = fs.readFileSync(file, 'latin1').split('\n');
    const test = {command: lines[0].slice('command: '.length), files: [], stdin: ''};
    let take = () => {};
    for (const line of lines.slice(1, -1)) {
        const name = /^--- (file (.*)|[a-z]+.*)$/.exec(line);
        if (!name) take(line + '\n');
        else if (name[2] !== undefined) {
            const entry = {name: name[2], text: ''};
            test.files.push(entry);
            take = (text) => { entry.text += text; };
        } else if (name[1] === 'stdin') take = (text) => { test.stdin += text; };
        else take = () => {};
    }
    return test;
}

const bytes = (text) => Buffer.from(text, 'latin1');

function unpack(test, folder) {
    const at = (name) => Buffer.concat([bytes(folder + '/'), bytes(name)]);
    fs.rmSync(folder, {recursive: true, force: true});
    fs.mkdirSync(folder);
    for (const {name, text} of test.files) {
        const slash = name.lastIndexOf('/');
        if (slash > 0) fs.mkdirSync(at(name.slice(0, slash)), {recursive: true});
        fs.writeFileSync(at(name), bytes(text));
    }
}

// A case's own command if it is one of ours; and, for every case with specs, a check and a
// `fmt --check` of them all.
function commandsOf(test) {
    const words = test.command.split(' ');
    const own = WORDS.includes(words[0]) && !/--(fix|diff|lines|write-baseline|help)\b/.test(test.command) &&
        !/--format (text|verdict|flag|basic|detailed|unknown)/.test(test.command) &&
        (words[0] !== 'fmt' || words.includes('--check'));
    const commands = [];
    if (own && words.includes('--format'))
        commands.push((format) => words.map((word, i) => words[i - 1] === '--format' ? format : word));
    else if (own) commands.push((format) => [...words, '--format', format]);
    if (test.files.some(({name}) => name.endsWith('.gram'))) {
        commands.push((format) => ['check', '--no-config', '--format', format, '.']);
        commands.push((format) => ['fmt', '--check', '--format', format, '.']);
    }
    return commands;
}

// Arguments go through a shell's `printf`, since Node would encode them as UTF-8.
function run(folder, words, stdin) {
    const octal = (word) => [...bytes(word)].map((byte) => '\\' + byte.toString(8).padStart(3, '0')).join('');
    const script = 'set --\n' + words.map((word) =>
        `word=$(printf '${octal(word)}.'); set -- "$@" "\${word%.}"`).join('\n') + `\nexec "$GRAMC" "$@"`;
    return spawnSync('sh', ['-c', script],
                     {cwd: folder, env: {...process.env, GRAMC: gramc, LC_ALL: 'C'}, input: bytes(stdin), maxBuffer: 1 << 28});
}

// ## Workflow commands, as the runner reads them (actions/runner, ActionCommand.cs)

const unescapeData = (text) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
const unescapeProperty = (text) => unescapeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
const ANNOTATIONS = {error: 'error', warning: 'warning', notice: 'information'};
const PROPERTIES = ['file', 'line', 'endLine', 'col', 'endColumn', 'title'];

function parseCommand(line) {
    const message = line.trimStart();
    assert(message.startsWith('::'), `no command: ${line}`);
    const end = message.indexOf('::', 2);
    assert(end > 0, `no end of the command: ${line}`);
    const info = message.slice(2, end), space = info.indexOf(' ');
    const properties = {};
    for (const pair of info.slice(space + 1).split(',')) {
        const equals = pair.indexOf('=');
        assert(equals > 0, `no property: ${pair}`);
        properties[pair.slice(0, equals)] = unescapeProperty(pair.slice(equals + 1));
    }
    return {command: info.slice(0, space), properties, data: unescapeData(message.slice(end + 2))};
}

// The same places as in the diagnostics; texts differ only in how they spell what is treacherous.
const spell = (text) => text.replace(/\\(u\{[0-9a-f]+\}|x[0-9a-f]{2})|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/gu, '?').replaceAll(/\t/g, ' ');

function compareAnnotations(text, diagnostics) {
    const all = diagnostics.files.flatMap(({path: file, diagnostics: list}) => list.map((d) => ({file, ...d})));
    const lines = text.split('\n').filter((line) => line);
    // What is in no finding is counted, in a command that has no place.
    const counts = [['accepted', diagnostics.accepted], ['not compared', diagnostics.not_compared]];
    const said = counts.filter(([, count]) => count).map(([what, count]) => `${count} ${what}`);
    if (said.length) assert.equal(lines.pop(), `::notice title=gramc diff::${said.join(', ')}`);
    assert.equal(lines.length, all.length, 'a workflow command for each finding');
    lines.forEach((line, i) => {
        const {command, properties, data} = parseCommand(line), d = all[i];
        assert.equal(ANNOTATIONS[command], d.severity);
        for (const name of Object.keys(properties)) assert(PROPERTIES.includes(name), name);
        assert.equal(spell(properties.file), spell(d.file.replace(/^(\.\/)+/, '')));
        assert.equal(+properties.line, d.range.start.line + 1);
        assert.equal(+properties.endLine, d.range.end.line + 1);
        // The runner refuses columns over several lines.
        assert.equal('col' in properties, properties.line === properties.endLine);
        assert.equal(properties.title, d.code === d.slug ? d.code : `${d.code} ${d.slug}`);
        assert.equal(spell(data.split('\n')[0]), spell(d.message));
        if (d.help) assert.equal(spell(data.split('\n').at(-1)), `help: ${spell(d.help)}`);
    });
    return lines.length;
}

// ## All of it

const Draft4 = requireOfSarif('ajv'), Ajv2020 = require('ajv/dist/2020').default;
const sarifSchema = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');
const draft4 = new Draft4({schemaId: 'auto', validateSchema: false});
draft4.addMetaSchema(requireOfSarif('ajv/lib/refs/json-schema-draft-04.json'));
const standard = JSON.parse(fs.readFileSync(sarifSchema, 'utf8'));
const isSarif = draft4.compile(standard);
const isDiagnostics = new Ajv2020({strict: false}).compile(
    JSON.parse(fs.readFileSync(path.join(source, 'docs/formats/diagnostics.schema.json'), 'utf8')));

const counts = {reports: 0, annotations: 0, check: 0, diff: 0, fmt: 0, validate: 0}, sarifFiles = [];
try {
    const folder = path.join(work, 'case');
    const cases = path.join(source, 'tests/golden/cases');
    const names = fs.readdirSync(cases).filter((name) => name.endsWith('.test')).sort();
    for (const name of names.filter((_, i) => i % Number(every) === 0)) {
        const test = readCase(path.join(cases, name));
        for (const command of commandsOf(test)) {
            const out = {};
            for (const format of FORMATS) {
                unpack(test, folder);
                out[format] = run(folder, command(format), test.stdin);
            }
            // Usage errors, and specs that are too broken to go on with: there is no report.
            const words = command('json');
            const refused = out.json.stdout.length === 0 && out.json.stderr.length > 0;
            if (out.json.status === 2 || (refused && ['diff', 'validate'].includes(words[0]))) continue;
            const where = `${name}: ${words.join(' ')}`;
            try {
                const diagnostics = JSON.parse(out.json.stdout), sarif = JSON.parse(out.sarif.stdout);
                assert(isDiagnostics(diagnostics), JSON.stringify(isDiagnostics.errors));
                assert(isSarif(sarif), JSON.stringify(isSarif.errors));
                assert.equal(sarif.runs[0].results.length, diagnostics.files.flatMap((f) => f.diagnostics).length);
                for (const result of sarif.runs[0].results)
                    assert.equal(sarif.runs[0].tool.driver.rules[result.ruleIndex].id, result.ruleId);
                counts.annotations += compareAnnotations(out.github.stdout.toString(), diagnostics);
            } catch (error) {
                throw new Error(`${where}: ${error.message}`, {cause: error});
            }
            const file = path.join(work, `${counts.reports}.sarif`);
            fs.writeFileSync(file, out.sarif.stdout);
            sarifFiles.push(file);
            counts.reports++;
            counts[words[0]]++;
        }
    }
    // Our own validator by the same schema, which says the same in draft 7; and both refuse what is none.
    const {id, $schema, ...rest} = standard, schema = path.join(work, 'schema.json');
    assert($schema.includes('draft-04'));
    fs.writeFileSync(schema, JSON.stringify({$id: id, ...rest}));
    const own = spawnSync(gramc, ['validate', '--draft', '7', schema, ...sarifFiles]);
    assert.equal(own.status, 0, own.stdout.toString() + own.stderr.toString());
    const wrong = JSON.parse(fs.readFileSync(sarifFiles[0], 'utf8'));
    wrong.runs[0].columnKind = 'bytes';
    fs.writeFileSync(path.join(work, 'wrong.sarif'), JSON.stringify(wrong));
    assert(!isSarif(wrong));
    assert.equal(spawnSync(gramc, ['validate', '--draft', '7', schema, path.join(work, 'wrong.sarif')]).status, 1);
} finally {
    fs.rmSync(work, {recursive: true, force: true});
}
for (const word of WORDS) assert(counts[word] >= 10 / Number(every), `only ${counts[word]} reports of ${word}`);
console.log(JSON.stringify(counts));
