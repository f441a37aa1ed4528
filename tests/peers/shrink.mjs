// Makes a failing pair of schema and instance smaller, as long as it still fails.
import { isObject, parseSpelled, print } from './values.mjs';

// Every value that is `value` with one thing less.
function* smaller(value) {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) yield value.toSpliced(i, 1);
    for (let i = 0; i < value.length; i++) for (const item of smaller(value[i])) yield value.with(i, item);
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const { [name]: _, ...rest } = value;
      yield rest;
    }
    for (const name of Object.keys(value)) {
      if (isObject(value[name]) || Array.isArray(value[name])) yield { ...value, [name]: true };
      for (const item of smaller(value[name])) yield { ...value, [name]: item };
    }
    for (const name of Object.keys(value)) if (isObject(value[name])) yield value[name];
  } else if (typeof value === 'string' && value.length > 1) {
    yield value.slice(1).toWellFormed();
  }
}

async function shrinkOne(text, fails) {
  for (let steps = 0; steps < 300; ) {
    let found = null;
    for (const candidate of smaller(parseSpelled(text))) {
      const shorter = print(candidate);
      steps++;
      if (shorter.length < text.length && (await fails(shorter))) {
        found = shorter;
        break;
      }
      if (steps > 2000) return text;
    }
    if (!found) return text;
    text = found;
  }
  return text;
}

// `fails(schema, instance)` takes and keeps texts.
export async function shrink(schema, instance, fails) {
  const isJson = (text) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  schema = await shrinkOne(schema, (s) => fails(s, instance));
  if (isJson(instance)) instance = await shrinkOne(instance, (i) => fails(schema, i));
  return { schema: await shrinkOne(schema, (s) => fails(s, instance)), instance };
}
