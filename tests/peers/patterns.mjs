// Asks our validator and V8 (u flag) about the same random patterns and texts:
//     patterns.mjs SCHEMA_VERDICTS [SEED [COMPARISONS]]
// Fails at any difference that no row of `reasons` explains. GRAMC_LONG=1 makes 300,000 comparisons
// instead of a sample.
import { Random } from './random.mjs';
import { Ours } from './schema_judges.mjs';

const [
  program,
  seedText = '1',
  comparisonsText = process.env.GRAMC_LONG === '1' ? '300000' : '12000',
] = process.argv.slice(2);
const comparisons = Number(comparisonsText);
const random = new Random(Number(seedText));
const TEXTS = 10,
  AHEAD = 64;
// The ends of lines stand in texts alone: an answer that quotes its pattern is one line.
const LINE_ENDS = ['\n', '\u2028'];
const ALPHABET = ['a', 'b', 'A', '1', '_', '-', ' ', 'é', 'É', '東', '\u00a0', '😀', 'ß', '²', '٣', 'ǅ'];
const PLAIN = ['a', 'b', 'a', 'b', 'A', '1', '_', ' ', 'é', '東', '😀'];
const SETS = ['\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\p{Lu}', '\\P{Lu}', '\\p{L}', '\\p{N}', '\\P{N}',
  '\\p{Script=Han}', '\\p{Letter}', '\\P{Script=Latin}', '\\p{ASCII}', '\\p{Any}', '\\p{Alphabetic}', '\\p{Lowercase}'];
const ESCAPES = ['\\n', '\\t', '\\x61', '\\u0062', '\\u{1F600}', '\\ud83d\\ude00', '\\cJ', '\\0', '\\.', '\\/', '\\^'];
const QUANTIFIERS = ['*', '+', '?', '{2}', '{1,2}', '{0,3}', '{2,}', '{0}', '*?', '+?', '??', '{1,2}?'];

