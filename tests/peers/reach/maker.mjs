// Random schemas with what SchemaMaker leaves out, because validators do not differ in it and importers
// do: annotations, words of OpenAPI and of nobody, types written oddly, references that have siblings or
// lead back to where they stand. Counts which keywords it has made.
import { SchemaMaker } from '../schema_maker.mjs';
import { isOld } from '../drafts.mjs';

const WORDS = {
  title: 'A title',
  description: 'Says\nwhat it is',
  $comment: 'for nobody',
  default: 1,
  examples: ['a', 1],
  deprecated: true,
  readOnly: true,
  writeOnly: true,
  nullable: false,
  'x-order': 3,
  markdownDescription: '**it**',
  contentEncoding: 'base64',
  contentMediaType: 'application/json',
};

const LATER = { $comment: 7, examples: 6, readOnly: 7, writeOnly: 7, contentEncoding: 7, contentMediaType: 7 };
const number = (draft) => Number(draft.slice(0, 4));

// What a schema of that draft may hold, each of which a long run has to have made.
const COMMON = [
  'type', 'enum', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'format',
  'items', 'minItems', 'maxItems', 'uniqueItems', 'properties', 'required', 'minProperties', 'maxProperties', 'patternProperties',
  'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not', '$ref', 'title', 'description', 'default', 'nullable', 'x-order',
];
const BY_DRAFT = {
  4: ['definitions', 'dependencies', 'additionalItems'],
  6: ['definitions', 'dependencies', 'additionalItems', 'const', 'contains', 'propertyNames', 'examples', 'true', 'false'],
  7: ['definitions', 'dependencies', 'additionalItems', 'const', 'contains', 'propertyNames', 'if', 'then', 'else', 'readOnly', 'true', 'false'],
  '2019-09': [
    '$defs', 'dependentRequired', 'dependentSchemas', 'additionalItems', 'const', 'contains', 'minContains', 'maxContains', 'propertyNames', 'if',
    'then', 'else', 'unevaluatedItems', 'unevaluatedProperties', '$recursiveRef', 'deprecated', 'true', 'false',
  ],
  '2020-12': [
    '$defs', 'dependentRequired', 'dependentSchemas', 'prefixItems', 'const', 'contains', 'minContains', 'maxContains', 'propertyNames', 'if',
    'then', 'else', 'unevaluatedItems', 'unevaluatedProperties', 'deprecated', 'true', 'false',
  ],
};
export const keywordsOf = (draft) => [...COMMON, ...BY_DRAFT[draft]];

export class WideMaker extends SchemaMaker {
  constructor(random, draft, made) {
    super(random, draft);
    this.made = made;
  }

  always(accepted) {
    const schema = super.always(accepted);
    if (typeof schema === 'boolean') this.count1(String(schema));
    return schema;
  }

  count1(word) {
    this.made.set(word, (this.made.get(word) ?? 0) + 1);
  }

  document() {
    const document = super.document();
    this.count1(this.keyword);
    return document;
  }

  schema(depth) {
    const random = this.random;
    const schema = super.schema(depth);
    if (typeof schema === 'boolean') return schema;
    this.vary(schema);
    for (const word of random.some(Object.keys(WORDS), 0.05))
      if ((LATER[word] ?? 0) <= number(this.draft)) schema[word] = WORDS[word];
    if (this.draft === '2019-09' && random.chance(0.02)) schema.$recursiveRef = '#';
    for (const word of Object.keys(schema)) this.count1(word);
    return schema;
  }

  // A type alone in a list, each that it may be, numbers twice over.
  vary(schema) {
    const random = this.random;
    if (typeof schema.type === 'string' && random.chance(0.08)) schema.type = [schema.type];
    else if (Array.isArray(schema.type) && random.chance(0.15)) schema.type = [...new Set([...schema.type, 'null'])];
    else if (random.chance(0.02)) schema.type = ['null', 'boolean', 'object', 'array', 'number', 'string'];
    else if (random.chance(0.02)) schema.type = ['integer', 'number'];
  }

  // Besides definitions: the schema that is the root, and a definition from inside another.
  refer(schema) {
    super.refer(schema);
    if (this.random.chance(0.3)) for (const key of Object.keys(schema)) if (key !== '$ref') delete schema[key];
    if (isOld(this.draft) && this.random.chance(0.1)) schema.$ref = '#/properties/x';
  }
}
