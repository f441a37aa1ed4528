// Asks our validator and Ajv about the same random schemas and instances, in five drafts:
//     schema_differential.mjs SCHEMA_VERDICTS FAILURES_FILE [SEED [PAIRS]]
// Fails at any difference that no rule of deviations.mjs explains, and writes those, shrunk, to
// FAILURES_FILE. GRAMC_LONG=1 asks about 200,000 pairs instead of a sample.
import fs from 'node:fs';
import { Random } from './random.mjs';
import { SchemaMaker } from './schema_maker.mjs';
import { InstanceMaker } from './instance_maker.mjs';
import { print } from './values.mjs';
import { Ours, makeAjv, ajvJudge } from './schema_judges.mjs';
import { explain, isEndless } from './deviations.mjs';
import { URIS, hasWrittenFraction } from './drafts.mjs';
import { shrink } from './shrink.mjs';

const [
  program,
  failuresFile,
  seedText = '1',
  pairsText = process.env.GRAMC_LONG === '1' ? '200000' : '8000',
] = process.argv.slice(2);
const INSTANCES = 8,
  SHRUNK = 20,
  AHEAD = 64;
const pairs = Number(pairsText);
const ours = new Ours(program);
const ajvs = Object.fromEntries(Object.keys(URIS).map((draft) => [draft, makeAjv(draft)]));
const count = { pairs: 0, schemas: 0, valid: 0, refused: 0 };
const explained = new Map();
const failures = [];

// Few schemas that refer to themselves for ever: they say little about anything else.
function makeDocument(random, draft) {
  for (;;) {
    const maker = new SchemaMaker(random, draft);
    const document = maker.document();
    if (!isEndless(document, draft) || random.chance(0.1)) return [maker, document];
  }
}

// To draft 4 1.0 is no integer, which Ajv cannot know: few such numbers.
function makeInstance(random, instances, draft) {
  for (;;) {
    const text = instances.text();
    if (draft !== '4' || !hasWrittenFraction(text) || random.chance(0.01)) return text;
  }
}

function makeCase(random) {
  const draft = random.pick(['2020-12', '2020-12', '2019-09', '7', '6', '4']);
  const [maker, document] = makeDocument(random, draft);
  const instances = new InstanceMaker(random, maker, document);
  return {
    draft,
    schema: print(document),
    instances: Array.from({ length: INSTANCES }, () => makeInstance(random, instances, draft)),
  };
}

const tooOften = () =>
  [...explained]
    .filter(([rule, n]) => rule.rare && n > Math.max(3, count.pairs / 1000))
    .map(([rule]) => rule.name);
// One letter: B refused as a schema.
const letter = (answer, i) => (answer.bad !== undefined ? 'B' : answer.verdicts[i]);

function compare({ draft, schema, instances }, our, their) {
  count.schemas++;
  if (our.bad !== undefined && their.bad !== undefined) count.refused++;
  for (const [i, instance] of instances.entries()) {
    const pair = {
      draft,
      schema,
      instance,
      ours: letter(our, i),
      theirs: letter(their, i),
      why: our.bad ?? their.bad,
    };
    count.pairs++;
    if (pair.ours === '1') count.valid++;
    if (pair.ours === pair.theirs) continue;
    const rule = explain(pair);
    if (rule) explained.set(rule, (explained.get(rule) ?? 0) + 1);
    else failures.push(pair);
  }
}

async function shrunk(pair) {
  const fails = async (schema, instance) => {
    const our = letter(await ours.judge(pair.draft, schema, [instance]), 0);
    const their = letter(ajvJudge(ajvs[pair.draft], schema, [instance]), 0);
    return (
      our === pair.ours &&
      their === pair.theirs &&
      !explain({ draft: pair.draft, schema, instance, ours: our, theirs: their, why: pair.why })
    );
  };
  return { ...pair, ...(await shrink(pair.schema, pair.instance, fails)) };
}

async function run() {
  const random = new Random(Number(seedText));
  const pending = [];
  const settle = async () => {
    const { asked, answer } = pending.shift();
    const their = ajvJudge(ajvs[asked.draft], asked.schema, asked.instances);
    compare(asked, await answer, their);
  };
  for (let made = 0; made < pairs; made += INSTANCES) {
    const asked = makeCase(random);
    const answer = ours.judge(asked.draft, asked.schema, asked.instances);
    answer.catch(() => {}); // Seen when it is awaited.
    pending.push({ asked, answer });
    if (pending.length >= AHEAD) await settle();
  }
  while (pending.length) await settle();
}

await run();
const small = [];
for (const pair of failures.slice(0, SHRUNK)) small.push(await shrunk(pair));
const exit = await ours.end();

console.log(
  `seed ${seedText}: ${count.pairs} pairs of ${count.schemas} schemas (${count.refused} refused by both), ${count.valid} valid, ${failures.length} unexplained differences`,
);
for (const [rule, n] of explained)
  console.log(`  ${String(n).padStart(6)} explained: ${rule.name}: ${rule.reason}`);
fs.rmSync(failuresFile, { force: true });
if (failures.length)
  fs.writeFileSync(
    failuresFile,
    small
      .concat(failures.slice(SHRUNK))
      .map((pair) => JSON.stringify(pair) + '\n')
      .join(''),
  );
for (const { draft, schema, instance, ours, theirs, why } of small)
  console.log(
    `draft ${draft}: ours ${ours}, Ajv ${theirs}${why ? ` (${why})` : ''}\n  schema   ${schema}\n  instance ${instance}`,
  );
if (count.valid < count.pairs / 10 || count.valid > count.pairs * 0.9)
  console.log('the generator makes too few or too many valid instances');
else if (exit !== 0) console.log(`schema_verdicts ended with ${exit}`);
else if (tooOften().length) console.log(`explains too much: ${tooOften().join(', ')}`);
else process.exit(failures.length ? 1 : 0);
process.exit(1);
