#!/usr/bin/env python3
"""The hostile table: schemas and instances that ask for as much work as they can, and what gramc
takes for them. Each has its answer, or a limit by name, within 2 s for the schema (measured with
null for an instance) and 0.2 s and 0.1 us a byte for the instance, in CPU time.

usage: hostile.py GRAMC [SCALE]

SCALE multiplies the sizes (1 by default). Ends with 1 if a bound was not kept."""
import json
import os
import resource
import subprocess
import sys
import tempfile

GRAMC = os.path.abspath(sys.argv[1])
SCALE = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
failed = []


def many(count):
    return max(1, int(count * SCALE))


def write(path, value):
    with open(path, "w") as out:
        out.write(value if isinstance(value, str) else json.dumps(value, separators=(",", ":")))


def cpu_of(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def least_cpu(command):
    """Of two runs, since another program may be in the way of one."""
    first, done = cpu_of(command)
    return min(first, cpu_of(command)[0]), done


def answer_of(done):
    said = done.stderr.decode(errors="replace").strip().split("\n")[-1]
    if done.returncode == 2:
        return "limit: " + said.rsplit(": ", 1)[-1]
    return {0: "valid", 1: "invalid"}.get(done.returncode, "exit %d" % done.returncode)


def case(name, options, schema, instance):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, "s.json"), os.path.join(folder, "i.json")]
        write(paths[0], schema)
        write(paths[1], instance)
        size = os.path.getsize(paths[1])
        seconds, done = least_cpu([GRAMC, "validate"] + options.split() + paths)
        write(paths[1], "null")
        compiling, _ = least_cpu([GRAMC, "validate"] + options.split() + paths)
    judging, bound = max(0.0, seconds - compiling), 0.2 + 1e-7 * size
    print("%-28s %10d bytes %7.3f s of 2.00, %7.3f s of %5.2f  %s"
          % (name, size, compiling, judging, bound, answer_of(done)), flush=True)
    if compiling > 2.0 or judging > bound or done.returncode not in (0, 1, 2):
        failed.append(name)


def nested(depth, bottom):
    return '{"args":[' * depth + bottom + '],"op":"and"}' * depth


def expression(op):
    args = {"type": "array", "items": {"$ref": "#/$defs/e"}}
    return {"type": "object", "properties": {"args": args, "op": {"const": op}}, "required": ["op", "args"]}


names = ["n%d" % i for i in range(many(100000))]
case("coerced-items", "--normalise --coerce", {"items": {"type": "integer"}}, ["7"] * many(1000000))
case("defaults", "--normalise", {"properties": {n: {"default": 1} for n in names}}, {})
case("defaults-left-out", "--normalise",
     {"properties": {n: {"default": 1} for n in names[:len(names) // 10]}, "maxProperties": 3}, {"a": 1})
case("pattern", "", {"items": {"pattern": "^((a+)+|.*)$"}}, ["a" * 30 + "!"] * many(20000))
case("dependent-required", "", {"dependentRequired": {n: ["n0"] for n in names}}, {n: 1 for n in names})
case("dependent-schemas", "", {"dependentSchemas": {n: {"required": ["n0"]} for n in names[:len(names) // 10]}},
     {n: 1 for n in names[:len(names) // 10]})
case("references", "", {"anyOf": [{"$ref": "#/$defs/" + n} for n in names],
                        "$defs": {n: {"const": n} for n in names}}, "0")
case("anchors", "", {"anyOf": [{"$ref": "#" + n} for n in names],
                     "$defs": {n: {"$anchor": n, "const": n} for n in names}}, "0")
case("patterns", "", {"patternProperties": {"^" + n: {} for n in names[:len(names) // 2]}}, {"a": 1})
case("nested-alternatives", "", {"$ref": "#/$defs/e", "$defs": {
    "e": {"oneOf": [expression(op) for op in ("and", "or", "not", "xor")]}}},
    nested(min(450, many(450)), '{"args":[],"op":"xor"}'))
case("nested-alternatives-wrong", "--normalise --coerce", {"$ref": "#/$defs/e", "$defs": {
    "e": {"oneOf": [expression(op) for op in ("and", "or", "not", "xor")]}}},
    nested(min(450, many(450)), '{"args":[],"op":"nor"}'))
case("defaults-in-defaults", "--normalise", {"properties": {
    n: {"$ref": "#", "default": {}} for n in names[:60]}}, {})
case("defaults-across", "--normalise", {"$ref": "#/$defs/n0", "$defs": {
    a: {"properties": {b: {"$ref": "#/$defs/" + b, "default": {}} for b in names[:12]}} for a in names[:12]}}, {})
case("maps-across", "--normalise", {"$ref": "#/$defs/n0", "$defs": {
    a: {"properties": dict([(b, {"$ref": "#/$defs/" + b, "default": {}}) for b in names[:12]]
                           + [("own%d" % i, {"default": [i]}) for i in range(300)])} for a in names[:12]}},
     {n: {} for n in names[:3]})
case("patterns-and-members", "", {"patternProperties": {"^x%d$" % i: {"type": "integer"} for i in range(2000)}},
     {n: 1 for n in names[:many(20000)]})
case("alternatives-refused-late", "", {"anyOf": [
    {"items": {"type": "integer"}, "prefixItems": [{}], "contains": {"const": -i - 1}} for i in range(1000)]},
    list(range(many(200000))))
case("wrong-items", "", {"items": {"type": "string"}}, list(range(many(1000000))))
case("unique", "", {"uniqueItems": True}, [[i] for i in range(many(300000))])
case("same-place", "", {"$ref": "#/$defs/d0", "$defs": dict(
    [("d%d" % i, {"allOf": [{"$ref": "#/$defs/d%d" % (i + 1)}] * 2}) for i in range(60)]
    + [("d60", {"type": "object"})])}, {"a": 1})
if failed:
    sys.exit("over the bound: " + ", ".join(failed))
