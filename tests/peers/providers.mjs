// Runs one agent against aimock as every provider, each in its own protocol, and compares the
// requests of a conversation with two tools with those of that provider's own SDK:
//     providers.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, Type } from '@google/genai';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { serve } from './mock.mjs';

const [sources, gramc] = process.argv.slice(2);
const KEY = 'not-a-key-at-all-0123456789';
const SPEC = ['specs/calculator.gram', '--library', 'specs/libraries/arithmetic.gram'];
const QUESTION = 'What is the root of the sum of 20 and the length of banana, less one?';

// ## The agent by hand, as somebody who uses an SDK would write it

const integers = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
  required: names,
});
const TOOLS = [
  {
    name: 'stringLength',
    description: 'Calculates the length of a string',
    parameters: { type: 'object', properties: { s: { type: 'string' } }, required: ['s'] },
    run: ({ s }) => [...s].length,
  },
  {
    name: 'add',
    description: 'Calculates the sum of two numbers',
    parameters: integers('a', 'b'),
    run: ({ a, b }) => a + b,
  },
  {
    name: 'sqrt',
    description: 'Calculates the square root of a number',
    parameters: integers('x'),
    run: ({ x }) => Math.sqrt(x),
  },
];
const perform = (name, args) => String(TOOLS.find((tool) => tool.name === name).run(args));
const plain = TOOLS.map(({ run, ...tool }) => tool);
// With the types of Google's SDK.
const typed = (schema) => ({
  ...schema,
  type: Type[schema.type.toUpperCase()],
  ...(schema.properties
    ? { properties: Object.fromEntries(Object.entries(schema.properties).map(([key, it]) => [key, typed(it)])) }
    : {}),
});
const SAMPLING = { temperature: 1, top_p: 1 };
const PENALTIES = { presence_penalty: 0, frequency_penalty: 0 };

// ## What is said in the conversation, in the words of aimock

const call = (id, name, args) => ({ id, name, arguments: JSON.stringify(args) });
const ROUNDS = [
  {
    content: 'One moment.',
    toolCalls: [call('call_a', 'stringLength', { s: 'banana' }), call('call_b', 'add', { a: 20, b: -1 })],
  },
  { toolCalls: [call('call_c', 'add', { a: 6, b: 19 })] },
  { content: 'It is 5.' },
];
const RESULTS = ['6', '19', '25'];

// ## The providers

const fields = (body, role) => body.messages.filter((message) => message.role === role);
const blocks = (body, type) =>
  body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter((it) => it.type === type);
const parts = (body, kind) => body.contents.flatMap((it) => it.parts).filter((part) => kind in part);

