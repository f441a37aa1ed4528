// What the operations of an OpenAPI document take and give, read from the document by another hand
// than import's: schemas that stand for themselves, with what they refer to.
import { parse } from 'yaml';

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const METHODS = new Set(['get', 'put', 'post', 'delete', 'head', 'patch']);
const RESERVED = new Set(['accept', 'content-type', 'authorization']);
const MAPS = new Set(['properties', 'patternProperties', 'definitions', '$defs']);
const DATA = new Set(['enum', 'const', 'default', 'example', 'examples', 'x-example']);

const tokens = (pointer) =>
  decodeURIComponent(pointer.slice(2)).split('/').map((t) => t.replaceAll('~1', '/').replaceAll('~0', '~'));

function behind(document, value) {
  for (let i = 0; i < 8 && typeof value?.$ref === 'string' && value.$ref.startsWith('#/'); i++)
    value = tokens(value.$ref).reduce((at, t) => at?.[t], document);
  return value;
}

// OpenAPI 3.0's own words: `nullable` is a type more, or null beside what is referred to.
// Members with the mark `without` only go the other way.
function plain(schema, old, without) {
  if (Array.isArray(schema)) return schema.map((s) => plain(s, old, without));
  if (!isObject(schema)) return schema;
  const out = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DATA.has(key)) out[key] = value;
    else if (MAPS.has(key) && isObject(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v, old, without)]));
    else out[key] = plain(value, old, without);
  }
  if (without && isObject(schema.properties) && isObject(out.properties))
    for (const [key, value] of Object.entries(schema.properties)) {
      if (value?.[without] !== true) continue;
      delete out.properties[key];
      if (Array.isArray(out.required)) out.required = out.required.filter((r) => r !== key);
    }
  delete out.nullable;
  const nullable = old && (schema.nullable === true || schema['x-nullable'] === true);
  if (nullable && typeof out.type === 'string') out.type = [out.type, 'null'];
  else if (nullable && out.allOf?.length === 1 && !out.type) {
    out.anyOf = [...out.allOf, { type: 'null' }];
    delete out.allOf;
  }
  return out;
}

// A schema with the parts of the document that it refers to, at their places.
function closed(document, schema, old, without) {
  const whole = { allOf: [plain(schema, old, without)] };
  const seen = new Set();
  const walk = (value) => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (!isObject(value)) return;
    if (typeof value.$ref === 'string' && value.$ref.startsWith('#/') && !seen.has(value.$ref)) {
      seen.add(value.$ref);
      const steps = tokens(value.$ref);
      const target = steps.reduce((at, t) => at?.[t], document);
      if (target !== undefined) {
        let at = whole;
        for (const step of steps.slice(0, -1)) at = at[step] ??= {};
        at[steps.at(-1)] = plain(target, old, without);
        walk(target);
      }
    }
    Object.values(value).forEach(walk);
  };
  walk(schema);
  return whole;
}

const isJson = (type) => /^(application\/json|\*\/\*|[^;]*\+json)\s*(;|$)/i.test(type);
const isForm = (type) => /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i.test(type);

function parameterSchema(parameter) {
  if (parameter.schema) return parameter.schema;
  const content = Object.values(parameter.content ?? {})[0];
  if (content) return content.schema ?? {};
  if (!parameter.type) return {};
  const { name, in: place, required, description, collectionFormat, allowEmptyValue, ...schema } = parameter;
  return schema.type === 'file' ? { ...schema, type: 'string' } : schema;
}

// {name: [schemas]} of a body that is an object, and the names that it demands.
function members(document, schema, depth = 0, found = { all: new Map(), required: new Set() }) {
  const own = behind(document, schema);
  if (!isObject(own) || depth > 8) return found;
  for (const part of own.allOf ?? []) members(document, part, depth + 1, found);
  for (const [name, value] of Object.entries(isObject(own.properties) ? own.properties : {}))
    if (value?.readOnly !== true) found.all.set(name, [...(found.all.get(name) ?? []), value]);
  for (const name of Array.isArray(own.required) ? own.required : []) found.required.add(name);
  return found;
}

