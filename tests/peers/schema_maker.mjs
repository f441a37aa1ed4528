// Random JSON Schemas. What they mean is none of this file's business.
import { FACTORS, FORMATS, HUGE, NAMES, NUMBERS, PATTERNS, STRINGS, TYPES } from './corpus.mjs';
import { isOld, URIS } from './drafts.mjs';
import { Spelled, isObject } from './values.mjs';

// One schema document of `draft`, one of drafts.mjs, with definitions that its $refs name.
export class SchemaMaker {
  constructor(random, draft) {
    this.random = random;
    this.draft = draft;
    this.huge = random.chance(0.03);
    this.definitions = random.some(['one', 'two', 'three', 'a/b', 'é'], 0.5);
    this.old = isOld(draft);
    this.keyword = this.old ? 'definitions' : '$defs';
  }

  document() {
    const root = this.schema(this.random.between(1, 4));
    const document = isObject(root) ? root : { allOf: [root] };
    if (this.definitions.length)
      document[this.keyword] = Object.fromEntries(this.definitions.map((name) => [name, this.schema(2)]));
    if (this.random.chance(0.3)) document.$schema = URIS[this.draft];
    return document;
  }

  number() {
    return new Spelled(this.random.pick(this.huge && this.random.chance(0.4) ? HUGE : NUMBERS));
  }
  count() {
    return new Spelled(this.random.pick(['0', '1', '1', '2', '2', '3', '4', '2.0', '1e0']));
  }
  names(p = 0.2) {
    return this.random.some(NAMES, p);
  }

  // Any JSON value, for enum, const and instances.
  value(depth) {
    const random = this.random;
    const kind = depth > 0 ? random.between(0, 8) : random.between(0, 6);
    if (kind === 0) return null;
    if (kind === 1) return random.chance(0.5);
    if (kind <= 3) return this.number();
    if (kind <= 6) return random.pick(STRINGS);
    if (kind === 7) return Array.from({ length: random.between(0, 3) }, () => this.value(depth - 1));
    return Object.fromEntries(this.names(0.15).map((name) => [name, this.value(depth - 1)]));
  }

  schema(depth) {
    const random = this.random;
    if (random.chance(depth > 0 ? 0.04 : 0.2)) return this.always(random.chance(0.8));
    const schema = {};
    const sorts = random.chance(0.75) ? [random.pick(TYPES)] : random.some(TYPES, 0.35);
    if (random.chance(0.8) && sorts.length) schema.type = sorts.length === 1 ? sorts[0] : sorts;
    for (const sort of sorts) this.assert(schema, sort, depth);
    if (random.chance(0.06)) schema.enum = this.enumeration();
    if (random.chance(0.04)) schema.const = this.value(2);
    if (depth > 0 && random.chance(0.35)) this.combine(schema, depth);
    if (this.definitions.length && random.chance(0.15)) this.refer(schema);
    return schema;
  }

  // Draft 4 has no boolean schemas.
  always(accepted) {
    if (this.draft !== '4') return accepted;
    return accepted ? {} : { not: {} };
  }

  enumeration() {
    const values = Array.from({ length: this.random.between(1, 4) }, () => this.value(1));
    const seen = new Set();
    return values.filter((v) => {
      const key = JSON.stringify(v);
      return !seen.has(key) && seen.add(key);
    });
  }

  assert(schema, sort, depth) {
    if (sort === 'integer' || sort === 'number') this.assertNumber(schema);
    if (sort === 'string') this.assertString(schema);
    if (sort === 'array') this.assertArray(schema, depth);
    if (sort === 'object') this.assertObject(schema, depth);
  }

  assertNumber(schema) {
    const random = this.random;
    for (const name of random.some(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], 0.2))
      schema[name] = this.draft === '4' && /^e/.test(name) ? random.chance(0.8) : this.number();
    if (random.chance(0.25)) schema.multipleOf = new Spelled(random.pick(FACTORS));
  }

  assertString(schema) {
    const random = this.random;
    for (const name of random.some(['minLength', 'maxLength'], 0.25)) schema[name] = this.count();
    if (random.chance(0.25)) schema.pattern = random.pick(PATTERNS);
    if (random.chance(0.2)) schema.format = random.pick(Object.keys(FORMATS));
  }

  assertArray(schema, depth) {
    const random = this.random;
    const modern = !this.old;
    for (const name of random.some(['minItems', 'maxItems'], 0.2)) schema[name] = this.count();
    if (random.chance(0.2)) schema.uniqueItems = random.chance(0.9);
    if (depth <= 0) return;
    const list = () => Array.from({ length: random.between(1, 3) }, () => this.schema(depth - 1));
    if (random.chance(0.3)) schema[this.draft === '2020-12' ? 'prefixItems' : 'items'] = list();
    if (random.chance(0.35) && !schema.items) schema.items = this.schema(depth - 1);
    else if (Array.isArray(schema.items) && random.chance(0.5)) schema.additionalItems = this.schema(depth - 1);
    if (random.chance(0.2)) schema.contains = this.schema(depth - 1);
    if (modern && schema.contains !== undefined)
      for (const name of random.some(['minContains', 'maxContains'], 0.3)) schema[name] = this.count();
    if (modern && random.chance(0.15)) schema.unevaluatedItems = this.schema(0);
  }

  assertObject(schema, depth) {
    const random = this.random;
    const modern = !this.old;
    for (const name of random.some(['minProperties', 'maxProperties'], 0.15)) schema[name] = this.count();
    if (random.chance(0.35)) schema.required = this.names(0.12);
    if (modern && random.chance(0.12)) schema.dependentRequired = this.map(() => this.names(0.12));
    if (depth <= 0) return;
    const one = () => this.schema(depth - 1);
    if (random.chance(0.7)) schema.properties = this.map(one);
    if (random.chance(0.2))
      schema.patternProperties = Object.fromEntries(random.some(PATTERNS, 0.08).map((p) => [p, one()]));
    if (random.chance(0.3)) schema.additionalProperties = random.chance(0.5) ? false : one();
    if (random.chance(0.12)) schema.propertyNames = this.schema(0);
    if (modern && random.chance(0.1)) schema.dependentSchemas = this.map(one, 0.1);
    if (!modern && random.chance(0.15))
      schema.dependencies = this.map(() => (random.chance(0.5) ? one() : this.names(0.12)), 0.1);
    if (modern && random.chance(0.2))
      schema.unevaluatedProperties = random.chance(0.6) ? false : this.schema(0);
  }

  map(make, p = 0.2) {
    return Object.fromEntries(this.names(p).map((name) => [name, make()]));
  }

  combine(schema, depth) {
    const random = this.random;
    const list = () => Array.from({ length: random.between(1, 3) }, () => this.schema(depth - 1));
    switch (random.between(0, 5)) {
      case 0:
        schema.allOf = list();
        break;
      case 1:
        schema.anyOf = list();
        break;
      case 2:
        schema.oneOf = list();
        break;
      case 3:
        schema.not = this.schema(depth - 1);
        break;
      default:
        schema.if = this.schema(depth - 1);
        for (const name of random.some(['then', 'else'], 0.8)) schema[name] = this.schema(depth - 1);
    }
  }

  refer(schema) {
    const name = this.random.pick(this.definitions);
    const token = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
    // A definition that is nothing but a reference could refer to itself for ever.
    schema.$ref = this.random.chance(0.15) && schema.type ? '#' : `#/${this.keyword}/${token}`;
  }
}
