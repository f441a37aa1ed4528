// Runs the agents of specs/ against aimock, an OpenAI-compatible server that others wrote, and
// compares the requests with those of OpenAI's own SDK in the same conversation:
//     openai_mock.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import path from 'node:path';
import OpenAI from 'openai';
import { serve } from './mock.mjs';

const [sources, gramc] = process.argv.slice(2);
const KEY = 'sk-not-a-key-at-all';
const HELLO = ['specs/hello_world.gram', 'specs/libraries/friendly.gram'];
const CALCULATOR = ['specs/calculator.gram', 'specs/libraries/arithmetic.gram', '--wire', 'tools'];

const call = (id, name, args) => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});
const greet = (name) => call('call_1', 'sayHello', { personName: name });

function run([spec, library, ...options], url, message) {
  const args = ['run', spec, '--library', library, '--base-url', `${url}/v1`, ...options, message];
  const child = spawn(gramc, args, {
    cwd: sources,
    env: { PATH: process.env.PATH, OPENAI_API_KEY: KEY },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const got = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'])
    child[name].setEncoding('utf8').on('data', (text) => {
      got[name] += text;
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...got, code })));
}

// One conversation: what came out, and the requests that arrived.
async function converse(answers, agent, message) {
  const mock = serve(answers);
  await mock.start();
  const started = performance.now();
  try {
    const got = await run(agent, mock.url, message);
    const requests = mock.getRequests();
    for (const { method, path: at, headers } of requests) {
      assert.deepEqual([method, at], ['POST', '/v1/chat/completions']);
      assert.equal(headers['content-type'], 'application/json');
      assert.match(headers.authorization ?? '', /^(Bearer |\[)/, 'no key was sent');
    }
    assert.ok(!(got.stdout + got.stderr).includes(KEY), 'the key was printed');
    return {
      ...got,
      bodies: requests.map((request) => request.body),
      seconds: (performance.now() - started) / 1000,
    };
  } finally {
    await mock.stop();
  }
}

const roles = (body) => body.messages.map((message) => message.role).join(' ');
const results = (body) =>
  body.messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id, content }) => [tool_call_id, content]);

