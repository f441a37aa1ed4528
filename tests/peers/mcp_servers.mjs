// Runs an agent whose tools are those of MCP servers that others wrote, over stdio and over HTTP:
//     mcp_servers.mjs GRAMC
// The model is a script; what the tools said is read from the trace. In a network namespace of its
// own where the machine allows that, for server-everything listens on all addresses.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const [gramc] = process.argv.slice(2);
const modules = path.join(import.meta.dirname, 'node_modules/@modelcontextprotocol');
const server = (name) => path.join(modules, name, 'dist/index.js');
const PLANTED = 'planted-secret-of-ours';

if (!process.env.GRAMC_OWN_NETWORK) {
  const inside = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const can = spawnSync('unshare', [...inside, 'true']).status === 0;
  if (can) {
    const { status } = spawnSync('unshare', [...inside, process.execPath, ...process.argv.slice(1)], {
      stdio: 'inherit',
      env: { ...process.env, GRAMC_OWN_NETWORK: '1' },
    });
    process.exit(status ?? 1);
  }
  console.log('no network namespace here: the servers listen for this machine to see');
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-mcp-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);

// One run; each round is calls [tool, arguments], whose results come back as [outcome, text].
async function run({ types = [], tools, library, rounds, options = [] }) {
  const agent = `[peer:Agent {instruction: "Help", model: "OpenAI/gpt-4o"} |\n${tools.join(',\n')}\n]`;
  write('agent.gram', `${[...types, agent].join('\n')}\n`);
  write('library.gram', `[lab:ToolLibrary |\n${library.join(',\n')}\n]\n`);
  const lines = [
    { event: 'header', format: 'gramc-trace', version: 1 },
    ...rounds.map((calls) => ({
      event: 'model.response',
      calls: calls.map(([name, args]) => ({ name, arguments: JSON.stringify(args) })),
    })),
    { event: 'model.response', content: 'done' },
  ];
  write('script.jsonl', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const args = ['run', 'agent.gram', '--library', 'library.gram', '--model', 'script:script.jsonl', '--approve-all'];
  const child = spawn(gramc, [...args, '--trace', 'trace.jsonl', ...options, 'go'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, PLANTED },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal(code, 0, output);
  const trace = fs.readFileSync(path.join(folder, 'trace.jsonl'), 'utf8');
  fs.rmSync(path.join(folder, 'trace.jsonl'));
  assert.ok(!(trace + output).includes(PLANTED), 'a secret was printed or traced');
  return trace
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'tool.response')
    .sort((a, b) => a.iteration - b.iteration || a.call - b.call)
    .map(({ outcome, result }) => [outcome, result]);
}

const words = (list) => `[${list.map((word) => JSON.stringify(word)).join(', ')}]`;
const program = (name, ...args) => `command: ${words([process.execPath, server(name), ...args])}`;
const impl = (name, box, tool = name) => `  [${name}:ToolImpl {mcp: ${box}, tool: "${tool}"}]`;

// ## server-everything, over both transports

const EVERYTHING = {
  tools: [
    '  [echo:Tool {description: "d"} | (message::Text)==>(::Text)]',
    '  [sum:Tool {description: "d"} | (a::Number)==>(b::Number)==>(::Text)]',
    '  [weather:Tool {description: "d"} | (location::Text {enum: ["New York"]})==>(::Object)]',
    '  [variables:Tool {description: "d"} | ()==>(::Text)]',
    '  [picture:Tool {description: "d"} | ()==>(::Text)]',
    '  [links:Tool {description: "d"} | (count::Int {range: 1..10})==>(::Text)]',
    '  [slow:Tool {description: "d"} | (duration::Number)==>(steps::Number)==>(::Text)]',
  ],
  implementations: [
    impl('echo', 'everything'),
    impl('sum', 'everything', 'get-sum'),
    impl('weather', 'everything', 'get-structured-content'),
    impl('variables', 'everything', 'get-env'),
    impl('picture', 'everything', 'get-tiny-image'),
    impl('links', 'everything', 'get-resource-links'),
    '  [slow:ToolImpl {mcp: everything, tool: "trigger-long-running-operation", timeout: 4s}]',
  ],
};

async function everything(where, { isChild = false, options = [] }) {
  const results = await run({
    options,
    tools: EVERYTHING.tools,
    library: [...EVERYTHING.implementations, `  [everything:McpServer {${where}}]`],
    rounds: [[
      ['echo', { message: 'hi é "quoted" \n' }],
      ['sum', { a: 2, b: 40 }],
      ['weather', { location: 'New York' }],
      ['variables', {}],
      ['picture', {}],
      ['links', { count: 2 }],
      ['slow', { duration: 1, steps: 2 }],
      ['slow', { duration: 30, steps: 3 }],
    ]],
  });
  const [echo, sum, weather, variables, picture, links, slow, tooSlow] = results;
  assert.deepEqual(echo, ['ok', 'Echo: hi é "quoted" \n']);
  assert.deepEqual(sum, ['ok', 'The sum of 2 and 40 is 42.']);
  assert.equal(weather[0], 'ok');
  assert.deepEqual(Object.keys(JSON.parse(weather[1])).sort(), ['conditions', 'humidity', 'temperature']);
  assert.equal(variables[0], 'ok');
  if (isChild) {
    const names = Object.keys(JSON.parse(variables[1])).sort();
    assert.deepEqual(names, ['DECLARED', 'HOME', 'PATH']);
  }
  assert.equal(picture[0], 'ok');
  assert.match(picture[1], /\[image image\/png, \d+ bytes of base64\]/);
  assert.match(links[1], /\[link .*: \S+\]/);
  assert.equal(slow[0], 'ok');
  assert.match(slow[1], /completed/);
  assert.deepEqual(tooSlow, ['timeout', 'Error: the tool did not finish within 4 seconds and was stopped']);
}

await everything(`${program('server-everything', 'stdio')}, env: {DECLARED: "yes"}`, {
  isChild: true,
});
console.log('server-everything over stdio: 8 calls; its environment holds HOME, PATH and what is declared');

// ## Binding: a tool that asks for words where the server adds numbers, and one that is not there

function bind(tool, implementation) {
  write('agent.gram', `[peer:Agent {model: "OpenAI/gpt-4o"} |\n${tool}\n]\n`);
  const box = `  [everything:McpServer {${program('server-everything', 'stdio')}}]`;
  write('library.gram', `[lab:ToolLibrary |\n${implementation},\n${box}\n]\n`);
  return spawnSync(gramc, ['bind', 'agent.gram', '--library', 'library.gram'], {
    cwd: folder,
    encoding: 'utf8',
  });
}

const ofWords = bind(
  '  [addWords:Tool {description: "d"} | (a::Text)==>(b::Text)==>(::Text)]',
  impl('addWords', 'everything', 'get-sum'),
);
assert.equal(ofWords.status, 1);
assert.match(ofWords.stderr, /will be sent what its implementation refuses, such as \{"a":"a","b":"a"\}/);
const missing = bind(
  '  [say:Tool {description: "d"} | (message::Text)==>(::Text)]',
  impl('say', 'everything', 'ecco'),
);
assert.equal(missing.status, 1);
assert.match(missing.stderr, /offers no tool `ecco`[^]*did you mean `echo`/);
console.log('binding: a type that does not fit is refuted by an example, a missing tool is named');

// ## Whole boxes: every tool under its own name and as box_tool

const offered = spawnSync(gramc, ['tools', 'library.gram'], { cwd: folder, encoding: 'utf8' });
assert.match(offered.stdout, /^get-structured-content +location +mcp everything\.get-structured-content/m);
const called = spawnSync(gramc, ['call', 'library.gram', 'everything_get-sum', '{"a":2,"b":40}'], {
  cwd: folder,
  encoding: 'utf8',
});
assert.equal(called.stdout.trim(), 'The sum of 2 and 40 is 42.', called.stderr);
console.log('gramc tools and gramc call over a whole server');

const freePort = () =>
  new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

// Resolves when the server says that it listens.
async function listen() {
  const port = await freePort();
  const child = spawn(process.execPath, [server('server-everything'), 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  await new Promise((resolve, reject) => {
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => {
        said += text;
        if (said.includes(String(port))) resolve();
      });
    child.on('exit', () => reject(new Error(`the server has ended: ${said}`)));
    setTimeout(() => reject(new Error(`the server does not listen: ${said}`)), 20000).unref();
  });
  return { child, url: `http://127.0.0.1:${port}/mcp`, said: () => said };
}

const remote = await listen();
try {
  const header = 'headers: {Authorization: "Bearer ${env:PLANTED}"}';
  await everything(`url: "${remote.url}", ${header}`, { options: ['--allow-env', 'PLANTED'] });
  console.log('server-everything over HTTP: 8 calls, with a token from the environment');
} finally {
  remote.child.kill();
}

// ## server-memory

const graph = await run({
  tools: [
    '  [create_entities:Tool {description: "d"} | (entities::Array {items: Entity})==>(::Object)]',
    '  [read_graph:Tool {description: "d"} | ()==>(::Object)]',
    '  [search_nodes:Tool {description: "d"} | (query::Text)==>(::Object)]',
  ],
  types: ['[Entity:Object | (name::Text), (entityType::Text), (observations::Array {items: Text})]'],
  library: [
    impl('create_entities', 'memory'),
    impl('read_graph', 'memory'),
    impl('search_nodes', 'memory'),
    `  [memory:McpServer {${program('server-memory')}, env: {MEMORY_FILE_PATH: "${folder}/memory.jsonl"}}]`,
  ],
  rounds: [
    [['create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['counts'] }] }]],
    [
      ['read_graph', {}],
      ['search_nodes', { query: 'Ada' }],
    ],
  ],
});
for (const [outcome, text] of graph) {
  assert.equal(outcome, 'ok', text);
  assert.match(text, /Ada/);
}
assert.match(fs.readFileSync(path.join(folder, 'memory.jsonl'), 'utf8'), /Ada/);
console.log('server-memory over stdio: 3 calls, and the graph is on disk');

// ## server-filesystem

fs.mkdirSync(path.join(folder, 'allowed'));
const inside = (name) => path.join(fs.realpathSync(folder), 'allowed', name);
const files = await run({
  tools: [
    '  [write_file:Tool {description: "d"} | (path::Text)==>(content::Text)==>(::Text)]',
    '  [read_text_file:Tool {description: "d"} | (path::Text)==>(::Text)]',
    '  [list_allowed_directories:Tool {description: "d"} | ()==>(::Text)]',
  ],
  library: [
    impl('write_file', 'files'),
    impl('read_text_file', 'files'),
    impl('list_allowed_directories', 'files'),
    `  [files:McpServer {${program('server-filesystem', inside(''))}}]`,
  ],
  rounds: [
    [['write_file', { path: inside('a.txt'), content: 'line one\nline two\n' }]],
    [
      ['read_text_file', { path: inside('a.txt') }],
      ['read_text_file', { path: '/etc/passwd' }],
      ['list_allowed_directories', {}],
    ],
  ],
});
assert.equal(files[0][0], 'ok', files[0][1]);
assert.deepEqual(files[1], ['ok', 'line one\nline two\n']);
assert.equal(files[2][0], 'tool-error');
assert.match(files[2][1], /[Aa]ccess denied/);
assert.match(files[3][1], /allowed/);
console.log('server-filesystem over stdio: 4 calls, one of them refused');

// ## A server of the stateless revision, on the official SDK's second version

const modern = path.join(import.meta.dirname, 'mcp_modern_server.mjs');

async function stateless(where) {
  const results = await run({
    tools: [
      '  [greet:Tool {description: "d"} | (name::Text)==>(::Text)]',
      '  [add:Tool {description: "d"} | (a::Number)==>(b::Number)==>(::Object)]',
      '  [fail:Tool {description: "d"} | ()==>(::Text)]',
    ],
    library: [impl('greet', 'sdk'), impl('add', 'sdk'), impl('fail', 'sdk'), `  [sdk:McpServer {${where}}]`],
    rounds: [
      [
        ['greet', { name: 'Ada' }],
        ['add', { a: 2, b: 40.5 }],
        ['fail', {}],
      ],
    ],
  });
  assert.deepEqual(results, [
    ['ok', 'Hello, Ada!'],
    ['ok', '{"sum":42.5}'],
    ['tool-error', 'Error: out of luck'],
  ]);
}

await stateless(`command: ${words([process.execPath, modern, 'stdio'])}`);
console.log('a server of 2026-07-28 over stdio: 3 calls');

const child = spawn(process.execPath, [modern, 'http'], { stdio: ['ignore', 'pipe', 'pipe'] });
let revisions = '';
child.stderr.setEncoding('utf8').on('data', (text) => {
  revisions += text;
});
try {
  const [url] = await once(child.stdout.setEncoding('utf8'), 'data');
  await stateless(`url: "${url.trim()}"`);
  assert.match(revisions, /^(revision 2026-07-28\n){4,}$/);
  console.log('a server of 2026-07-28 over HTTP: 3 calls, each request by that revision');
} finally {
  child.kill();
}
