// Imports tools that were changed at random, compiles what comes out, and compares: each must be what
// it was. Finds what collections of real tools do not have.
//   node import.mjs GRAMC COUNT [SEED] FILE.jsonl...
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Num, ToolMaker} from './import_maker.mjs';
import {Random} from './random.mjs';

const [gramc, count, seed, ...files] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'gramc-import-'));
const BATCH = 100;

// ## JSON with numbers as they are spelled

const write = (v) => {
    if (v instanceof Num) return v.text;
    if (Array.isArray(v)) return `[${v.map(write).join(',')}]`;
    if (v && typeof v === 'object')
        return `{${Object.keys(v).map((k) => `${JSON.stringify(k)}:${write(v[k])}`).join(',')}}`;
    return JSON.stringify(v);
};

const tokens = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null)/ys;
function read(text) {
    tokens.lastIndex = 0;
    const next = () => tokens.exec(text)[1];
    const value = (t) => {
        if (t === '{') {
            const object = {};
            for (let key = next(); key !== '}';) {
                next();
                Object.defineProperty(object, JSON.parse(key),
                    {value: value(next()), enumerable: true, configurable: true, writable: true});
                if (next() === '}') break;
                key = next();
            }
            return object;
        }
        if (t === '[') {
            const list = [];
            for (let item = next(); item !== ']';) {
                list.push(value(item));
                if (next() === ']') break;
                item = next();
            }
            return list;
        }
        return /^[-0-9]/.test(t) ? new Num(t) : JSON.parse(t);
    };
    return value(next());
}

// ## What a schema means, as far as import promises to keep it

const foreign = {dict: 'object', HashMap: 'object', Hashtable: 'object', float: 'number', double: 'number', Double: 'number',
    Float: 'number', int: 'integer', long: 'integer', Long: 'integer', short: 'integer', byte: 'integer', Integer: 'integer',
    Bigint: 'integer', str: 'string', String: 'string', char: 'string', bool: 'boolean', Boolean: 'boolean', tuple: 'array',
    list: 'array', Array: 'array', ArrayList: 'array', Set: 'array', Queue: 'array', Stack: 'array', any: null, '': null};
const maps = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const lists = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const singles = new Set(['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames',
    'unevaluatedItems', 'unevaluatedProperties']);

const number = (n) => {
    const m = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(n.text);
    let digits = (m[2] + (m[3] ?? '')).replace(/^0+/, '');
    let exponent = Number(m[4] ?? 0) - (m[3] ?? '').length;
    while (digits.endsWith('0')) { digits = digits.slice(0, -1); exponent++; }
    return digits === '' ? '0' : `${m[1]}${digits}e${exponent}`;
};

