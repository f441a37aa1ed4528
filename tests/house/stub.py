"""What gramc stub writes works before anything is filled in. For each language and kind, of a spec with every
type, of all in the tree that have tools, and of random ones (4, with GRAMC_LONG=1 150): it compiles without a
warning, binds, answers each call with what the result's schema accepts, and is called in a run. What is
in Python is fine for mypy --strict.
    stub.py SOURCE GRAMC WORK CC|- [NODE]     with NODE: TypeScript alone"""

import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

SOURCE, GRAMC, WORK, CC = sys.argv[1:5]
NODE = sys.argv[5] if len(sys.argv) > 5 else None
FLAGS = "-std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror".split()
KINDS = {"c": ["exec", "staying", "plugin"], "python": ["exec", "staying", "mcp"],
         "typescript": ["exec", "staying", "mcp"]}
FILES = {"c": "tools.c", "python": "tools.py", "typescript": "tools.ts"}
OPTIONS = {"tasks.gram": ["--input", "language=English", "--input", "expression=2 + 3"]}  # of a run
LONG = os.environ.get("GRAMC_LONG") == "1"
RANDOM = 150 if LONG else 4
# Sanitizers make each start slow, and what is printed is the same there (golden says so).
EVERY = 3 if os.environ.get("GRAMC_SANITIZED") == "1" and not LONG else 1
failures, calls = [], 0


def do(*command, cwd=None, stdin=""):
    path = (os.path.dirname(NODE) + ":" if NODE else "") + os.environ["PATH"]
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True, input=stdin,
                          timeout=120, env={**os.environ, "PATH": path, "NO_COLOR": "1"})
    return done.returncode, done.stdout, done.stderr


def check(good, *what):
    if not good:
        failures.append(what)
        print("FAILED:", *what, file=sys.stderr)
    return good


def sample(schema, root, depth=0):
    """Something plain that a simple schema accepts; gramc validate says whether it does."""
    if schema is True or not schema:
        return 1
    if "$ref" in schema:
        return sample(root["$defs"][schema["$ref"].split("/")[-1]], root, depth + 1)
    for word in ("const", "default"):
        if word in schema:
            return schema[word]
    if "enum" in schema:
        return schema["enum"][0]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return sample(schema[word][0], root, depth + 1)
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        wanted = {n: sample(s, root, depth + 1) for n, s in schema.get("properties", {}).items()
                  if n in schema.get("required", [])}
        while len(wanted) < schema.get("minProperties", 0):
            wanted[f"more{len(wanted)}"] = sample(schema.get("additionalProperties", True), root)
        return wanted
    if kind == "array":
        first = [sample(s, root, depth + 1) for s in schema.get("prefixItems", [])]
        more = max(0, schema.get("minItems", 0) - len(first))
        return first + [sample(schema.get("items", True), root, depth + 1)] * more
    if kind == "string":
        formats = {"date": "2024-02-29", "date-time": "2024-02-29T12:00:00Z"}
        return formats.get(schema.get("format"), "x" * max(1, schema.get("minLength", 1)) + "\u2028\u00e9\"\\")
    return {"integer": schema.get("minimum", 1), "number": 1.5, "boolean": True, "null": None}.get(kind, 1)


def build(language, kind, folder):
    """True if it compiles without a word."""
    if language == "python":
        command = ["python3", "-W", "error", "-m", "py_compile", "tools.py"]
    elif language == "typescript":
        command = [NODE, "--check", "tools.ts"]
    elif kind == "plugin":
        command = [CC, *FLAGS, "-I" + SOURCE + "/include", "-shared", "-fPIC", "-o", "tools.so", "tools.c"]
    else:
        command = [CC, *FLAGS, "-o", "tools", "tools.c"]
    code, out, said = do(*command, cwd=folder)
    return check(code == 0, language, kind, folder, out, said)


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def call_all(spec, library, tools, what):
    global calls
    for tool in tools:
        name, arguments = tool["name"], sample(tool["parameters"], tool["parameters"])
        path = library.parent / "value.json"
        path.write_text(json.dumps(arguments))
        code, out, said = do(GRAMC, "validate", f"{spec}#{name}", path)
        check(code == 0, "the test's own arguments", name, arguments, out, said)
        code, out, said = do(GRAMC, "call", "--trust", library, name, f"@{path}")
        calls += 1
        if not check(code == 0, what, name, out, said):
            continue
        result = tool.get("result", {})
        if result.get("type") == "null":
            check(out.strip() in ("", "null"), what, name, "said something", out)
            continue
        path.write_text(out if result.get("type") != "string" and is_json(out) else json.dumps(out.rstrip("\n")))
        code, out, said = do(GRAMC, "validate", "--result", f"{spec}#{name}", path)
        check(code == 0, what, name, "is no result", path.read_text(), out, said)


