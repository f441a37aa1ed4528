// Why Ajv's answer may differ from ours: one row a cause. A row is believed only as far as it can
// be shown. Either `rewrite` turns the pair into one that means the same and keeps clear of the
// cause, or `change` mends that one thing in Ajv, and then Ajv has to answer as we do; or `holds`
// looks for the cause itself, where neither can be done.
import { makeAjv, ajvJudge } from './schema_judges.mjs';
import { Spelled, isObject, parseSpelled, print } from './random.mjs';

// Calls `visit` for each object in a document, subschemas and plain values alike, from inside out,
// and puts what it returns in its place.
function mapObjects(value, visit) {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, visit));
  if (!isObject(value)) return value;
  return visit(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapObjects(item, visit)])));
}

const rewriteSchema = (visit) => (pair) => ({ ...pair, schema: print(mapObjects(parseSpelled(pair.schema), visit)) });

// ## Decimals: [digits, exponent], with digits a BigInt.
function decimal(text) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  let digits = BigInt(sign + whole + fraction), power = Number(exponent) - fraction.length;
  if (digits === 0n) return [0n, 0];
  while (digits % 10n === 0n) [digits, power] = [digits / 10n, power + 1];
  return [digits, power];
}

function isMultiple(value, factor) {
  const [a, x] = decimal(value), [b, y] = decimal(factor);
  const power = Math.min(x, y);
  return (a * 10n ** BigInt(x - power)) % (b * 10n ** BigInt(y - power)) === 0n;
}

function exactMultipleOf(ajv) {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf', type: 'number', schemaType: 'number',
    validate: (factor, value) => isMultiple(String(value), String(factor)),
  });
}

// A number that no double is: JSON.parse gives another one, or infinity.
function isLost(text) {
  const value = Number(text);
  return !Number.isFinite(value) || print(decimal(text).map(String)) !== print(decimal(String(value)).map(String));
}

function losesNumbers(text) {
  const looks = (value) => value instanceof Spelled ? isLost(value.text)
    : Array.isArray(value) ? value.some(looks) : isObject(value) && Object.values(value).some(looks);
  try {
    return looks(parseSpelled(text));
  } catch {
    return false; // Not JSON: no number of it matters.
  }
}

// ## References that come back to where they are without a step into the instance.
function inPlace(schema, draft) {
  if (!isObject(schema)) return [];
  if (draft === '7' && schema.$ref !== undefined) return [schema.$ref];
  const subschemas = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => schema[name] ?? [])
    .concat(['not', 'if', 'then', 'else'].flatMap((name) => schema[name] ?? []))
    .concat(Object.values(schema.dependentSchemas ?? {}), Object.values(schema.dependencies ?? {}));
  return subschemas.concat(schema.$ref !== undefined ? [schema.$ref] : []);
}

export function isEndless(document, draft) {
  const definitions = document.$defs ?? document.definitions ?? {};
  const open = new Set(), done = new Set();
  const find = (ref) => ref === '#' ? document
    : definitions[decodeURIComponent(ref.split('/')[2] ?? '').replaceAll('~1', '/').replaceAll('~0', '~')];
  const visit = (schema) => {
    if (typeof schema === 'string') schema = find(schema);
    if (!isObject(schema) || done.has(schema)) return false;
    if (open.has(schema)) return true;
    open.add(schema);
    const endless = inPlace(schema, draft).some(visit);
    open.delete(schema);
    done.add(schema);
    return endless;
  };
  return [document, ...Object.values(definitions)].some(visit);
}

const RULES = [
  {
    name: 'endless reference',
    reason: 'we refuse a schema whose $ref can come back without moving into the instance; Ajv overflows its stack if it gets there',
    holds: (pair) => pair.ours === 'B' && isEndless(parseSpelled(pair.schema), pair.draft),
  },
  {
    name: 'number beyond a double',
    reason: 'JSON.parse rounds; we compare decimals exactly',
    holds: (pair) => losesNumbers(pair.schema) || losesNumbers(pair.instance),
  },
  {
    name: 'multipleOf',
    reason: 'Ajv divides doubles, so that 0.3 is no multiple of 0.1',
    change: exactMultipleOf,
  },
  {
    name: 'type beside $ref',
    reason: 'draft 7 ignores what stands beside a $ref; Ajv, told so, still looks at `type`',
    applies: (pair) => pair.draft === '7',
    rewrite: rewriteSchema(({ type, ...rest }) => typeof rest.$ref === 'string' || type === undefined ? rest : { type, ...rest }),
  },
  {
    name: 'member names of JavaScript',
    reason: "Ajv's comparison of values calls or compares members named toString and constructor",
    rewrite: ({ schema, instance, ...rest }) => {
      const rename = (text) => text.replaceAll('"toString"', '"toStrinG"').replaceAll('"constructor"', '"constructoR"');
      return { ...rest, schema: rename(schema), instance: rename(instance) };
    },
  },
  {
    name: 'contains true',
    reason: 'Ajv forgets to ask for an item where `contains` accepts everything',
    rewrite: rewriteSchema((schema) => schema.contains === true || (isObject(schema.contains) && !Object.keys(schema.contains).length)
      ? { ...schema, contains: { not: false } } : schema),
  },
];

// The rule that explains why `ours` and `theirs` of a pair differ, or null. What rules mend adds up.
export function explain(pair) {
  const changes = [];
  let asked = pair;
  for (const rule of RULES) {
    if (rule.holds?.(pair)) return rule;
    if (rule.holds || rule.applies?.(pair) === false) continue;
    if (rule.change) changes.push(rule.change);
    if (rule.rewrite) asked = rule.rewrite(asked);
    const ajv = makeAjv(pair.draft, (it) => changes.forEach((change) => change(it)));
    const answer = ajvJudge(ajv, asked.schema, [asked.instance]);
    if ((answer.bad !== undefined ? 'B' : answer.verdicts) === pair.ours) return rule;
  }
  return null;
}
