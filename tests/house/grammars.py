"""What the grammars of `compile --target gbnf` and `regex` accept, the validator accepts, and the other way
round in the order of the schema. Both are tried with random texts for every tool of the golden specs, for
real tools and for random schemas: texts of the grammars are judged by `gramc validate`, values of the
schemas and slips in them by both. The grammars give an object that lists names no others: what the
validator refuses as soon as the schema says so too, they may refuse.
    grammars.py SOURCE GRAMC [RECORD]

RECORD: a file for each grammar in GBNF with the texts it was asked about and what our recogniser said, for another judge.
A grammar may take less than the spec if a finding says so (G0815), and cannot see that a name or an item
comes twice (G0816); all else is a failure. How often each happened is printed and must not be never."""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SOURCE, GRAMC = pathlib.Path(sys.argv[1]), sys.argv[2]
RECORD = open(sys.argv[3], "w", encoding="utf-8") if len(sys.argv) > 3 else None
sys.path.insert(0, str(SOURCE / "tests/support"))
import gbnf  # noqa: E402
import schema_values  # noqa: E402

SEED = int(os.environ.get("GRAMC_SEED", "1"))
# Sanitizers make each start slow.
SCHEMAS = 3000 if os.environ.get("GRAMC_LONG") else 100 if os.environ.get("GRAMC_SANITIZED") == "1" else 300
TEXTS = 12
counts = collections.Counter()


def gramc(*words, text=None, fine=(0, 1)):
    done = subprocess.run([GRAMC, *words], input=text, capture_output=True, text=True, timeout=300,
                          encoding="utf-8")
    assert done.returncode in fine, f"{words}: {done.returncode}\n{done.stderr}"
    return done


REMOVED = "null for what is absent"


def judge(spec, tool, texts):
    """Why the validator refuses each text; None: it does not; REMOVED: it takes it for a shorter one."""
    if not texts:
        return []
    done = gramc("validate", "--lines", "--format", "verdict", f"{spec}#{tool}", "-", text="\n".join(texts) + "\n")
    lines = done.stdout.split("\n")[:-1]
    assert len(lines) == len(texts), f"{spec}#{tool}: {len(lines)} verdicts of {len(texts)}\n{done.stderr}"
    verdicts = [json.loads(line) for line in lines]
    return [line if not v["valid"] else REMOVED if any(c["kind"] == "removed" for c in v["changes"]) else None
            for v, line in zip(verdicts, lines)]


