// Changes tool definitions at random into others that are still valid: keywords, unions, references,
// odd names and texts, numbers that no double holds, defaults that do not fit.

const odd = ['a b', 'ünï', '日本', 'a.b', 'a-b', 'x`y', 'q"q', "s'q", '${x}', 'back\\slash', '$ref', 'type',
    'properties', 'true', 'null', '1st', '__proto__x', 'a/b', 'a~b', 'a%20b', '😀', 'required', 'default',
    'schema', 'description', 'tab\there', 'line\nbreak', 'n'.repeat(200), 'a:b', 'a::b', '(a)', '[a]', '{a}',
    'a|b', 'a,b', '-', '_', '@', 'Text', 'Object'];
const texts = ['Plain.', 'With `code` in it', '```\nfenced\n```', 'Use ${x} and $${y}', 'two\nlines',
    '  indented\n    more\n', 'trailing \nblanks  ', 'tab\tand\r\nCRLF', 'quote " and \\ backslash', '',
    'nul\u0000bell\u0007', 'bidi \u202e mark', 'emoji 😀', 'a'.repeat(1500), '\n', ' ', '``', '`', "it's",
    'json`{}`', 'ends in backslash\\', '// no comment', '/* nor this */', 'line\u2028sep', '\ufeffmark', '\u0085'];
const numbers = ['0', '-0', '1.0', '1e400', '-1E-400', '12345678901234567890123', '0.1', '1e2', '-5', '1.50',
    '9007199254740993', '0.30000000000000004'];
const formats = ['date', 'email', 'uri', 'int64', 'no-such-format', 'uuid', 'password', 'regex', 'ipv4', ''];
const patterns = ['^[a-z]+$', '\\d{3}', '^\\S+$', '[^`]', '\\u0041', '^(a|b)*$', '"', '(?=x)x'];
const types = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];

// A number that keeps its spelling; tests/peers/import.mjs writes and reads them.
export class Num {
    constructor(text) { this.text = text; }
}

