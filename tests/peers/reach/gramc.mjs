// What gramc makes of a group of definitions: the spec and the library that import writes, and what
// compile prints of them. Finds out, too, which tools of a spec a target refuses.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

// What becomes very long in line is compiled with its references.
const LONGEST = 200000;

// [{severity, code, text, line}]
function findings(text) {
  const pattern = /^(note|warning|error)\[(G\d+)\]: (.*)(?:\n +--> .*?:(\d+):\d+)?/gm;
  return [...text.matchAll(pattern)].map(([, severity, code, message, line]) => ({ severity, code, text: message, line: Number(line) }));
}

const nameOf = (block) => /^\[`?([^:`]+)`?:/.exec(block)?.[1] ?? '';
const isTool = (block) => /^\[[^\n]*?:Tool[ \]]/.test(block);

export class Gramc {
  constructor(program) {
    this.program = program;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gramc-reach-'));
    process.on('exit', () => fs.rmSync(this.folder, { recursive: true, force: true }));
    this.spec = this.file('out.gram');
    this.library = this.file('library.gram');
  }

  file(name) {
    return path.join(this.folder, name);
  }

  run(...words) {
    const r = spawnSync(this.program, words, { encoding: 'utf8', maxBuffer: 1 << 30, timeout: 120000 });
    const killed = r.status === null ? `${r.signal} ` : '';
    return { code: r.status ?? 255, out: r.stdout, err: killed + r.stderr, told: findings(r.stderr) };
  }

  import(group) {
    let input = group.file;
    if (!input) {
      input = this.file(group.kind === 'jsonl' ? 'in.jsonl' : 'in.json');
      fs.writeFileSync(input, group.text ?? group.tools.map((t) => t.line ?? JSON.stringify(t.definition)).join('\n') + '\n');
    }
    const more = group.kind === 'openapi' ? ['--library', this.library] : [];
    for (const old of [this.spec, this.library]) fs.rmSync(old, { force: true });
    return this.run('import', '--from', group.kind, input, '-o', this.spec, ...more);
  }

  written(file = this.spec) {
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  }

  compile(target) {
    const words = ['compile', this.spec, '--target', target];
    let { code, out, err } = this.run(...words);
    if (out.length > LONGEST) ({ code, out, err } = this.run(...words, '--defs'));
    if (code !== 0) throw new Error(`compile gives ${code}: ${err.slice(0, 300)}`);
    return JSON.parse(out);
  }

  // For each tool, in order: {tool} that `target` gets, and what is `said()` of it, or {refused}. `list`
  // takes the tools out of what is printed. Of many findings only the first are shown, so that a tool
  // is compiled by itself to be told what is said of it.
  compileEach(target, list) {
    const blocks = this.written().split(/^(?=\[)/m);
    const common = blocks.filter((b) => !isTool(b)).join('');
    const part = this.file('part.gram');
    const compile = (tools) => {
      fs.writeFileSync(part, common + tools.join(''));
      return this.run('compile', part, '--target', target);
    };
    const said = (tool) => () => compile([tool]).told.filter((f) => f.severity !== 'note' && f.text.includes(`\`${nameOf(tool)}\``));
    const answers = (tools) => {
      const { code, out, told } = compile(tools);
      if (code === 0) {
        const printed = list(JSON.parse(out));
        if (printed.length !== tools.length) return tools.map(() => ({ lost: `${printed.length} of ${tools.length} tools are printed` }));
        return printed.map((tool, i) => ({ tool, said: said(tools[i]) }));
      }
      if (tools.length === 1) return [{ refused: told.filter((f) => f.severity === 'error'), code }];
      const half = tools.length >> 1;
      return [...answers(tools.slice(0, half)), ...answers(tools.slice(half))];
    };
    const tools = blocks.filter(isTool);
    return tools.length ? answers(tools) : [];
  }
}

// For each tool whether it is written with `schema`, itself or in a type that it uses.
export function hatches(text) {
  const blocks = text.split(/^(?=\[)/m).filter((b) => b.startsWith('['));
  const named = new Map(blocks.map((b) => [nameOf(b), b]));
  const known = new Map();
  const raw = (name) => {
    if (known.has(name)) return known.get(name);
    known.set(name, false);
    const block = named.get(name) ?? '';
    const own = /\bschema: (json`|```json)/.test(block);
    const used = new Set(block.match(/\b[A-Z][A-Za-z0-9]*\b/g) ?? []);
    const found = own || [...used].some((n) => n !== name && named.has(n) && raw(n));
    known.set(name, found);
    return found;
  };
  return blocks.filter(isTool).map((b) => raw(nameOf(b)));
}
