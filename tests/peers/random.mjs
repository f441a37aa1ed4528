// Random JSON Schemas and instances that nearly fit them, the same for the same seed. Numbers keep
// their spelling (1, 1.0, 1e0 are one number), so values are written by `print` and not by
// JSON.stringify. What the schemas mean is none of this file's business.

// mulberry32, a public-domain generator by Tommy Ettinger: 32 bits of state, good enough for tests.
export class Random {
  constructor(seed) { this.state = seed >>> 0; }
  next() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }
  chance(p) { return this.next() < p; }
  between(low, high) { return low + Math.floor(this.next() * (high - low + 1)); }
  pick(list) { return list[Math.floor(this.next() * list.length)]; }
  some(list, p) { return list.filter(() => this.chance(p)); }
}

// A number as spelled.
export class Spelled {
  constructor(text) { this.text = text; }
  toJSON() { return Number(this.text); }
}

export function print(value) {
  if (value instanceof Spelled) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (value && typeof value === 'object')
    return `{${Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}:${print(v)}`).join(',')}}`;
  return JSON.stringify(value);
}

// JSON text to values whose numbers keep their spelling.
export function parseSpelled(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === 'number' && context ? new Spelled(context.source) : value);
}

export const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Spelled);
const clone = (v) => v instanceof Spelled ? v
  : Array.isArray(v) ? v.map(clone)
  : isObject(v) ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, clone(x)])) : v;

const NAMES = ['a', 'b', 'c', 'ab', 'abc', 'x1', 'é', '日本', 'a/b', 'm~n', '', 'constructor', 'toString', '\u{1f600}', 'a"b'];
const STRINGS = ['', 'a', 'ab', 'abc', 'abcd', 'foo', 'é', 'e\u0301', '日本', '\u{1f600}', '\u{1f600}\u{1f600}', 'a b', '\n',
  '\u2028', '\u0000', '1', '12', 'A1', '-', 'ABC', 'x'.repeat(40), '\u00a0', '\\', '"'];
const PATTERNS = ['^a', 'b$', '^[a-c]+$', '^.{2,3}$', '\\d', '^\\w+$', '^\\S*$', '\\s', '^\\p{L}+$', '[^a-z]', '(ab|é)', '^(?!a)', '^$',
  '^\\u{1f600}', '.', '^.$', '^x', 'é', '^\\D+$', '^[\\w-]{1,4}$', '(?<year>a)b?', 'a{2}', '^\\W', '\\bab\\b', '[\\s\\S]{3}', '(a)\\1'];
const NUMBERS = ['0', '-0', '1', '1.0', '1e0', '10e-1', '2', '3', '-1', '-2', '5', '7', '10', '1e1', '100', '0.5', '1.5', '2.5', '0.1',
  '0.2', '0.3', '0.7', '1.1', '-0.1', '-1.5', '0.01', '1.01', '19.99', '1e-3', '4.35', '3.0', '1E2'];
const HUGE = ['9007199254740991', '9007199254740992', '9007199254740993', '1e20', '100000000000000000000', '100000000000000000001',
  '1e308', '1e309', '-1e400', '1e-400', '0.30000000000000004', '0.1000000000000000055511151231257827', '123456789012345678901234567890',
  '1.0000000000000000001'];
const FACTORS = ['1', '2', '3', '0.5', '0.1', '0.01', '1.0', '10', '2.5', '0.3', '1e-3', '7', '1e0', '0.25'];

// Texts that are, or nearly are, of a format.
const FORMATS = {
  'date': ['2024-02-29', '2023-02-29', '1900-02-29', '2000-02-29', '2024-13-01', '2024-1-01', '2024-04-31', '0000-01-01', '2024-01-01T', '２024-01-01'],
  'time': ['12:00:00Z', '12:00:00+01:00', '24:00:00Z', '23:59:60Z', '12:00:60Z', '12:00:00.123z', '12:00:00', '12:00:00+24:00', '12:60:00Z',
    '22:59:60-01:00', '12:00:00.Z', '1:00:00Z', '12:00:00-00:00', '12:00:00+0100'],
  'date-time': ['2024-02-29T12:00:00Z', '2024-02-30T12:00:00Z', '2024-02-29t12:00:00z', '2024-02-29 12:00:00Z', '1998-12-31T23:59:60Z',
    '1998-12-31T23:58:60Z', '2024-02-29T12:00:00', '2024-02-29T12:00:00.5+05:30', '2024-02-29T25:00:00Z'],
  'duration': ['P1D', 'P1Y2M3D', 'PT1H2M3S', 'P1W', 'P1W2D', 'P', 'PT', 'P1DT', 'PT1.5S', 'P1DT12H', 'PT1H3S', 'P1Y3D', 'p1d', '-P1D'],
  'email': ['a@b.c', 'joe.bloggs@example.com', 'a@localhost', 'a.b@', '@b', 'a..b@example.com', '.a@example.com', 'te~st@example.com',
    '"joe bloggs"@example.com', 'joe@[127.0.0.1]', 'a@b@c.de', 'a+b@example.com'],
  'hostname': ['example.com', 'a', 'xn--bcher-kva.example', '-a.com', 'a-.com', 'a..b', 'a.b.', 'a_b.com', 'a'.repeat(63) + '.com',
    'a'.repeat(64) + '.com', '1host', '127.0.0.1', '', 'ex ample.com', 'a--b.com'],
  'ipv4': ['127.0.0.1', '256.0.0.1', '1.2.3', '01.2.3.4', '1.2.3.4.5', '0.0.0.0', '1.2.3.4 ', '255.255.255.255', '1.2.3.1e1'],
  'ipv6': ['::1', '::', '1:2:3:4:5:6:7:8', '1::2::3', '::ffff:1.2.3.4', '1:2:3:4:5:6:7', '12345::', 'fe80::1%eth0', '::1.2.3.4', '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8', '1:2:3:4:5:6:1.2.3.4', '::1.2.3', '2001:DB8::1'],
  'uri': ['http://example.com/a?b#c', 'urn:isbn:1', '//example.com', 'a b', 'http://[::1]/', 'http://a b', 'mailto:a@b.c', 'http://a/%zz', 'http://a/%20',
    'http://a:80/', 'http://a:x/', '1http://a', 'http://a/<b>', 'http://é.com', 'foo:', 'http://u:p@h/'],
  'uri-reference': ['', '/a', 'a/b', '#x', '?q', '//h/p', 'a b', 'http://a', '\\a', '#x#y', '%zz', 'é'],
  'uuid': ['2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2EB8AA08-AA98-11EA-B4AA-73B441D16380', '2eb8aa08aa9811eab4aa73b441d16380',
    '00000000-0000-0000-0000-000000000000', '2eb8aa08-aa98-11ea-b4aa-73b441d1638', '2eb8aa08-aa98-11ea-b4aa-73b441d1638g', 'urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380'],
  'json-pointer': ['', '/', '/a~0b/c~1', '/a~', 'a', '#/a', '/~2', '//', '/é'],
  'relative-json-pointer': ['0', '1/a', '0#', '00', '-1', '1', '10/a~1', 'a', '0##', '01/a'],
  'regex': ['^a', '(', '[a', 'a{2,1}', '\\d+', '(?<a>b)', '*', '\\p{L}', 'a|b', ''],
  'uri-template': ['http://a/{b}', '{', '{a', 'a}', '{+a,b*}', '{a:3}', '{a:0}', '', '{a b}', '{#x}', '{/a}{?q}'],
};

const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'];

// One schema document: of `draft` ('2020-12' or '7'), with definitions that its $refs name.
export class SchemaMaker {
  constructor(random, draft) {
    this.random = random;
    this.draft = draft;
    this.huge = random.chance(0.03);
    this.definitions = random.some(['one', 'two', 'three', 'a/b', 'é'], 0.5);
    this.keyword = draft === '7' ? 'definitions' : '$defs';
  }

  document() {
    const root = this.schema(this.random.between(1, 4));
    const document = isObject(root) ? root : { allOf: [root] };
    if (this.definitions.length)
      document[this.keyword] = Object.fromEntries(this.definitions.map((name) => [name, this.schema(2)]));
    if (this.random.chance(0.3))
      document.$schema = this.draft === '7' ? 'http://json-schema.org/draft-07/schema#' : 'https://json-schema.org/draft/2020-12/schema';
    return document;
  }

  number() { return new Spelled(this.random.pick(this.huge && this.random.chance(0.4) ? HUGE : NUMBERS)); }
  count() { return new Spelled(this.random.pick(['0', '1', '1', '2', '2', '3', '4', '2.0', '1e0'])); }
  names(p = 0.2) { return this.random.some(NAMES, p); }

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
    if (random.chance(depth > 0 ? 0.04 : 0.2)) return random.chance(0.8);
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

  enumeration() {
    const values = Array.from({ length: this.random.between(1, 4) }, () => this.value(1));
    const seen = new Set();
    return values.filter((v) => { const key = JSON.stringify(v); return !seen.has(key) && seen.add(key); });
  }

  assert(schema, sort, depth) {
    if (sort === 'integer' || sort === 'number') this.assertNumber(schema);
    if (sort === 'string') this.assertString(schema);
    if (sort === 'array') this.assertArray(schema, depth);
    if (sort === 'object') this.assertObject(schema, depth);
  }

  assertNumber(schema) {
    const random = this.random;
    for (const name of random.some(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], 0.2)) schema[name] = this.number();
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
    const modern = this.draft !== '7';
    for (const name of random.some(['minItems', 'maxItems'], 0.2)) schema[name] = this.count();
    if (random.chance(0.2)) schema.uniqueItems = random.chance(0.9);
    if (depth <= 0) return;
    const list = () => Array.from({ length: random.between(1, 3) }, () => this.schema(depth - 1));
    if (random.chance(0.3)) schema[modern ? 'prefixItems' : 'items'] = list();
    if (random.chance(0.35) && !schema.items) schema.items = this.schema(depth - 1);
    else if (!modern && schema.items && random.chance(0.5)) schema.additionalItems = this.schema(depth - 1);
    if (random.chance(0.2)) schema.contains = this.schema(depth - 1);
    if (modern && schema.contains !== undefined) for (const name of random.some(['minContains', 'maxContains'], 0.3)) schema[name] = this.count();
    if (modern && random.chance(0.15)) schema.unevaluatedItems = this.schema(0);
  }

  assertObject(schema, depth) {
    const random = this.random;
    const modern = this.draft !== '7';
    for (const name of random.some(['minProperties', 'maxProperties'], 0.15)) schema[name] = this.count();
    if (random.chance(0.35)) schema.required = this.names(0.12);
    if (modern && random.chance(0.12)) schema.dependentRequired = this.map(() => this.names(0.12));
    if (depth <= 0) return;
    const one = () => this.schema(depth - 1);
    if (random.chance(0.7)) schema.properties = this.map(one);
    if (random.chance(0.2)) schema.patternProperties = Object.fromEntries(random.some(PATTERNS, 0.08).map((p) => [p, one()]));
    if (random.chance(0.3)) schema.additionalProperties = random.chance(0.5) ? false : one();
    if (random.chance(0.12)) schema.propertyNames = this.schema(0);
    if (modern && random.chance(0.1)) schema.dependentSchemas = this.map(one, 0.1);
    if (!modern && random.chance(0.15)) schema.dependencies = this.map(() => random.chance(0.5) ? one() : this.names(0.12), 0.1);
    if (modern && random.chance(0.2)) schema.unevaluatedProperties = random.chance(0.6) ? false : this.schema(0);
  }

  map(make, p = 0.2) { return Object.fromEntries(this.names(p).map((name) => [name, make()])); }

  combine(schema, depth) {
    const random = this.random;
    const list = () => Array.from({ length: random.between(1, 3) }, () => this.schema(depth - 1));
    switch (random.between(0, 5)) {
      case 0: schema.allOf = list(); break;
      case 1: schema.anyOf = list(); break;
      case 2: schema.oneOf = list(); break;
      case 3: schema.not = this.schema(depth - 1); break;
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

// Instances for one schema document: built to fit as well as a single look at each keyword can do,
// then damaged in a place or two.
export class InstanceMaker {
  constructor(random, maker, document) {
    this.random = random;
    this.maker = maker;
    this.document = document;
  }

  text() {
    const random = this.random;
    let value = random.chance(0.05) ? this.maker.value(2) : this.fit(this.document, 6);
    for (let n = random.pick([0, 0, 0, 1, 1, 2]); n > 0; n--) value = this.damage(value);
    const text = print(value);
    return random.chance(0.01) ? this.garble(text) : text;
  }

  definition(ref) {
    if (ref === '#') return this.document;
    const name = decodeURIComponent(ref.split('/')[2]).replaceAll('~1', '/').replaceAll('~0', '~');
    return this.document[this.maker.keyword][name];
  }

  fit(schema, depth) {
    const random = this.random;
    if (!isObject(schema) || depth <= 0) return this.maker.value(Math.min(depth, 1));
    if (schema.$ref && random.chance(0.5)) return this.fit(this.definition(schema.$ref), depth - 1);
    if (schema.const !== undefined && random.chance(0.9)) return clone(schema.const);
    if (schema.enum && random.chance(0.9)) return clone(random.pick(schema.enum));
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => schema[name] ?? [])
      .concat(['then', 'else', 'if', 'not'].filter((name) => schema[name] !== undefined).map((name) => schema[name]));
    if (parts.length && random.chance(0.5)) {
      const part = this.fit(random.pick(parts), depth - 1);
      if (!isObject(part) || random.chance(0.5)) return part;
      return { ...part, ...this.fitObject(schema, depth) };
    }
    return this.fitType(schema, depth);
  }

  fitType(schema, depth) {
    const random = this.random;
    const types = [schema.type ?? this.likelyTypes(schema)].flat();
    switch (random.pick(types)) {
      case 'null': return null;
      case 'boolean': return random.chance(0.5);
      case 'integer': return this.fitNumber(schema, true);
      case 'number': return this.fitNumber(schema, false);
      case 'string': return this.fitString(schema);
      case 'array': return this.fitArray(schema, depth);
      default: return this.fitObject(schema, depth);
    }
  }

  likelyTypes(schema) {
    const found = Object.keys(schema).map((name) =>
      /Items|items|ontains/.test(name) ? 'array' : /ropert|required|depend/.test(name) ? 'object'
        : /Length|pattern|format/.test(name) ? 'string' : /imum|multiple/.test(name) ? 'number' : null).filter(Boolean);
    return found.length ? found : TYPES;
  }

  fitNumber(schema, integer) {
    const random = this.random;
    const near = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((name) => schema[name]).filter((v) => v instanceof Spelled);
    if (near.length && random.chance(0.6)) {
      const base = Number(random.pick(near).text);
      const step = Number(schema.multipleOf?.text ?? (integer ? 1 : random.pick([1, 0.5, 0.1])));
      // Rounded to what a person would write: 0.1 + 0.2 is 0.3.
      const value = Number((base + random.between(-3, 3) * step).toPrecision(12));
      if (Number.isFinite(value)) return this.respell(new Spelled(String(value)));
    }
    const number = this.maker.number();
    return integer && random.chance(0.7) ? new Spelled(random.pick(['0', '1', '2.0', '3', '-1', '5', '10', '1e1'])) : number;
  }

  respell(number) {
    if (!/^-?\d+$/.test(number.text) || !this.random.chance(0.3)) return number;
    return new Spelled(number.text + this.random.pick(['.0', 'e0', '.00', 'E+0', '0e-1']));
  }

  fitString(schema) {
    const random = this.random;
    if (schema.format && random.chance(0.85)) return random.pick(FORMATS[schema.format]);
    const from = Number(schema.minLength?.text ?? 0), to = Number(schema.maxLength?.text ?? from + 2);
    const fitting = STRINGS.concat(NAMES).filter((s) => {
      const length = [...s].length;
      return length >= from - 1 && length <= to + 1 && (!schema.pattern || random.chance(0.1) || new RegExp(schema.pattern, 'u').test(s));
    });
    return fitting.length ? random.pick(fitting) : random.pick(STRINGS);
  }

  fitArray(schema, depth) {
    const random = this.random;
    const prefix = [schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : [])].flat();
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const least = Math.max(Number(schema.minItems?.text ?? 0), Number(schema.minContains?.text ?? 0));
    const length = random.chance(0.7) ? Math.max(least, random.between(0, prefix.length + 2)) : random.between(0, 4);
    const items = Array.from({ length }, (_, i) => {
      if (schema.contains !== undefined && random.chance(0.4)) return this.fit(schema.contains, depth - 1);
      return this.fit(prefix[i] ?? rest ?? schema.unevaluatedItems ?? true, depth - 1);
    });
    if (items.length > 1 && schema.uniqueItems && random.chance(0.3)) items[items.length - 1] = this.same(items[0]);
    return items;
  }

  // The same value, spelled differently where it can be.
  same(value) {
    if (value instanceof Spelled) return this.respell(value);
    if (isObject(value)) return Object.fromEntries(Object.entries(value).reverse().map(([k, v]) => [k, this.same(v)]));
    return Array.isArray(value) ? value.map((v) => this.same(v)) : value;
  }

  fitObject(schema, depth) {
    const random = this.random;
    const object = {};
    const patterns = Object.keys(schema.patternProperties ?? {});
    const names = [...(schema.required ?? []), ...random.some(Object.keys(schema.properties ?? {}), 0.6)];
    if (random.chance(0.3)) names.push(...this.maker.names(0.1));
    if (patterns.length) names.push(...random.some(NAMES, 0.3).filter((n) => patterns.some((p) => new RegExp(p, 'u').test(n))));
    for (const name of names) {
      const pattern = patterns.find((p) => new RegExp(p, 'u').test(name));
      const own = (from) => from && Object.hasOwn(from, name) ? from[name] : undefined;
      object[name] = this.fit(own(schema.properties) ?? (pattern && schema.patternProperties[pattern]) ?? own(schema.dependentSchemas)
        ?? schema.additionalProperties ?? true, depth - 1);
    }
    return object;
  }

  damage(value) {
    const random = this.random;
    if (Array.isArray(value) && value.length && random.chance(0.75)) {
      const copy = [...value], i = random.between(0, value.length - 1);
      if (random.chance(0.2)) copy.splice(i, 1);
      else if (random.chance(0.2)) copy.push(this.same(copy[i]));
      else copy[i] = this.damage(copy[i]);
      return copy;
    }
    if (isObject(value) && Object.keys(value).length && random.chance(0.8)) {
      const copy = { ...value }, name = random.pick(Object.keys(value));
      if (random.chance(0.25)) delete copy[name];
      else if (random.chance(0.2)) copy[random.pick(NAMES)] = this.maker.value(1);
      else copy[name] = this.damage(copy[name]);
      return copy;
    }
    if (value instanceof Spelled && random.chance(0.6)) return this.respell(new Spelled(String(Number(value.text) + random.pick([1, -1, 0.5])).replace('Infinity', '1e999')));
    if (typeof value === 'string' && random.chance(0.5)) return random.chance(0.5) ? value.slice(0, -1).toWellFormed() : value + random.pick(['a', '1', 'é', ' ', '\u{1f600}']);
    return this.maker.value(2);
  }

  // Probably no JSON any more.
  garble(text) {
    const at = this.random.between(0, text.length - 1);
    return (text.slice(0, at) + this.random.pick(['', ',', '"', '}', ' ', '0', '\u0001', '[']) + text.slice(at + this.random.between(0, 1))).toWellFormed();
  }
}
