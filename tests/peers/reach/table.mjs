// One row a collection: what was counted of the part that is seen, and of the part that is held out.
// One in five is held out, by the hash of its name: what is mended is mended by the others.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

export const isHeldOut = (key) => createHash('sha256').update(key).digest()[0] % 5 === 0;

const counts = () => ({ tools: 0, judged: 0, equal: 0, told: 0, silent: 0, plain: 0, whole: 0, wholes: 0, call: 0, calls: 0, providers: {} });

// The lines of differences.tsv, and which of them were met.
export class Reasons {
  constructor(file) {
    const lines = fs.readFileSync(file, 'utf8').split('\n').slice(1).filter(Boolean);
    this.all = new Map(lines.map((line) => line.split('\t')).map(([collection, id, reason]) => [`${collection}\t${id}`, reason]));
    this.met = new Set();
  }

  static beside(folder) {
    return new Reasons(path.join(folder, 'differences.tsv'));
  }

  explains(collection, id) {
    const key = `${collection}\t${id}`;
    if (!this.all.has(key)) return false;
    this.met.add(key);
    return true;
  }

  // What is listed for groups that were judged, but was not met.
  gone(collection, groups) {
    const judged = (id) => groups.some((g) => id === g.id || id.startsWith(`${g.id} `));
    return [...this.all.keys()].filter((key) => {
      const [name, id] = key.split('\t');
      return name === collection && !this.met.has(key) && judged(id);
    });
  }
}

export class Row {
  constructor(name, reasons, { show, heldOut }) {
    Object.assign(this, { name, reasons, show, heldOut, seen: counts(), held: counts(), unlisted: 0, shown: 0, why: new Map() });
  }

  part(held) {
    return held ? this.held : this.seen;
  }

  cannot(reason) {
    this.why.set(reason, (this.why.get(reason) ?? 0) + 1);
  }

  isEqual(held) {
    this.part(held).judged++;
    this.part(held).equal++;
  }

  differs({ id, held }, isTold, what) {
    const part = this.part(held);
    part.judged++;
    if (isTold) part.told++;
    else part.silent++;
    // What random schemas lose is not worth a list: that they go in a circle, mostly.
    if (!isTold || this.name !== 'random') this.list({ id, held }, isTold, what);
  }

  list({ id, held }, isTold, what) {
    if (this.reasons.explains(this.name, id)) return;
    this.unlisted++;
    if (!this.show || (held && !this.heldOut) || (this.shown >= this.show && isTold)) return;
    this.shown++;
    console.log(`  ${this.name}\t${id}\t${isTold ? 'told' : 'SILENT'}: ${what}`);
  }

  // What a provider gets of a tool: `state` is accepted, told or silent.
  provider(target, held, state) {
    const at = (this.part(held).providers[target] ??= { accepted: 0, told: 0, silent: 0 });
    at[state]++;
  }
}

// ## Printing

const percent = (n, of) => (of ? ((100 * n) / of).toFixed(n === of || n === 0 ? 0 : 1) : '-');
const cell = (row, show) => `${show(row.seen)} | ${show(row.held)}`;

const MEANING = {
  tools: (p) => p.tools,
  judged: (p) => p.judged,
  'equal %': (p) => percent(p.equal, p.judged),
  told: (p) => p.told,
  silent: (p) => p.silent,
  'no hatch %': (p) => percent(p.plain, p.tools),
  'whole %': (p) => percent(p.whole, p.wholes),
  'callable %': (p) => percent(p.call, p.calls),
};

const sum = (at) => at.accepted + at.told + at.silent;
const taken = (target) => (p) => {
  const at = p.providers[target];
  return at ? `${percent(at.accepted, sum(at))}, ${percent(at.accepted + at.told, sum(at))}` : '-';
};

function print(title, columns, rows) {
  const table = [[title, ...Object.keys(columns)], ...rows.map((row) => [row.name, ...Object.values(columns).map((show) => cell(row, show))])];
  const widths = table[0].map((_, i) => Math.max(...table.map((line) => line[i].length)));
  for (const line of table) console.log(line.map((text, i) => (i ? text.padStart(widths[i]) : text.padEnd(widths[i]))).join('  '));
}

export function printTables(rows, targets) {
  console.log('Each cell: what is seen | what is held out.');
  print('collection', MEANING, rows);
  console.log('\nOf the tools, in percent: taken by the provider\'s rules, and taken or told of.');
  print('collection', Object.fromEntries(targets.map((t) => [t, taken(t)])), rows);
}
