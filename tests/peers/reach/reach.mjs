// How far import reaches: definitions that others wrote, imported, compiled and judged by Ajv, and what
// the providers would get of them judged by the providers' rules.
//     reach.mjs GRAMC [--long] [--only COLLECTION] [--piece K/N] [--show N] [--held-out]
//               [--count N] [--seed N] [--draft D] [FUNCTIONS.jsonl]
// A schema is equal, or differs and import said so (told), or differs silently; what differs has to
// stand in differences.tsv with its reason, and what stands there has to differ. --show prints what is
// not listed, of the part that is held out only with --held-out. --piece takes every N-th group;
// --count, --seed and --draft are for the random schemas.
import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import * as collections from './collections.mjs';
import { Gramc, hatches } from './gramc.mjs';
import { compare } from './judge.mjs';
import { PROVIDERS } from './rules.mjs';
import { isHeldOut, printTables, Reasons, Row } from './table.mjs';

const words = process.argv.slice(2);
const take = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const show = Number(take('--show') ?? 0), only = take('--only'), piece = take('--piece')?.split('/').map(Number);
const wanted = { count: take('--count'), seed: take('--seed'), draft: take('--draft') };
const heldOut = words.includes('--held-out');
const long = words.includes('--long') || process.env.GRAMC_LONG === '1';
const [program, shared] = words.filter((w) => !w.startsWith('--'));
const gramc = new Gramc(program);
const reasons = Reasons.beside(import.meta.dirname);

// ## What a schema means

const LOSSES = new Set(['G0901', 'G0903', 'G0904', 'G0912', 'G0917']);

// Arguments are objects, and what an object may hold beside them is not printed.
function difference(theirs, ours, objects) {
  const answer = compare(theirs, ours, { objects, ...(long ? { most: 60, largest: 8000 } : { most: 30, largest: 2000 }) });
  if (answer.equal) return null;
  if (answer.why) return { why: answer.why };
  const who = answer.broken ? `does not compile: ${answer.broken}` : `${answer.theirs ? 'theirs' : 'ours'} alone takes ${JSON.stringify(answer.value).slice(0, 300)}`;
  return { what: who };
}

// A whole group is held out where its tools have one author, who repeats himself.
function itemOf(row, group, name) {
  const whole = group.operations || row.name === 'mcp' || row.name === 'schemastore';
  const id = group.id === name ? name : `${group.id} ${name}`;
  return { id, held: row.name !== 'random' && isHeldOut(`${row.name} ${whole ? group.id : name}`) };
}

function judgeTools(row, group) {
  const items = group.tools.map((t) => itemOf(row, group, t.name));
  for (const item of items) row.part(item.held).tools++;
  const { code, err, told } = gramc.import(group);
  const fails = (what) => items.forEach((item) => row.differs(item, code === 1, what));
  if (code > 1) return fails(`import gives ${code}: ${err.slice(0, 200)}`);
  let back;
  try {
    back = gramc.compile('json-schema');
  } catch (e) {
    return fails(`${e.message} ${err.slice(0, 200)}`);
  }
  const raw = hatches(gramc.written());
  group.tools.forEach((tool, i) => {
    const here = group.kind === 'jsonl' ? told.filter((f) => f.line === i + 1) : told;
    const { held } = items[i];
    if (!raw[i]) row.part(held).plain++;
    const parameters = difference(tool.parameters, back[i]?.parameters ?? {}, true);
    const result = tool.result ? difference(tool.result, back[i]?.result ?? {}, false) : null;
    const found = [parameters, result].find((d) => d?.what);
    if (found) return row.differs(items[i], here.some((f) => LOSSES.has(f.code)), found.what);
    if (parameters?.why) return row.cannot(parameters.why);
    row.isEqual(held);
  });
  if (row.name === 'mcp') judgeWhole(row, group, told, items);
  judgeProviders(row, items);
}

// ## The rest of an MCP tool

// Blanks round a text are no loss, and of an object each member may be said by itself.
function isPartlySaid(theirs, ours, isSaid) {
  if (typeof theirs === 'string') return typeof ours === 'string' && theirs.trim() === ours.trim();
  const members = theirs && typeof theirs === 'object' && !Array.isArray(theirs) ? Object.keys(theirs) : [];
  return members.length > 0 && members.every((k) => isSaid(k) || isDeepStrictEqual(theirs[k], ours?.[k]));
}

// Everything but the schemas, as the target of the same protocol prints it back.
function judgeWhole(row, group, told, items) {
  const back = gramc.compile('mcp');
  back.tools.forEach((ours, i) => {
    const theirs = structuredClone(group.tools[i].definition);
    // The one title that there is stands beside the hints as well as among them.
    if (ours.title && theirs.annotations?.title === ours.title) delete theirs.annotations.title;
    const { id, held } = items[i];
    row.part(held).wholes++;
    const here = told.filter((f) => f.line === i + 1 || Number.isNaN(f.line));
    const isSaid = (k) => here.some((f) => f.text.includes(`\`${k}\``));
    const lost = Object.keys(theirs).filter((k) => !['inputSchema', 'outputSchema'].includes(k) && !isDeepStrictEqual(theirs[k], ours[k]));
    const silent = lost.filter((k) => !isSaid(k) && !isPartlySaid(theirs[k], ours[k], isSaid));
    if (!silent.length) row.part(held).whole++;
    else row.list({ id: `${id} ${silent}`, held }, false, `${silent}: ${JSON.stringify(theirs[silent[0]])} became ${JSON.stringify(ours[silent[0]])}`);
  });
}

