// Runs one agent against aimock as every provider, each in its own protocol, and compares the
// requests of a conversation with two tools with those of that provider's own SDK:
//     providers.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROVIDERS, RESULTS, ROUNDS, call, converse, plain, run, sources, withServer } from './provider_table.mjs';
import { SDKS } from './sdks.mjs';

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
    await compare(name, provider, { answers: ROUNDS, ask: 'converse', last: 'It is 5.' });
  },

  async 'the same requests as its own SDK, in pieces'(name, provider) {
    await compare(name, provider, { answers: ROUNDS, ask: 'converse', last: 'It is 5.', stream: true });
  },

  async 'the same request as its own SDK for a structured answer'(name, provider) {
    const verdict = '{"good":true,"reasons":["It counts."]}';
    const judge = { ...provider, spec: [path.join(sources, 'tests/peers/judge.gram')] };
    await compare(name, judge, { answers: [{ content: verdict }], ask: 'judge', last: verdict });
  },
};

// One conversation with gramc and with the SDK: the same requests, but for what is listed, which has
// to be a difference.
async function compare(name, provider, { answers, ask, last, stream = false, wire = 'tools' }) {
  const how = ['--wire', wire, stream ? '--stream' : '--no-stream'];
  const ours = await converse(name, provider, answers, how, stream);
  assert.equal(ours.code, 0, ours.stderr);
  const theirs = await withServer(answers, (url) => SDKS[name][ask](url, provider.model, stream));
  assert.equal(theirs.got, last);
  assert.equal(theirs.requests.length, ours.bodies.length);
  const left = new Set(ask === 'converse' && !stream ? Object.keys(SDKS[name].differences) : []);
  for (const [i, { path: at, body }] of theirs.requests.entries()) {
    assert.equal(at, stream ? (provider.streamPath ?? provider.path) : provider.path);
    for (const [key, [value]] of Object.entries(SDKS[name].differences))
      if (body[key] === value && !(key in ours.bodies[i]) && delete body[key]) left.delete(key);
    assert.deepEqual(meaning(ours.bodies[i]), meaning(SDKS[name].same?.(body) ?? body), `request ${i + 1}`);
  }
  assert.deepEqual([...left], [], 'no longer a difference');
}

// aimock says tool calls whatever it is offered: on the way they become the one function call of
// older servers.
function asFunctionCall(choice) {
  const said = choice.message ?? choice.delta;
  if (said.tool_calls) said.function_call = said.tool_calls[0].function;
  delete said.tool_calls;
  if (choice.finish_reason === 'tool_calls') choice.finish_reason = 'function_call';
  return choice;
}
// A body, or each event of it, changed on the way.
const changed = (change) => async (response, answer) => {
  let text = '';
  for await (const piece of answer) text += piece;
  const put = (_, data, json) => (data ?? '') + JSON.stringify(change(JSON.parse(json)));
  response.end(text.replace(/^(data: )?(\{.*\})$/gm, put));
};
const older = changed((body) => ({ ...body, choices: body.choices.map(asFunctionCall) }));

// Nor does it sign the first call of an answer.
function sign(body) {
  const call = body.candidates?.[0].content.parts.find((part) => part.functionCall);
  if (call) call.thoughtSignature = 'c2lnbmVk';
  return body;
}

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

  async 'chat: the same requests as its own SDK with functions, whole and in pieces'() {
    const one = [{ ...ROUNDS[0], toolCalls: ROUNDS[0].toolCalls.slice(0, 1) }, ...ROUNDS.slice(1)];
    const answers = one.map((answer) => ({ ...answer, front: older }));
    for (const stream of [false, true]) {
      const how = { answers, ask: 'functions', last: 'It is 5.', wire: 'functions', stream };
      await compare('OpenAI', PROVIDERS.OpenAI, how);
    }
  },

  async 'gemini: a signed call goes back as its own SDK sends it, whole and in pieces'() {
    const answers = ROUNDS.map((answer) => ({ ...answer, front: changed(sign) }));
    for (const stream of [false, true])
      await compare('Gemini', PROVIDERS.Gemini, { answers, ask: 'converse', last: 'It is 5.', stream });
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
