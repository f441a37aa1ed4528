// Two judges of JSON Schema: ours, behind schema_verdicts' line protocol, and Ajv. Both take texts:
// judge(draft, schemaText, instanceTexts) gives {bad: why} or {verdicts: 'one letter each'}, with
// 1 valid, 0 invalid, L a limit was hit, D two of our own functions disagree, X it threw.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import Ajv from 'ajv';
import Ajv2019 from 'ajv/dist/2019.js';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { asAjvReads, isOld } from './drafts.mjs';

export class Ours {
  constructor(program) {
    this.waiting = [];
    this.child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.ended = new Promise((resolve) =>
      this.child.on('close', (code, signal) => {
        for (const { reject } of this.waiting.splice(0))
          reject(new Error(`${program} ended with ${signal ?? code}`));
        resolve(signal ?? code);
      }),
    );
    this.child.stdin.on('error', () => {}); // Its end is reported above.
    createInterface({ input: this.child.stdout }).on('line', (line) => this.waiting.shift().resolve(line));
  }

  async judge(draft, schema, instances) {
    const line = await new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.child.stdin.write(JSON.stringify({ draft, formats: true, schema, instances }) + '\n');
    });
    return line.startsWith('ok ') ? { verdicts: line.slice(3) } : { bad: line.replace(/^bad /, '') };
  }

  end() {
    this.child.stdin.end();
    return this.ended;
  }
}

// strict would refuse much that is legal; ownProperties, or `constructor` is a member of {}; in old
// drafts what stands beside a $ref is ignored. Drafts 4 and 6 are translated to 7.
export function makeAjv(draft, change = () => {}) {
  const options = { strict: false, logger: false, ownProperties: true };
  const Modern = draft === '2019-09' ? Ajv2019 : Ajv2020;
  const ajv = isOld(draft) ? new Ajv({ ...options, ignoreKeywordsWithRef: true }) : new Modern(options);
  ajv.gramcDraft = draft;
  addFormats(ajv, { mode: 'full' });
  change(ajv);
  return ajv;
}

function accepts(validate, text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return '0';
  }
  try {
    return validate(value) ? '1' : '0';
  } catch {
    return 'X';
  }
}

export function ajvJudge(ajv, schema, instances) {
  const document = JSON.parse(asAjvReads(ajv.gramcDraft, schema));
  try {
    const validate = ajv.compile(document);
    return { verdicts: instances.map((text) => accepts(validate, text)).join('') };
  } catch (error) {
    return { bad: error.message };
  } finally {
    ajv.removeSchema(document);
  }
}
