// Writes the same tools in the notation of gramc and of each peer, spread over files:
//     gen.mjs FOLDER TOOLS FILES
// Flat tools with two to six parameters, some with defaults: what all of the notations can say. The
// same on every run.
import fs from 'node:fs';
import path from 'node:path';

const [folder, toolCount, fileCount] = [process.argv[2], +process.argv[3], +process.argv[4]];

let state = 20240607;
const random = (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 4294967296 * below);
};
const pick = (list) => list[random(list.length)];

const VERBS = ['find', 'list', 'create', 'update', 'remove', 'send', 'compute', 'convert', 'schedule', 'cancel'];
const NOUNS = ['Order', 'Invoice', 'Customer', 'Report', 'Ticket', 'Meeting', 'Mail', 'Document', 'Product', 'Account'];
const PARAMETERS = [
    ['query', 'Text'], ['limit', 'Int'], ['offset', 'Int'], ['amount', 'Double'], ['price', 'Double'], ['city', 'Text'],
    ['country', 'Text'], ['status', 'Text'], ['title', 'Text'], ['orderId', 'Int'], ['userId', 'Int'], ['startDate', 'Text'],
    ['verbose', 'Bool'], ['dryRun', 'Bool'], ['tags', 'List'], ['columns', 'List'],
];
const DEFAULTS = {Text: 'any', Int: 10, Double: 1.5, Bool: false};

function makeTool(number) {
    const chosen = new Map();
    for (let i = 2 + random(5); i > 0; i--) {
        const [name, type] = pick(PARAMETERS);
        const optional = type !== 'List' && random(3) === 0;
        chosen.set(name, {name, type, default: optional ? DEFAULTS[type] : undefined});
    }
    const verb = pick(VERBS), noun = pick(NOUNS);
    return {
        name: `${verb}${noun}${number}`,
        type: `${verb[0].toUpperCase()}${verb.slice(1)}${noun}${number}`,
        description: `Tool ${number}: ${verb}s what matches the parameters and returns a short summary of each ${noun.toLowerCase()}.`,
        parameters: [...chosen.values()],
    };
}

const quote = JSON.stringify;
const about = ({name}) => `The ${name} to go by`;
const has = (parameter) => parameter.default !== undefined;

