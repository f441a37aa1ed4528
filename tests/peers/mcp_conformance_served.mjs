// Runs the official conformance suite's server scenarios of both revisions of MCP against
// `gramc serve --mcp`, with a library that defines of the suite's tools what a library can:
//     mcp_conformance_served.mjs GRAMC SUPPORT
// Checks are counted one by one. Those that mcp_served_expected_failures.txt names must fail, each
// for the reason that stands above it, and all others must pass.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const gramc = path.resolve(process.argv[2]), box = path.resolve(process.argv[3], 'mcp_box.py');
const here = import.meta.dirname;
const suite = path.join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const REVISIONS = {'2025-11-25': 45, '2026-07-28': 121}; // checks that pass, at least

const boxed = [
    {name: 'routed', description: 'Is routed by its region', inputSchema: {type: 'object',
        properties: {region: {type: 'string', 'x-mcp-header': 'Region'}}}},
    {name: 'json_schema_2020_12_tool', description: 'Has a schema of all sorts', inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object',
        $defs: {address: {$anchor: 'addressDef', type: 'object',
            properties: {street: {type: 'string'}, city: {type: 'string'}}}},
        properties: {name: {type: 'string'}, address: {$ref: '#/$defs/address'},
            contactMethod: {type: 'string', enum: ['phone', 'email']}, phone: {type: 'string'}, email: {type: 'string'}},
        allOf: [{anyOf: [{required: ['phone']}, {required: ['email']}]}],
        if: {properties: {contactMethod: {const: 'phone'}}, required: ['contactMethod']},
        then: {required: ['phone']}, else: {required: ['email']}, additionalProperties: false}},
];
const library = `[conf:ToolLibrary |
  [test_simple_text:ToolImpl {returns: "This is a simple text response for testing.", description: "Says a text"} | ()==>(::Text)],
  [test_error_handling:ToolImpl {exec: ["sh", "-c", "echo This tool intentionally returns an error for testing >&2; exit 1"], description: "Fails"}],
  [test_tool_with_progress:ToolImpl {exec: ["sleep", "3.3"], description: "Takes its time"}],
  [test_trigger_tool_change:ToolImpl {exec: ["sh", "-c", "echo // >> tools.gram"], description: "Changes the library"}],
  [greet:ToolImpl {returns: "Hello, {name}!", description: "Greets"} | (name::Text)==>(::Text)],
  [box:McpServer {command: ["python3", "${box}", "box.json"]}]]\n`;

// Lines `REVISION SCENARIO CHECK`, below a comment that says why.
function expectedFailures() {
    const expected = new Map();
    let reason = '';
    for (const line of fs.readFileSync(path.join(here, 'mcp_served_expected_failures.txt'), 'utf8').split('\n')) {
        if (line.startsWith('#')) reason = line;
        else if (!line.trim()) reason = '';
        else {
            assert.ok(reason, `${line}: no reason is given`);
            assert.ok(!expected.has(line), `${line} stands there twice`);
            expected.set(line, reason);
        }
    }
    return expected;
}

function serve(folder) {
    const server = spawn(gramc, ['serve', '--mcp', 'tools.gram', '--listen', '127.0.0.1:0'], {cwd: folder,
        stdio: ['ignore', 'pipe', 'ignore']});
    return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.once('exit', code => reject(new Error(`the server has ended with ${code}`)));
        server.stdout.once('data', bytes => resolve({server, url: `${String(bytes).trim()}/mcp`}));
    });
}

function run(url, revision, folder) {
    const args = [suite, 'server', '--url', url, '--requirements', revision, '-o', folder];
    return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, args, {stdio: 'ignore', timeout: 120000});
        child.once('error', reject);
        child.once('exit', resolve);
    });
}

// [{scenario, id, status, why}] of all scenarios; one without a check that passes or fails is none.
function read(folder) {
    return fs.readdirSync(folder).flatMap(name => {
        const scenario = name.replace(/^server-(.*)-\d{4}-\d\d-\d\dT.*$/, '$1');
        const checks = JSON.parse(fs.readFileSync(path.join(folder, name, 'checks.json'), 'utf8'));
        return checks.map(({id, status, errorMessage}) => ({scenario, id, status, why: errorMessage}));
    });
}

// The checks of a revision, by a server of its own: one scenario changes the tools.
async function checksOf(revision) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-conformance-'));
    let server;
    try {
        fs.writeFileSync(path.join(folder, 'tools.gram'), library);
        fs.writeFileSync(path.join(folder, 'box.json'), JSON.stringify(boxed));
        const served = await serve(folder);
        server = served.server;
        await run(served.url, revision, path.join(folder, 'results'));
        return read(path.join(folder, 'results'));
    } finally {
        server?.removeAllListeners('exit');
        server?.kill();
        fs.rmSync(folder, {recursive: true, force: true});
    }
}

const expected = expectedFailures(), failing = new Set(), wrong = [];
const found = await Promise.all(Object.entries(REVISIONS).map(async ([revision, least]) =>
    [revision, least, await checksOf(revision)]));
for (const [revision, least, checks] of found) {
    const count = {SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0};
    const scenarios = new Set(checks.map(check => check.scenario));
    assert.ok(scenarios.size > 30, `${revision}: only ${scenarios.size} scenarios were run`);
    for (const {scenario, id, status, why} of checks) {
        const key = `${revision} ${scenario} ${id}`;
        count[status]++;
        if (status !== 'FAILURE') continue;
        failing.add(key);
        if (!expected.has(key)) wrong.push(`${key} fails: ${why}`);
    }
    for (const {scenario, id, why} of checks.filter(check => check.status === 'WARNING'))
        console.log(`${revision} ${scenario} ${id}: a warning: ${why ?? ''}`);
    console.log(`${revision}: ${scenarios.size} scenarios, ${count.SUCCESS} checks passed, ${count.FAILURE} failed as expected, ` +
        `${count.WARNING} warn, ${count.SKIPPED} were skipped`);
    assert.ok(count.SUCCESS >= least, `${revision}: ${count.SUCCESS} checks passed, ${least} are known`);
}
for (const key of expected.keys()) if (!failing.has(key)) wrong.push(`${key} was expected to fail`);
assert.deepEqual(wrong, []);
