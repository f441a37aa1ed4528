// What keeps definitions in the `schema` hatch, by collection: how many tools a keyword is in, and
// of how many it is the only one.
//     hatch.mjs GRAMC [--long] [--only COLLECTION] [--show KEYWORD] [FUNCTIONS.jsonl]
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as collections from './collections.mjs';

const words = process.argv.slice(2);
const take = (name) => {
  const at = words.indexOf(name);
  return at < 0 ? undefined : words.splice(at, 2)[1];
};
const only = take('--only'), show = take('--show');
const long = words.includes('--long');
const [gramc, shared] = words.filter((w) => !w.startsWith('--'));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-hatch-'));
process.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

function written(group) {
  let input = group.file;
  if (!input) {
    input = path.join(folder, group.kind === 'jsonl' ? 'in.jsonl' : 'in.json');
    fs.writeFileSync(input, group.text ?? group.tools.map((t) => t.line ?? JSON.stringify(t.definition)).join('\n') + '\n');
  }
  const out = path.join(folder, 'out.gram');
  fs.rmSync(out, { force: true });
  spawnSync(gramc, ['import', '--from', group.kind, input, '-o', out], { maxBuffer: 1 << 30, timeout: 120000 });
  return fs.existsSync(out) ? fs.readFileSync(out, 'utf8') : '';
}

// The keywords of each `schema` in a text: {not: [json...]}
function raws(text) {
  const found = [];
  for (const [, line, fence] of text.matchAll(/\bschema: (?:json`([^`]*)`|```json\n([\s\S]*?)\n *```)/g)) {
    const json = line === undefined ? fence : line;
    try {
      found.push(JSON.parse(json));
    } catch {
      found.push({ unreadable: json });
    }
  }
  return found;
}

function tools(text) {
  const blocks = text.split(/^(?=\[)/m).filter((b) => b.startsWith('['));
  const name = (b) => /^\[`?([^:`]+)`?:/.exec(b)?.[1] ?? '';
  const named = new Map(blocks.map((b) => [name(b), b]));
  const own = new Map(), uses = new Map();
  for (const [n, b] of named) {
    own.set(n, raws(b));
    uses.set(n, [...new Set(b.match(/\b[A-Z][A-Za-z0-9]*\b/g) ?? [])].filter((u) => u !== n && named.has(u)));
  }
  return blocks.filter((b) => /^\[[^\n]*?:Tool /.test(b)).map((b) => {
    const seen = new Set([name(b)]), queue = [name(b)];
    for (const n of queue) for (const u of uses.get(n)) if (!seen.has(u)) { seen.add(u); queue.push(u); }
    return { name: name(b), raws: [...seen].flatMap((n) => own.get(n)) };
  });
}

const sources = { functions: () => collections.functions(long, shared), mcp: () => collections.mcp(long), zod: () => collections.zod(long), openapi: () => collections.openapi(long), schemastore: () => collections.schemastore(long) };
for (const [collection, source] of Object.entries(sources)) {
  if (only && only !== collection) continue;
  const count = new Map(), sole = new Map();
  let all = 0, plain = 0;
  const add = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const group of (await source()) ?? [])
    for (const tool of tools(written(group))) {
      all++;
      if (!tool.raws.length) plain++;
      const sets = new Set(tool.raws.map((r) => Object.keys(r).sort().join('+')));
      for (const s of sets) add(count, s);
      if (sets.size === 1) add(sole, [...sets][0]);
      if (show && sets.has(show) && (sets.size === 1 || words.includes('--any')))
        console.log(group.id, tool.name, JSON.stringify(tool.raws.filter((r) => Object.keys(r).sort().join('+') === show)[0]).slice(0, 400));
    }
  console.log(`${collection}: ${plain} of ${all} without a hatch, ${((100 * plain) / all).toFixed(1)} %`);
  if (show) continue;
  const sorted = [...count].sort((a, b) => (sole.get(b[0]) ?? 0) - (sole.get(a[0]) ?? 0) || b[1] - a[1]);
  for (const [key, n] of sorted.slice(0, 45)) console.log(`  ${String(n).padStart(5)} ${String(sole.get(key) ?? 0).padStart(5)}  ${key.slice(0, 150)}`);
}