// A text that two equal schemas share. References are followed; inside themselves they end.
function data(v) {
    if (v instanceof Num) return number(v);
    if (Array.isArray(v)) return `[${v.map(data).join(',')}]`;
    if (v && typeof v === 'object')
        return `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${data(v[k])}`).join(',')}}`;
    return JSON.stringify(v);
}

const plain = (v) => v === true ? {} : v === false ? {not: {}} : v;
const isSchema = (v) => typeof v === 'boolean' || (v && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Num));

// A schema with what it refers to: what stands beside a $ref replaces what stands behind it.
function whole(schema, root) {
    const seen = new Set();
    let view = plain(schema);
    while (typeof view.$ref === 'string' && !seen.has(view.$ref)) {
        const target = root.$defs?.[decodeURIComponent(view.$ref.slice('#/$defs/'.length))];
        if (target === undefined) return {unresolved: view.$ref};
        seen.add(view.$ref);
        const {$ref, ...beside} = view;
        view = {...plain(target), ...beside};
    }
    return view;
}

// What import writes in another way, and what says nothing.
function normal(key, value) {
    if (key === 'required' && Array.isArray(value)) return value.length ? [...new Set(value)].sort() : undefined;
    if (['$defs', '$schema', '$id', '$comment', 'definitions'].includes(key)) return undefined;
    if (key !== 'type') return value;
    if (Array.isArray(value)) return value.includes('any') ? undefined : value.map((t) => foreign[t] ?? t);
    return value in foreign ? foreign[value] ?? undefined : value;
}

// ## Forms that import writes instead, because they mean the same

const judges = {
    number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType', 'contentSchema'],
    array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains',
        'unevaluatedItems'],
    object: ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties',
        'maxProperties', 'dependentRequired', 'dependentSchemas', 'unevaluatedProperties'],
};
const judged = new Map(Object.entries(judges).flatMap(([type, keys]) => keys.map((key) => [key, type])));
const kindOf = (type) => (type === 'integer' ? 'number' : type);
const isSpecial = (s) => Object.keys(s).some((key) => judged.has(key) && key !== 'format');

function withoutEmpty(s) {
    if (s.uniqueItems === false) delete s.uniqueItems;
    if (s.additionalProperties && isSchema(s.additionalProperties) && !Object.keys(s.additionalProperties).length)
        s.additionalProperties = true;
    if (Array.isArray(s.type) && s.type.length === 1) [s.type] = s.type;
}

function wrap(s, keyword) {
    s.allOf = [...(s.allOf ?? []), {[keyword]: s[keyword]}];
    delete s[keyword];
}

// {"type": ["string", "array"], "items": I}: a text, or an array of I.
function splitTypes(s) {
    const about = Object.keys(s).filter((key) => judged.has(key));
    const kinds = new Set(Array.isArray(s.type) ? s.type.map(kindOf) : []);
    if (kinds.size - (kinds.has('null') ? 1 : 0) < 2 || !isSpecial(s) || !about.every((key) => kinds.has(judged.get(key)))) return;
    if (s.anyOf) wrap(s, 'anyOf');
    s.anyOf = s.type.map((type) =>
        ({type, ...Object.fromEntries(about.filter((key) => judged.get(key) === kindOf(type)).map((key) => [key, s[key]]))}));
    for (const key of ['type', ...about]) delete s[key];
}

function placeUnion(s, keyword, root, isWhole) {
    const list = s[keyword];
    if (!Array.isArray(list) || !list.length) return;
    const alone = !isWhole && (keyword === 'anyOf' || !s.anyOf) && !isSpecial(s) && !s.$ref;
    const meanings = list.every((m) => 'const' in m && 'description' in m && Object.keys(m).length === 2);
    if (alone && (!('type' in s) || meanings)) return;
    const typeOf = (m) => m.type ?? root.$defs?.[decodeURIComponent(String(m.$ref).slice('#/$defs/'.length))]?.type;
    const has = (m) => typeOf(m) === s.type || (s.type === 'number' && typeOf(m) === 'integer');
    const takes = (m) => Object.keys(m).length && !['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'not'].some((key) => key in m);
    if (!alone || s.allOf || typeof s.type !== 'string' || !list.every((m) => has(m) || takes(m))) {
        wrap(s, keyword);
        return;
    }
    s[keyword] = list.map((m) => (has(m) ? m : {type: s.type, ...m}));
    delete s.type;
}

// The arguments as a whole are an object, whatever else they say.
function inPlainForm(schema, root, isWhole) {
    if (!isSchema(schema) || typeof schema === 'boolean') return schema;
    const s = {};
    for (const [key, value] of Object.entries(schema)) {
        const inner = (v) => inPlainForm(v, root, false);
        let plainValue = value;
        if (singles.has(key)) plainValue = inner(value);
        else if (lists.has(key) && Array.isArray(value)) plainValue = value.map((v) => plain(inner(v)));
        else if ((maps.has(key) || key === '$defs') && isSchema(value) && typeof value === 'object')
            plainValue = Object.fromEntries(Object.entries(value).map(([name, v]) => [name, inner(v)]));
        else if (key === 'type') plainValue = normal(key, value);
        if (plainValue !== undefined) Object.defineProperty(s, key, {value: plainValue, enumerable: true, configurable: true, writable: true});
    }
    withoutEmpty(s);
    if (!isWhole) splitTypes(s);
    placeUnion(s, 'oneOf', root, isWhole);
    placeUnion(s, 'anyOf', root, isWhole);
    return s;
}

const sameData = (a, b) => (data(a) === data(b) ? null : `${data(a)} became ${data(b)}`);
const at = (key, what) => what && `/${key}${what.startsWith('/') ? '' : ': '}${what}`;

// What stands beside a $ref, as a part of a conjunction with it.
const conjoined = ({$ref, ...beside}) => ({...beside, allOf: [{$ref}, ...(Array.isArray(beside.allOf) ? beside.allOf : [])]});

// Both the type and its place count: where the place would say otherwise, it comes back as `allOf`.
function difference(a, rootA, b, rootB, seen) {
    const what = sameAs(a, rootA, b, rootB, seen);
    const beside = what && isSchema(a) && typeof a.$ref === 'string' && Object.keys(a).length > 1 && b.allOf;
    return beside ? sameAs(conjoined(a), rootA, b, rootB, seen) : what;
}

// The same for two whole schemas.
function differ(a, b, isWhole) {
    const x = inPlainForm(a, a, isWhole), y = inPlainForm(b, b, isWhole);
    return difference(x, x, y, y, new Map());
}

// NULL, or where two schemas differ. Pairs that are being compared already are taken for the same.
function sameAs(a, rootA, b, rootB, seen) {
    if (!isSchema(a) || !isSchema(b)) return sameData(a, b);
    if (typeof a === 'object' && typeof b === 'object') {
        if (seen.get(a)?.has(b)) return null;
        seen.set(a, (seen.get(a) ?? new Set()).add(b));
    }
    const x = whole(a, rootA), y = whole(b, rootB);
    for (const key of new Set([...Object.keys(x), ...Object.keys(y)])) {
        const what = at(key, sameKeyword(key, normal(key, x[key]), normal(key, y[key]),
                                         (p, q) => difference(p, rootA, q, rootB, seen)));
        if (what) return what;
    }
    return null;
}

function sameKeyword(key, x, y, compare) {
    if (x === undefined || y === undefined) return x === y ? null : x === undefined ? 'was not there' : 'is gone';
    if (singles.has(key) && (typeof x === 'boolean') === (typeof y === 'boolean')) return compare(x, y);
    const list = lists.has(key) && Array.isArray(x) && Array.isArray(y) && x.length === y.length;
    if (!list && !(maps.has(key) && isSchema(x) && isSchema(y))) return sameData(x, y);
    for (const name of new Set([...Object.keys(x), ...Object.keys(y)])) {
        const one = Object.hasOwn(x, name) && Object.hasOwn(y, name);
        const what = at(name, one ? compare(x[name], y[name]) : 'is on one side only');
        if (what) return what;
    }
    return null;
}

// ## Runs

function run(...args) {
    const r = spawnSync(gramc, args, {encoding: 'utf8', maxBuffer: 1 << 30, timeout: 120000});
    return {code: r.status ?? `signal ${r.signal}`, out: r.stdout, err: r.stderr};
}

// What is wrong with tools imported together; null: nothing.
function judge(tools) {
    const input = join(folder, 'in.jsonl'), spec = join(folder, 'out.gram');
    writeFileSync(input, tools.map(write).join('\n') + '\n');
    const imported = run('import', '--from', 'jsonl', input, '-o', spec);
    if (imported.code !== 0) return `import gives ${imported.code}: ${imported.err.slice(0, 400)}`;
    const compiled = run('compile', spec, '--target', 'json-schema');
    if (compiled.code !== 0) return `compile gives ${compiled.code}: ${compiled.err.slice(0, 400)}`;
    const back = read(compiled.out);
    if (back.length !== tools.length) return `${back.length} tools come back of ${tools.length}`;
    for (let i = 0; i < tools.length; i++) {
        const what = differ(tools[i].parameters, back[i].parameters, true);
        if (what) return `parameters${what}`;
        if ((tools[i].description.trim() || tools[i].name) !== (back[i].description.trim() || tools[i].name) ||
            (tools[i].description.trim() && tools[i].description !== back[i].description))
            return `description ${JSON.stringify(back[i].description)} was ${JSON.stringify(tools[i].description)}`;
        if (tools[i].response === undefined) continue;
        const other = differ(tools[i].response, back[i].result, false);
        if (other) return `result${other}`;
    }
    return null;
}

const rows = files.flatMap((f) => {
    try { return readFileSync(f, 'utf8').split('\n').filter((l) => l.trim()); }
    catch { console.log(`skipped: ${f} is not there`); return []; }
});
const random = new Random(Number(seed)), maker = new ToolMaker(random);
const made = [];
for (let i = 0; i < Number(count); i++) {
    const row = read(rows[i % rows.length]);
    const tool = {name: `${row.name}_${i}`, description: row.description ?? '', parameters: row.parameters ?? {type: 'object', properties: {}}};
    made.push(maker.mutate(tool));
    tool.name = `${tool.name}_${i}`;
}
let failed = 0;
for (let i = 0; i < made.length; i += BATCH) {
    const batch = made.slice(i, i + BATCH);
    if (judge(batch) === null) continue;
    for (const tool of batch) {
        const what = judge([tool]);
        if (what === null) continue;
        if (++failed <= Number(process.env.SHOW ?? 5)) console.log(`${write(tool)}\n${what}\n`);
    }
}
rmSync(folder, {recursive: true});
console.log(`${made.length - failed} of ${made.length} changed tools come back as they were`);
process.exit(failed || !made.length ? 1 : 0);