const TESTS = {
  async 'a call and its result'() {
    const got = await converse(
      [{ toolCalls: [greet('Alice')] }, { content: 'I greeted Alice.' }],
      HELLO,
      'Greet Alice',
    );
    assert.deepEqual([got.stdout, got.code], ['I greeted Alice.\n', 0]);
    assert.deepEqual(got.bodies.map(roles), ['system user', 'system user assistant tool']);
    assert.deepEqual(got.bodies[1].messages[2].tool_calls[0].function, {
      name: 'sayHello',
      arguments: '{"personName":"Alice"}',
    });
    assert.deepEqual(
      results(got.bodies[1]).map(([id]) => id),
      ['call_1'],
    );
    assert.match(results(got.bodies[1])[0][1], /Alice/);
  },

  async 'text beside a call is sent back'() {
    const got = await converse(
      [{ content: 'One moment.', toolCalls: [greet('Bo')] }, { content: 'Done.' }],
      HELLO,
      'Greet Bo',
    );
    assert.deepEqual([got.stdout, got.code], ['Done.\n', 0]);
    assert.equal(got.bodies[1].messages[2].content, 'One moment.');
  },

  async 'two calls at once'() {
    const calls = [call('call_a', 'add', { a: 20, b: 22 }), call('call_b', 'stringLength', { s: 'héllo' })];
    const got = await converse([{ toolCalls: calls }, { content: '42 and 5' }], CALCULATOR, 'Add and count');
    assert.deepEqual([got.stdout, got.code], ['42 and 5\n', 0]);
    assert.deepEqual(results(got.bodies[1]), [
      ['call_a', '42'],
      ['call_b', '5'],
    ]);
    assert.deepEqual(
      got.bodies[1].messages.at(-3).tool_calls.map(({ id }) => id),
      ['call_a', 'call_b'],
    );
  },

  async 'calls one after the other'() {
    const answers = [
      { toolCalls: [call('c1', 'stringLength', { s: 'four' })] },
      { toolCalls: [call('c2', 'sqrt', { x: 4 })] },
      { content: '2' },
    ];
    const got = await converse(answers, CALCULATOR, 'The root of the length of four');
    assert.deepEqual([got.stdout, got.code], ['2\n', 0]);
    assert.deepEqual(
      results(got.bodies[2]).map(([id]) => id),
      ['c1', 'c2'],
    );
    assert.equal(Number(results(got.bodies[2])[1][1]), 2);
    assert.deepEqual(got.bodies[2].messages.slice(0, 3), got.bodies[1].messages);
  },

  async 'wrong arguments are told to the model'() {
    const wrong = [
      call('c1', 'add', { a: 'x', b: 1 }),
      call('c2', 'add', '{"a": 1,'),
      call('c3', 'subtract', {}),
    ];
    const got = await converse(
      [{ toolCalls: wrong }, { toolCalls: [call('c4', 'add', { a: 1, b: 1 })] }, { content: 'two' }],
      CALCULATOR,
      'One and one',
    );
    assert.deepEqual([got.stdout, got.code], ['two\n', 0]);
    const told = results(got.bodies[1]);
    assert.deepEqual(
      told.map(([id]) => id),
      ['c1', 'c2', 'c3'],
    );
    for (const [i, word] of ['integer', 'JSON', 'subtract'].entries())
      assert.match(told[i][1], new RegExp(word));
    assert.deepEqual(results(got.bodies[2]).at(-1), ['c4', '2']);
  },

  async '429 with Retry-After, then an answer'() {
    const limited = {
      error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' },
      status: 429,
      retryAfter: 1,
    };
    const got = await converse(
      [limited, { toolCalls: [greet('Cy')] }, { content: 'Hi.' }],
      HELLO,
      'Greet Cy',
    );
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['Hi.\n', 0, 3]);
    assert.match(got.stderr, /429.*Slow down.*trying again in 1000 ms/);
    assert.ok(got.seconds >= 1, `it waited for ${got.seconds} s`);
    assert.deepEqual(got.bodies[1], got.bodies[0]);
  },

  async 'a quota that is used up is not asked again'() {
    const got = await converse(
      [
        {
          error: { message: 'Pay first', type: 'insufficient_quota', code: 'insufficient_quota' },
          status: 429,
        },
      ],
      HELLO,
      'Greet',
    );
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['', 3, 1]);
    assert.match(got.stderr, /model-error.*429.*Pay first/);
  },

  async 'a wrong key'() {
    const got = await converse(
      [
        {
          error: {
            message: `Incorrect API key provided: ${KEY}`,
            type: 'invalid_request_error',
            code: 'invalid_api_key',
          },
          status: 401,
        },
      ],
      HELLO,
      'Greet',
    );
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['', 3, 1]);
    assert.match(got.stderr, /401.*Incorrect API key/);
  },

  async 'a body that is not JSON'() {
    const got = await converse([{ content: 'never seen', chaos: { malformedRate: 1 } }], HELLO, 'Greet');
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['', 3, 1]);
    assert.match(got.stderr, /model-error: .*JSON/);
  },

  async 'a connection closed once'() {
    const got = await converse(
      [{ content: 'never seen', chaos: { disconnectRate: 1 } }, { content: 'Hi.' }],
      HELLO,
      'Greet',
    );
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['Hi.\n', 0, 2]);
    assert.match(got.stderr, /cannot be reached.*trying again/);
  },

  async 'a connection closed always'() {
    const got = await converse(
      [{ content: 'never seen', chaos: { disconnectRate: 1 }, times: 3 }],
      HELLO,
      'Greet',
    );
    assert.deepEqual([got.stdout, got.code, got.bodies.length], ['', 3, 3]);
    assert.match(got.stderr, /model-error: the model endpoint cannot be reached/);
  },

  async 'the same requests as the SDK'() {
    const answers = [
      { toolCalls: [greet('Alice'), { ...greet('Bo'), id: 'call_2' }] },
      { toolCalls: [{ ...greet('Cy'), id: 'call_3' }] },
      { content: 'All greeted.' },
    ];
    const got = await converse(answers, HELLO, 'Greet Alice, Bo and Cy');
    assert.equal(got.code, 0);
    const theirs = await askWithSdk(answers, got.bodies.at(-1), 'Greet Alice, Bo and Cy');
    assert.equal(theirs.length, got.bodies.length);
    for (const [i, body] of theirs.entries())
      assert.deepEqual(
        got.bodies[i],
        DIFFERENCES.reduce((it, { apply }) => apply(it), body),
      );
    for (const { name, apply } of DIFFERENCES)
      assert.notDeepEqual(theirs.map(apply), theirs, `no longer a difference: ${name}`);
  },
};

// What the SDK sends and we do not, or the other way round; each turns theirs into ours.
const without =
  (name) =>
  ({ [name]: _, ...rest }) =>
    rest;
const DIFFERENCES = [
  { name: 'stream: false is said', reason: 'it is the default of the API', apply: without('stream') },
  {
    name: "tool_choice: 'auto' is said",
    reason: 'it is the default where there are tools; what an agent does not say we do not send',
    apply: without('tool_choice'),
  },
];

// The same agent, written by hand for the SDK. What the tools answer is taken from our run.
async function askWithSdk(answers, body, message) {
  const told = new Map(results(body));
  const greeting = (name) => told.get({ Alice: 'call_1', Bo: 'call_2', Cy: 'call_3' }[name]);
  const mock = serve(answers);
  await mock.start();
  try {
    const client = new OpenAI({ baseURL: `${mock.url}/v1`, apiKey: KEY, maxRetries: 0 });
    const runner = client.chat.completions.runTools({
      model: 'gpt-4o-mini',
      messages: [
        {
          role: 'system',
          content:
            'You are a friendly assistant. Have friendly conversations with the user.\nWhen the user greets you or says hello, use the `sayHello` tool to answer.',
        },
        { role: 'user', content: message },
      ],
      tools: [
        {
          type: 'function',
          function: {
            name: 'sayHello',
            description: 'Returns a friendly greeting message for the given name',
            parameters: {
              type: 'object',
              properties: { personName: { type: 'string', description: 'Whom to greet', default: 'world' } },
            },
            parse: JSON.parse,
            function: ({ personName }) => greeting(personName),
          },
        },
      ],
    });
    assert.equal(await runner.finalContent(), answers.at(-1).content);
    return mock.getRequests().map((request) => request.body);
  } finally {
    await mock.stop();
  }
}

let failed = 0;
for (const [name, test] of Object.entries(TESTS)) {
  try {
    await test();
    console.log(`ok      ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}\n${error.stack}`);
  }
}
process.exit(failed ? 1 : 0);