// One random pattern: its groups are counted as they open, so that references point before, into and
// behind their group.
class PatternMaker {
  constructor() {
    this.groups = 0;
    this.names = 0;
  }
  classMember() {
    const kind = random.next();
    if (kind < 0.35) return random.pick(SETS);
    if (kind < 0.5) return random.pick(['a-b', '0-9', 'A-Z', 'é-東', '\\x20-\\x7e', '\\u{80}-\\u{10ffff}']);
    if (kind < 0.6) return random.pick(ESCAPES.concat('\\b', '\\-', '\\]'));
    return random.pick(ALPHABET).replace('-', '\\-');
  }
  characterClass() {
    const members = Array.from({ length: random.between(0, 3) }, () => this.classMember());
    return `[${random.chance(0.4) ? '^' : ''}${members.join('')}]`;
  }
  group(depth) {
    const kind = random.next();
    if (kind < 0.35) return `(?:${this.alternatives(depth)})`;
    if (kind < 0.75) {
      this.groups++;
      return `(${random.chance(0.15) ? `?<n${this.names++}>` : ''}${this.alternatives(depth)})`;
    }
    return `(${random.pick(['?=', '?!', '?<=', '?<!'])}${this.alternatives(depth)})`;
  }
  term(depth) {
    const kind = random.next();
    if (kind < 0.4) return random.pick(PLAIN) + this.quantifier(0.2);
    if (kind < 0.5) return random.pick(SETS) + this.quantifier(0.3);
    if (kind < 0.62) return this.characterClass() + this.quantifier(0.3);
    if (kind < 0.67) return random.pick(ESCAPES) + this.quantifier(0.2);
    if (kind < 0.72) return '.' + this.quantifier(0.3);
    if (kind < 0.78) return random.pick(['^', '$', '\\b', '\\B']);
    if (kind < 0.86) return this.reference() + this.quantifier(0.2);
    if (depth === 0) return random.pick(PLAIN);
    const group = this.group(depth - 1);
    return group + (/^\(\?<?[=!]/.test(group) ? '' : this.quantifier(0.4));
  }
  reference() {
    if (this.names && random.chance(0.2)) return `\\k<n${random.between(0, this.names - 1)}>`;
    return `\\${random.between(1, Math.max(1, this.groups + random.between(0, 1)))}(?:)`;
  }
  quantifier(p) {
    return random.chance(p) ? random.pick(QUANTIFIERS) : '';
  }
  alternatives(depth) {
    const one = () => Array.from({ length: random.between(0, 3) }, () => this.term(depth)).join('');
    return Array.from({ length: random.chance(0.3) ? 2 : 1 }, one).join('|');
  }
  pattern() {
    const body = this.alternatives(3);
    const kind = random.next();
    return kind < 0.6 ? `^(?:${body})$` : kind < 0.7 ? `^${body}` : body;
  }
}

function makeText() {
  const letters = random.chance(0.6) ? PLAIN : [...ALPHABET, ...LINE_ENDS];
  const text = Array.from({ length: random.between(0, 6) }, () => random.pick(letters)).join('');
  return random.chance(0.2) ? text + text : text;
}

function compiled(pattern, flags) {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}

// The search as ECMA-262 has it: at each character, with nothing skipped.
function searchedByCharacter(pattern, text) {
  const sticky = compiled(pattern, 'uy');
  if (!sticky) return 'B';
  for (let at = 0; at <= text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) {
    sticky.lastIndex = at;
    if (sticky.test(text)) return '1';
  }
  return '0';
}

// ## Why an answer may differ; each row is proved by looking at the pair.
const reasons = [
  {
    name: 'a liberty of Annex B: punctuation that is escaped, or a brace that is no quantifier',
    holds: ({ ours, theirs, pattern }) => theirs === 'B' && ours !== 'B' && compiled(pattern, ''),
  },
  {
    name: 'half a surrogate pair, which no JSON text holds',
    holds: ({ why }) => why?.includes('half a surrogate pair'),
  },
  {
    name: 'V8 searches between the halves of a surrogate pair, where ECMA-262 does not',
    rare: true,
    holds: ({ ours, pattern, text }) => ours === searchedByCharacter(pattern, text),
  },
  {
    name: 'too much backtracking, told as a limit',
    rare: true,
    holds: ({ ours }) => ours === 'L',
  },
];

const explained = new Map();
const failures = [];
const count = { pairs: 0, patterns: 0, matches: 0, refused: 0 };

function compare(pattern, texts, answer) {
  const theirs = compiled(pattern, 'u');
  count.patterns++;
  if (!theirs && answer.bad) count.refused++;
  texts.forEach((text, i) => {
    const pair = {
      pattern,
      text,
      ours: answer.bad ? 'B' : answer.verdicts[i],
      theirs: !theirs ? 'B' : theirs.test(text) ? '1' : '0',
      why: answer.bad,
    };
    count.pairs++;
    if (pair.theirs === '1') count.matches++;
    if (pair.ours === pair.theirs) return;
    const reason = reasons.find(({ holds }) => holds(pair));
    if (reason) explained.set(reason, (explained.get(reason) ?? 0) + 1);
    else failures.push(pair);
  });
}

const ours = new Ours(program);
const pending = [];
const settle = async () => {
  const { pattern, texts, answer } = pending.shift();
  compare(pattern, texts, await answer);
};
for (let made = 0; made < comparisons; made += TEXTS) {
  const pattern = new PatternMaker().pattern();
  const texts = Array.from({ length: TEXTS }, makeText);
  const answer = ours.judge('2020-12', JSON.stringify({ pattern }), texts.map((text) => JSON.stringify(text)));
  answer.catch(() => {}); // Seen when it is awaited.
  pending.push({ pattern, texts, answer });
  if (pending.length >= AHEAD) await settle();
}
while (pending.length) await settle();
const exit = await ours.end();

console.log(
  `seed ${seedText}: ${count.pairs} comparisons of ${count.patterns} patterns (${count.refused} refused by both), ${count.matches} matches, ${failures.length} unexplained differences`,
);
for (const [{ name }, n] of explained) console.log(`  ${String(n).padStart(6)} explained: ${name}`);
for (const { pattern, text, ours: our, theirs, why } of failures.slice(0, 20))
  console.log(`ours ${our}, V8 ${theirs}: ${JSON.stringify(pattern)} on ${JSON.stringify(text)}${why ? ` (${why})` : ''}`);
const tooOften = [...explained].filter(([reason, n]) => reason.rare && n > count.pairs / 1000);
for (const [{ name }] of tooOften) console.log(`explains too much: ${name}`);
if (count.matches < count.pairs / 10 || count.matches > count.pairs * 0.9)
  console.log('the generator makes too few or too many matches');
else if (exit === 0 && !tooOften.length && !failures.length) process.exit(0);
process.exit(1);
