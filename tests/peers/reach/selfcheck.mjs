// Whether the judges would notice: pairs of schemas that differ in one keyword, and tools that break one
// rule each. A judge that sees no difference in one of them says nothing about the rest.
import { compare } from './judge.mjs';
import { PROVIDERS } from './rules.mjs';

const tuple = { type: 'array', prefixItems: [{ enum: [3] }, { enum: [3, 4] }], items: { type: 'boolean' }, minItems: 2, maxItems: 2 };
const two = (p, q) => ({ type: 'object', properties: { p, q } });
const PAIRS = [
  [{ pattern: '^a$' }, { pattern: '^b$' }], [{ minimum: 1 }, { minimum: 2 }], [{ maximum: 1 }, { exclusiveMaximum: 1 }],
  [{ type: 'integer' }, { type: 'number' }], [{ type: 'string', minLength: 1 }, { type: 'string' }], [{ type: 'string', maxLength: 3 }, { type: 'string' }],
  [{ enum: ['a', 'b'] }, { enum: ['a'] }], [{ const: 1 }, { const: 2 }], [{ type: ['string', 'null'] }, { type: 'string' }],
  [{ type: 'array', items: { type: 'string' } }, { type: 'array' }], [{ type: 'array', items: {}, minItems: 1 }, { type: 'array', items: {} }],
  [{ type: 'array', uniqueItems: true }, { type: 'array' }], [{ type: 'object', required: ['a'] }, { type: 'object' }],
  [{ type: 'object', additionalProperties: false }, { type: 'object' }], [{ format: 'date' }, { format: 'time' }], [{ multipleOf: 2 }, { multipleOf: 3 }],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, { type: 'string' }], [{ not: { type: 'string' } }, {}],
  [{ ...tuple, uniqueItems: true }, tuple],
];

// What else stands in a schema must not hide it: each pair is judged behind a pattern of another field.
function blindPairs() {
  const other = { type: 'string', pattern: '^x+$' };
  return PAIRS.filter(([a, b]) => compare(two(other, a), two(other, b), { objects: true, most: 60 }).equal);
}

const text = { type: 'string' };
const chat = (parameters, more) => ({ type: 'function', function: { name: 'a', parameters, ...more } });
const open = { type: 'object', properties: { a: text } };
const BROKEN = {
  gemini: [
    { name: '1' }, { name: 'a', parameters: { type: 'OBJECT', properties: {} } }, { name: 'a', parameters: { type: 'OBJECT', properties: { 'a-b': { type: 'STRING' } } } },
    ...[{ type: 'string' }, { type: 'ARRAY' }, { type: 'NUMBER', enum: ['1'] }, { type: 'STRING', enum: [''] }, { type: 'STRING', minLength: 1 }, { type: 'STRING', anyOf: [{ type: 'STRING' }] }, { description: 'a' }, { type: 'STRING', const: 'a' }]
      .map((a) => ({ name: 'a', parameters: { type: 'OBJECT', properties: { a } } })),
  ],
  openai: [chat({ ...open, anyOf: [open] }), chat({ type: 'object', properties: { a: { type: 'array' } } }), chat(open, { name: 'a.b' }), chat(open, { description: 'x'.repeat(1025) }), chat({ type: 'string' }), chat({ type: 'object', properties: { a: { examples: 'a' } } })],
  'openai-strict': [chat(open, { strict: true }), chat(open, { strict: false }), chat({ ...open, additionalProperties: false }, { strict: true })],
  anthropic: [{ name: 'a b', input_schema: open }, { name: 'a', input_schema: { ...open, oneOf: [open] } }, { name: 'a', input_schema: { type: 'object', properties: { 'a b': text } } }, { name: 'a', input_schema: { type: 'object', properties: { a: { type: 'array' } } } }],
};

// Names what is not noticed.
export function blindSpots() {
  const rules = Object.entries(BROKEN).flatMap(([target, tools]) =>
    tools.filter((tool) => PROVIDERS[target].judge(tool, () => []) === null).map((tool) => `${target}: ${JSON.stringify(tool)}`));
  return [...blindPairs().map((pair) => `no difference between ${JSON.stringify(pair)}`), ...rules];
}
