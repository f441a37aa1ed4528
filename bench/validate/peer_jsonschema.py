#!/usr/bin/env python3
"""@sourcemeta/jsonschema, a command line over the Blaze library, on the calls of bench_validate.c:

    peer_jsonschema.py PROGRAM SCHEMAS CALLS [RUNS]

It is no library that a loop could call, so it is given each schema with all its calls as JSON lines,
and two figures are taken. "jsonschema" is text in and verdict out: CPU time of `validate --fast` on
the lines, less that of its first line alone, which has the start-up and the compiling in it; calls
that are wrong or no JSON are left out, for it prints those, and so are schemas with fewer than FEW
calls. "jsonschema (parsed)" is its own count (--benchmark --loop): evaluating alone, of documents
that were read before, wrong ones among them. The median of RUNS (7)."""
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

FEW = 20  # fewer calls than this take less than starting the program varies
DRAFT = "https://json-schema.org/draft/2020-12/schema"
PROGRAM, SCHEMAS, CALLS = sys.argv[1:4]
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 7
VERDICT = re.compile(r"^.*: (PASS|FAIL) ([0-9.]+) \+- ", re.MULTILINE)


def cpu_of(*arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([PROGRAM, "validate", "--fast", *arguments], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 2):
        sys.exit("jsonschema cannot run: " + done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done


def write(path, text):
    with open(path, "wb") as out:
        out.write(text)
    return path


def read_calls():
    by_tool = {}
    with open(CALLS, "rb") as lines:  # some are cut in the middle of a character
        for line in lines:
            tool, expected, text = line.split(b"\t", 2)
            if expected != b"2":
                by_tool.setdefault(int(tool), []).append((expected == b"1", text))
    return by_tool


def text_to_verdict(schema, calls, folder):
    """Nanoseconds of all valid calls together, and how many; None: too few."""
    valid = [text for fine, text in calls if fine]
    if len(valid) < FEW:
        return None
    one = write(os.path.join(folder, "one.jsonl"), valid[0])
    every = write(os.path.join(folder, "every.jsonl"), b"".join(valid))
    times = []
    for _ in range(RUNS):
        seconds, done = cpu_of(schema, every)
        if done.returncode:
            sys.exit("jsonschema refuses a valid call: " + done.stderr[:500])
        times.append(seconds - cpu_of(schema, one)[0])
    return statistics.median(times) * 1e9, len(valid) - 1


def parsed(schema, calls, folder):
    """Nanoseconds of all calls together, and how many verdicts differ."""
    every = write(os.path.join(folder, "all.jsonl"), b"".join(text for _, text in calls))
    _, done = cpu_of("--benchmark", "--continue", "--loop", str(max(RUNS, 2)), schema, every)
    verdicts = VERDICT.findall(done.stdout)
    if len(verdicts) != len(calls):
        sys.exit("jsonschema gave %d verdicts for %d calls" % (len(verdicts), len(calls)))
    passed = sum(verdict == "PASS" for verdict, _ in verdicts)
    differ = abs(passed - sum(fine for fine, _ in calls))
    return sum(float(time) for _, time in verdicts) * 1e3, differ


def show(name, calls, nanoseconds, differ):
    print(json.dumps({"name": name, "calls": calls, "ns_per_call": round(nanoseconds / max(calls, 1), 1),
                      "disagree": differ}, separators=(",", ":")))


def main():
    with open(SCHEMAS, encoding="utf-8") as file:
        schemas = json.load(file)
    whole, whole_calls, inner, inner_calls, differ = 0.0, 0, 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for tool, calls in sorted(read_calls().items()):
            document = {"$schema": DRAFT, **schemas[tool]["schema"]}
            schema = write(os.path.join(folder, "schema.json"), json.dumps(document).encode())
            timed = text_to_verdict(schema, calls, folder)
            if not timed:
                continue
            nanoseconds, other = parsed(schema, calls, folder)
            whole, whole_calls = whole + timed[0], whole_calls + timed[1]
            inner, inner_calls, differ = inner + nanoseconds, inner_calls + len(calls), differ + other
    if not whole_calls:
        print("# jsonschema: too few calls of each schema")
        return 0
    show("jsonschema", whole_calls, whole, 0)
    show("jsonschema (parsed)", inner_calls, inner, differ)
    return differ != 0


sys.exit(main())
