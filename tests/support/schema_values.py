"""Random JSON Schemas, values that one probably accepts, in the order in which it lists its names, and
slips in values. Who judges them is not this file's business."""
import copy
import json
import re
try:
    import re._parser as parser
except ImportError:  # before Python 3.11
    import sre_parse as parser

STRINGS = ["", "a", "ab", "abc", "red", "green", "A-17", "x" * 9, "\u00e9", "\U0001f600", 'q"uote', "back\\slash",
           "line\nend", "\u0001", "\u007f", " ", "2024-02-29", "2023-02-28", "2024-02-29T10:00:00Z", "a@b.example",
           "10:00:00Z", "https://example.org/a?b=c", "7f2c0e2a-4c9e-4d3b-9a53-2f6b9e5f6a01", "127.0.0.1", "P1DT2H",
           "12345", "a1", "zz-99"]
NUMBERS = [0, 1, 2, 3, 5, 7, 9, 10, 11, 12, 42, 99, 100, 101, 255, 999, 1000, 1234567, -1, -2, -9, -10, -11, -100, -1000,
           0.5, 0.25, 1.5, 2.75, -0.5, -1.5, 0.01, 99.99, 3.125]
PATTERNS = ["^[a-z]+$", "^[A-Z]-\\d{2}$", "a", "^a", "b$", "^(red|green)$", "^.{2,4}$", "^[^\"\\\\]*$", "^\\w+$", "\\s",
            "^a|b$", "^(ab?c*)+$", "^\\d+\\.\\d{1,2}$", "^x{3}$", "^\\u0041?$", "^[\\d_-]+$", "(?=a)", "\\bword\\b"]
FORMATS = ["date", "date-time", "time", "uuid", "email", "uri", "ipv4", "duration", "hostname", "regex", "ipv6", "made-up"]
NAMES = ["a", "b", "ab", "name", "first name", "\u00e9t\u00e9", 'q"', "x-y", "type", "items"]
BOUNDS = [0, 1, 2, 5, 9, 10, 17, 99, 100, 123, 1000, -1, -5, -10, -99, 0.5, 1.25, -0.75, 2.5]


# ## Schemas

def bounds(rng, out, low, high, choices):
    ends = sorted(rng.sample(choices, 2))
    if rng.random() < 0.6:
        out[rng.choice(low)] = ends[0]
    if rng.random() < 0.6:
        out[rng.choice(high)] = ends[1]


def scalar(rng):
    kind = rng.choice(["string", "string", "integer", "integer", "number", "number", "boolean", "null"])
    out = {"type": kind}
    if kind == "string":
        chance = rng.random()
        if chance < 0.3:
            out["pattern"] = rng.choice(PATTERNS)
        elif chance < 0.5:
            out["format"] = rng.choice(FORMATS)
        if rng.random() < 0.3:
            bounds(rng, out, ["minLength"], ["maxLength"], [0, 1, 2, 3, 5, 8, 40])
    if kind == "integer":
        bounds(rng, out, ["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"],
               [b for b in BOUNDS if isinstance(b, int)])
    if kind == "number":
        bounds(rng, out, ["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"], BOUNDS)
    if kind in ("integer", "number") and rng.random() < 0.2:
        out["multipleOf"] = rng.choice([1, 2, 3, 5, 10, 0.5, 0.01, 0.1, 0.25])
    return out


