// Every schema that is printed for a spec of the golden cases and the examples is a JSON Schema, by
// the meta-schema as Ajv reads it; and each example and default in it is valid by Ajv where we say so.
//   node golden_schemas.mjs GRAMC SOURCE_DIR [EVERY]    EVERY 4: each fourth case
import assert from 'node:assert';
import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const [gramc, source] = process.argv.slice(2, 4).map((path) => resolve(path));
const every = Number(process.argv[4] ?? 1);
const work = mkdtempSync(join(tmpdir(), 'gramc-schemas-'));
const ajv = addFormats(new Ajv2020({strict: false, logger: false, ownProperties: true, unicodeRegExp: true}));
const counts = {specs: 0, schemas: 0, examples: 0, skipped: 0};

const targets = {
    'json-schema': (out) => out.flatMap((tool) => [tool.parameters, tool.result]),
    openai: (out) => out.map((tool) => tool.function.parameters),
    'openai-functions': (out) => out.map((tool) => tool.parameters),
    'openai-strict': (out) => out.map((tool) => tool.function.parameters),
    'openai-responses': (out) => out.map((tool) => tool.parameters),
    anthropic: (out) => out.map((tool) => tool.input_schema),
    mcp: (out) => out.tools.flatMap((tool) => [tool.inputSchema, tool.outputSchema]),
    ollama: (out) => out.map((tool) => tool.function.parameters),
};

function compile(folder, file, target) {
    const run = spawnSync(gramc, ['compile', file, '--target', target], {cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28});
    return run.status === 0 ? JSON.parse(run.stdout) : null;
}

// Data in a schema that our checker has judged: what is in an escape hatch is not, so that only
// schemas of specs without one are asked.
function checkData(schema, root, where) {
    if (schema === null || typeof schema !== 'object') return;
    const values = [...(Array.isArray(schema.examples) ? schema.examples : []),
                    ...('default' in schema && schema.default !== null ? [schema.default] : [])];
    for (const value of values) {
        const judge = ajv.compile({...schema, $defs: root.$defs});
        counts.examples++;
        assert.ok(judge(value), `${where}: ${JSON.stringify(value)} does not fit ${JSON.stringify(schema)}`);
    }
    for (const key of ['properties', '$defs']) for (const inner of Object.values(schema[key] ?? {})) checkData(inner, root, where);
    for (const key of ['items', 'additionalProperties']) checkData(schema[key] ?? null, root, where);
    for (const key of ['anyOf', 'oneOf', 'prefixItems']) for (const inner of schema[key] ?? []) checkData(inner, root, where);
}

function check(folder, file, text, where) {
    const tools = compile(folder, file, 'json-schema');
    if (!tools) { counts.skipped++; return; }
    counts.specs++;
    for (const [target, schemas] of Object.entries(targets)) {
        const out = compile(folder, file, target);
        if (!out) continue; // refused for this provider, which a golden case shows
        for (const schema of schemas(out)) {
            if (schema === undefined) continue;
            counts.schemas++;
            assert.ok(ajv.validateSchema(schema), `${where} for ${target}: ${ajv.errorsText(ajv.errors)}`);
        }
    }
    if (/schema:/.test(text)) return;
    for (const tool of tools) {
        checkData(tool.parameters, tool.parameters, where);
        checkData(tool.result, tool.result, where);
        for (const call of tool.examples ?? []) {
            counts.examples++;
            assert.ok(ajv.validate(tool.parameters, call), `${where}: example ${JSON.stringify(call)}`);
        }
    }
}

// A golden case: its files in a folder of their own.
function unpack(path) {
    const folder = mkdtempSync(join(work, 'case-')), files = [];
    for (const part of readFileSync(path, 'utf8').split(/^--- /m).slice(1)) {
        const [, name, text] = /^file (\S+)\n([^]*)$/.exec(part) ?? [];
        if (!name) continue;
        mkdirSync(dirname(join(folder, name)), {recursive: true});
        writeFileSync(join(folder, name), text);
        if (name.endsWith('.gram')) files.push([name, text]);
    }
    return {folder, files};
}

const cases = join(source, 'tests/golden/cases');
const names = readdirSync(cases).filter((n) => n.endsWith('.test')).sort();
for (const name of names.filter((_, i) => i % every === 0)) {
    const {folder, files} = unpack(join(cases, name));
    for (const [file, text] of files) check(folder, file, text, `${name}, ${file}`);
}
for (const name of readdirSync(join(source, 'specs')).filter((n) => n.endsWith('.gram')))
    check(join(source, 'specs'), name, readFileSync(join(source, 'specs', name), 'utf8'), name);
rmSync(work, {recursive: true});
assert.ok(counts.specs > 50 / every && counts.schemas > 200 / every && counts.examples > 10 / every, `too little was tried: ${JSON.stringify(counts)}`);
console.log(`${counts.schemas} schemas of ${counts.specs} specs, ${counts.examples} examples and defaults; ` +
            `${counts.skipped} files do not compile by themselves`);
