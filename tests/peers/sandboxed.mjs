// Runs the MCP servers that others wrote in sandboxes:
//     sandboxed.mjs GRAMC
// Those of a library from elsewhere are in the strict one: installed beforehand, beside the library, and started by `node PATH`.
// One's own library gives them the folder that they are about. The model is a script.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const [gramc] = process.argv.slice(2);
const peers = path.join(import.meta.dirname, 'node_modules');
const work = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-sandboxed-')));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));
const [own, their, home] = ['own', 'their', 'home'].map((name) => path.join(work, name));
for (const folder of [own, their, home, path.join(own, 'out'), path.join(home, '.ssh')]) fs.mkdirSync(folder);
fs.writeFileSync(path.join(own, 'gramc.gram'), '{kind: "configuration"}\n');
fs.writeFileSync(path.join(home, '.ssh', 'id'), 'planted-qzv');

// What npm would have put there.
function install(name, folder, seen = new Set()) {
  if (seen.has(name)) return;
  seen.add(name);
  const from = path.join(peers, name);
  if (!fs.existsSync(from)) return;
  fs.cpSync(from, path.join(folder, 'node_modules', name), { recursive: true, dereference: true });
  const { dependencies = {} } = JSON.parse(fs.readFileSync(path.join(from, 'package.json'), 'utf8'));
  for (const needed of Object.keys(dependencies)) install(needed, folder, seen);
}
for (const server of ['everything', 'filesystem', 'memory'])
  for (const folder of [own, their]) install(`@modelcontextprotocol/server-${server}`, folder);
const file = (name) => `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;

const ENTITY = '[Entity:Object | (name::Text), (entityType::Text), (observations::Array {items: Text})]';

function run(folder, library, tools, rounds) {
  fs.writeFileSync(path.join(own, 's.gram'), `${ENTITY}\n[a:Agent {model: "OpenAI/x"} |\n${tools.join(',\n')}]\n`);
  fs.writeFileSync(path.join(folder, 'l.gram'), `${library}\n`);
  const lines = [
    { event: 'header', format: 'gramc-trace', version: 1 },
    ...rounds.map((calls) => ({
      event: 'model.response',
      calls: calls.map(([name, given]) => ({ name, arguments: JSON.stringify(given) })),
    })),
    { event: 'model.response', content: 'done' },
  ];
  fs.writeFileSync(path.join(work, 'script.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const words = ['run', 'own/s.gram', '--library', path.join(folder, 'l.gram'), '--model', 'script:script.jsonl', '--approve-all', '--trust'];
  const ended = spawnSync(gramc, [...words, '--trace', 'trace.jsonl', 'go'], {
    cwd: work,
    env: { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, HOME: home },
    encoding: 'utf8',
  });
  const said = ended.stdout + ended.stderr;
  assert.equal(ended.status, 0, said);
  return fs
    .readFileSync(path.join(work, 'trace.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'tool.response')
    .sort((a, b) => a.iteration - b.iteration || a.call - b.call)
    .map(({ outcome, result }) => [outcome, result]);
}

const text = (name, parameters) => `  [${name}:Tool {description: "d"} | ${parameters}==>(::Text)]`;

// ## server-everything, strict

const everything = run(
  their,
  `[l:ToolLibrary | [s:McpServer {command: ["node", "${file('everything')}", "stdio"]}], [sum:ToolImpl {mcp: s, tool: "get-sum"}], [variables:ToolImpl {mcp: s, tool: "get-env"}]]`,
  [text('echo', '(message::Text)'), text('sum', '(a::Number)==>(b::Number)'), text('variables', '()')],
  [[['echo', { message: 'hi' }], ['sum', { a: 2, b: 40 }], ['variables', {}]]],
);
assert.deepEqual(everything[0], ['ok', 'Echo: hi']);
assert.deepEqual(everything[1], ['ok', 'The sum of 2 and 40 is 42.']);
const variables = JSON.parse(everything[2][1]);
assert.ok(variables.HOME && variables.HOME === variables.TMPDIR && variables.HOME !== home, everything[2][1]);
assert.ok(!fs.existsSync(variables.HOME), 'the scratch folder is left');
console.log('server-everything in the strict sandbox of a library from elsewhere: 3 calls');

// ## server-memory: its file in the scratch folder, and in a folder of one's own

const entity = { name: 'Ada', entityType: 'person', observations: ['counts'] };
const graph = [
  '  [create_entities:Tool {description: "d"} | (entities::Array {items: Entity})==>(::Object)]',
  '  [read_graph:Tool {description: "d"} | ()==>(::Object)]',
];
const rounds = [[['create_entities', { entities: [entity] }]], [['read_graph', {}]]];
const scratch = run(
  their,
  `[l:ToolLibrary | [m:McpServer {command: ["sh", "-c", "MEMORY_FILE_PATH=$TMPDIR/memory.jsonl exec node ${file('memory')}"]}]]`,
  graph,
  rounds,
);
const kept = run(
  own,
  `[l:ToolLibrary {sandbox: {write: ["out"]}} | [m:McpServer {command: ["node", "${file('memory')}"], env: {MEMORY_FILE_PATH: "${own}/out/memory.jsonl"}}]]`,
  graph,
  rounds,
);
for (const [outcome, result] of [...scratch, ...kept]) {
  assert.equal(outcome, 'ok', result);
  assert.match(result, /Ada/);
}
assert.match(fs.readFileSync(path.join(own, 'out', 'memory.jsonl'), 'utf8'), /Ada/);
console.log('server-memory: strict with its file in the scratch folder, and with a folder of its own');

// ## server-filesystem: told that it may have everything, and held to the one folder

const files = run(
  own,
  `[l:ToolLibrary | [f:McpServer {command: ["node", "${file('filesystem')}", "${own}/out", "${home}"], sandbox: {write: ["out"]}}]]`,
  [text('write_file', '(path::Text)==>(content::Text)'), text('read_text_file', '(path::Text)')],
  [
    [['write_file', { path: `${own}/out/a.txt`, content: 'line' }], ['write_file', { path: `${home}/a.txt`, content: 'line' }]],
    [['read_text_file', { path: `${own}/out/a.txt` }], ['read_text_file', { path: `${home}/.ssh/id` }]],
  ],
);
assert.equal(files[0][0], 'ok', files[0][1]);
assert.deepEqual(files[2], ['ok', 'line']);
for (const i of [1, 3]) assert.equal(files[i][0], 'tool-error', files[i][1]);
assert.ok(!JSON.stringify(files).includes('planted-qzv') && !fs.existsSync(path.join(home, 'a.txt')));
console.log(`server-filesystem: in its folder; elsewhere it says: ${files[3][1]}`);

// ## npx

fs.writeFileSync(path.join(their, 'l.gram'), '[l:ToolLibrary | [s:McpServer {command: ["npx", "-y", "@modelcontextprotocol/server-everything"]}]]\n');
const npx = spawnSync(gramc, ['bind', 'own/s.gram', '--library', 'their/l.gram', '--trust'], { cwd: work, encoding: 'utf8' });
assert.equal(npx.status, 2, npx.stderr);
assert.match(npx.stderr, /`npx` fetches what it starts[^]*node PATH/);
console.log('npx there is refused, with why');
