// Signatures at random, from everything that the language has: tool definitions are made, imported
// and compiled for each provider. What comes out must come back unchanged from the helpers of the
// providers' own SDKs, be a JSON Schema, and have names that the provider takes.
//   node targets_random.mjs GRAMC COUNT SEED
import assert from 'node:assert';
import {execFileSync, spawnSync} from 'node:child_process';
import {createRequire} from 'node:module';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import {Num, ToolMaker} from './import_maker.mjs';
import {Random} from './random.mjs';

const require = createRequire(import.meta.url);
const {toStrictJsonSchema} = require('openai/lib/transform');
const {transformJSONSchema} = require('@anthropic-ai/sdk/lib/transform-json-schema');
const [gramc, count, seed] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'gramc-targets-'));
const ajv = new Ajv2020({strict: false, logger: false});
const BATCH = 50;

// Numbers that a double holds: the helpers read JSON as JavaScript does.
const plain = (v) => {
    if (v instanceof Num) return Number.isFinite(Number(v.text)) ? Number(v.text) : 1;
    if (Array.isArray(v)) return v.map(plain);
    if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]));
    return v;
};

const hasBareArray = (schema) =>
    schema !== null && typeof schema === 'object' &&
    (([].concat(schema.type).includes('array') && !('items' in schema)) || Object.values(schema).some(hasBareArray));

function compile(spec, target) {
    const got = spawnSync(gramc, ['compile', spec, '--target', target], {encoding: 'utf8', maxBuffer: 1 << 30});
    if (got.status === 0) return JSON.parse(got.stdout);
    // OpenAI refuses arrays without items, so gramc does: true only of a tool that has one.
    const codes = new Set(got.stderr.match(/error\[G\d+\]/g));
    const tools = target.startsWith('openai') && codes.size === 1 && codes.has('error[G0814]')
        ? compile(spec, 'json-schema') : [];
    assert.ok(tools.length === 1 && hasBareArray(tools[0].parameters), `${target}: ${got.stderr}`);
    counts.refused++;
    return [];
}

const keepsFreeNames = (schema) =>
    schema !== null && typeof schema === 'object' &&
    ((schema.type === 'object' && schema.additionalProperties !== false) ||
     Object.values(schema).some(keepsFreeNames));

function isSchema(schema, where) {
    assert.ok(ajv.validateSchema(schema), `${where} is no schema: ${ajv.errorsText(ajv.errors)}`);
}

const counts = {strict: 0, notStrict: 0, anthropic: 0, open: 0, gemini: 0, ollama: 0, mcp: 0, refused: 0};
const functionName = /^[a-zA-Z0-9_-]{1,64}$/;

function checkStrict(spec) {
    for (const {function: tool} of compile(spec, 'openai-strict')) {
        const where = `${tool.name} for openai-strict`;
        assert.match(tool.name, functionName);
        isSchema(tool.parameters, where);
        if (!tool.strict) counts.notStrict++;
        else {
            counts.strict++;
            assert.deepStrictEqual(toStrictJsonSchema(tool.parameters), tool.parameters, where);
        }
    }
}

function checkAnthropic(spec) {
    for (const tool of compile(spec, 'anthropic')) {
        const where = `${tool.name} for anthropic`;
        assert.match(tool.name, functionName);
        isSchema(tool.input_schema, where);
        const back = transformJSONSchema(tool.input_schema);
        if (keepsFreeNames(tool.input_schema)) counts.open++;
        else {
            counts.anthropic++;
            assert.deepStrictEqual(back, tool.input_schema, where);
        }
    }
}

// What the SDK's type Schema has (wire facts of Gemini's `parameters`).
const geminiKeys = new Set(['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'maxItems', 'minItems',
    'properties', 'required', 'minProperties', 'maxProperties', 'minLength', 'maxLength', 'pattern', 'example', 'anyOf',
    'propertyOrdering', 'default', 'minimum', 'maximum']);
const geminiTypes = new Set(['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL']);

function geminiSchema(schema, where) {
    for (const key of Object.keys(schema)) assert.ok(geminiKeys.has(key), `${where} has ${key}`);
    if ('type' in schema) assert.ok(geminiTypes.has(schema.type), `${where} has type ${schema.type}`);
    if (schema.enum) assert.ok(schema.enum.every((v) => typeof v === 'string'), `${where}: enum`);
    for (const key of ['minItems', 'maxItems', 'minLength', 'maxLength'])
        if (key in schema) assert.match(schema[key], /^[0-9]+$/, `${where}: ${key}`);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) {
        assert.match(name, /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, where);
        geminiSchema(inner, `${where}.${name}`);
    }
    for (const name of schema.required ?? []) assert.ok(name in schema.properties, `${where} requires ${name}`);
    if (schema.type === 'ARRAY') assert.ok(schema.items, `${where} has no items`);
    if (schema.items) geminiSchema(schema.items, `${where}[]`);
    for (const member of schema.anyOf ?? []) geminiSchema(member, `${where}|`);
}

