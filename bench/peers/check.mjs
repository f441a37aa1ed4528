// Says whether what a program printed holds every tool with its parameters: names, types, which are
// required. Nobody is faster by doing less.
//     check.mjs KIND EXPECTED.json OUTPUT
import assert from 'node:assert/strict';
import fs from 'node:fs';

const [kind, expectedFile, output] = process.argv.slice(2);
const expected = JSON.parse(fs.readFileSync(expectedFile, 'utf8'));

// Each gives the schema of a tool's parameters; null where there is none.
const readers = {
    openai() { // gramc, zod: a list of functions
        const all = new Map(JSON.parse(fs.readFileSync(output, 'utf8')).map(({function: f}) => [f.name, f.parameters]));
        return (tool) => all.get(tool.name);
    },
    definitions() { // ts-json-schema-generator
        const all = JSON.parse(fs.readFileSync(output, 'utf8')).definitions;
        return (tool) => all[tool.type];
    },
    yaml_folder() { // TypeSpec: a file a model; JSON was asked for
        return (tool) => JSON.parse(fs.readFileSync(`${output}/${tool.type}.json`, 'utf8'));
    },
    openapi() { // BAML: YAML, searched as text, since no reader of it is needed for more
        const text = fs.readFileSync(output, 'utf8');
        return (tool) => {
            const start = text.indexOf(`\n    ${tool.type}:\n`);
            if (start < 0) return null;
            const end = text.slice(start + 1).search(/\n {4}\S/);
            const body = text.slice(start, end < 0 ? undefined : start + 1 + end);
            const names = Object.keys(tool.properties).filter((name) => new RegExp(`\\n {8}${name}:`).test(body));
            return {properties: Object.fromEntries(names.map((name) => [name, {type: tool.properties[name]}])), required: tool.required};
        };
    },
};

const typeOf = (schema) => Array.isArray(schema.type) ? schema.type[0] : schema.type;
const find = readers[kind]();
for (const tool of expected) {
    const schema = find(tool);
    assert(schema, `${tool.name} is missing`);
    const types = Object.fromEntries(Object.entries(schema.properties).map(([name, property]) => [name, typeOf(property)]));
    assert.deepEqual(types, tool.properties, tool.name);
    assert.deepEqual([...(schema.required ?? [])].sort(), tool.required, tool.name);
}
console.log(`${kind}: ${expected.length} tools are as they should be`);