def listing(rng, depth):
    out = {"type": "array"}
    if rng.random() < 0.8:
        out["items"] = schema_at(rng, depth - 1)
    if rng.random() < 0.25:
        out["prefixItems"] = [schema_at(rng, depth - 1) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.4:
            out["items"] = False
    if rng.random() < 0.4:
        bounds(rng, out, ["minItems"], ["maxItems"], [0, 1, 2, 3, 4])
    if rng.random() < 0.2:
        out["uniqueItems"] = True
    if rng.random() < 0.05:
        out["contains"] = {"type": "string"}
    return out


def record(rng, depth):
    names = rng.sample(NAMES, rng.randint(0, 4))
    out = {"type": "object", "properties": {n: schema_at(rng, depth - 1) for n in names}}
    required = [n for n in names if rng.random() < 0.4]
    if required:
        out["required"] = required
    chance = rng.random()
    if chance < 0.2:
        out["additionalProperties"] = schema_at(rng, 0)
    elif chance < 0.4:
        out["additionalProperties"] = False
    elif chance < 0.5:
        out["patternProperties"] = {rng.choice(PATTERNS[:12]): schema_at(rng, 0)}
    if rng.random() < 0.15:
        bounds(rng, out, ["minProperties"], ["maxProperties"], [0, 1, 2, 3])
    if rng.random() < 0.1:
        out["propertyNames"] = rng.choice([{"enum": NAMES[:5]}, {"maxLength": 4}, {"pattern": "^[a-z]+$"}])
    if len(names) > 1 and rng.random() < 0.15:
        out["dependentRequired"] = {names[0]: [names[1]]}
    if names and rng.random() < 0.05:
        out["if"] = {"required": [names[0]]}
        out["then"] = {"minProperties": 2}
    return out


def choice(rng, depth):
    key = rng.choice(["anyOf", "anyOf", "oneOf", "allOf"])
    if key == "oneOf" and rng.random() < 0.5:
        tagged = [{"type": "object", "properties": {"kind": {"const": k}, k: schema_at(rng, 0)}, "required": ["kind"]}
                  for k in ("circle", "square")]
        return {key: tagged}
    return {key: [schema_at(rng, depth - 1) for _ in range(rng.randint(1, 3))]}


def schema_at(rng, depth):
    chance = rng.random()
    if chance < 0.04:
        return rng.choice([{}, True, {"type": ["string", "null"]}, {"type": ["integer", "boolean", "object"]}])
    if chance < 0.12:
        return {"enum": rng.sample(STRINGS, 2) + rng.sample(NUMBERS, 1) + [None, [1, "b"], {"k": 0}][:rng.randint(0, 3)]}
    if chance < 0.16:
        return {"const": rng.choice(STRINGS + NUMBERS + [[], {}, None, {"a": [1]}])}
    if chance < 0.2:
        return {"$ref": "#/$defs/" + rng.choice(["node", "small"])}
    if chance < 0.23:
        return {"type": rng.choice(["string", "integer"]), "not": rng.choice([{"type": "null"}, {"const": "a"}])}
    if depth <= 0 or chance < 0.55:
        return scalar(rng)
    return rng.choice([listing, record, record, choice])(rng, depth)


def schema(rng):
    out = record(rng, 3)
    out["$defs"] = {"node": {"type": "object", "properties": {"v": scalar(rng), "next": {"$ref": "#/$defs/node"}}},
                    "small": scalar(rng)}
    return out


# ## Values

def like_pattern(rng, pattern):
    try:
        return regex_sample(rng, pattern.replace("(?=a)", "a"))
    except (re.error, ValueError):
        return rng.choice(STRINGS)


def a_string(rng, schema):
    if "pattern" in schema and rng.random() < 0.8:
        return like_pattern(rng, schema["pattern"])
    text = rng.choice(STRINGS)
    while len(text) < schema.get("minLength", 0):
        text += rng.choice("ab\u00e9 \"\n")
    return text[:int(schema.get("maxLength", 1000))] if rng.random() < 0.9 else text


def a_number(rng, schema, whole):
    near = [schema[k] for k in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") if k in schema]
    number = rng.choice(NUMBERS + near * 8)
    number += rng.choice([0, 0, 0, 1, -1, 0.5, -0.25])
    step = schema.get("multipleOf")
    if step and rng.random() < 0.8:
        number = round(round(number / step) * step, 6)
    return int(number) if whole or number == int(number) else round(number, 6)


def an_array(rng, schema, root, depth):
    prefix = schema.get("prefixItems", [])
    items = schema.get("items", True)
    count = rng.randint(int(schema.get("minItems", 0)), int(min(schema.get("maxItems", 4), 6)) + 0) \
        if schema.get("minItems", 0) <= schema.get("maxItems", 4) else 0
    out = [value(rng, prefix[i] if i < len(prefix) else items, root, depth + 1) for i in range(count)]
    return [v for v in out if v is not NOTHING]


def an_object(rng, schema, root, depth):
    out = {}
    for name, sub in schema.get("properties", {}).items():
        if name in schema.get("required", []) or rng.random() < 0.5:
            out[name] = value(rng, sub, root, depth + 1)
    for name in schema.get("required", []):
        if name not in out:
            out[name] = value(rng, schema.get("additionalProperties", True), root, depth + 1)
    others = list(schema.get("patternProperties", {}).items())
    more = schema.get("additionalProperties", None)
    lists_names = any(key in schema for key in ("properties", "required", "patternProperties"))
    if more is not None and more is not False or not lists_names and more is None:
        others.append(("^[a-z]{1,3}$", True if more is None else more))
    for pattern, sub in others:
        for _ in range(rng.randint(0, 2)):
            name = like_pattern(rng, pattern)
            if re.search(pattern, name) and name not in schema.get("properties", {}):
                out.setdefault(name, value(rng, sub, root, depth + 1))
    return {k: v for k, v in out.items() if v is not NOTHING}


NOTHING = object()


def merged(schema, other):
    out = dict(schema)
    for key, sub in other.items() if isinstance(other, dict) else ():
        if key == "properties" and isinstance(out.get(key), dict):
            out[key] = {**out[key], **sub}
        elif key == "required" and key in out:
            out[key] = out[key] + [n for n in sub if n not in out[key]]
        else:
            out.setdefault(key, sub)
    return out


def value(rng, schema, root, depth=0):
    if schema is True or schema == {}:
        return rng.choice([None, True, 1, "a", [], {}, [1, "b"], {"x": {"y": []}}, -2.5])
    if schema is False or depth > 9:
        return NOTHING
    for key in ("$ref", "allOf", "anyOf", "oneOf"):
        if key not in schema:
            continue
        rest = {k: v for k, v in schema.items() if k != key}
        if key == "$ref":
            found = root
            for step in schema[key].split("/")[1:]:
                found = found[step.replace("~1", "/").replace("~0", "~")]
            return value(rng, merged(rest, found) if isinstance(found, dict) else found, root, depth + 1)
        subs = schema[key] if key == "allOf" else [rng.choice(schema[key])]
        for sub in subs:
            rest = merged(rest, sub) if isinstance(sub, dict) else rest
        if len(schema[key]) > 1 and "properties" in rest:  # another name may make it one of another alternative
            rest = {k: v for k, v in rest.items() if k not in ("additionalProperties", "patternProperties")}
        return value(rng, rest, root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema.get("type", ["object", "string", "integer"])
    kind = rng.choice(kind) if isinstance(kind, list) else kind
    if kind == "null":
        return None
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "string":
        return a_string(rng, schema)
    if kind in ("integer", "number"):
        return a_number(rng, schema, kind == "integer")
    return an_array(rng, schema, root, depth) if kind == "array" else an_object(rng, schema, root, depth)


def places(value, path=()):
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield from places(part, path + (key,))


def slip(rng, value):
    """The value with one thing wrong: a member or item gone, another type, a number or text beside it."""
    out = copy.deepcopy(value)
    if out is NOTHING or not isinstance(out, (dict, list)):
        return {"a": 1}
    path = rng.choice(list(places(out)))
    if not path:
        return rng.choice([[out], "x", None, {**out, "zzz": 1} if isinstance(out, dict) else 0])
    holder = out
    for key in path[:-1]:
        holder = holder[key]
    old = holder[path[-1]]
    if rng.random() < 0.4:
        del holder[path[-1]]
    elif isinstance(old, (int, float)) and not isinstance(old, bool) and rng.random() < 0.6:
        holder[path[-1]] = round(old + rng.choice([-1, 1, -100, 1000, 0.5, 0.01]), 6)
    elif isinstance(old, str) and rng.random() < 0.6:
        holder[path[-1]] = rng.choice([old + "!", old[1:], old * 3, ""])
    else:
        holder[path[-1]] = rng.choice([None, True, 7, "x", [], {}, 1.5])
    return out


def spell(value):
    """As JSON: compact, nothing escaped that need not be, no exponents."""
    return json.dumps(None if value is NOTHING else value, separators=(",", ":"), ensure_ascii=False)


def is_canonical(text):
    """Written as grammars write it: an object, no whole number with a point, no exponent. The order of names cannot be
    seen from here; a slip puts none elsewhere."""
    return text.startswith("{") and not re.search(r"\d\.0+(?!\d)|\d[eE][+-]?\d", re.sub(r'"(\\.|[^"\\])*"', '""', text))


# ## Texts of regular expressions

def regex_sample(rng, pattern):
    return "".join(walk(rng, parser.parse(pattern)))


def one_of(rng, items):
    inverted = str(items[0][0]) == "NEGATE"

    def fits(code):
        for op, arg in items[inverted:]:
            op = str(op)
            if op == "LITERAL" and code == arg or op == "RANGE" and arg[0] <= code <= arg[1]:
                return True
            if op == "CATEGORY" and re.match({"DIGIT": r"[0-9]", "SPACE": r"[ \n\t]", "WORD": r"[A-Za-z0-9_]"}.get(
                    str(arg).rsplit("_", 1)[-1], "x"), chr(code)):
                return True
        return False
    if not inverted:
        known = [a for a in items if str(a[0]) in ("LITERAL", "RANGE")]
        if known:
            op, arg = rng.choice(known)
            return arg if str(op) == "LITERAL" else rng.randint(*arg)
    for _ in range(500):
        code = rng.choice([rng.randint(32, 126), rng.randint(32, 126), 0xE9, 0x20AC, 0x1F600, 0x7F, 0x2028])
        if fits(code) != inverted:
            return code
    raise ValueError("a class of which nothing usual is left")


def walk(rng, parsed):
    for op, arg in parsed:
        op = str(op)
        if op == "LITERAL":
            yield chr(arg)
        elif op == "NOT_LITERAL":
            yield chr(next(c for c in iter(lambda: rng.randint(32, 126), None) if c != arg))
        elif op == "ANY":
            yield rng.choice("ab1 .\u00e9")
        elif op == "IN":
            yield chr(one_of(rng, arg))
        elif op == "BRANCH":
            yield from walk(rng, rng.choice(arg[1]))
        elif op == "SUBPATTERN":
            yield from walk(rng, arg[-1])
        elif op in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inside = arg
            for _ in range(min(least + rng.choice([0, 0, 1, 1, 2, 3]), int(most))):
                yield from walk(rng, inside)
        elif op not in ("AT",):
            raise ValueError(op)
