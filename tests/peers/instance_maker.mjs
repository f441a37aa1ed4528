// Random instances that nearly fit a schema.
import { FORMATS, NAMES, STRINGS, TYPES } from './corpus.mjs';
import { Spelled, isObject, print } from './values.mjs';

const clone = (v) =>
  v instanceof Spelled
    ? v
    : Array.isArray(v)
      ? v.map(clone)
      : isObject(v)
        ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, clone(x)]))
        : v;

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
    const parts = ['allOf', 'anyOf', 'oneOf']
      .flatMap((name) => schema[name] ?? [])
      .concat(
        ['then', 'else', 'if', 'not']
          .filter((name) => schema[name] !== undefined)
          .map((name) => schema[name]),
      );
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
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
        return this.fitNumber(schema, true);
      case 'number':
        return this.fitNumber(schema, false);
      case 'string':
        return this.fitString(schema);
      case 'array':
        return this.fitArray(schema, depth);
      default:
        return this.fitObject(schema, depth);
    }
  }

  likelyTypes(schema) {
    const found = Object.keys(schema)
      .map((name) =>
        /Items|items|ontains/.test(name)
          ? 'array'
          : /ropert|required|depend/.test(name)
            ? 'object'
            : /Length|pattern|format/.test(name)
              ? 'string'
              : /imum|multiple/.test(name)
                ? 'number'
                : null,
      )
      .filter(Boolean);
    return found.length ? found : TYPES;
  }

  fitNumber(schema, integer) {
    const random = this.random;
    const near = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
      .map((name) => schema[name])
      .filter((v) => v instanceof Spelled);
    if (near.length && random.chance(0.6)) {
      const base = Number(random.pick(near).text);
      const step = Number(schema.multipleOf?.text ?? (integer ? 1 : random.pick([1, 0.5, 0.1])));
      // Rounded to what a person would write: 0.1 + 0.2 is 0.3.
      const value = Number((base + random.between(-3, 3) * step).toPrecision(12));
      if (Number.isFinite(value)) return this.respell(new Spelled(String(value)));
    }
    const number = this.maker.number();
    return integer && random.chance(0.7)
      ? new Spelled(random.pick(['0', '1', '2.0', '3', '-1', '5', '10', '1e1']))
      : number;
  }

  respell(number) {
    if (!/^-?\d+$/.test(number.text) || !this.random.chance(0.3)) return number;
    return new Spelled(number.text + this.random.pick(['.0', 'e0', '.00', 'E+0', '0e-1']));
  }

  fitString(schema) {
    const random = this.random;
    if (schema.format && random.chance(0.85)) return random.pick(FORMATS[schema.format]);
    const from = Number(schema.minLength?.text ?? 0),
      to = Number(schema.maxLength?.text ?? from + 2);
    const fitting = STRINGS.concat(NAMES).filter((s) => {
      const length = [...s].length;
      return (
        length >= from - 1 &&
        length <= to + 1 &&
        (!schema.pattern || random.chance(0.1) || new RegExp(schema.pattern, 'u').test(s))
      );
    });
    return fitting.length ? random.pick(fitting) : random.pick(STRINGS);
  }

  fitArray(schema, depth) {
    const random = this.random;
    const prefix = [schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : [])].flat();
    const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
    const least = Math.max(Number(schema.minItems?.text ?? 0), Number(schema.minContains?.text ?? 0));
    const length = random.chance(0.7)
      ? Math.max(least, random.between(0, prefix.length + 2))
      : random.between(0, 4);
    const items = Array.from({ length }, (_, i) => {
      if (schema.contains !== undefined && random.chance(0.4)) return this.fit(schema.contains, depth - 1);
      return this.fit(prefix[i] ?? rest ?? schema.unevaluatedItems ?? true, depth - 1);
    });
    if (items.length > 1 && schema.uniqueItems && random.chance(0.3))
      items[items.length - 1] = this.same(items[0]);
    return items;
  }

  // The same value, spelled differently where it can be.
  same(value) {
    if (value instanceof Spelled) return this.respell(value);
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([k, v]) => [k, this.same(v)]),
      );
    return Array.isArray(value) ? value.map((v) => this.same(v)) : value;
  }

  fitObject(schema, depth) {
    const random = this.random;
    const object = {};
    const patterns = Object.keys(schema.patternProperties ?? {});
    const names = [...(schema.required ?? []), ...random.some(Object.keys(schema.properties ?? {}), 0.6)];
    if (random.chance(0.3)) names.push(...this.maker.names(0.1));
    if (patterns.length)
      names.push(...random.some(NAMES, 0.3).filter((n) => patterns.some((p) => new RegExp(p, 'u').test(n))));
    for (const name of names) {
      const pattern = patterns.find((p) => new RegExp(p, 'u').test(name));
      const own = (from) => (from && Object.hasOwn(from, name) ? from[name] : undefined);
      object[name] = this.fit(
        own(schema.properties) ??
          (pattern && schema.patternProperties[pattern]) ??
          own(schema.dependentSchemas) ??
          schema.additionalProperties ??
          true,
        depth - 1,
      );
    }
    return object;
  }

  damage(value) {
    const random = this.random;
    if (Array.isArray(value) && value.length && random.chance(0.75)) {
      const copy = [...value],
        i = random.between(0, value.length - 1);
      if (random.chance(0.2)) copy.splice(i, 1);
      else if (random.chance(0.2)) copy.push(this.same(copy[i]));
      else copy[i] = this.damage(copy[i]);
      return copy;
    }
    if (isObject(value) && Object.keys(value).length && random.chance(0.8)) {
      const copy = { ...value },
        name = random.pick(Object.keys(value));
      if (random.chance(0.25)) delete copy[name];
      else if (random.chance(0.2)) copy[random.pick(NAMES)] = this.maker.value(1);
      else copy[name] = this.damage(copy[name]);
      return copy;
    }
    if (value instanceof Spelled && random.chance(0.6))
      return this.respell(
        new Spelled(String(Number(value.text) + random.pick([1, -1, 0.5])).replace('Infinity', '1e999')),
      );
    if (typeof value === 'string' && random.chance(0.5))
      return random.chance(0.5)
        ? value.slice(0, -1).toWellFormed()
        : value + random.pick(['a', '1', 'é', ' ', '\u{1f600}']);
    return this.maker.value(2);
  }

  // Probably no JSON any more.
  garble(text) {
    const at = this.random.between(0, text.length - 1);
    return (
      text.slice(0, at) +
      this.random.pick(['', ',', '"', '}', ' ', '0', '\u0001', '[']) +
      text.slice(at + this.random.between(0, 1))
    ).toWellFormed();
  }
}
