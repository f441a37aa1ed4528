// What goes wrong on the way to a model, with every provider, whole and in pieces: how the run ends,
// what stands on standard output and standard error, how often it was asked, and what the trace
// holds. A table of cases; aimock answers, and what it cannot do is done to its answers on the way:
//     faults.mjs SOURCE_FOLDER GRAMC
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { KEY, PROVIDERS, RESULTS, ROUNDS, call, converse } from './provider_table.mjs';

const SAID = 'It is 5, as far as anybody can tell from here.';
const SAYS = { content: SAID, chunkSize: 4 };
const FIRST = /^It is [^\n]*\n$/; // the beginning of what was said

// ## What is done to answers on the way, for aimock does not do it

const pieces = (text) => text.split(/(?<=\n\n|^\{.*\n)/m).filter((piece) => piece.trim());
const halves = (text) => {
  const all = pieces(text).length > 1 ? pieces(text) : text.split('');
  const middle = Math.floor(all.length / 2);
  return [all.slice(0, middle).join(''), all.slice(middle).join('')];
};
const read = async (answer) => {
  let text = '';
  for await (const piece of answer) text += piece;
  return text;
};
// Each is told what the provider says where it fails, in pieces or whole.
const FRONTS = {
  'ends too early': () => async (response, answer) => response.end(halves(await read(answer))[0]),
  breaks: () => async (response, answer) =>
    response.write(halves(await read(answer))[0], () => setTimeout(() => response.destroy(), 50)),
  'falls silent': () => async (response, answer) => response.write(halves(await read(answer))[0]),
  fails: (error) => async (response, answer) => {
    const [first, rest] = halves(await read(answer));
    response.end(pieces(first).length > 1 ? first + error.piece + rest : error.whole);
  },
  'talks nonsense': () => async (response, answer) => {
    const [first, rest] = halves(await read(answer));
    response.end(`${first}${first.startsWith('{') ? '' : 'data: '}{"half": \n\n${rest}`);
  },
};

const ERRORS = {
  OpenAI: { message: 'Overloaded', type: 'server_error', param: null, code: null },
  'OpenAI-Responses': { type: 'error', code: 'server_error', message: 'Overloaded', param: null },
  Anthropic: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  Gemini: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } },
  Ollama: { error: 'Overloaded' },
};
const errorOf = (name) => {
  const said = JSON.stringify(name === 'OpenAI' ? { error: ERRORS[name] } : ERRORS[name]);
  const whole = name === 'OpenAI-Responses' ? JSON.stringify({ error: ERRORS[name] }) : said;
  const named = ['OpenAI-Responses', 'Anthropic'].includes(name) ? 'event: error\n' : '';
  return { whole, piece: name === 'Ollama' ? `${said}\n` : `${named}data: ${said}\n\n` };
};

// ## The cases

const failure = (status, message, type, retryAfter) => ({
  error: { message, type, code: type },
  status,
  ...(retryAfter ? { retryAfter } : {}),
});
const LIMITED = failure(429, 'Slow down', 'rate_limit_error', 1);
const BUSY = failure(503, 'Too busy', 'overloaded_error');

const fine = (stdout, attempts, stderr = /^/) => ({ code: 0, outcome: 'answered', stdout, attempts, stderr });
const failed = (stdout, attempts, stderr) => ({ code: 3, outcome: 'model-error', stdout, attempts, stderr });
const A = 'answered';
const both = (expected) => ({ whole: expected, streamed: expected });

