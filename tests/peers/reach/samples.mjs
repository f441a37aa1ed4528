// Values for a JSON Schema that tell two schemas apart: some that fit, and each of them changed in one
// place, for what two changes break at once shows less.
import { FORMATS, STRINGS } from '../corpus.mjs';

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const VALUES = [null, true, 0, 1, -1, 2.5, '', 'a', 'foo', [], ['a'], {}, { a: 1 }];
const DEEPEST = 7;

// ## Texts that a pattern matches: enough of ECMA-262 for what people write

class PatternReader {
  constructor(pattern, random) {
    this.text = pattern;
    this.at = 0;
    this.random = random;
  }

  alternatives() {
    const all = [this.sequence()];
    while (this.text[this.at] === '|') {
      this.at++;
      all.push(this.sequence());
    }
    return this.random.pick(all);
  }

  sequence() {
    let out = '';
    while (this.at < this.text.length && !'|)'.includes(this.text[this.at])) {
      const from = this.at;
      let one = this.atom();
      const after = this.at;
      const [least, most] = this.count();
      for (let n = this.random.between(least, Math.max(least, Math.min(most, least + 2))); n > 0; n--) {
        this.at = from;
        one = this.atom();
        out += one;
      }
      this.at = after;
      this.count();
    }
    return out;
  }

  count() {
    const c = this.text[this.at];
    const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.text.slice(this.at));
    let range = [1, 1];
    if (c === '*' || c === '+' || c === '?') {
      this.at++;
      range = [c === '+' ? 1 : 0, c === '?' ? 1 : 3];
    } else if (counted) {
      this.at += counted[0].length;
      range = [Number(counted[1]), counted[2] ? Number(counted[3] || Number(counted[1]) + 2) : Number(counted[1])];
    } else return range;
    if (this.text[this.at] === '?') this.at++;
    return range;
  }

  atom() {
    const c = this.text[this.at++];
    if (c === '(') {
      const look = /^\?(=|!|<=|<!)/.exec(this.text.slice(this.at));
      const named = /^\?(:|<\w+>)/.exec(this.text.slice(this.at));
      this.at += (look ?? named)?.[0].length ?? 0;
      const inside = this.alternatives();
      this.at++;
      return look ? '' : inside;
    }
    if (c === '[') return this.set();
    if (c === '\\') return this.escape();
    if (c === '^' || c === '$') return '';
    return c === '.' ? this.random.pick(['a', 'b', '1', '-']) : c;
  }

  escape() {
    const c = this.text[this.at++];
    const classes = { d: '0159', w: 'abz_09', s: ' ', S: 'ab1', D: 'a-', W: '-. ', b: '', B: '' };
    if (c in classes) return classes[c] && this.random.pick([...classes[c]]);
    if (c === 'p' || c === 'P') {
      this.at = this.text.indexOf('}', this.at) + 1;
      return 'a';
    }
    return { n: '\n', t: '\t', r: '\r' }[c] ?? c;
  }

  set() {
    const not = this.text[this.at] === '^';
    const from = this.at + (not ? 1 : 0);
    let end = from;
    while (end < this.text.length && (this.text[end] !== ']' || end === from)) end += this.text[end] === '\\' ? 2 : 1;
    const inside = this.text.slice(from, end);
    this.at = end + 1;
    const candidates = [...'abcxyzABCXYZ0123459_-./:@ #+$%'];
    try {
      const set = new RegExp(`^[${not ? '^' : ''}${inside}]$`);
      const fitting = candidates.filter((c) => set.test(c));
      return fitting.length ? this.random.pick(fitting) : (inside[0] ?? '');
    } catch {
      return inside[0] ?? '';
    }
  }
}

const fitPattern = (pattern, random) => new PatternReader(pattern, random).alternatives();

// ## Values

export class Samples {
  constructor(random, root) {
    this.random = random;
    this.root = root;
  }

  behind(reference) {
    if (reference === '#') return this.root;
    if (!reference.startsWith('#/')) return true;
    let at = this.root;
    for (const token of decodeURIComponent(reference.slice(2)).split('/'))
      at = at?.[token.replaceAll('~1', '/').replaceAll('~0', '~')];
    return at ?? true;
  }

