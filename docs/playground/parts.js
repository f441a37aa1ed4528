// What the page needs that has nothing to do with a page: places in texts, edits, links. Tested in Node.

/** The offset of a place (line and character from 0, in UTF-16 units); past the end: the end. */
export function offsetOf(text, {line, character}) {
    let start = 0;
    for (let i = 0; i < line; i++) {
        const end = text.indexOf('\n', start);
        if (end < 0) return text.length;
        start = end + 1;
    }
    return Math.min(start + character, text.length);
}

const rank = {error: 2, warning: 1, information: 0};

/** The text in pieces, each with the worst severity that holds there, or none: what is underlined. */
export function pieces(text, diagnostics) {
    const ranges = diagnostics.map(({range, severity}) => {
        const start = offsetOf(text, range.start);
        return {start, end: Math.max(offsetOf(text, range.end), Math.min(start + 1, text.length)), severity};
    });
    const cuts = [...new Set([0, text.length, ...ranges.flatMap(({start, end}) => [start, end])])].sort((a, b) => a - b);
    const out = [];
    for (let i = 0; i + 1 < cuts.length; i++) {
        const [start, end] = [cuts[i], cuts[i + 1]];
        const here = ranges.filter(range => range.start < end && range.end > start).map(range => range.severity);
        here.sort((a, b) => rank[b] - rank[a]);
        out.push({text: text.slice(start, end), severity: here[0]});
    }
    return out;
}

/** The text with the edits of a fix made. */
export function mended(text, fix) {
    const edits = fix.map(({range, newText}) =>
        ({start: offsetOf(text, range.start), end: offsetOf(text, range.end), newText}));
    edits.sort((a, b) => b.start - a.start);
    return edits.reduce((now, {start, end, newText}) => now.slice(0, start) + newText + now.slice(end), text);
}

/** JSON with a line a value and two blanks a level. Numbers and strings stay as they are written. */
export function indented(json) {
    let out = '', depth = 0;
    const line = () => `\n${'  '.repeat(depth)}`;
    for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g)) {
        if (token === '{' || token === '[') {
            depth++;
            out += token + line();
        } else if (token === '}' || token === ']') {
            depth--;
            out += line() + token;
        } else if (token === ',') out += token + line();
        else out += token === ':' ? ': ' : token.replace(/^([{[])\s+/, '$1');
    }
    return out;
}

/* ## Links */

const SHARED_MAX = 4 << 20; // characters that a link may unfold to

async function gather(stream, most) {
    const parts = [];
    let size = 0;
    for (const reader = stream.getReader();;) {
        const {done, value} = await reader.read();
        if (done) return new Blob(parts).arrayBuffer();
        size += value.length;
        if (size > most) {
            await reader.cancel();
            throw new Error('the link holds too much');
        }
        parts.push(value);
    }
}

/** A value as the part of a link behind its `#`. */
export async function toFragment(value) {
    const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await gather(stream, Infinity));
    let binary = '';
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return `#1${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** The way back; throws for what is no link of ours. */
export async function fromFragment(fragment) {
    if (!/^#1[A-Za-z0-9_-]+$/.test(fragment)) throw new Error('this is no link to a spec');
    const binary = atob(fragment.slice(2).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const value = JSON.parse(new TextDecoder().decode(await gather(stream, SHARED_MAX)));
    if (typeof value?.text !== 'string') throw new Error('this is no link to a spec');
    const text = name => (typeof value[name] === 'string' ? value[name] : '');
    return {text: value.text, target: text('target'), before: text('before')};
}
