// The providers: how gramc asks them, a server that answers in their place, and the requests that
// arrive there. For providers.mjs and faults.mjs, which are given
//     SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import https from 'node:https';
import { inOrder, serve } from './mock.mjs';

export const [sources, gramc] = process.argv.slice(2);
export const KEY = 'Xq7ZvJ0wKpQ9gYx3Wq8ZjVzK2';
const SPEC = ['specs/calculator.gram', '--library', 'specs/libraries/arithmetic.gram'];
export const QUESTION = 'What is the root of the sum of 20 and the length of banana, less one?';

// ## The tools, as somebody who uses an SDK would write them

const integers = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])),
  required: names,
});
export const TOOLS = [
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
export const perform = (name, args) => String(TOOLS.find((tool) => tool.name === name).run(args));
export const plain = TOOLS.map(({ run, ...tool }) => tool);
// ## What is said in the conversation, in the words of aimock

export const call = (id, name, args) => ({ id, name, arguments: JSON.stringify(args) });
export const ROUNDS = [
  {
    content: 'One moment.',
    toolCalls: [call('call_a', 'stringLength', { s: 'banana' }), call('call_b', 'add', { a: 20, b: -1 })],
  },
  { toolCalls: [call('call_c', 'add', { a: 6, b: 19 })] },
  { content: 'It is 5.' },
];
export const RESULTS = ['6', '19', '25'];

// ## The providers

const fields = (body, role) => body.messages.filter((message) => message.role === role);
const blocks = (body, type) =>
  body.messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter((it) => it.type === type);
const parts = (body, kind) => body.contents.flatMap((it) => it.parts).filter((part) => kind in part);

export const PROVIDERS = {
  OpenAI: {
    model: 'gpt-4o-mini',
    base: '/v1',
    path: '/v1/chat/completions',
    key: ['OPENAI_API_KEY', 'authorization', `Bearer ${KEY}`],
    results: (body) => fields(body, 'tool').map((it) => it.content),
    ids: (body) => fields(body, 'tool').map((it) => it.tool_call_id),
    idsAsked: (body) => fields(body, 'assistant').flatMap((it) => (it.tool_calls ?? []).map(({ id }) => id)),
  },

  'OpenAI-Responses': {
    model: 'gpt-4o-mini',
    base: '/v1',
    path: '/v1/responses',
    key: ['OPENAI_API_KEY', 'authorization', `Bearer ${KEY}`],
    results: (body) => body.input.filter((it) => it.type === 'function_call_output').map((it) => it.output),
    ids: (body) => body.input.filter((it) => it.type === 'function_call_output').map((it) => it.call_id),
    idsAsked: (body) => body.input.filter((it) => it.type === 'function_call').map((it) => it.call_id),
  },

  Anthropic: {
    model: 'claude-opus-4-8',
    base: '/v1',
    path: '/v1/messages',
    key: ['ANTHROPIC_API_KEY', 'x-api-key', KEY],
    results: (body) => blocks(body, 'tool_result').map((it) => it.content),
    ids: (body) => blocks(body, 'tool_result').map((it) => it.tool_use_id),
    idsAsked: (body) => blocks(body, 'tool_use').map((it) => it.id),
  },

  Gemini: {
    model: 'gemini-2.5-flash',
    base: '/v1beta',
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    streamPath: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
    key: ['GEMINI_API_KEY', 'x-goog-api-key', KEY],
    results: (body) => parts(body, 'functionResponse').map((it) => it.functionResponse.response.output),
    ids: (body) => parts(body, 'functionResponse').map((it) => it.functionResponse.name),
    idsAsked: (body) => parts(body, 'functionCall').map((it) => it.functionCall.name),
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
  },
};

// ## A server that says these answers, and the requests as they came

// aimock keeps requests of other protocols as chat completions: the bodies are kept before it. What
// it cannot do to an answer is done here too: the n-th of `fronts` gets the n-th one, whole.
async function recorder(upstream, fronts, tls) {
  const requests = [];
  const listen = async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const front = fronts[requests.length];
    requests.push({ path: request.url, headers: request.headers, body: JSON.parse(text) });
    const forwarded = http.request(upstream + request.url, { method: request.method, headers: request.headers });
    forwarded.on('error', () => request.socket.destroy());
    response.on('close', () => forwarded.destroy());
    forwarded.on('response', (answer) => {
      const { 'content-length': _, ...headers } = answer.headers;
      response.writeHead(answer.statusCode, front ? headers : answer.headers);
      answer.on('error', () => response.destroy());
      if (!front) answer.pipe(response);
      else front(response, answer.setEncoding('utf8'));
    });
    forwarded.end(text);
  };
  const server = tls ? https.createServer(tls, listen) : http.createServer(listen);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, requests, url: `http${tls ? 's' : ''}://127.0.0.1:${server.address().port}` };
}

export async function withServer(answers, use, tls) {
  const mock = serve(answers);
  await mock.start();
  const fronts = inOrder(answers).map(({ front }) => front);
  const front = await recorder(mock.url, fronts, tls);
  try {
    return { got: await use(front.url), requests: front.requests };
  } finally {
    front.server.closeAllConnections();
    front.server.close();
    await mock.stop();
  }
}

export function run(name, provider, url, options, more = {}) {
  const { spec = SPEC, message = QUESTION } = provider;
  const env = { PATH: process.env.PATH, ...more };
  if (provider.key) env[provider.key[0]] = KEY;
  const args = ['run', ...spec, '--model', `${name}/${provider.model}`, '--base-url', url + provider.base];
  const child = spawn(gramc, [...args, ...options, message], {
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
export async function converse(name, provider, answers, options = ['--wire', 'tools'], streamed = false) {
  const { got, requests } = await withServer(answers, (url) => run(name, provider, url, options));
  for (const { path, headers } of requests) {
    assert.equal(path, streamed ? (provider.streamPath ?? provider.path) : provider.path);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['anthropic-version'], name === 'Anthropic' ? '2023-06-01' : undefined);
    if (provider.key) assert.equal(headers[provider.key[1]], provider.key[2]);
    assert.equal(JSON.stringify(headers).split(KEY).length - 1, provider.key ? 1 : 0, 'the key went elsewhere');
  }
  assert.ok(!(got.stdout + got.stderr).includes(KEY), 'the key was printed');
  return { ...got, bodies: requests.map(({ body }) => body) };
}