  // One object of keywords for a schema, one choice of its unions taken.
  flat(schema, depth = 0) {
    if (!isObject(schema) || depth > 12) return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    const parts = [...(allOf ?? [])];
    if (typeof $ref === 'string') parts.push(this.behind($ref));
    for (const union of [anyOf, oneOf]) if (union?.length) parts.push(this.random.pick(union));
    if (own.if !== undefined && this.random.chance(0.5)) {
      if (this.random.chance(0.5)) parts.push(own.if, own.then ?? {});
      else parts.push(own.else ?? {});
    }
    return parts.reduce((all, part) => this.merge(all, this.flat(part, depth + 1)), own);
  }

  merge(a, b) {
    const all = { ...b, ...a };
    if (a.properties && b.properties) {
      all.properties = { ...b.properties };
      for (const [name, value] of Object.entries(a.properties))
        all.properties[name] = isObject(b.properties[name]) && isObject(value) ? { allOf: [value, b.properties[name]] } : value;
    }
    if (Array.isArray(a.required) && Array.isArray(b.required)) all.required = [...a.required, ...b.required];
    if (Array.isArray(a.enum) && Array.isArray(b.enum)) {
      const both = a.enum.filter((v) => b.enum.includes(v));
      all.enum = both.length ? both : a.enum;
    }
    return all;
  }

  fit(schema, depth = 0) {
    const random = this.random;
    if (depth > 3 * DEEPEST) return null;
    const s = this.flat(schema);
    if (s.const !== undefined) return structuredClone(s.const);
    if (Array.isArray(s.enum) && s.enum.length) return structuredClone(random.pick(s.enum));
    if (Array.isArray(s.examples) && s.examples.length && random.chance(0.3)) return structuredClone(random.pick(s.examples));
    if (s.default !== undefined && random.chance(0.2)) return structuredClone(s.default);
    switch (random.pick([s.type ?? this.likely(s)].flat())) {
      case 'null': return null;
      case 'boolean': return random.chance(0.5);
      case 'integer': return Math.round(this.number(s));
      case 'number': return this.number(s);
      case 'string': return this.string(s);
      case 'array': return this.array(s, depth);
      case 'object': return this.object(s, depth);
      default: return structuredClone(random.pick(VALUES));
    }
  }

  likely(s) {
    if (s.properties || s.patternProperties || s.required || s.additionalProperties !== undefined) return 'object';
    if (s.items !== undefined || s.prefixItems || s.minItems !== undefined || s.contains) return 'array';
    if (s.pattern || s.minLength !== undefined || s.maxLength !== undefined || s.format) return 'string';
    if (s.minimum !== undefined || s.maximum !== undefined || s.multipleOf !== undefined) return 'number';
    return 'any';
  }

  number(s) {
    const low = s.minimum ?? (typeof s.exclusiveMinimum === 'number' ? s.exclusiveMinimum + 1 : undefined);
    const high = s.maximum ?? (typeof s.exclusiveMaximum === 'number' ? s.exclusiveMaximum - 1 : undefined);
    const value = this.random.pick([low ?? high ?? 0, high ?? low ?? 1, (low ?? 0) + 1, 3]);
    const inside = Math.min(Math.max(value, low ?? -Infinity), high ?? Infinity);
    return s.multipleOf ? Math.ceil(inside / s.multipleOf) * s.multipleOf : inside;
  }

  string(s) {
    const random = this.random;
    if (FORMATS[s.format] && random.chance(0.9)) return random.pick(FORMATS[s.format].slice(0, 2));
    let text = typeof s.pattern === 'string' ? fitPattern(s.pattern, random) : random.pick(['a', 'foo', 'x y', '1', '/tmp/a']);
    if (s.minLength > text.length && s.minLength < 5000) text = text.padEnd(s.minLength, 'a');
    return s.maxLength < text.length && s.maxLength >= 0 ? text.slice(0, s.maxLength) : text;
  }

