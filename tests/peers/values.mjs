// JSON values whose numbers keep their spelling: 1, 1.0 and 1e0 are one number, written in three ways.

// A number as spelled.
export class Spelled {
  constructor(text) {
    this.text = text;
  }
  toJSON() {
    return Number(this.text);
  }
}

export function print(value) {
  if (value instanceof Spelled) return value.text;
  if (Array.isArray(value)) return `[${value.map(print).join(',')}]`;
  if (value && typeof value === 'object')
    return `{${Object.entries(value)
      .map(([k, v]) => `${JSON.stringify(k)}:${print(v)}`)
      .join(',')}}`;
  return JSON.stringify(value);
}

// JSON text to values whose numbers keep their spelling.
export function parseSpelled(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === 'number' && context ? new Spelled(context.source) : value,
  );
}

export const isObject = (v) =>
  v !== null && typeof v === 'object' && !Array.isArray(v) && !(v instanceof Spelled);

// Whether a number of the document, as it is spelled, is one that `judge` says; not where the text is no JSON.
export function hasNumber(text, judge) {
  const looks = (value) =>
    value instanceof Spelled
      ? judge(value.text)
      : Array.isArray(value)
        ? value.some(looks)
        : isObject(value) && Object.values(value).some(looks);
  try {
    return looks(parseSpelled(text));
  } catch {
    return false;
  }
}