export class ToolMaker {
    constructor(random) { this.random = random; }
    num() { return new Num(this.random.chance(0.5) ? String(this.random.between(-9, 99)) : this.random.pick(numbers)); }
    count() { return new Num(this.random.pick(['0', '1', '2', '7', '100', '4294967296', '1.0', '1e1'])); }
    text() { return this.random.pick(texts); }
    name() { return this.random.chance(0.5) ? this.random.pick(odd) : 'f' + this.random.between(0, 30); }
    value(depth = 0) {
        const kind = this.random.between(0, depth > 2 ? 5 : 7);
        return [() => null, () => true, () => false, () => this.num(), () => this.text(), () => this.name(),
            () => Array.from({length: this.random.between(0, 3)}, () => this.value(depth + 1)),
            () => ({[this.name()]: this.value(depth + 1), $ref: '#/nowhere'})][kind]();
    }
    object(depth) {
        const properties = {};
        for (let i = this.random.between(0, 4); i > 0; i--) properties[this.name()] = this.schema(depth + 1);
        const names = Object.keys(properties);
        const schema = {type: 'object', properties};
        if (this.random.chance(0.6)) schema.required = this.random.some(names, 0.5);
        if (this.random.chance(0.05)) (schema.required ??= []).push('undeclared');
        if (this.random.chance(0.2)) schema.additionalProperties = this.random.pick([true, false, {type: 'string'}]);
        return schema;
    }
    // Keywords of a type, as a rule; now and then of another.
    keywords(schema, depth) {
        const r = this.random, type = typeof schema.type === 'string' && r.chance(0.9) ? schema.type : r.pick(types);
        const choices = {
            string: () => ({minLength: () => this.count(), maxLength: () => this.count(),
                pattern: () => r.pick(patterns), format: () => r.pick(formats)}),
            number: () => ({minimum: () => this.num(), maximum: () => this.num(), exclusiveMinimum: () => this.num(),
                exclusiveMaximum: () => this.num(), multipleOf: () => new Num(r.pick(['1', '0.01', '5', '1e2']))}),
            array: () => ({minItems: () => this.count(), maxItems: () => this.count(), uniqueItems: () => r.chance(0.7),
                contains: () => this.schema(depth + 1), items: () => this.schema(depth + 1)}),
            object: () => ({minProperties: () => this.count(), maxProperties: () => this.count(),
                patternProperties: () => ({[r.pick(patterns)]: this.schema(depth + 1)}),
                propertyNames: () => ({pattern: r.pick(patterns)}),
                additionalProperties: () => r.pick([true, false, this.schema(depth + 1)]),
                dependentRequired: () => ({f1: ['f2']})}),
            any: () => ({title: () => this.text(), description: () => this.text(), deprecated: () => r.chance(0.7),
                examples: () => [this.value(), this.value()], default: () => this.value(), const: () => this.value(),
                enum: () => [...new Set([this.name(), this.name(), null, true].slice(0, r.between(1, 4)))],
                not: () => this.schema(depth + 1), readOnly: () => true, 'x-own': () => this.value(),
                optional: () => [this.name()], allOf: () => [this.schema(depth + 1)],
                if: () => this.schema(depth + 1), then: () => this.schema(depth + 1)}),
        };
        // A schema that must be valid against itself before it is says nothing: no references in there.
        const definitions = this.definitions;
        const table = choices[r.chance(0.5) ? 'any' : type === 'integer' ? 'number' : type in choices ? type : 'any']();
        const keyword = r.pick(Object.keys(table));
        if (['allOf', 'not', 'if', 'then'].includes(keyword)) this.definitions = null;
        schema[keyword] = table[keyword]();
        this.definitions = definitions;
    }
    schema(depth = 0) {
        const r = this.random;
        if (depth > 4) return {type: r.pick(types)};
        let schema;
        const kind = r.between(0, 11);
        if (kind <= 4) schema = {type: r.pick(types)};
        else if (kind === 5) schema = this.object(depth);
        else if (kind === 6) schema = {type: 'array', items: this.schema(depth + 1)};
        else if (kind === 7) schema = this.union(depth);
        else if (kind === 8) schema = {type: r.some(types, 0.4)};
        else if (kind === 9) schema = this.tuple(depth);
        else if (kind === 10 && this.definitions) schema = this.reference();
        else return r.pick([{}, true, false, {type: ['string', 'null']}, {anyOf: [{type: 'string'}, {type: 'null'}]}]);
        if (Array.isArray(schema.type) && !schema.type.length) delete schema.type;
        for (let i = r.between(0, 3); i > 1; i--) this.keywords(schema, depth);
        return schema;
    }
    tuple(depth) {
        const prefixItems = Array.from({length: this.random.between(1, 3)}, () => this.schema(depth + 1));
        const tuple = {type: 'array', prefixItems};
        if (this.random.chance(0.7)) tuple.items = false;
        if (this.random.chance(0.7)) tuple.minItems = new Num(String(prefixItems.length));
        if (this.random.chance(0.7)) tuple.maxItems = new Num(String(prefixItems.length));
        return tuple;
    }
    // A definition that is a choice of itself and something else never ends either.
    union(depth) {
        const definitions = this.definitions;
        if (this.defining) this.definitions = null;
        const members = Array.from({length: this.random.between(1, 3)}, () => this.schema(depth + 1));
        this.definitions = definitions;
        return {[this.random.pick(['anyOf', 'oneOf'])]: members};
    }
    reference() {
        return {$ref: `#/$defs/${this.random.pick(this.definitions)}`};
    }
    // Any schema inside, to be changed in place.
    inner(schema) {
        const found = [];
        const walk = (s) => {
            if (s === null || typeof s !== 'object' || s instanceof Num || Array.isArray(s)) return;
            found.push(s);
            for (const p of Object.values(s.properties ?? {})) walk(p);
            for (const k of ['items', 'additionalProperties', 'not', 'contains']) if (s[k]) walk(s[k]);
            for (const k of ['anyOf', 'oneOf', 'prefixItems']) for (const m of s[k] ?? []) walk(m);
        };
        walk(schema);
        return this.random.pick(found);
    }
    mutate(tool) {
        const r = this.random;
        const root = tool.parameters;
        this.definitions = null;
        if (r.chance(0.2)) {
            this.definitions = ['Node', 'a-b', 'Leaf'];
            root.$defs ??= {};
            this.defining = true;
            for (const name of this.definitions) root.$defs[name] = this.schema(1);
            // A definition that is nothing but a reference to itself means nothing.
            for (const name of ['a-b', 'Leaf']) if (root.$defs[name].$ref) root.$defs[name] = true;
            root.$defs.Node = this.object(2);
            this.defining = false;
        }
        for (let i = r.between(1, 4); i > 0; i--) {
            const at = this.inner(root), step = r.between(0, 6);
            if (step === 0) this.keywords(at, 0);
            else if (step === 1) ((root.properties ??= {}))[this.name()] = this.schema(0);
            else if (step === 2 && at.properties) Object.defineProperty(at.properties, this.name(),
                {value: this.schema(1), enumerable: true, configurable: true, writable: true});
            else if (step === 3 && at !== root && typeof at.type === 'string') at.type = [at.type, 'null'].filter((t, n, l) => l.indexOf(t) === n);
            else if (step === 4 && at !== root) {
                const old = {...at};
                for (const key of Object.keys(at)) delete at[key];
                at[r.pick(['anyOf', 'oneOf'])] = [old, this.schema(2)];
            } else if (step === 5) at.description = this.text();
            else if (step === 6) at.default = this.value();
        }
        if (r.chance(0.1)) tool.name = this.name();
        if (r.chance(0.2)) tool.description = this.text();
        this.definitions = null;
        if (r.chance(0.1)) tool.response = this.schema(1);
        return tool;
    }
}
