// Why Ajv's answer may differ from ours: one row a cause. A row is believed only as far as it can
// be shown. Either `rewrite` turns the pair into one that means the same and keeps clear of the
// cause, or `change` mends that one thing in Ajv, and then Ajv has to answer as we do; or `holds`
// looks for the cause itself, where neither can be done; such a row is `rare` if it could hide a
// fault of ours, and may explain one pair in a thousand at most.
import { makeAjv, ajvJudge } from './schema_judges.mjs';
import { hasWrittenFraction, isOld } from './drafts.mjs';
import { hasNumber, isObject, parseSpelled, print } from './values.mjs';

// Calls `visit` for each object in a document, subschemas and plain values alike, from inside out,
// and puts what it returns in its place.
function mapObjects(value, visit) {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, visit));
  if (!isObject(value)) return value;
  return visit(
    Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapObjects(item, visit)])),
  );
}

const rewriteSchema = (visit) => (pair) => ({
  ...pair,
  schema: print(mapObjects(parseSpelled(pair.schema), visit)),
});

// ## Decimals: [digits, exponent], with digits a BigInt.
function decimal(text) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    text,
  );
  let digits = BigInt(sign + whole + fraction),
    power = Number(exponent) - fraction.length;
  if (digits === 0n) return [0n, 0];
  while (digits % 10n === 0n) [digits, power] = [digits / 10n, power + 1];
  return [digits, power];
}

function isMultiple(value, factor) {
  const [a, x] = decimal(value),
    [b, y] = decimal(factor);
  const power = Math.min(x, y);
  return (a * 10n ** BigInt(x - power)) % (b * 10n ** BigInt(y - power)) === 0n;
}

function exactMultipleOf(ajv) {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    validate: (factor, value) => isMultiple(String(value), String(factor)),
  });
}

// A number that no double is: JSON.parse gives another one, or infinity.
function isLost(text) {
  const value = Number(text);
  return (
    !Number.isFinite(value) || print(decimal(text).map(String)) !== print(decimal(String(value)).map(String))
  );
}

const losesNumbers = (text) => hasNumber(text, isLost);

// ## References that come back to where they are without a step into the instance.
function inPlace(schema, draft) {
  if (!isObject(schema)) return [];
  if (isOld(draft) && schema.$ref !== undefined) return [schema.$ref];
  const subschemas = ['allOf', 'anyOf', 'oneOf']
    .flatMap((name) => schema[name] ?? [])
    .concat(['not', 'if', 'then', 'else'].flatMap((name) => schema[name] ?? []))
    .concat(Object.values(schema.dependentSchemas ?? {}), Object.values(schema.dependencies ?? {}));
  return subschemas.concat(schema.$ref !== undefined ? [schema.$ref] : []);
}