function bodyOf(document, operation, parameters) {
  const inBody = parameters.find((p) => p.in === 'body');
  const fields = parameters.filter((p) => p.in === 'formData');
  if (inBody) return { schema: inBody.schema ?? {}, required: inBody.required === true };
  if (fields.length) {
    const required = fields.filter((p) => p.required).map((p) => p.name);
    return { schema: { type: 'object', properties: Object.fromEntries(fields.map((p) => [p.name, parameterSchema(p)])), required }, required: required.length > 0 };
  }
  const body = behind(document, operation.requestBody);
  const content = Object.entries(body?.content ?? {});
  const found = content.find(([type]) => isJson(type)) ?? content.find(([type]) => isForm(type)) ?? content[0];
  return found ? { schema: found[1]?.schema ?? (isJson(found[0]) ? {} : { type: 'string' }), required: body.required === true } : null;
}

function resultOf(document, operation) {
  const good = Object.entries(operation.responses ?? {}).filter(([code]) => code.startsWith('2') || code === 'default');
  for (const [, item] of good) {
    const response = behind(document, item);
    const schema = response?.schema ?? Object.entries(response?.content ?? {}).find(([type]) => isJson(type))?.[1]?.schema;
    if (isObject(schema)) return schema;
  }
  return undefined;
}

class Operation {
  constructor(document, old, path, item, method, operation) {
    Object.assign(this, { document, old, operation, id: `${method} ${path}` });
    const own = (operation.parameters ?? []).map((p) => behind(document, p)).filter(isObject);
    const shared = (item.parameters ?? []).map((p) => behind(document, p)).filter(isObject);
    this.parameters = [...shared.filter((s) => !own.some((o) => o.name === s.name && o.in === s.in)), ...own];
    const result = resultOf(document, operation);
    this.result = result && closed(document, result, old, 'writeOnly');
  }

  // Pairs of schemas, theirs and ours, with the places they stand at.
  arguments(ours) {
    const pairs = [], taken = new Set(), required = new Set();
    const own = (name) => ours.properties?.[name] && { ...ours.properties[name], $defs: ours.$defs ?? {} };
    const add = (name, place, schemas, demanded) => {
      const plainName = name.replace(/[{}]/g, '_');
      const argument = taken.has(plainName) ? `${plainName}_${place}` : plainName;
      taken.add(argument);
      if (demanded) required.add(argument);
      pairs.push([closed(this.document, { allOf: schemas }, this.old, 'readOnly'), own(argument), argument]);
    };
    for (const p of this.parameters) {
      if (!['path', 'query', 'header', 'cookie'].includes(p.in)) continue;
      if (p.in === 'header' && RESERVED.has(String(p.name).toLowerCase())) continue;
      add(p.name, p.in, [parameterSchema(p)], p.in === 'path' || p.required === true);
    }
    const body = bodyOf(this.document, this.operation, this.parameters);
    const inside = body && members(this.document, body.schema);
    if (body && own('requestBody') && !inside.all.has('requestBody')) add('requestBody', 'body', [body.schema], body.required);
    else if (body) for (const [name, schemas] of inside.all) add(name, 'body', schemas, body.required && inside.required.has(name));
    pairs.push([{ const: [...required].sort().join() }, { const: [...(ours.required ?? [])].sort().join() }, 'required']);
    return pairs;
  }
}

export function operations(text) {
  let document;
  try {
    document = parse(text, { logLevel: 'silent', maxAliasCount: -1 });
  } catch {
    return [];
  }
  const old = String(document.openapi ?? '').startsWith('3.0') || document.swagger !== undefined;
  const all = [];
  for (const [path, at] of Object.entries(document.paths ?? {})) {
    const item = behind(document, at);
    for (const [method, operation] of Object.entries(isObject(item) ? item : {}))
      if (METHODS.has(method) && isObject(operation)) all.push(new Operation(document, old, path, item, method, operation));
  }
  return all;
}