def try_one(spec, language, kind):
    what = f"{language} {kind} {spec}"
    folder = pathlib.Path(WORK, language, kind, pathlib.Path(spec).stem)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [GRAMC, "stub", spec, "--lang", language, "--kind", kind, "-o", folder]
    code, out, said = do(*command)
    if not check(code == 0, what, out, said):
        return
    code, _, said = do(*command)
    check(code == 2 and "--force" in said, what, "overwrites", said)
    check(do(*command, "--force")[0] == 0, what, "--force")
    tools = json.loads(do(GRAMC, "compile", spec)[1])
    text = (folder / FILES[language]).read_text()
    check(text.count("TODO") == len(tools), what, "TODOs", text.count("TODO"))
    printed = do(GRAMC, "stub", spec, "--lang", language, "--kind", kind)
    check(printed[1] == text, what, "prints something else than it writes")
    if not build(language, kind, folder):
        return
    library = folder / "tools.gram"
    check(do(GRAMC, "check", library)[0] == 0, what, "library", do(GRAMC, "check", library))
    check(do(GRAMC, "fmt", "--check", library)[0] == 0, what, "library's style", do(GRAMC, "fmt", "--diff", library)[1])
    code, out, said = do(GRAMC, "bind", "--trust", spec, "--library", library)
    check(code == 0, what, "bind", out, said)
    call_all(spec, library, tools, what)
    code, out, said = do(GRAMC, "run", spec, "--library", library, "--model", "mock", "--approve-all", "--trust", *OPTIONS.get(spec.name, []), "Hello")
    check(code == 0, what, "run", out, said)


def page():
    """The commands of docs/stub.md print what stands there."""
    folder = pathlib.Path(WORK, "page")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "specs").symlink_to(f"{SOURCE}/specs")
    block = re.search(r"```text\n(.*?)```", pathlib.Path(SOURCE, "docs/stub.md").read_text(), re.S)[1]
    for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
        command, _, printed = part.partition("\n")
        code, out, said = do("sh", "-c", f'gramc() {{ "{GRAMC}" "$@"; }}; {command} 2>&1', cwd=folder)
        check(out == printed, "docs/stub.md", command, out, printed)


# ## Specs

NAMES = """id class type None self args result value int main json _x x1 Any List NULL errno arguments await name
    constructor toString def stdin unix free print TOOLS call Promise camelCase UPPER in then index log""".split()


def some_type(rand, named, depth=0):
    """A type as a value of gram notation."""
    def inner():
        return some_type(rand, named, depth + 1)
    simple = ["Text", "Int", "Double", "Bool", "Long", "Date", *named, "{type: Int, range: 2..12}",
              '{type: Text, minLength: 3}', '{type: Text, enum: ["a b", "\\"", "None"]}', "{type: Int, enum: [3, 5]}"]
    if depth > 2 or rand.random() < 0.5:
        return rand.choice(simple)
    fields = rand.sample(NAMES + ["weird key", "a.b", "1st", "\u00e9"], rand.randint(1, 3))
    return rand.choice([
        lambda: f"{{type: Array, items: {inner()}, minItems: {rand.randint(0, 2)}}}",
        lambda: f"{{type: Map, values: {inner()}}}",
        lambda: "{type: Object, fields: [" + ", ".join(
            f'{{name: "{n}", type: {inner()}{rand.choice(["", ", optional: true"])}}}' for n in fields) + "]}",
        lambda: f"{{type: AnyOf, of: [{inner()}, Null, {inner()}]}}"])()