// `streamed`: of an answer in pieces; where it broke off after some were shown, they stand there.
const CASES = {
  'a text': { answers: [SAYS], ...both(fine(`${SAID}\n`, [A])) },
  'a call': {
    answers: [{ toolCalls: [call('c', 'add', { a: 1, b: 2 })] }, SAYS],
    ...both(fine(`${SAID}\n`, [A, A])),
    results: ['3'],
  },
  'two calls at once, beside a text, then one': {
    answers: [...ROUNDS.slice(0, 2), SAYS],
    whole: fine(`${SAID}\n`, [A, A, A]),
    streamed: fine(`One moment.\n${SAID}\n`, [A, A, A]),
    results: RESULTS,
  },
  'a call with arguments that do not fit': {
    answers: [{ toolCalls: [call('c', 'add', { a: 'x', b: 2 })] }, SAYS],
    ...both(fine(`${SAID}\n`, [A, A], /add.*call-error|integer/)),
  },
  '429 with Retry-After, once': {
    answers: [LIMITED, SAYS],
    ...both(fine(`${SAID}\n`, ['rate-limit', A], /429: Slow down; trying again in 1000 ms/)),
  },
  '429, always': {
    answers: [{ ...LIMITED, times: 3 }],
    ...both(failed('', Array(3).fill('rate-limit'), /model-error: .*429: Slow down/)),
  },
  'a quota that is used up': {
    answers: [failure(429, 'Pay first', 'insufficient_quota')],
    only: ['OpenAI', 'OpenAI-Responses', 'Anthropic'], // the others have no word for it
    ...both(failed('', ['quota'], /model-error: .*429: Pay first/)),
  },
  '503, once': {
    answers: [BUSY, SAYS],
    ...both(fine(`${SAID}\n`, ['server', A], /503: Too busy; trying again in \d+ ms/)),
  },
  '503, always': {
    answers: [{ ...BUSY, times: 3 }],
    ...both(failed('', Array(3).fill('server'), /model-error: .*503: Too busy/)),
  },
  '400': {
    answers: [failure(400, 'No such thing', 'invalid_request_error')],
    ...both(failed('', ['refused'], /model-error: .*400: No such thing/)),
  },
  '401': {
    answers: [failure(401, 'Who are you?', 'authentication_error')],
    ...both(failed('', ['denied'], /model-error: .*401: Who are you\?/)),
  },
  'closed without a word, once': {
    answers: [{ ...SAYS, chaos: { disconnectRate: 1 } }, SAYS],
    ...both(fine(`${SAID}\n`, ['unreachable', A], /cannot be reached.*trying again/)),
  },
  'a body that is no JSON': {
    answers: [{ ...SAYS, chaos: { malformedRate: 1 } }],
    ...both(failed('', ['malformed'], /model-error: .*is not a JSON object.*malformed json/)),
  },
  'closed in the middle': {
    answers: [{ ...SAYS, latency: 10, truncateAfterChunks: 8 }],
    streamed: failed(FIRST, ['unreachable'], /model-error: .*cannot be reached/),
  },
  'broken in the middle': {
    answers: [{ ...SAYS, front: 'breaks', times: 3 }],
    whole: failed('', Array(3).fill('unreachable'), /cannot be reached.*trying again/),
    streamed: failed(FIRST, ['unreachable'], /model-error: .*cannot be reached/),
  },
  'slow, a piece now and then': {
    answers: [{ ...SAYS, latency: 20 }],
    options: ['--idle-timeout', '5s'],
    ...both(fine(`${SAID}\n`, [A])),
  },
  'a pause that is too long': {
    answers: [{ ...SAYS, latency: 1500 }],
    options: ['--idle-timeout', '400ms'],
    streamed: failed(/^(It i\n)?$/, ['timeout'], /model-error: .*nothing more of it came for 400 ms/),
  },
  'silent in the middle': {
    answers: [{ ...SAYS, front: 'falls silent' }],
    options: ['--idle-timeout', '400ms', '--timeout', '2s'],
    whole: failed('', ['timeout'], /model-error: .*did not answer in time/),
    streamed: failed(FIRST, ['timeout'], /model-error: .*nothing more of it came for 400 ms/),
  },
  'ends without a reason': {
    answers: [{ ...SAYS, front: 'ends too early' }],
    whole: failed('', ['malformed'], /model-error: .*is not a JSON object/),
    streamed: failed(FIRST, ['malformed'], /model-error: .*the stream ended before the answer was complete/),
  },
  'ends without a reason, in the middle of a call': {
    answers: [{ toolCalls: ROUNDS[0].toolCalls, chunkSize: 4, front: 'ends too early' }],
    whole: failed('', ['malformed'], /model-error: .*is not a JSON object/),
    streamed: failed('', ['malformed'], /model-error: .*the stream ended before the answer was complete/),
  },
  'an error in the middle': {
    answers: [{ ...SAYS, front: 'fails' }],
    whole: failed('', ['malformed'], /model-error: .*Overloaded/),
    streamed: failed(FIRST, ['malformed'], /model-error: .*Overloaded/),
  },
  'nonsense in the middle': {
    answers: [{ ...SAYS, front: 'talks nonsense' }],
    whole: failed('', ['malformed'], /model-error: .*is not a JSON object/),
    streamed: failed(FIRST, ['malformed'], /model-error: .*the stream holds an event that is not JSON/),
  },
};

