// Hands what `gramc compile` prints for openai-strict and anthropic to the helpers of the providers'
// own SDKs: each schema must come back from them as it went in.
//   node targets.mjs GRAMC SPEC.gram...
import assert from 'node:assert';
import {execFileSync} from 'node:child_process';
import {createRequire} from 'node:module';

const require = createRequire(import.meta.url);
const {toStrictJsonSchema} = require('openai/lib/transform');
const {transformJSONSchema} = require('@anthropic-ai/sdk/lib/transform-json-schema');
const [gramc, ...specs] = process.argv.slice(2);

const compile = (spec, target) =>
    JSON.parse(execFileSync(gramc, ['compile', spec, '--target', target],
                            {stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 30}));

// An object that lists no names stays open for tool calls (finding G0809); the helper closes it.
const keepsFreeNames = (schema) =>
    schema !== null && typeof schema === 'object' &&
    ((schema.type === 'object' && schema.additionalProperties !== false) ||
     Object.values(schema).some(keepsFreeNames));

const counts = {strict: 0, notStrict: 0, anthropic: 0, open: 0};
for (const spec of specs) {
    for (const {function: tool} of compile(spec, 'openai-strict')) {
        const where = `${spec}: ${tool.name} for openai-strict`;
        if (!tool.strict) {
            counts.notStrict++;
            assert.throws(() => assert.deepStrictEqual(toStrictJsonSchema(tool.parameters),
                                                       tool.parameters), where);
            continue;
        }
        counts.strict++;
        assert.deepStrictEqual(toStrictJsonSchema(tool.parameters), tool.parameters, where);
    }
    for (const tool of compile(spec, 'anthropic')) {
        const where = `${spec}: ${tool.name} for anthropic`;
        const back = transformJSONSchema(tool.input_schema);
        if (keepsFreeNames(tool.input_schema)) {
            counts.open++;
            continue;
        }
        counts.anthropic++;
        assert.deepStrictEqual(back, tool.input_schema, where);
    }
}
assert.ok(counts.strict > 0 && counts.anthropic > 0, 'no schema was tried');
console.log(`${counts.strict} strict, ${counts.notStrict} not strict, ${counts.anthropic} for ` +
            `anthropic, ${counts.open} with free names`);