def closed(schema):
    """The schema with objects that have the names they list, and no others."""
    if isinstance(schema, list):
        return [closed(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    out = {k: v if k in ("const", "enum", "default", "examples") else closed(v) for k, v in schema.items()}
    if isinstance(out.get("properties"), dict) or out.get("required"):
        out.setdefault("additionalProperties", False)
    return out


def needs_other_names(schema, text):
    with tempfile.TemporaryDirectory() as work:
        file = pathlib.Path(work, "closed.schema.json")
        file.write_text(json.dumps(closed(schema)))
        return '"valid":true' not in gramc("validate", "--no-config", "--assert-formats", "--lines", "--format", "verdict",
                                           str(file), "-", text=text + "\n").stdout[:20]


def only_repeats(verdict):
    keywords = re.findall(r'"keyword":"([^"]*)"', verdict)
    return keywords and all(k in ("duplicate", "uniqueItems") for k in keywords)


class Tool:
    def __init__(self, spec, name, schema, grammar, regex, findings):
        self.spec, self.name, self.schema = spec, name, schema
        self.grammar = gbnf.Grammar(grammar)
        self.source, self.asked = grammar, {}
        self.regex = re.compile(regex)
        self.findings = findings  # by target, codes

    def accepts(self, target, text):
        if target != "gbnf":
            return bool(self.regex.match(text))
        self.asked[text] = self.grammar.accepts(text)
        return self.asked[text]

    def record(self):
        if RECORD:
            RECORD.write(json.dumps({"tool": f"{self.spec}#{self.name}", "grammar": self.source, "asked": self.asked}) + "\n")

    def fail(self, what, text):
        raise SystemExit(f"{self.spec}#{self.name}: {what}\n{text}\n{json.dumps(self.schema)}")

    def texts_of_the_grammars(self, rng):
        samples = [self.grammar.sample(rng) for _ in range(TEXTS)]
        for text in samples:
            if not self.accepts("gbnf", text):
                self.fail("the recogniser refuses what was made by the grammar", text)
        others = [schema_values.regex_sample(rng, self.regex.pattern) for _ in range(TEXTS)]
        for text in others:
            if not self.regex.match(text):
                self.fail("the regular expression refuses what was made by it", text)
        for target, texts in (("gbnf", samples), ("regex", others)):
            for text, why in zip(texts, judge(self.spec, self.name, texts)):
                counts[f"texts of {target}"] += 1
                repeated = why and only_repeats(why) and "G0816" in self.findings[target]
                counts["twice the same"] += bool(repeated)
                if why and not repeated:
                    self.fail(f"the grammar ({target}) accepts what the validator refuses: {why[:400]}", text)

    def values_of_the_schema(self, rng):
        values = [schema_values.value(rng, self.schema, self.schema) for _ in range(TEXTS)]
        slips = [schema_values.slip(rng, v) for v in values for _ in range(2)]
        texts = [schema_values.spell(v) for v in values + slips]
        for text, why in zip(texts, judge(self.spec, self.name, texts)):
            for target in ("gbnf", "regex") if why != REMOVED else ():
                accepted = self.accepts(target, text)
                if why:
                    counts[f"refused by both, {target}"] += not accepted
                    if accepted and not ("G0816" in self.findings[target] and only_repeats(why)):
                        self.fail(f"the grammar ({target}) accepts what the validator refuses: {why[:400]}", text)
                    continue
                if accepted:
                    counts[f"accepted by both, {target}"] += 1
                elif "G0815" in self.findings[target]:
                    counts[f"left out and told, {target}"] += 1
                elif not schema_values.is_canonical(text):
                    counts["in another spelling"] += 1
                elif needs_other_names(self.schema, text):
                    counts["with names that are not listed"] += 1
                else:
                    self.fail(f"the grammar ({target}) refuses what the validator accepts", text)


def by_name(output, member):
    return {t["name"]: t[member] for t in json.loads(output)}


def tools_of(spec):
    """Each tool that has grammars. A spec with one that has none is printed for nobody."""
    schemas = gramc("compile", str(spec), "--target", "json-schema", fine=(0, 1, 2))
    if schemas.returncode:
        counts["specs with errors, several agents or other files"] += 1
        return
    found = {}
    for target, member in (("gbnf", "grammar"), ("regex", "regex")):
        printed = gramc("compile", str(spec), "--target", target + "-arguments")
        if printed.returncode:
            counts["without grammar"] += 1
            assert "G0817" in printed.stderr, printed.stderr
            return
        found[target] = by_name(printed.stdout, member), printed.stderr
    for tool in json.loads(schemas.stdout):
        name = tool.get("name")
        if name is None:
            continue
        codes = {target: set(re.findall(r"G08\d\d", found[target][1])) for target in found}
        yield Tool(spec, name, tool["parameters"], found["gbnf"][0][name], found["regex"][0][name], codes)


def try_spec(spec, rng):
    for tool in tools_of(spec):
        tool.texts_of_the_grammars(rng)
        tool.values_of_the_schema(rng)
        tool.record()
        counts["tools"] += 1


def try_calls(spec):
    """A whole call of each tool, with arguments by the grammar."""
    rng = random.Random(SEED)
    grammar = gbnf.Grammar(gramc("compile", spec, "--target", "gbnf").stdout)
    regex = re.compile(gramc("compile", spec, "--target", "regex").stdout.rstrip("\n"))
    schema = json.loads(gramc("compile", spec, "--target", "json-schema-call").stdout)
    samples = [grammar.sample(rng) for _ in range(60)]
    names = {json.loads(s)["name"] for s in samples}
    wanted = {call["properties"]["name"]["const"] for call in schema["anyOf"]}
    assert names == wanted, f"{names} of {wanted}"
    with tempfile.TemporaryDirectory() as work:
        file = pathlib.Path(work, "call.schema.json")
        file.write_text(json.dumps(schema))
        lines = gramc("validate", "--no-config", "--assert-formats", "--lines", "--format", "verdict", str(file), "-",
                      text="\n".join(samples) + "\n").stdout.split("\n")[:-1]
    for text, line in zip(samples, lines, strict=True):
        assert '"valid":true' in line[:20] or only_repeats(line), f"{line}\n{text}"
        counts["calls"] += 1
    for name in wanted:
        assert not grammar.accepts(json.dumps({"name": name + "x", "arguments": {}}))
        assert not regex.match(json.dumps({"name": name, "arguments": 1}))


def golden_specs(work):
    """The files of the golden cases that declare types or tools, and specs with targets' own."""
    for case in sorted((SOURCE / "tests/golden/cases").glob("*.test")):
        text = case.read_bytes().decode("utf-8", "replace")
        if "compile" not in text.split("\n", 1)[0] or ":Tool" not in text:
            continue
        found = re.search(r"^--- file in\.gram\n(.*?)(?=^--- )", text, re.S | re.M)
        if found:
            path = pathlib.Path(work, case.stem + ".gram")
            path.write_text(found.group(1), encoding="utf-8")
            yield path
    yield from sorted((SOURCE / "specs").glob("*.gram"))
    yield SOURCE / "tests/data/targets/rich.gram"


def random_specs(work, rng):
    """Random schemas as specs, one tool each, so that one without grammar hides no other."""
    for i in range(SCHEMAS):
        tool = {"name": "t", "description": "d", "parameters": schema_values.schema(rng)}
        definition, spec = pathlib.Path(work, "tool.json"), pathlib.Path(work, f"random{i}.gram")
        definition.write_text(json.dumps(tool))
        gramc("import", str(definition), "-o", str(spec))
        if spec.exists():
            yield spec
        else:
            counts["not imported"] += 1


def real_specs(work):
    spec = pathlib.Path(work, "real.gram")
    gramc("import", str(SOURCE / "tests/data/tools.jsonl"), "-o", str(spec))
    yield spec


def main():
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as work:
        for spec in real_specs(work):
            try_spec(spec, rng)
        for spec in golden_specs(work):
            try_spec(spec, rng)
        for spec in random_specs(work, rng):
            try_spec(spec, rng)
    try_calls(str(SOURCE / "tests/data/targets/rich.gram"))
    for what, count in sorted(counts.items()):
        print(f"{count:7} {what}")
    for what in ("texts of gbnf", "texts of regex", "accepted by both, gbnf", "accepted by both, regex",
                 "refused by both, gbnf", "refused by both, regex", "calls"):
        assert counts[what] > 50, f"{what}: only {counts[what]}"
    assert counts["tools"] > SCHEMAS // 2, counts["tools"]


main()
