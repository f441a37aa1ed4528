// What the providers refuse, by their documentation, judged on what gramc prints for them. Nothing here
// knows how gramc gets there. Each judge returns what breaks a rule, or null.
import Ajv2020 from '../node_modules/ajv/dist/2020.js';
import addFormats from '../node_modules/ajv-formats/dist/index.js';
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';

const require = createRequire(new URL('..', import.meta.url));
const { toStrictJsonSchema } = require('openai/lib/transform');
const { transformJSONSchema } = require('@anthropic-ai/sdk/lib/transform-json-schema');

const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
addFormats(ajv);
const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const COMBINATORS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SINGLES = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'];

// Calls `visit` with each schema inside `schema` and where it stands; the first answer is the answer.
function first(schema, visit, where = 'parameters') {
  if (!isObject(schema)) return null;
  const found = visit(schema, where);
  if (found) return found;
  const inside = [];
  for (const m of MAPS) if (isObject(schema[m])) for (const [k, v] of Object.entries(schema[m])) inside.push([v, `${where}/${m}/${k}`]);
  for (const l of LISTS) if (Array.isArray(schema[l])) schema[l].forEach((v, i) => inside.push([v, `${where}/${l}/${i}`]));
  for (const s of SINGLES) if (isObject(schema[s])) inside.push([schema[s], `${where}/${s}`]);
  for (const [value, at] of inside) {
    const deeper = first(value, visit, at);
    if (deeper) return deeper;
  }
  return null;
}

const badName = (name, pattern) => (pattern.test(name ?? '') ? null : `the name ${name}`);
const badParameterName = (schema, pattern) =>
  first(schema, (s, at) => {
    const bad = Object.keys(s.properties ?? {}).find((k) => !pattern.test(k));
    return bad === undefined ? null : `${at} has a parameter ${JSON.stringify(bad)}`;
  });

// What OpenAI and Anthropic answer with 400.
function badRoot(schema) {
  if (!isObject(schema) || schema.type !== 'object') return 'the parameters are no object';
  const found = COMBINATORS.find((k) => k in schema);
  return found ? `${found} beside the parameters` : null;
}

const badSchema = (schema) => (ajv.validateSchema(schema) ? null : `no JSON Schema: ${ajv.errorsText(ajv.errors)}`);

const bareArray = (schema, lists) =>
  first(schema, (s, at) => {
    const isArray = lists ? [s.type].flat().includes('array') : s.type === 'array';
    return isArray && !('items' in s) ? `${at} is an array without items` : null;
  });

// ## OpenAI

const OPENAI_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

// Characters are counted as Python does.
const tooLong = (text) => ([...(text ?? '')].length > 1024 ? `a description of ${[...text].length} characters` : null);

function openai({ function: tool }) {
  return (
    badName(tool.name, OPENAI_NAME) ?? tooLong(tool.description) ??
    badRoot(tool.parameters) ?? badSchema(tool.parameters) ?? bareArray(tool.parameters, true)
  );
}

const STRICT_FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const STRICT_KEYWORDS = new Set([
  '$defs', '$ref', 'title', 'description', 'anyOf', 'type', 'properties', 'required', 'additionalProperties', 'items', 'minItems',
  'maxItems', 'enum', 'const', 'pattern', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
]);

function badStrict(s, at) {
  const keys = Object.keys(s);
  const unknown = keys.find((k) => !STRICT_KEYWORDS.has(k));
  if (unknown) return `${at} has ${unknown}`;
  if (s.$ref && keys.some((k) => !['$ref', 'title', 'description'].includes(k))) return `${at} has words beside $ref`;
  if (s.format && !STRICT_FORMATS.includes(s.format)) return `${at} has the format ${s.format}`;
  if (![s.type].flat().includes('object')) return null;
  if (s.additionalProperties !== false) return `${at} is open`;
  const names = Object.keys(s.properties ?? {});
  return isDeepStrictEqual([...names].sort(), [...(s.required ?? [])].sort()) ? null : `${at} does not demand all of its names`;
}

function strict({ function: tool }, said) {
  if (tool.strict !== true) return said().some((f) => f.code === 'G0808') ? openai({ function: tool }) : 'sent without strict, and nothing says so';
  const found = openai({ function: tool }) ?? first(tool.parameters, badStrict);
  if (found) return found;
  try {
    return isSame(toStrictJsonSchema(tool.parameters), tool.parameters) ? null : "OpenAI's own helper changes it";
  } catch (e) {
    return `OpenAI's own helper throws: ${e.message}`;
  }
}

