// Schemas as zod prints them, for the things that people write with it.
import { z } from '../node_modules/zod/index.js';
import { z as z3 } from '../node_modules/zod/v3/index.js';
import { zodToJsonSchema } from '../node_modules/zod-to-json-schema/dist/esm/index.js';

const objects = (z, modern) => ({
  texts: z.object({ a: z.string().min(1).max(20).describe('A name'), b: z.string().email(), c: z.string().url().optional(), d: z.string().uuid(), e: z.string().regex(/^[a-z]+-\d{2}$/), f: z.string().datetime(), g: z.string().startsWith('ab').endsWith('z') }),
  numbers: z.object({ a: z.number().int().positive(), b: z.number().gte(0).lt(1), c: z.number().multipleOf(0.5), d: z.number().int().min(-3).max(3).default(0), e: z.number().nonnegative().nullable() }),
  choices: z.object({ a: z.enum(['red', 'green']), b: z.union([z.string(), z.number()]), c: z.literal('on'), d: z.union([z.literal(1), z.literal('one')]), e: z.enum(['x', 'y']).nullable().optional(), f: z.boolean().default(true) }),
  lists: z.object({ a: z.array(z.string()).min(1).max(3), b: z.tuple([z.string(), z.number()]), c: z.tuple([z.string()]).rest(z.number()), d: z.array(z.object({ x: z.number(), y: z.number() })).nonempty(), e: z.set(z.string()).optional() }),
  records: z.object({ a: z.record(z.string(), z.number()), b: z.record(z.string().regex(/^k_/), z.boolean()), c: z.record(z.enum(['one', 'two']), z.string()).optional(), d: z.record(z.string(), z.object({ n: z.number() })) }),
  closed: z.object({ a: z.string() }).strict(),
  open: z.object({ a: z.string() }).passthrough(),
  rest: z.object({ a: z.string() }).catchall(z.number()),
  told: z.object({ shape: z.discriminatedUnion('kind', [z.object({ kind: z.literal('circle'), r: z.number() }), z.object({ kind: z.literal('square'), side: z.number() })]) }),
  both: z.object({ a: z.intersection(z.object({ x: z.number() }), z.object({ y: z.string() })) }),
  nested: z.object({ a: z.object({ b: z.object({ c: z.object({ d: z.string().optional() }) }) }).optional(), again: z.object({ b: z.object({ c: z.object({ d: z.string().optional() }) }) }) }),
  parts: z.object({ a: z.string(), b: z.number() }).partial().extend({ c: z.any(), d: z.unknown(), e: z.null() }),
  nulls: z.object({ a: z.string().nullish(), b: z.array(z.number().nullable()), c: z.object({ x: z.string() }).nullable() }),
  ...(modern ? { tree: tree() , ints: z.object({ a: z.int32(), b: z.int(), c: z.ipv4(), d: z.iso.date(), e: z.base64(), f: z.stringbool().optional(), g: z.templateLiteral(['v', z.number()]) }) } : {}),
});

function tree() {
  const node = z.object({ value: z.string(), get children() { return z.array(node); } });
  return z.object({ root: node, other: node.optional() });
}

export function schemas() {
  const all = [];
  for (const [name, schema] of Object.entries(objects(z, true)))
    for (const target of ['draft-2020-12', 'draft-7', 'draft-4'])
      for (const io of ['input', 'output'])
        try {
          const printed = z.toJSONSchema(schema, { target, io, unrepresentable: 'any' });
          all.push({ name: `${name}_${target}_${io}`.replaceAll('-', '_'), schema: printed });
        } catch {
          // What zod itself cannot say.
        }
  for (const [name, schema] of Object.entries(objects(z3, false)))
    for (const target of ['jsonSchema7', 'jsonSchema2019-09'])
      all.push({ name: `${name}_${target}`.replaceAll('-', '_'), schema: zodToJsonSchema(schema, { target }) });
  return all;
}
