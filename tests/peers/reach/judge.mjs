// Whether two schemas accept the same values, judged by Ajv on values made for both. Every keyword
// beside a $ref counts together with what the reference leads to, whatever the draft.
import Ajv from '../node_modules/ajv/dist/ajv.js';
import Ajv2019 from '../node_modules/ajv/dist/2019.js';
import Ajv2020 from '../node_modules/ajv/dist/2020.js';
import addFormats from '../node_modules/ajv-formats/dist/index.js';
import { Random } from '../random.mjs';
import { Samples } from './samples.mjs';

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

// Patterns that are no patterns with the u flag are taken as browsers take them without it. Of long
// texts only the beginning is matched, on both sides: some patterns take ages for more.
const LONGEST_TEXT = 30;

function regExp(pattern, flags) {
  let expression;
  try {
    expression = new RegExp(pattern, flags);
  } catch {
    expression = new RegExp(pattern);
  }
  // Ajv tells patterns apart by their text: without one, all of a schema would be the first.
  return { test: (text) => expression.test(text.slice(0, LONGEST_TEXT)), toString: () => String(expression) };
}
regExp.code = '(p, f) => new RegExp(p, f)';

function makeAjv(Kind) {
  const ajv = new Kind({ strict: false, logger: false, ownProperties: true, validateSchema: false, code: { regExp } });
  addFormats(ajv, { mode: 'full' });
  return ajv;
}

const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependencies', 'dependentSchemas']);
const DATA = new Set(['enum', 'const', 'default', 'examples', 'example']);

// Draft 4's flags as bounds, and what a later draft reads otherwise; names in maps are no keywords.
function modern(schema, unanchored) {
  if (Array.isArray(schema)) return schema.map((s) => modern(s, unanchored));
  if (!isObject(schema)) return schema;
  const out = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DATA.has(key)) out[key] = value;
    else if (MAPS.has(key) && isObject(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, modern(v, unanchored)]));
    else out[key] = modern(value, unanchored);
  }
  for (const [flag, bound] of [['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']]) {
    if (typeof out[flag] !== 'boolean') continue;
    if (out[flag] && out[bound] !== undefined) {
      out[flag] = out[bound];
      delete out[bound];
    } else delete out[flag];
  }
  if (typeof out.required === 'boolean') delete out.required;
  // Each document stands for itself: names of elsewhere would collide between documents.
  if (typeof out.id === 'string') delete out.id;
  // The same where nothing is anchored (prepared() says so); Ajv takes a definition for the root there.
  if (unanchored && out.$recursiveRef === '#' && !('$ref' in out)) {
    out.$ref = '#';
    delete out.$recursiveRef;
  }
  // Ajv compares only what has the type of `items` beside it, and so not what `prefixItems` are for.
  if (out.uniqueItems === true && out.prefixItems && isObject(out.items)) {
    out.allOf = [].concat(out.allOf ?? [], { uniqueItems: true });
    delete out.uniqueItems;
  }
  // No word of JSON Schema, but one that Ajv knows.
  delete out.nullable;
  delete out.$schema;
  return out;
}

// Lists under `items` are tuples of earlier drafts, whether or not the schema says which it is of.
const isOld = (schema) => JSON.stringify(schema).includes('"items":[');

export function prepared(schema) {
  const draft = typeof schema.$schema === 'string' ? schema.$schema : '';
  const copy = modern(schema, !JSON.stringify(schema).includes('$recursiveAnchor'));
  if (/2019-09/.test(draft)) return { Kind: Ajv2019, schema: copy };
  return { Kind: (draft && !/2020-12/.test(draft)) || isOld(copy) ? Ajv : Ajv2020, schema: copy };
}

// A function, or the reason why there is none.
function compiled(source) {
  const { Kind, schema } = prepared(source);
  try {
    const validate = makeAjv(Kind).compile(schema);
    return { accepts: (value) => {
      try {
        return validate(value) === true;
      } catch (e) {
        return `throws ${e.message}`;
      }
    }, errors: () => validate.errors ?? [], schema };
  } catch (e) {
    return { why: e.message };
  }
}

function at(value, pointer) {
  const steps = pointer.split('/').slice(1).map((s) => s.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = steps.pop();
  let holder = value;
  for (const s of steps) holder = holder?.[s];
  return { holder, last };
}

// Takes away what does not fit, so that one change more is one difference more.
function mended(judge, value) {
  for (let round = 0; round < 6 && judge.accepts(value) === false; round++) {
    const paths = [...new Set(judge.errors().map((e) => e.instancePath))].filter(Boolean).sort((a, b) => b.length - a.length);
    if (!paths.length) break;
    const { holder, last } = at(value, paths[0]);
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else if (isObject(holder)) delete holder[last];
    else break;
  }
  return value;
}

const nodes = (v) => (v && typeof v === 'object' ? 1 + Object.values(v).reduce((n, x) => n + nodes(x), 0) : 0);

// What tells two small schemas apart is one value in many.
const LEAST_ROUNDS = 24;

// {equal: true}, {why}: cannot be judged, or {value, theirs}: what one of them accepts alone.
export function compare(theirs, ours, { objects = false, seed = 1, most = 200, largest = 20000 } = {}) {
  // A few would take longer than all others together.
  if (Math.max(nodes(theirs), nodes(ours) / 4) > largest) return { why: `more than ${largest} values` };
  const a = compiled(theirs);
  if (a.why) return { why: `the source: ${a.why}` };
  const b = compiled(ours);
  if (b.why) return { value: null, theirs: true, broken: b.why };
  const random = new Random(seed);
  const makers = [new Samples(random, a.schema), new Samples(random, b.schema)];
  let valid = 0, judged = 0;
  const differs = (value) => {
    if (objects && !isObject(value)) return null;
    const x = a.accepts(value), y = b.accepts(value);
    judged++;
    if (x === true) valid++;
    return x === y || [x, y].some((v) => typeof v === 'string') ? null : { value, theirs: x };
  };
  const rounds = Math.max(LEAST_ROUNDS, Math.min(most, Math.ceil(nodes(a.schema) / 4)));
  for (let i = 0; i < rounds; i++) {
    const base = mended(i % 4 ? a : b, makers[i % 4 ? 0 : 1].fit(i % 4 ? a.schema : b.schema));
    for (const value of [base, ...makers[0].changes(base, 8)]) {
      const found = differs(value);
      if (found) return found;
    }
  }
  return { equal: true, valid, judged };
}