const PROVIDERS = {
  OpenAI: {
    model: 'gpt-4o-mini',
    base: '/v1',
    path: '/v1/chat/completions',
    key: ['OPENAI_API_KEY', 'authorization', `Bearer ${KEY}`],
    results: (body) => fields(body, 'tool').map((it) => it.content),
    ids: (body) => fields(body, 'tool').map((it) => it.tool_call_id),
    idsAsked: (body) => fields(body, 'assistant').flatMap((it) => (it.tool_calls ?? []).map(({ id }) => id)),
    // What its SDK says and we do not.
    differences: { stream: 'false is the default', tool_choice: 'auto is the default' },
    async sdk(url, model) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 });
      const tools = TOOLS.map(({ run, ...tool }) => ({
        type: 'function',
        function: { ...tool, parse: JSON.parse, function: (args) => String(run(args)) },
      }));
      const messages = [{ role: 'user', content: QUESTION }];
      const runner = client.chat.completions.runTools({ model, messages, ...SAMPLING, ...PENALTIES, tools });
      return runner.finalContent();
    },
  },

  'OpenAI-Responses': {
    model: 'gpt-4o-mini',
    base: '/v1',
    path: '/v1/responses',
    key: ['OPENAI_API_KEY', 'authorization', `Bearer ${KEY}`],
    results: (body) => body.input.filter((it) => it.type === 'function_call_output').map((it) => it.output),
    ids: (body) => body.input.filter((it) => it.type === 'function_call_output').map((it) => it.call_id),
    idsAsked: (body) => body.input.filter((it) => it.type === 'function_call').map((it) => it.call_id),
    differences: {},
    async sdk(url, model) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, maxRetries: 0 });
      const tools = plain.map((tool) => ({ type: 'function', ...tool, strict: false }));
      const input = [{ role: 'user', content: QUESTION }];
      for (;;) {
        const response = await client.responses.create({ model, input, ...SAMPLING, tools });
        const calls = response.output.filter((item) => item.type === 'function_call');
        if (calls.length === 0) return response.output_text;
        input.push(...response.output);
        for (const { call_id, name, arguments: args } of calls)
          input.push({ type: 'function_call_output', call_id, output: perform(name, JSON.parse(args)) });
      }
    },
  },

  Anthropic: {
    model: 'claude-opus-4-8',
    base: '/v1',
    path: '/v1/messages',
    key: ['ANTHROPIC_API_KEY', 'x-api-key', KEY],
    results: (body) => blocks(body, 'tool_result').map((it) => it.content),
    ids: (body) => blocks(body, 'tool_result').map((it) => it.tool_use_id),
    idsAsked: (body) => blocks(body, 'tool_use').map((it) => it.id),
    differences: { stream: 'false is the default' },
    async sdk(url, model) {
      const client = new Anthropic({ baseURL: url, apiKey: KEY, maxRetries: 0 });
      const tools = TOOLS.map(({ parameters, ...tool }) => ({
        ...tool,
        input_schema: { ...parameters, additionalProperties: false },
        parse: (args) => args,
        run: (args) => String(tool.run(args)),
      }));
      const message = await client.beta.messages.toolRunner({
        model,
        max_tokens: 16384,
        messages: [{ role: 'user', content: QUESTION }],
        ...SAMPLING,
        tools,
        thread: false, // that it keeps on its side
      });
      return message.content.map((block) => block.text).join('');
    },
  },

  Gemini: {
    model: 'gemini-2.5-flash',
    base: '/v1beta',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    key: ['GEMINI_API_KEY', 'x-goog-api-key', KEY],
    results: (body) => parts(body, 'functionResponse').map((it) => it.functionResponse.response.output),
    ids: (body) => parts(body, 'functionResponse').map((it) => it.functionResponse.name),
    idsAsked: (body) => parts(body, 'functionCall').map((it) => it.functionCall.name),
    differences: {},
    async sdk(url, model) {
      const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: url } });
      const declared = plain.map(({ parameters, ...tool }) => ({ ...tool, parameters: typed(parameters) }));
      const callable = {
        tool: async () => ({ functionDeclarations: declared }),
        callTool: async (calls) =>
          calls.map(({ id, name, args }) => ({
            functionResponse: { id, name, response: { output: perform(name, args) } },
          })),
      };
      const config = {
        temperature: 1,
        topP: 1,
        presencePenalty: 0,
        frequencyPenalty: 0,
        tools: [callable],
      };
      return (await client.models.generateContent({ model, contents: QUESTION, config })).text;
    },
  },

  Ollama: {
    model: 'llama3.1',
    base: '',
    path: '/api/chat',
    key: null,
    results: (body) => fields(body, 'tool').map((it) => it.content),
    ids: (body) => fields(body, 'tool').map((it) => it.tool_name),
    idsAsked: (body) =>
      fields(body, 'assistant').flatMap((it) => (it.tool_calls ?? []).map((one) => one.function.name)),
    differences: {},
    async sdk(url, model) {
      const client = new Ollama({ host: url });
      const tools = plain.map((tool) => ({ type: 'function', function: tool }));
      const messages = [{ role: 'user', content: QUESTION }];
      for (;;) {
        const { message } = await client.chat({ model, messages, tools, options: { ...SAMPLING, ...PENALTIES } });
        if (!message.tool_calls?.length) return message.content;
        messages.push(message);
        for (const { function: wanted } of message.tool_calls)
          messages.push({ role: 'tool', tool_name: wanted.name, content: perform(wanted.name, wanted.arguments) });
      }
    },
  },
};

