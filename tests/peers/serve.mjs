// The official client of OpenAI's, and curl, before gramc serve: serve.mjs GRAMC
import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import OpenAI from 'openai';
import {serve} from './served.mjs';

const server = await serve(process.argv[2], '--token-env', 'SERVE_TOKEN');
const options = {baseURL: `${server.address}/v1`, apiKey: 'a-token-of-the-test', maxRetries: 0};
const client = new OpenAI(options);
const user = content => [{role: 'user', content}];
const said = async stream => {
    let text = '', finish = null, usage = null;
    for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        finish = chunk.choices[0]?.finish_reason ?? finish;
        usage = chunk.usage ?? usage;
    }
    return {text, finish, usage};
};
const refused = (promise, kind, status, code) => assert.rejects(promise, error => {
    assert.ok(error instanceof kind, `${error.constructor.name}: ${error.message}`);
    assert.deepEqual([error.status, error.code], [status, code]);
    return true;
});

const models = await client.models.list();
assert.deepEqual(models.data.map(m => m.id),
    ['clerk', 'clerk@desk', 'clerk@attic', 'guide', 'guide@desk', 'guide@attic']);

const whole = await client.chat.completions.create({model: 'clerk', messages: user('Hello')});
assert.equal(whole.choices[0].message.content, 'You said: Hello');
assert.equal(whole.choices[0].finish_reason, 'stop');
assert.equal(whole.usage.total_tokens, 12);
assert.match(whole.id, /^chatcmpl-[0-9a-f]{32}$/);

const history = [...user('one'), whole.choices[0].message, ...user('two')];
const later = await client.chat.completions.create({model: 'clerk', messages: history});
assert.equal(later.choices[0].message.content, 'You said: one, then two');

// As the examples of most clients begin.
for (const role of ['system', 'developer']) {
    const {choices} = await client.chat.completions.create(
        {model: 'clerk', messages: [{role, content: 'Talk like a pirate.'}, ...user('instructed?')]});
    assert.equal(choices[0].message.content, 'Help.\n\nTalk like a pirate.');
}
assert.equal((await client.models.retrieve('clerk@attic')).id, 'clerk@attic');
await refused(client.models.retrieve('gpt-4o'), OpenAI.NotFoundError, 404, 'model_not_found');
await refused(client.responses.create({model: 'clerk', input: 'x'}), OpenAI.NotFoundError, 404, 'not_found');

// Tools are the agent's: the client sees what came of them.
const looked = await client.chat.completions.create({model: 'clerk@attic', messages: user('look')});
assert.equal(looked.choices[0].message.content, 'You said: look (dust)');
assert.equal(looked.usage.total_tokens, 24);
const streamed = await said(await client.chat.completions.create(
    {model: 'clerk@attic', messages: user('look'), stream: true, stream_options: {include_usage: true}}));
assert.deepEqual([streamed.text, streamed.finish, streamed.usage.total_tokens],
    ['Let me look.\n\nYou said: look (dust)', 'stop', 24]);

// The client's own helper puts the chunks together.
const helper = client.chat.completions.stream({model: 'clerk', messages: user('slow')});
let pieces = 0;
helper.on('content', () => { pieces++; });
const final = await helper.finalChatCompletion();
assert.ok(pieces >= 20 && final.choices[0].message.content.startsWith('word0 word1 '), `${pieces} pieces`);

const inputs = await client.chat.completions.create(
    {model: 'guide', messages: user('Hi'), metadata: {language: 'Latin'}});
assert.equal(inputs.choices[0].message.content, 'You said: Hi');
const {response} = await client.chat.completions.create(
    {model: 'clerk', messages: user('Hi'), temperature: 0, seed: 1}).withResponse();
assert.equal(response.headers.get('gramc-ignored'), 'temperature, seed');

await refused(client.chat.completions.create({model: 'gpt-4o', messages: user('x')}), OpenAI.NotFoundError, 404, 'model_not_found');
await refused(client.chat.completions.create({model: 'clerk', messages: user('x'), n: 2}), OpenAI.BadRequestError, 400, 'unsupported_value');
await refused(client.chat.completions.create({model: 'clerk', messages: user('x'), tools: [{type: 'function', function: {name: 'f'}}]}),
    OpenAI.BadRequestError, 400, 'unsupported_parameter');
await refused(client.chat.completions.create({model: 'guide', messages: user('x')}), OpenAI.BadRequestError, 400, 'missing_input');
await refused(client.chat.completions.create({model: 'clerk', messages: user('fail')}), OpenAI.InternalServerError, 502, 'model-error');
await assert.rejects(async () => said(await client.chat.completions.create({model: 'clerk', messages: user('fail'), stream: true})),
    error => error instanceof OpenAI.APIError && error.code === 'model-error');
await refused(new OpenAI({...options, apiKey: 'another-token-of-it'}).models.list(), OpenAI.AuthenticationError, 401, 'invalid_token');

// A client that gives up ends its run.
const given = await client.chat.completions.create({model: 'clerk', messages: user('slow'), stream: true});
for await (const chunk of given) if (chunk.choices[0].delta.content) break;
given.controller.abort();
for (let i = 0; i < 100 && !server.log().includes('broken off'); i++) await new Promise(done => setTimeout(done, 50));
assert.match(server.log(), /completions 200 .*broken off/);

// curl, as docs/serve.md shows it.
// The model lives in this process, which must not wait for it.
const curl = async (...more) => (await promisify(execFile)('curl', ['-sS', '-H', 'Authorization: Bearer a-token-of-the-test', ...more])).stdout;
const body = JSON.stringify({message: 'look', session: true});
const document = JSON.parse(await curl(`${server.address}/v1/agents/clerk/messages`, '-H', 'Content-Type: application/json', '-d', body));
assert.equal(document.outcome, 'answered');
const again = await curl('-N', `${server.address}/v1/agents/clerk/messages`, '-H', 'Content-Type: application/json',
    '-d', JSON.stringify({message: 'again', session: document.session, stream: true}));
assert.match(again, /event: delta\n/);
assert.match(again, /"content":"You said: look, then again"/);
assert.match(await curl('--http1.0', `${server.address}/health`), /ok/);

await server.stop();
console.log('the openai client and curl are answered');