function checkGemini(spec) {
    for (const tool of compile(spec, 'gemini')[0].functionDeclarations) {
        assert.match(tool.name, /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/);
        counts.gemini++;
        if (!tool.parameters) continue;
        assert.ok(Object.keys(tool.parameters.properties).length > 0, `${tool.name}: empty properties`);
        geminiSchema(tool.parameters, tool.name);
    }
}

const ollamaKeys = new Set(['anyOf', 'type', 'items', 'description', 'enum', 'properties', 'required']);

function ollamaSchema(schema, where) {
    for (const key of Object.keys(schema)) assert.ok(ollamaKeys.has(key), `${where} has ${key}`);
    for (const [name, inner] of Object.entries(schema.properties ?? {})) ollamaSchema(inner, `${where}.${name}`);
    if (schema.items) ollamaSchema(schema.items, `${where}[]`);
    for (const member of schema.anyOf ?? []) ollamaSchema(member, `${where}|`);
}

function checkOthers(spec) {
    for (const {function: tool} of compile(spec, 'ollama')) {
        counts.ollama++;
        assert.match(tool.name, functionName);
        assert.equal(tool.parameters.type, 'object');
        isSchema(tool.parameters, `${tool.name} for ollama`);
        ollamaSchema(tool.parameters, tool.name);
    }
    for (const tool of compile(spec, 'mcp').tools) {
        counts.mcp++;
        assert.match(tool.name, /^[A-Za-z0-9_.-]{1,128}$/);
        assert.equal(tool.inputSchema.type, 'object');
        isSchema(tool.inputSchema, `${tool.name} for mcp`);
        if (tool.outputSchema) isSchema(tool.outputSchema, `${tool.name} for mcp`);
    }
    for (const target of ['openai', 'openai-functions', 'openai-responses'])
        for (const entry of compile(spec, target)) {
            const tool = entry.function ?? entry;
            assert.match(tool.name, functionName);
            isSchema(tool.parameters, `${tool.name} for ${target}`);
        }
}

const checks = [checkStrict, checkAnthropic, checkGemini, checkOthers];

// What is wrong with tools imported together, one message for each check.
function judge(tools) {
    const input = join(folder, 'in.jsonl'), spec = join(folder, 'out.gram');
    writeFileSync(input, tools.map((tool) => JSON.stringify(tool)).join('\n') + '\n');
    execFileSync(gramc, ['import', '--from', 'jsonl', input, '-o', spec], {stdio: 'ignore'});
    return checks.flatMap((check) => {
        try { check(spec); return []; }
        catch (error) { return [`${check.name}: ${error.message}`]; }
    });
}

const random = new Random(Number(seed)), maker = new ToolMaker(random);
const made = [];
for (let i = 0; i < Number(count); i++) {
    const parameters = {type: 'object', properties: {}};
    for (let n = random.between(1, 4); n > 0; n--) parameters.properties[maker.name()] = maker.schema(1);
    // The root of arguments is an object and nothing else: providers say so.
    const tool = maker.mutate({name: `tool_${i}`, description: 'Made at random', parameters});
    for (const key of Object.keys(tool.parameters))
        if (!['type', 'properties', 'required', '$defs', 'description', 'additionalProperties'].includes(key))
            delete tool.parameters[key];
    made.push(plain({...tool, name: `${tool.name}_${i}`}));
}
let failed = 0;
for (let i = 0; i < made.length; i += BATCH) {
    const batch = made.slice(i, i + BATCH);
    if (!judge(batch).length) continue;
    for (const tool of batch) {
        const wrong = judge([tool]);
        if (!wrong.length) continue;
        if (++failed <= Number(process.env.SHOW ?? 5)) console.log(`${JSON.stringify(tool)}\n${wrong.join('\n')}\n`);
    }
}
rmSync(folder, {recursive: true});
assert.ok(counts.strict > 0 && counts.anthropic > 0, 'no schema was tried');
console.log(`${made.length - failed} of ${made.length} random tools pass: ${counts.strict} strict, ${counts.notStrict} not strict, ` +
            `${counts.anthropic} for anthropic, ${counts.open} with free names, ${counts.refused} refused for arrays without items`);
process.exit(failed ? 1 : 0);