  array(s, depth) {
    const prefix = s.prefixItems ?? (Array.isArray(s.items) ? s.items : []);
    const rest = Array.isArray(s.items) ? s.additionalItems : s.items;
    const least = Math.max(s.minItems ?? 0, s.contains && s.minContains !== 0 ? 1 : 0);
    const wanted = depth > DEEPEST ? 0 : prefix.length + this.random.between(0, rest === false ? 0 : 2);
    const length = Math.min(Math.max(least, wanted), Math.max(least, s.maxItems ?? 50), 50);
    return Array.from({ length }, (_, i) => this.fit(s.contains && i === 0 ? s.contains : (prefix[i] ?? rest ?? true), depth + 1));
  }

  object(s, depth) {
    const random = this.random;
    const object = {};
    const properties = isObject(s.properties) ? s.properties : {};
    const names = Object.keys(properties);
    const share = depth > DEEPEST ? 0 : depth < 2 ? Math.min(0.6, 8 / (names.length || 1)) : Math.min(0.4, 3 / (names.length || 1));
    const required = Array.isArray(s.required) ? s.required : [];
    for (const name of [...required, ...random.some(names, share)]) {
      if (name === '__proto__' || Object.hasOwn(object, name)) continue;
      object[name] = this.fit(Object.hasOwn(properties, name) ? properties[name] : true, depth + 1);
    }
    if (depth <= DEEPEST) {
      for (const [pattern, value] of Object.entries(isObject(s.patternProperties) ? s.patternProperties : {}))
        if (random.chance(0.5)) object[fitPattern(pattern, random)] = this.fit(value, depth + 1);
      const rest = s.additionalProperties ?? s.unevaluatedProperties;
      const free = isObject(rest) || (!names.length && rest !== false);
      if (free && random.chance(0.6)) object[this.key(s)] = this.fit(rest ?? true, depth + 1);
    }
    return object;
  }

  key(s) {
    const names = isObject(s.propertyNames) ? this.fit({ type: 'string', ...s.propertyNames }) : null;
    return typeof names === 'string' ? names : this.random.pick(['extra', 'x-a', 'key1']);
  }

  // ## Changes in one place

  changes(value, most) {
    const { random } = this, places = [];
    const at = (v, path) => path.reduce((inside, step) => inside[step], v);
    const walk = (v, path) => {
      places.push(path);
      if (Array.isArray(v)) v.slice(0, 3).forEach((x, i) => walk(x, [...path, i]));
      else if (isObject(v)) for (const k of Object.keys(v)) walk(v[k], [...path, k]);
    };
    walk(value, []);
    // Seldom met by chance: the same item twice.
    const lists = places.filter((path) => path.length && Array.isArray(at(value, path)) && at(value, path).length);
    const all = lists.length ? [this.changed(value, random.pick(lists), (list) => [...list, list[0]])] : [];
    while (all.length < most) all.push(this.changed(value, this.random.pick(places)));
    return all;
  }

  changed(value, path, change = null) {
    if (!path.length) return this.other(value);
    const copy = structuredClone(value);
    let holder = copy;
    for (const step of path.slice(0, -1)) holder = holder[step];
    const last = path.at(-1);
    if (change) holder[last] = change(holder[last]);
    else if (this.random.chance(0.2)) {
      if (Array.isArray(holder)) holder.splice(last, 1);
      else delete holder[last];
    } else holder[last] = this.other(holder[last]);
    return copy;
  }

  other(value) {
    const random = this.random;
    if (random.chance(0.3)) return structuredClone(random.pick(VALUES));
    if (typeof value === 'number') return random.pick([value + 1, value - 1, value + 0.5, -value, value * 1000 + 1, String(value)]);
    if (typeof value === 'string')
      return random.pick([`${value}a`, value.slice(1), value.slice(0, -1), '', value.toUpperCase(), `${value} `, random.pick(STRINGS), 'x'.repeat(300)]);
    if (Array.isArray(value)) return random.pick([[], [...value, ...value], [...value, 'a'], [...value, null], [...value, {}], value.slice(1)]);
    if (isObject(value)) return { ...value, [random.pick(['extra', 'x-a', 'a', 'A1', 'name', 'type'])]: structuredClone(random.pick(VALUES)) };
    return structuredClone(random.pick(VALUES));
  }
}
