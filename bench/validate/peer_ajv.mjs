// The same loop as bench_validate.c with JSON.parse and functions that Ajv compiled:
//     tests/peers/run.sh peer_ajv.mjs SCHEMAS CALLS [RUNS]
import fs from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../tests/peers/package.json', import.meta.url));
const Ajv = require('ajv/dist/2020.js').default;

const [schemasFile, callsFile, runs = '7'] = process.argv.slice(2);
const ajv = new Ajv({ strict: false, validateSchema: false, logger: false });
const validators = JSON.parse(fs.readFileSync(schemasFile, 'utf8')).map(({ schema }) => ajv.compile(schema));
// Each text is a string of its own: a slice of the whole file would be slower to read.
const calls = fs
  .readFileSync(callsFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [tool, expected] = line.split('\t', 2);
    return {
      text: Buffer.from(line.slice(tool.length + 3)).toString(),
      validate: validators[Number(tool)],
      expected: expected === '1',
    };
  });

function accepts({ text, validate }) {
  try {
    return validate(JSON.parse(text));
  } catch {
    return false;
  }
}

const times = [];
let differ = 0;
for (let run = 0; run <= Number(runs); run++) {
  const start = process.hrtime.bigint();
  differ = 0;
  for (const call of calls) if (accepts(call) !== call.expected) differ++;
  if (run > 0) times.push(Number(process.hrtime.bigint() - start) / calls.length);
}
times.sort((a, b) => a - b);
const nanoseconds = (time) => Number(time.toFixed(1));
console.log(
  JSON.stringify({
    name: 'ajv',
    calls: calls.length,
    ns_per_call: nanoseconds(times[times.length >> 1]),
    min_ns: nanoseconds(times[0]),
    max_ns: nanoseconds(times.at(-1)),
    disagree: differ,
  }),
);
process.exit(differ ? 1 : 0);