// ## A server that says these answers, and the requests as they came

// aimock keeps requests of other protocols as chat completions: the bodies are kept before it.
async function recorder(upstream, tls) {
  const requests = [];
  const listen = async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    requests.push({ path: request.url, headers: request.headers, body: JSON.parse(text) });
    const forwarded = http.request(upstream + request.url, { method: request.method, headers: request.headers });
    forwarded.on('error', () => request.socket.destroy());
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    forwarded.end(text);
  };
  const server = tls ? https.createServer(tls, listen) : http.createServer(listen);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, requests, url: `http${tls ? 's' : ''}://127.0.0.1:${server.address().port}` };
}

async function withServer(answers, use, tls) {
  const mock = serve(answers);
  await mock.start();
  const front = await recorder(mock.url, tls);
  try {
    return { got: await use(front.url), requests: front.requests };
  } finally {
    front.server.closeAllConnections();
    front.server.close();
    await mock.stop();
  }
}

function run(name, provider, url, options, more = {}) {
  const env = { PATH: process.env.PATH, ...more };
  if (provider.key) env[provider.key[0]] = KEY;
  const args = ['run', ...SPEC, '--model', `${name}/${provider.model}`, '--base-url', url + provider.base];
  const child = spawn(gramc, [...args, ...options, QUESTION], {
    cwd: sources,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const got = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'])
    child[stream].setEncoding('utf8').on('data', (text) => {
      got[stream] += text;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...got, code })));
}

// One conversation: what came out, and the bodies that arrived.
async function converse(name, provider, answers, options = ['--wire', 'tools']) {
  const { got, requests } = await withServer(answers, (url) => run(name, provider, url, options));
  for (const { path, headers } of requests) {
    assert.equal(path, provider.path);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['anthropic-version'], name === 'Anthropic' ? '2023-06-01' : undefined);
    if (provider.key) assert.equal(headers[provider.key[1]], provider.key[2]);
    assert.equal(JSON.stringify(headers).split(KEY).length - 1, provider.key ? 1 : 0, 'the key went elsewhere');
  }
  assert.ok(!(got.stdout + got.stderr).includes(KEY), 'the key was printed');
  return { ...got, bodies: requests.map(({ body }) => body) };
}

const failure = (status, message, type) => ({ error: { message, type, code: type }, status, retryAfter: 1 });

// ## Tests of each provider

const TESTS = {
  async 'two calls at once, then one, then an answer'(name, provider) {
    const got = await converse(name, provider, ROUNDS);
    assert.deepEqual([got.stdout, got.code], ['It is 5.\n', 0], got.stderr);
    assert.equal(got.bodies.length, 3);
    assert.deepEqual(got.bodies.map(provider.results), [[], RESULTS.slice(0, 2), RESULTS]);
    assert.deepEqual(provider.ids(got.bodies[2]), provider.idsAsked(got.bodies[2]));
  },

  async '429, then 503, then an answer'(name, provider) {
    const answers = [
      failure(429, 'Slow down', 'rate_limit_error'),
      failure(503, 'Too busy', 'overloaded_error'),
      ROUNDS[2],
    ];
    const got = await converse(name, provider, answers);
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['It is 5.\n', 0, 3], got.stderr);
    assert.match(got.stderr, /429: Slow down; trying again in 1000 ms/);
    assert.match(got.stderr, /503: Too busy; trying again/);
    assert.deepEqual(got.bodies[1], got.bodies[0]);
  },

  async 'an error that asking again does not help'(name, provider) {
    const got = await converse(name, provider, [failure(400, 'No such thing', 'invalid_request_error')]);
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['', 3, 1]);
    assert.match(got.stderr, /model-error: .*400: No such thing/);
  },

  async 'a connection closed once'(name, provider) {
    const got = await converse(name, provider, [{ content: 'never seen', chaos: { disconnectRate: 1 } }, ROUNDS[2]]);
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['It is 5.\n', 0, 2]);
    assert.match(got.stderr, /cannot be reached.*trying again/);
  },

  async 'a body that is not JSON'(name, provider) {
    const got = await converse(name, provider, [{ content: 'never seen', chaos: { malformedRate: 1 } }]);
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['', 3, 1]);
    assert.match(got.stderr, /model-error: .*JSON/);
  },

  async 'wrong arguments are told to the model'(name, provider) {
    const wrong = { toolCalls: [call('call_w', 'add', { a: 'x', b: 1 })] };
    const got = await converse(name, provider, [wrong, ROUNDS[2]]);
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['It is 5.\n', 0, 2], got.stderr);
    assert.match(JSON.stringify(got.bodies[1]), /integer.*/);
  },

  async 'the same requests as its own SDK'(name, provider) {
    const ours = await converse(name, provider, ROUNDS);
    const theirs = await withServer(ROUNDS, (url) => provider.sdk(url, provider.model));
    assert.equal(theirs.got, 'It is 5.');
    assert.equal(theirs.requests.length, ours.bodies.length);
    const left = new Set(Object.keys(provider.differences));
    for (const [i, { path, body }] of theirs.requests.entries()) {
      assert.equal(path.split('?')[0], provider.path);
      for (const key of Object.keys(provider.differences)) if (key in body && delete body[key]) left.delete(key);
      assert.deepEqual(meaning(ours.bodies[i]), meaning(body), `request ${i + 1}`);
    }
    assert.deepEqual([...left], [], 'no longer a difference');
  },
};