export function isEndless(document, draft) {
  const definitions = document.$defs ?? document.definitions ?? {};
  const open = new Set(),
    done = new Set();
  const find = (ref) =>
    ref === '#'
      ? document
      : definitions[
          decodeURIComponent(ref.split('/')[2] ?? '')
            .replaceAll('~1', '/')
            .replaceAll('~0', '~')
        ];
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

// ## The rest of what the rules do to Ajv and to schemas
function ownRequired(ajv) {
  ajv.removeKeyword('required');
  ajv.addKeyword({
    keyword: 'required',
    type: 'object',
    schemaType: 'array',
    before: 'maxProperties',
    validate: (names, value) => names.every((name) => Object.hasOwn(value, name)),
  });
}

const isList = Array.isArray;
const requires = (map) =>
  Object.fromEntries(
    Object.entries(map).map(([name, names]) => [name, isList(names) ? { required: names } : names]),
  );
const and = (schema, other) => ({ ...schema, allOf: [...(schema.allOf ?? []), other] });

// Dependencies said by schemas that `require`.
function dependOnSchemas({ dependentRequired, dependencies, ...schema }) {
  if (isObject(dependencies)) schema.dependencies = requires(dependencies);
  return isObject(dependentRequired)
    ? and(schema, { dependentSchemas: requires(dependentRequired) })
    : schema;
}

const uniqueAlone = ({ uniqueItems, ...schema }) =>
  uniqueItems === undefined ? schema : and(schema, { uniqueItems });

// `contains` that is no schema which accepts everything at first sight.
function containsSomething({ contains, ...schema }) {
  const anything = contains === true || (isObject(contains) && Object.keys(contains).length === 0);
  return { ...schema, ...given({ contains: anything ? { anyOf: [true] } : contains }) };
}

// `contains` in a schema of its own, and never true of an empty array by accident.
function containsAlone({ contains, minContains, maxContains, ...schema }) {
  if (contains === undefined) return { ...schema, ...given({ minContains, maxContains }) };
  const least = Number(minContains?.text ?? 1) === 0 ? {} : { minItems: 1 };
  return and(schema, { ...least, ...given({ contains, minContains, maxContains }) });
}

// `contains` without what it says about evaluation, which goes into unevaluatedItems instead.
function containsApart({ contains, minContains, maxContains, unevaluatedItems, ...schema }) {
  if (contains === undefined || unevaluatedItems === undefined)
    return { ...schema, ...given({ contains, minContains, maxContains, unevaluatedItems }) };
  const apart = { not: { not: given({ contains, minContains, maxContains }) } };
  return { ...and(schema, apart), unevaluatedItems: { anyOf: [contains, unevaluatedItems] } };
}

// `contains` without what it says about evaluation.
function containsHidden({ contains, minContains, maxContains, ...schema }) {
  const apart = given({ contains, minContains, maxContains });
  return contains === undefined ? { ...schema, ...apart } : and(schema, { not: { not: apart } });
}

const given = (object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

// True of a document with unevaluated* and a subschema that may or may not be in force.
function hasDynamicEvaluation(text) {
  const found = new Set();
  mapObjects(
    parseSpelled(text),
    (object) => (Object.keys(object).forEach((name) => found.add(name)), object),
  );
  return (
    (found.has('unevaluatedItems') || found.has('unevaluatedProperties')) &&
    ['if', 'anyOf', 'oneOf', '$ref', 'dependentSchemas'].some((name) => found.has(name))
  );
}

const tighten = (name, refuses) => (ajv) => {
  const format = ajv.formats[name].validate ?? ajv.formats[name];
  const accepts = format instanceof RegExp ? (text) => format.test(text) : format;
  ajv.addFormat(name, (text) => accepts(text) && !refuses.test(text));
};

// RFC 3986, appendix A, but for what stands inside of the brackets of an address.
const PCHAR = "(?:[\\w.~!$&'()*+,;=:@-]|%[\\da-f]{2})";
const AUTHORITY =
  "(?:(?:[\\w.~!$&'()*+,;=:-]|%[\\da-f]{2})*@)?(?:\\[[\\da-f:.]+\\]|(?:[\\w.~!$&'()*+,;=-]|%[\\da-f]{2})*)(?::\\d*)?";
const URI = new RegExp(
  `^[a-z][a-z\\d+.-]*:(?://${AUTHORITY}(?:/${PCHAR}*)*|/?(?:${PCHAR}+(?:/${PCHAR}*)*)?)(?:\\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?$`,
  'i',
);

const RULES = [
  {
    name: 'endless reference',
    reason:
      'we refuse a schema whose $ref can come back without moving into the instance; Ajv overflows its stack if it gets there',
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
    reason: 'old drafts ignore what stands beside a $ref; Ajv, told so, still looks at `type`',
    applies: (pair) => isOld(pair.draft),
    rewrite: rewriteSchema(({ type, ...rest }) =>
      typeof rest.$ref === 'string' || type === undefined ? rest : { type, ...rest },
    ),
  },
  {
    name: 'member names of JavaScript',
    reason: "Ajv's comparison of values calls or compares members named toString and constructor",
    rewrite: ({ schema, instance, ...rest }) => {
      const rename = (text) =>
        text.replaceAll('"toString"', '"toStrinG"').replaceAll('"constructor"', '"constructoR"');
      return { ...rest, schema: rename(schema), instance: rename(instance) };
    },
  },
  {
    name: 'equal items of a tuple',
    reason: 'Ajv compares items as what `items` says they are, those of `prefixItems` too',
    rewrite: rewriteSchema(uniqueAlone),
  },
  {
    name: 'contains anything',
    reason: 'Ajv does not take the items as evaluated that `contains: true` holds of',
    applies: (pair) => pair.draft === '2020-12',
    rewrite: rewriteSchema(containsSomething),
  },
  {
    name: 'contains and no item',
    reason:
      'Ajv skips `contains` after a tuple longer than the array, and gives an empty array the verdict of the array before',
    rewrite: rewriteSchema(containsAlone),
  },
  {
    name: 'required empty name',
    reason: 'Ajv notes the missing name and asks whether it noted one; "" counts as none',
    rewrite: rewriteSchema(dependOnSchemas),
    change: ownRequired,
  },
  {
    name: 'contains and unevaluatedItems',
    reason: 'Ajv takes every item as evaluated by `contains`; it is those that fit',
    applies: (pair) => pair.draft === '2020-12',
    rewrite: rewriteSchema(containsApart),
  },
  {
    name: 'contains before 2020-12',
    reason: 'Ajv takes every item as evaluated by `contains`, which evaluates none in 2019-09',
    applies: (pair) => pair.draft === '2019-09',
    rewrite: rewriteSchema(containsHidden),
  },
  {
    name: 'integers as they are written',
    reason: 'in draft 4 an integer has neither point nor exponent; JSON.parse does not tell',
    applies: (pair) => pair.draft === '4',
    holds: (pair) => hasWrittenFraction(pair.instance) && /"integer"/.test(pair.schema),
    rare: true,
  },
  {
    name: 'format date-time',
    reason: 'RFC 3339 wants a T; ajv-formats takes a blank too',
    change: tighten('date-time', /\s/),
  },
  {
    name: 'format duration',
    reason: 'in the grammar of RFC 3339 no unit may be left out between two others',
    change: tighten('duration', /Y\d+D|H\d+S/),
  },
  {
    name: 'format uuid',
    reason: 'RFC 4122 gives a UUID no prefix; ajv-formats takes urn:uuid:',
    change: tighten('uuid', /^urn:/i),
  },
  {
    name: 'format hostname',
    reason: 'RFC 1123 has no dot at the end',
    change: tighten('hostname', /\.$/),
  },
  {
    name: 'format email',
    reason: 'RFC 5321 allows quoted local parts, domains of one label and address literals',
    change: (ajv) =>
      ajv.addFormat('email', /^([\w+~-]+(\.[\w+~-]+)*|"[^"]*")@([a-z\d]+(\.[a-z\d]+)*|\[[\d.]+\])$/i),
  },
  {
    name: 'format uri',
    reason: 'RFC 3986 allows an empty path, and a port of digits only',
    change: (ajv) => ajv.addFormat('uri', URI),
  },
  {
    name: 'formats of no draft',
    reason: 'ajv-formats judges url, byte, iso-time and others, which no draft of the standard has',
    change: (ajv) => {
      for (const name of ['url', 'iso-time', 'iso-date-time', 'byte', 'binary', 'password'])
        ajv.addFormat(name, true);
    },
  },
  {
    name: 'format iri',
    reason: 'ajv-formats does not know it, nor iri-reference; RFC 3987 wants a scheme and no blanks',
    change: (ajv) => {
      ajv.addFormat('iri', /^[a-z][a-z\d+.-]*:[^\s"<>\\^`{|}]*$/i);
      ajv.addFormat('iri-reference', /^[^\s"<>\\^`{|}]*$/);
    },
  },
  {
    name: 'format time',
    reason: 'RFC 3339 wants a colon in an offset',
    change: (ajv) => ['time', 'date-time'].forEach((name) => tighten(name, /[+-]\d{4}$/)(ajv)),
  },
  {
    name: 'format uri-reference',
    reason: 'RFC 3986 has no quotation mark; ajv-formats takes it',
    change: tighten('uri-reference', /"/),
  },
  {
    name: 'format uri-template',
    reason: 'the letters that RFC 6570 allows end before U+FFF0; ajv-formats takes all',
    change: tighten('uri-template', /[\ufff0-\uffff]/),
  },
  {
    name: 'format regex',
    reason: 'the patterns of JSON Schema are Unicode ones; ajv-formats reads them as the older kind',
    change: (ajv) =>
      ajv.addFormat('regex', (text) => {
        try {
          return Boolean(new RegExp(text, 'u'));
        } catch {
          return false;
        }
      }),
  },
  {
    name: 'unevaluated after a branch',
    reason:
      'where a branch decides what is evaluated, the code that Ajv makes takes it as decided, or compares a length with true',
    holds: (pair) => !isOld(pair.draft) && hasDynamicEvaluation(pair.schema),
    rare: true,
  },
];

const mended = new Map();

function mendedAjv(draft, rules) {
  const key = [draft, ...rules.map((rule) => rule.name)].join();
  if (!mended.has(key))
    mended.set(
      key,
      makeAjv(draft, (ajv) => rules.forEach((rule) => rule.change(ajv))),
    );
  return mended.get(key);
}

// The rule that explains why `ours` and `theirs` of a pair differ, or null. What rules mend adds up.
export function explain(pair) {
  const changes = [];
  let asked = pair;
  for (const rule of RULES) {
    if (rule.applies?.(pair) === false) continue;
    if (rule.holds) {
      if (rule.holds(pair)) return rule;
      continue;
    }
    if (rule.change) changes.push(rule);
    if (rule.rewrite) asked = rule.rewrite(asked);
    const answer = ajvJudge(mendedAjv(pair.draft, changes), asked.schema, [asked.instance]);
    if ((answer.bad !== undefined ? 'B' : answer.verdicts) === pair.ours) return rule;
  }
  return null;
}