def parameter(rand, name, named):
    more = rand.choice(["", "", ", optional: true", ", nullable: true"])
    return f"({name}::AnyOf {{of: [{some_type(rand, named)}]{more}}})" if rand.random() < 0.2 else (
        f"({name}::{rand.choice(['Text', 'Int', 'Bool', *named])} {{description: \"?\"{more}}})")


def random_spec(seed):
    rand = random.Random(seed)
    named = [f"T{i}" for i in range(rand.randint(1, 4))]
    parts = [f"[{n}:Object | " + ", ".join(
        f"({f}::Array {{items: {some_type(rand, named)}, optional: true}})" if rand.random() < 0.4 else
        parameter(rand, f, named[:i]) for f in rand.sample(NAMES, rand.randint(1, 4))) + "]"
        for i, n in enumerate(named)]
    tools = []
    for name in rand.sample(NAMES, rand.randint(1, 6)):
        steps = [parameter(rand, n, named) for n in rand.sample(NAMES, rand.randint(0, 4))] or ["()"]
        result = rand.choice(["Text", "Null", *named, f"Array {{items: {some_type(rand, named)}}}",
                              f"Map {{values: {some_type(rand, named)}}}", f"AnyOf {{of: [{some_type(rand, named)}, Null]}}"])
        tools.append(f'[{name}:Tool {{description: "Does"}} | {"==>".join([*steps, f"(::{result})"])}]')
    agent = '[helper:Agent {description: "H", instruction: "x", model: "mock", temperature: 0} |\n'
    return "\n".join(parts) + "\n" + agent + ",\n".join(tools) + "\n]\n"


def specs():
    """Those with tools and one agent, which needs no tools of somebody else's library."""
    found = []
    for path in sorted(p for top in ("specs", "tests/data") for p in pathlib.Path(SOURCE, top).rglob("*.gram")):
        text = path.read_text()
        if re.search(r":Tool\b", text) and "ToolBox" not in text and len(re.findall(r":Agent\b", text)) == 1:
            found.append(path)
    check(len(found) >= 6, "specs with tools", found)
    folder = pathlib.Path(WORK, "random")
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(RANDOM):
        path = folder / f"random{seed}.gram"
        path.write_text(random_spec(seed))
        code, out, said = do(GRAMC, "check", path)
        if check(code == 0, "a random spec has findings", path, out, said):
            found.append(path)
    return found


def check_types():
    """One process for all programs in Python, each under a name of its own."""
    if not shutil.which("mypy"):
        check(os.environ.get("CI") != "true", "mypy is not installed")
        print("without mypy: the types in Python were not checked")
        return
    folder = pathlib.Path(WORK, "typed")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for i, path in enumerate(sorted(pathlib.Path(WORK, "python").rglob("tools.py"))):
        (folder / f"tools{i}.py").write_text(f"# {path}\n" + path.read_text())
    code, out, said = do("mypy", "--strict", "--cache-dir", folder / "cache", folder)
    check(code == 0, "mypy", out, said)


def main():
    languages = ["typescript"] if NODE else ["python", "c"]
    tried = 0
    for language in languages:
        shutil.rmtree(pathlib.Path(WORK, language), ignore_errors=True)
    for spec in specs()[::EVERY]:
        for language in languages:
            for kind in KINDS[language]:
                try_one(spec, language, kind)
                tried += 1
    if not NODE:
        check_types()
    page()
    code, _, said = do(GRAMC, "stub", f"{SOURCE}/specs/calculator.gram", "--lang", "c", "--kind", "mcp")
    check(code == 2 and "exec, staying, plugin" in said, "a kind that is not offered", code, said)
    print(f"{tried} skeletons, {calls} calls, {len(failures)} failures")
    sys.exit(1 if failures or not calls else 0)


main()
