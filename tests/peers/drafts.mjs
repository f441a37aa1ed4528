// The drafts that the differential knows, and schemas of drafts 4 and 6 said in draft 7, which Ajv
// reads: the keywords of those drafts mean the same there but for what is translated here.
import { hasNumber, isObject, parseSpelled, print } from './values.mjs';

// Before 2019-09.
export const isOld = (draft) => ['4', '6', '7'].includes(draft);

export const URIS = {
  4: 'http://json-schema.org/draft-04/schema#',
  6: 'http://json-schema.org/draft-06/schema#',
  7: 'http://json-schema.org/draft-07/schema#',
  '2019-09': 'https://json-schema.org/draft/2019-09/schema',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

const MAPS = ['definitions', 'properties', 'patternProperties', 'dependencies'];
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SCHEMAS = ['not', 'items', 'additionalItems', 'additionalProperties', 'contains', 'propertyNames'];
const FROM_6 = ['const', 'contains', 'propertyNames', 'examples', '$id'];
const FROM_7 = ['if', 'then', 'else', 'contentEncoding', 'contentMediaType', 'readOnly', 'writeOnly'];

// Calls `visit` for each subschema, from inside out, and puts what it returns in its place.
export function mapSchemas(schema, visit) {
  if (!isObject(schema)) return schema;
  const inner = (value) => mapSchemas(value, visit);
  const entries = Object.entries(schema).map(([name, value]) => {
    if (MAPS.includes(name) && isObject(value))
      return [name, Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inner(item)]))];
    if ((LISTS.includes(name) || name === 'items') && Array.isArray(value)) return [name, value.map(inner)];
    return [name, SCHEMAS.includes(name) ? inner(value) : value];
  });
  return visit(Object.fromEntries(entries));
}

const without = (schema, names) =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));

// A flag moves the bound beside it.
function boundOf(schema, bound, flag) {
  const { [flag]: exclusive, [bound]: limit, ...rest } = schema;
  return limit === undefined ? rest : { ...rest, [exclusive === true ? flag : bound]: limit };
}

function fromFour(schema) {
  const { id, ...rest } = without(schema, FROM_6);
  const bounded = boundOf(boundOf(rest, 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum');
  return typeof id === 'string' ? { $id: id, ...bounded } : bounded;
}

// The text of a schema document as Ajv is to have it.
export function asAjvReads(draft, text) {
  if (draft !== '4' && draft !== '6') return text;
  const translate = (schema) => {
    const old = without(schema, [...FROM_7, '$schema']);
    return draft === '4' ? fromFour(old) : old;
  };
  return print(mapSchemas(parseSpelled(text), translate));
}

// A number that is whole but not written so: to draft 4 it is no integer, and no JSON.parse tells.
export const hasWrittenFraction = (text) =>
  hasNumber(text, (number) => /[.eE]/.test(number) && Number.isInteger(Number(number)));