// ## Running them

const folder = mkdtempSync(path.join(os.tmpdir(), 'gramc-faults-'));

const matches = (got, wanted, what, stderr) =>
  wanted instanceof RegExp ? assert.match(got, wanted, what) : assert.equal(got, wanted, `${what}\n${stderr}`);

async function check(name, title, streamed) {
  const { answers, options = [], results, ...expected } = CASES[title];
  const wanted = expected[streamed ? 'streamed' : 'whole'];
  const provider = PROVIDERS[name];
  const trace = path.join(folder, `${name} ${title} ${streamed}.jsonl`);
  const error = errorOf(name);
  const said = answers.map((answer) => (answer.front ? { ...answer, front: FRONTS[answer.front](error) } : answer));
  const how = ['--wire', 'tools', streamed ? '--stream' : '--no-stream', '--trace', trace, ...options];
  const got = await converse(name, provider, said, how, streamed);
  const events = readFileSync(trace, 'utf8').trim().split('\n').map(JSON.parse);
  const attempts = events.filter(({ event }) => event === 'model.attempt').map((attempt) => attempt.class);
  matches(got.stdout, wanted.stdout, 'standard output', got.stderr);
  assert.match(got.stderr, wanted.stderr);
  assert.equal(got.code, wanted.code, got.stderr);
  assert.equal(events.at(-1).event, 'outcome');
  assert.equal(events.at(-1).outcome, wanted.outcome);
  assert.deepEqual(attempts, wanted.attempts);
  assert.equal(got.bodies.length, Math.max(1, attempts.length));
  if (results) assert.deepEqual(provider.results(got.bodies.at(-1)), results);
}

const wanted = Object.keys(PROVIDERS).flatMap((name) =>
  Object.entries(CASES)
    .filter(([, { only }]) => only?.includes(name) ?? true)
    .flatMap(([title, { whole, streamed }]) => [
      ...(whole ? [[name, title, false]] : []),
      ...(streamed ? [[name, title, true]] : []),
    ]),
);
let failures = 0;
const total = wanted.length;
// Most of their time is spent waiting.
await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (let next; (next = wanted.shift()); ) {
      const title = `${next[0]}${next[2] ? ', streamed' : ''}: ${next[1]}`;
      try {
        await check(...next);
        console.log(`ok      ${title}`);
      } catch (error) {
        failures++;
        console.log(`FAILED  ${title}\n${error.stack}`);
      }
    }
  }),
);
// What was printed is judged with each case; the traces here, by the reader of all such tests.
const reader = path.join(import.meta.dirname, '../support/invariants.py');
const judged = spawnSync('python3', [reader, `key=${KEY}`, '--', folder], { encoding: 'utf8' });
if (judged.status !== 0) failures++;
process.stdout.write(judged.stdout + judged.stderr);
rmSync(folder, { recursive: true });
console.log(`${total} cases`);
process.exit(failures || !total ? 1 : 0);