const notations = {
    gram: {
        file: (i) => `part_${i}.gram`,
        types: {Text: 'Text', Int: 'Int', Double: 'Double', Bool: 'Bool', List: 'Array'},
        text(tools) {
            const one = (p) => {
                const value = p.type === 'Double' ? p.default?.toFixed(1) : quote(p.default);
                const properties = [...(p.type === 'List' ? ['items: Text'] : []), `description: ${quote(about(p))}`,
                    ...(has(p) ? [`default: ${value}`] : [])];
                return `(${p.name}::${this.types[p.type]} {${properties.join(', ')}})`;
            };
            return tools.map((t) => `[${t.name}:Tool {description: ${quote(t.description)}} |\n  ` +
                `${t.parameters.map(one).join('==>')}==>(::Text)\n]\n`).join('\n');
        },
    },
    baml: {
        file: (i) => `baml_src/part_${i}.baml`,
        types: {Text: 'string', Int: 'int', Double: 'float', Bool: 'bool', List: 'string[]'},
        text(tools) { // It has no defaults: what has one is optional.
            return tools.map((t) => `class ${t.type} {\n` +
                t.parameters.map((p) => `  ${p.name} ${this.types[p.type]}${has(p) ? '?' : ''} @description(${quote(about(p))})\n`).join('') +
                `  @@description(${quote(t.description)})\n}\n` +
                `function Call${t.type}(input: string) -> ${t.type} {\n  client C\n  prompt #"{{ ctx.output_format }} {{ input }}"#\n}\n`).join('');
        },
        rest: {
            'baml_src/main.baml': 'client<llm> C {\n  provider openai\n  options {\n    model "gpt-4o"\n    api_key "x"\n  }\n}\n' +
                'generator g {\n  output_type "rest/openapi"\n  output_dir "../"\n  version "0.226.2"\n}\n',
        },
    },
    typespec: {
        file: (i) => `part_${i}.tsp`,
        types: {Text: 'string', Int: 'int32', Double: 'float64', Bool: 'boolean', List: 'string[]'},
        text(tools) {
            return 'import "@typespec/json-schema";\nusing JsonSchema;\n@jsonSchema\nnamespace Tools;\n' +
                tools.map((t) => `@doc(${quote(t.description)})\nmodel ${t.type} {\n` +
                    t.parameters.map((p) => `  @doc(${quote(about(p))}) ${p.name}${has(p) ? '?' : ''}: ${this.types[p.type]}${has(p) ? ` = ${quote(p.default)}` : ''};\n`).join('') +
                    '}\n').join('');
        },
        rest: {'main.tsp': Array.from({length: fileCount}, (_, i) => `import "./part_${i}.tsp";\n`).join('')},
    },
    typescript: {
        file: (i) => `part_${i}.ts`,
        types: {Text: 'string', Int: 'number', Double: 'number', Bool: 'boolean', List: 'string[]'},
        text(tools) {
            return tools.map((t) => `/** ${t.description} */\nexport interface ${t.type} {\n` +
                t.parameters.map((p) => `  /** ${about(p)}${p.type === 'Int' ? '\n   * @asType integer' : ''}${has(p) ? `\n   * @default ${quote(p.default)}` : ''} */\n` +
                    `  ${p.name}${has(p) ? '?' : ''}: ${this.types[p.type]};\n`).join('') + '}\n').join('');
        },
    },
    zod: {
        file: (i) => `part_${i}.mjs`,
        types: {Text: 'z.string()', Int: 'z.int()', Double: 'z.number()', Bool: 'z.boolean()', List: 'z.array(z.string())'},
        text(tools) {
            return "import * as z from 'zod';\nexport default [\n" + tools.map((t) =>
                `{name: ${quote(t.name)}, description: ${quote(t.description)}, parameters: z.object({` +
                t.parameters.map((p) => `${p.name}: ${this.types[p.type]}${has(p) ? `.default(${quote(p.default)})` : ''}.describe(${quote(about(p))})`).join(', ') +
                '})}').join(',\n') + '\n];\n';
        },
        rest: {
            'main.mjs': "import * as z from 'zod';\n" + Array.from({length: fileCount}, (_, i) => `import part${i} from './part_${i}.mjs';\n`).join('') +
                `const all = [${Array.from({length: fileCount}, (_, i) => `part${i}`).join(', ')}].flat();\n` +
                "process.stdout.write(JSON.stringify(all.map(({name, description, parameters}) =>\n" +
                "    ({type: 'function', function: {name, description, parameters: z.toJSONSchema(parameters, {io: 'input'})}}))));\n",
        },
    },
};

// What should come out, for check.mjs.
const TYPES = {Text: 'string', Int: 'integer', Double: 'number', Bool: 'boolean', List: 'array'};
const expected = (tools) => tools.map((t) => ({
    name: t.name, type: t.type,
    description: t.description,
    properties: Object.fromEntries(t.parameters.map((p) => [p.name, TYPES[p.type]])),
    required: t.parameters.filter((p) => !has(p)).map((p) => p.name).sort(),
}));

const tools = Array.from({length: toolCount}, (_, i) => makeTool(i));
const parts = Array.from({length: fileCount}, (_, i) =>
    tools.slice(Math.floor(i * toolCount / fileCount), Math.floor((i + 1) * toolCount / fileCount)));
const write = (name, text) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), {recursive: true});
    fs.writeFileSync(path.join(folder, name), text);
};
for (const [name, notation] of Object.entries(notations)) {
    parts.forEach((part, i) => write(`${name}/${notation.file(i)}`, notation.text(part)));
    for (const [file, text] of Object.entries(notation.rest ?? {})) write(`${name}/${file}`, text);
}
write('expected.json', JSON.stringify(expected(tools)));