// ## The providers

function judgeProviders(row, items) {
  for (const [target, { judge, list }] of Object.entries(PROVIDERS)) {
    const answers = gramc.compileEach(target, list);
    items.forEach((item, i) => {
      const { tool, said, refused, lost, code } = answers[i] ?? { lost: 'nothing is printed' };
      const tell = (what) => row.list({ id: `${item.id} (${target})`, held: item.held }, false, what);
      const bad = lost ?? (tool ? judge(tool, said) : refused.length && code === 1 ? null : `compile gives ${code}`);
      const isTold = tool ? bad && said().length > 0 : !lost && !bad;
      row.provider(target, item.held, tool && !bad ? 'accepted' : isTold ? 'told' : 'silent');
      if (bad && !isTold) tell(bad);
    });
  }
}

// ## OpenAPI

function judgeOperations(row, group) {
  const { code, err, told } = gramc.import(group);
  if (code > 1 || !gramc.written()) return row.cannot(`import gives ${code}: ${err.slice(0, 100)}`);
  let back;
  try {
    back = gramc.compile('json-schema');
  } catch {
    return row.cannot(`nothing to compile: ${told[0]?.text}`);
  }
  const calls = gramc.written(gramc.library), raw = hatches(gramc.written());
  if (back.length !== group.operations.length) return row.cannot(`${back.length} tools of ${group.operations.length} operations in ${group.id}`);
  const items = group.operations.map((operation) => itemOf(row, group, operation.id));
  const isTold = told.some((f) => LOSSES.has(f.code));
  back.forEach((tool, i) => {
    const part = row.part(items[i].held);
    part.tools++;
    if (!raw[i]) part.plain++;
    part.calls++;
    if (calls.includes(`[${tool.name}:ToolImpl`) || calls.includes(`[\`${tool.name}\`:ToolImpl`)) part.call++;
    judgeOperation(row, items[i], group.operations[i], tool, isTold);
  });
  judgeProviders(row, items);
}

function judgeOperation(row, item, operation, tool, isTold) {
  const pairs = [...operation.arguments(tool.parameters), [operation.result, tool.result, 'result']];
  for (const [theirs, ours, where] of pairs) {
    if (theirs === undefined) continue;
    const found = ours === undefined ? { what: 'is not there' } : difference(theirs, ours, false);
    if (found?.why) return row.cannot(found.why);
    if (found) return row.differs(item, isTold, `${where}: ${found.what}`);
  }
  row.isEqual(item.held);
}

// ## The table

// Seconds that this process and those that it waited for have computed.
function computed() {
  try {
    const fields = fs.readFileSync('/proc/self/stat', 'utf8').replace(/^.*\) /s, '').split(' ');
    return fields.slice(11, 15).reduce((n, ticks) => n + Number(ticks), 0) / 100;
  } catch {
    return process.cpuUsage().user / 1e6;
  }
}

const sources = {
  functions: () => collections.functions(long, shared),
  mcp: () => collections.mcp(long),
  zod: () => collections.zod(long),
  random: () => collections.random(long, wanted),
  openapi: () => collections.openapi(long),
  schemastore: () => collections.schemastore(long),
};
if (only && !(only in sources)) throw new Error(`no collection ${only}`);
let failed = 0;
const rows = [];
for (const [name, source] of Object.entries(sources)) {
  if (only && name !== only) continue;
  const before = computed();
  const all = await source();
  if (!all) {
    console.log(`${name}: not here, no collection was given`);
    continue;
  }
  const groups = all.filter((_, i) => !piece || i % piece[1] === piece[0]);
  const row = new Row(name, reasons, { show, heldOut });
  for (const group of groups) {
    const start = computed();
    (group.operations ? judgeOperations : judgeTools)(row, group);
    if (show && computed() - start > 5) console.log(`  ${name} ${group.id} took ${(computed() - start).toFixed(1)} s`);
  }
  if (show) for (const [why, count] of row.why) console.log(`  ${name} not judged, ${count}: ${why.slice(0, 200)}`);
  console.log(`${name}: ${groups.length} groups, ${(computed() - before).toFixed(1)} s of CPU`);
  const gone = long ? reasons.gone(name, piece ? groups : all) : [];
  for (const key of gone) console.log(`  ${key.replace('\t', ' ')} is listed in differences.tsv, and differs no more`);
  if (row.unlisted) console.log(`  ${row.unlisted} differences have no reason in differences.tsv`);
  if (!row.seen.judged) console.log(`  nothing of ${name} was judged`);
  failed += row.unlisted + gone.length + (row.seen.judged ? 0 : 1);
  rows.push(row);
}
printTables(rows, Object.keys(PROVIDERS));
process.exit(failed ? 1 : 0);