// What means the same is written in one way: ids that a server makes up anew each time count up.
function meaning(body) {
  const ids = new Map();
  const isId = (key) => /^(id|call_id|tool_use_id|tool_call_id)$/.test(key);
  const same = (value) => {
    if (Array.isArray(value)) return value.map(same);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, it]) => [key, isId(key) ? count(it) : same(it)]),
    );
  };
  const count = (id) => ids.get(id) ?? (ids.set(id, `id ${ids.size + 1}`), `id ${ids.size}`);
  return same(body);
}

// ## What only one of them has

const ALONE = {
  async 'chat: functions are offered, and calls of today understood'() {
    const provider = PROVIDERS.OpenAI;
    const got = await converse('OpenAI', provider, ROUNDS, ['--wire', 'functions']);
    assert.deepEqual([got.stdout, got.code], ['It is 5.\n', 0], got.stderr);
    assert.deepEqual(
      got.bodies[0].functions.map(({ name }) => name),
      plain.map(({ name }) => name),
    );
    assert.ok(!('tools' in got.bodies[0]));
    assert.deepEqual(provider.results(got.bodies[2]), RESULTS);
  },

  async 'https: only certificates that are trusted'() {
    const at = (name) => path.join(sources, 'tests/data/tls', name);
    const tls = { cert: readFileSync(at('localhost.crt')), key: readFileSync(at('localhost.key')) };
    const provider = PROVIDERS.Ollama;
    const ask = (options, env) =>
      withServer([ROUNDS[2]], (url) => run('Ollama', provider, url, ['--wire', 'tools', ...options], env), tls);
    const refused = await ask([]);
    assert.deepEqual([refused.got.stdout, refused.got.code, refused.requests.length], ['', 3, 0]);
    assert.match(refused.got.stderr, /certificate/);
    for (const trusted of [
      await ask(['--ca', at('localhost.crt')]),
      await ask([], { SSL_CERT_FILE: at('localhost.crt') }),
    ])
      assert.deepEqual([trusted.got.stdout, trusted.got.code], ['It is 5.\n', 0], trusted.got.stderr);
  },
};

const wanted = Object.entries(PROVIDERS).flatMap(([name, provider]) =>
  Object.entries(TESTS).map(([title, test]) => [`${name}: ${title}`, () => test(name, provider)]),
);
let failed = 0;
for (const [title, test] of [...wanted, ...Object.entries(ALONE)]) {
  try {
    await test();
    console.log(`ok      ${title}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${title}\n${error.stack}`);
  }
}
process.exit(failed ? 1 : 0);
