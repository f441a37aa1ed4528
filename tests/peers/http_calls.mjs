// HTTP calls that import wrote, over the wire: every style, exploded and not, with every kind of value, is
// what others expand (RFC 6570, by octokit) and what others read back (qs, cookie, and Node's own
// form data of multipart bodies): http_calls.mjs GRAMC
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { endpoint } from '@octokit/endpoint';
import cookie from 'cookie';
import qs from 'qs';

const gramc = process.argv[2];
const run = promisify(execFile);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-calls-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

// ## A server that says what it got

const text = (bytes) => bytes.toString('latin1');

async function parts(type, body) {
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  const all = [];
  for (const [name, value] of form)
    all.push(typeof value === 'string' ? { name, value } : { name, file: value.name, type: value.type, value: text(Buffer.from(await value.arrayBuffer())) });
  return all;
}

const server = http.createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks), type = request.headers['content-type'] ?? null;
  const got = { url: request.url, method: request.method, headers: request.headers, type, body: text(body) };
  if (type?.startsWith('multipart/')) got.parts = await parts(type, body);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(got));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}`;

// ## Calls

const KINDS = {
  scalar: { schema: { type: 'string' }, values: ['blue', 'a b&c=d', 'ä€😀', '50%,;|'] },
  number: { schema: { type: 'number' }, values: [0, -1.5] },
  list: { schema: { type: 'array', items: { type: 'string' } }, values: [['blue'], ['blue', 'black', 'brown'], ['x=1', 'y&z', '#?/'], ['ä', '€']] },
  object: {
    schema: { type: 'object', properties: { R: { type: 'integer' }, 'g g': { type: 'string' } }, additionalProperties: { type: 'string' } },
    values: [{ R: 100 }, { R: 100, 'g g': 'x&y' }],
  },
};

const PLACES = {
  path: { styles: ['simple', 'label', 'matrix'], explode: [false, true] },
  query: { styles: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'], explode: [false, true] },
  header: { styles: ['simple'], explode: [false, true] },
  cookie: { styles: ['form'], explode: [false, true] },
  form: { styles: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'], explode: [false, true] },
  multipart: { styles: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'], explode: [false, true] },
};

// What OpenAPI gives no meaning is not asked for.
const hasMeaning = (style, explode, kind) => {
  if (style === 'deepObject') return kind === 'object' && explode;
  if (style === 'spaceDelimited' || style === 'pipeDelimited') return kind === 'list' && !explode;
  return true;
};

const media = { form: 'application/x-www-form-urlencoded', multipart: 'multipart/form-data' };

function operation(id, { place, style, explode, kind }) {
  const schema = KINDS[kind].schema, said = { style, explode };
  const common = { operationId: id, summary: id, responses: { 200: { description: 'fine', content: { 'application/json': { schema: {} } } } } };
  if (media[place]) {
    const content = { [media[place]]: { schema: { type: 'object', required: ['v'], properties: { v: schema } }, encoding: { v: said } } };
    return { post: { ...common, requestBody: { required: true, content } } };
  }
  return { get: { ...common, parameters: [{ name: 'v', in: place, required: true, schema, ...said }] } };
}

const cases = [];
for (const [place, { styles, explode }] of Object.entries(PLACES))
  for (const style of styles)
    for (const e of explode)
      for (const kind of Object.keys(KINDS))
        if (hasMeaning(style, e, kind)) cases.push({ place, style, explode: e, kind, id: `${place}_${style}_${e}_${kind}` });

const paths = Object.fromEntries(cases.map((c) => [c.place === 'path' ? `/${c.id}/{v}` : `/${c.id}`, operation(c.id, c)]));
const file = path.join(folder, 'api.json'), spec = path.join(folder, 'spec.gram'), library = path.join(folder, 'library.gram');
fs.writeFileSync(file, JSON.stringify({ openapi: '3.1.0', servers: [{ url: address }], paths }));
await run(gramc, ['import', file, '-o', spec, '--library', library]);

async function call(tool, argument, ...more) {
  const { stdout } = await run(gramc, ['call', library, tool, JSON.stringify(argument), ...more], { cwd: folder });
  return JSON.parse(stdout);
}

// ## What others make of the same

const strings = (value) => {
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, String(v)]));
  return String(value);
};

const OPERATORS = { simple: '', label: '.', matrix: ';', form: '?' };

const rfc6570 = (template, v) => endpoint(`GET ${address}/${template}`, { v }).url.slice(address.length + 1);
const strict = (word) => rfc6570('{v}', String(word));

// The address that RFC 6570 gives. Octokit joins what is exploded with commas: each item is expanded alone.
function expanded(c, value) {
  const operator = OPERATORS[c.style], list = Array.isArray(value), compound = list || typeof value === 'object';
  const start = `/${c.id}${c.place === 'path' ? '/' : ''}`;
  if (!c.explode || !compound) return start + rfc6570(`{${operator}v}`, value);
  if (!list) {
    const pairs = Object.entries(value).map(([k, v]) => `${strict(k)}=${strict(v)}`);
    const separator = { '': ',', '?': '&' }[operator] ?? operator;
    return start + operator + pairs.join(separator);
  }
  if (operator === '') return start + value.map(strict).join(',');
  return start + value.map((v, n) => rfc6570(`{${operator === '?' && n ? '&' : operator}v}`, v)).join('');
}

const pairsOf = (flat) => {
  const out = {};
  for (let i = 0; i < flat.length; i += 2) out[flat[i]] = flat[i + 1];
  return out;
};

// The value of `name=value`s, by their style.
function read(c, flat, all) {
  if (c.kind === 'scalar' || c.kind === 'number') return flat;
  if (c.style === 'deepObject') return all.v;
  if (c.explode) return c.kind === 'list' ? [flat].flat() : all;
  const delimiter = { form: ',', simple: ',', spaceDelimited: ' ', pipeDelimited: '|' }[c.style];
  const items = flat.split(delimiter);
  return c.kind === 'list' ? items : pairsOf(items);
}

// Items with commas in them cannot be told apart once they are decoded: RFC 6570's text is compared there.
function check(c, value, got) {
  const query = got.url.split('?')[1] ?? '';
  if (c.place === 'path') return assert.equal(got.url, expanded(c, value));
  if (c.place === 'query') {
    if (c.style === 'form') assert.equal(got.url, expanded(c, value));
    const all = qs.parse(query, { arrayLimit: 100 });
    return assert.deepEqual(read(c, all.v, all), strings(value));
  }
  if (c.place === 'form') {
    const all = qs.parse(got.body, { arrayLimit: 100 });
    return assert.deepEqual(read(c, all.v, all), strings(value));
  }
  if (c.place === 'multipart') return checkParts(c, value, got.parts);
  if (c.place === 'header') {
    const said = Buffer.from(got.headers.v, 'latin1').toString('utf8');
    if (c.kind === 'object') return assert.deepEqual(c.explode ? Object.fromEntries(said.split(',').map((p) => p.split('='))) : pairsOf(said.split(',')), strings(value));
    return assert.deepEqual(c.kind === 'list' ? said.split(',') : said, strings(value));
  }
  const raw = Buffer.from(got.headers.cookie, 'latin1').toString('utf8');
  const all = c.kind === 'list' && c.explode ? { v: raw.split('; ').map((p) => decodeURIComponent(p.slice(2))) } : cookie.parse(raw);
  const named = Object.fromEntries(Object.entries(all).map(([k, v]) => [decodeURIComponent(k), v]));
  assert.deepEqual(read(c, named.v, named), strings(value));
}

function checkParts(c, value, got) {
  const all = {};
  for (const { name, value: v } of got) all[name] = name in all ? [all[name], v].flat() : v;
  if (c.style === 'deepObject') return assert.deepEqual(all, Object.fromEntries(Object.entries(strings(value)).map(([k, v]) => [`v[${k}]`, v])));
  assert.deepEqual(read(c, all.v, all), strings(value));
}

// A scalar in a cookie is sent as it is, where no style is needed: what ends one is refused.
const isRefused = (c, value) => c.place === 'cookie' && typeof value === 'string' && value.includes(';');
const cannotSay = (c, value) => c.style === 'pipeDelimited' && JSON.stringify(value).includes('|');

let checked = 0;
await Promise.all(
  Array.from({ length: 2 }, async () => {
    for (let c = cases.shift(); c; c = cases.shift())
      for (const value of KINDS[c.kind].values) {
        if (isRefused(c, value) || cannotSay(c, value)) {
          await assert.rejects(call(c.id, { v: value }), `${c.id} ${JSON.stringify(value)}`);
          continue;
        }
        const got = await call(c.id, { v: value });
        try {
          check(c, value, got);
        } catch (error) {
          throw new Error(`${c.id} ${JSON.stringify(value)}: ${got.url} ${got.headers.v ?? got.headers.cookie ?? got.body}: ${error.message}`);
        }
        checked++;
      }
  }),
);
assert.ok(checked > 100, `only ${checked} calls`);

// ## Files

const files = path.join(folder, 'files');
fs.mkdirSync(files);
const bytes = Buffer.from([0, 255, 13, 10, 45, 45, 13, 10, 0x80]);
fs.writeFileSync(path.join(files, 'ä "x".png'), bytes);
fs.writeFileSync(path.join(files, 'b.txt'), 'b');
const string = { type: 'string', format: 'binary' };
const upload = {
  openapi: '3.0.3',
  servers: [{ url: address }],
  paths: {
    '/upload': {
      post: {
        operationId: 'upload',
        summary: 'x',
        requestBody: { required: true, content: { 'multipart/form-data': {
          schema: { type: 'object', properties: { 'a "b"': string, more: { type: 'array', items: string }, meta: { type: 'object' }, note: { type: 'string' } } },
          encoding: { more: { contentType: 'text/*' } },
        } } },
        responses: { 200: { description: 'fine', content: { 'application/json': { schema: {} } } } },
      },
    },
    '/raw': {
      put: {
        operationId: 'raw',
        summary: 'x',
        requestBody: { required: true, content: { 'application/octet-stream': { schema: string } } },
        responses: { 200: { description: 'fine', content: { 'application/json': { schema: {} } } } },
      },
    },
  },
};
fs.writeFileSync(file, JSON.stringify(upload));
await run(gramc, ['import', file, '-o', spec, '--library', library]);
const allowed = ['--allow-files', files];
const sent = await call('upload', { 'a "b"': 'ä "x".png', more: ['b.txt', path.join(files, 'b.txt')], meta: { a: [1] }, note: 'ü\r\n' }, ...allowed);
const latin = (s) => text(Buffer.from(s));
assert.deepEqual(sent.parts, [
  { name: 'a "b"', file: 'ä "x".png', type: 'image/png', value: text(bytes) },
  { name: 'more', file: 'b.txt', type: 'text/plain', value: 'b' },
  { name: 'more', file: 'b.txt', type: 'text/plain', value: 'b' },
  { name: 'meta', value: '{"a":[1]}' },
  { name: 'note', value: 'ü\r\n' },
]);
assert.ok(sent.body.includes(latin('name="a %22b%22"; filename="ä %22x%22.png"')));
const raw = await call('raw', { requestBody: 'ä "x".png' }, ...allowed);
assert.deepEqual([raw.type, raw.body], ['application/octet-stream', text(bytes)]);
await assert.rejects(call('raw', { requestBody: 'b.txt' }), /allowFiles/);
await assert.rejects(call('raw', { requestBody: '../api.json' }, ...allowed), /step up/);

server.close();
console.log(`${checked} calls of every style, and files, were read by others as they were meant`);