// As JSON has them: there is no -0.
const isSame = (a, b) => isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));

// ## Anthropic

// An object that lists no names stays open for tool calls; the helper closes it.
const keepsFreeNames = (schema) => first(schema, (s) => (s.type === 'object' && s.additionalProperties !== false ? 'open' : null)) !== null;

function anthropic(tool) {
  const schema = tool.input_schema;
  const found =
    badName(tool.name, OPENAI_NAME) ?? badRoot(schema) ?? badSchema(schema) ?? bareArray(schema, false) ??
    badParameterName(schema, /^[a-zA-Z0-9_.-]{1,64}$/);
  if (found) return found;
  if (!keepsFreeNames(schema) && !isSame(transformJSONSchema(schema), schema)) return "Anthropic's own helper changes it";
  if (!tool.input_examples) return null;
  const fits = ajv.compile(schema);
  return tool.input_examples.every((e) => fits(e)) ? null : 'an example of a call does not fit';
}

// ## Gemini

const GEMINI_TYPES = ['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'];
const GEMINI_FORMATS = ['enum', 'int32', 'int64', 'float', 'double', 'email', 'byte', 'date', 'date-time', 'password'];
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
const TEXTS = ['title', 'description', 'pattern', 'format'];
const GEMINI_KEYWORDS = new Set([
  'type', 'nullable', 'enum', 'items', 'minimum', 'maximum', 'properties', 'required', 'propertyOrdering', 'anyOf', 'default',
  'example', ...TEXTS, ...COUNTS,
]);

function badGeminiObject(s) {
  const names = Object.keys(s.properties ?? {});
  if ('properties' in s && !names.length) return 'no properties in properties';
  const stray = [...(s.required ?? []), ...(s.propertyOrdering ?? [])].find((n) => !names.includes(n));
  return stray === undefined ? null : `a name that is no property: ${stray}`;
}

function badGeminiValue(s) {
  if ('enum' in s) {
    if (s.type !== 'STRING') return `an enum of ${s.type}`;
    if (!Array.isArray(s.enum) || !s.enum.length || s.enum.some((v) => typeof v !== 'string' || v === '')) return 'an enum that is no list of texts';
  }
  if ('format' in s && !GEMINI_FORMATS.includes(s.format)) return `the format ${s.format}`;
  const count = COUNTS.find((k) => k in s && !/^\d+$/.test(typeof s[k] === 'string' ? s[k] : ''));
  if (count) return `${count} that is no text of digits`;
  const bound = ['minimum', 'maximum'].find((k) => k in s && typeof s[k] !== 'number');
  if (bound) return `${bound} that is no number`;
  const text = TEXTS.find((k) => k in s && typeof s[k] !== 'string');
  return text ? `${text} that is no text` : null;
}

function badGemini(s) {
  const unknown = Object.keys(s).find((k) => !GEMINI_KEYWORDS.has(k));
  if (unknown) return unknown;
  if ('anyOf' in s) {
    if ('type' in s) return 'a type beside anyOf';
    if (!Array.isArray(s.anyOf) || !s.anyOf.length) return 'an empty anyOf';
    if (['properties', 'items', 'required'].some((k) => k in s)) return 'fields or items beside anyOf';
  } else if (!GEMINI_TYPES.includes(s.type)) return `the type ${s.type}`;
  if ('nullable' in s && typeof s.nullable !== 'boolean') return 'nullable that is no boolean';
  if (s.type === 'ARRAY' && !isObject(s.items)) return 'an array without items';
  if (s.type !== 'ARRAY' && 'items' in s) return 'items of no array';
  if (s.type !== 'OBJECT' && 'properties' in s) return 'properties of no object';
  return badGeminiObject(s) ?? badGeminiValue(s);
}

function gemini(tool) {
  const name = badName(tool.name, /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/);
  if (name || tool.parameters === undefined) return name;
  if (tool.parameters.type !== 'OBJECT') return 'the parameters are no object';
  const visit = (s, at) => {
    const bad = badGemini(s);
    return bad && `${at} has ${bad}`;
  };
  return first(tool.parameters, visit) ?? badParameterName(tool.parameters, /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/);
}

export const PROVIDERS = {
  gemini: { judge: gemini, list: (printed) => printed.flatMap((t) => t.functionDeclarations) },
  openai: { judge: openai, list: (printed) => printed },
  'openai-strict': { judge: strict, list: (printed) => printed },
  anthropic: { judge: anthropic, list: (printed) => printed },
};
