// Runs one agent against aimock as every provider, each in its own protocol, and compares the
// requests of a conversation with two tools with those of that provider's own SDK:
//     providers.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROVIDERS, RESULTS, ROUNDS, call, converse, plain, run, sources, withServer } from './provider_table.mjs';

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
