"""Speaks bowtie's protocol with bowtie_harness as bowtie does, one command after the other:
    bowtie.py HARNESS FOLDER
FOLDER has the cases in the layout of the official suite, a folder for each draft; what they refer to
comes along as the registry. Then what is wrong: a schema that cannot be compiled, an instance that
takes too much work, commands in the wrong order. Each must be answered, or end the program."""

import json
import pathlib
import re
import subprocess
import sys

HARNESS, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
MARK = "\uE000"  # in the texts of no case
LATEST = "https://json-schema.org/draft/2020-12/schema"


class Members(dict):
    """An object that keeps what is given twice."""

    def __init__(self, pairs):
        super().__init__(pairs)
        self.pairs = pairs

    def items(self):
        return self.pairs


def read(path):
    """Numbers keep their spelling: 1e400 is more than Python's numbers hold."""
    def mark(number):
        return MARK + number
    return json.loads(path.read_text(), parse_float=mark, parse_int=mark,
                      object_pairs_hook=Members)


def write(command):
    text = json.dumps(command, ensure_ascii=False)
    return re.sub(f'"{MARK}([^"]*)"', r"\1", text) + "\n"


class Harness:
    """Bowtie waits for each answer before it goes on: an answer that is kept back would hang here."""

    def __init__(self):
        self.process = subprocess.Popen([HARNESS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)

    def ask(self, **command):
        self.process.stdin.write(write(command))
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self, text):
        """Says the rest at once; what it is answered, and the status of the end."""
        out, _ = self.process.communicate(text, timeout=30)
        return out, self.process.returncode


def remotes():
    base = FOLDER / "remotes"
    return {"http://localhost:1234/" + path.relative_to(base).as_posix(): read(path)
            for path in sorted(base.rglob("*.json"))}


def draft_of(dialect):
    return "draft" + dialect.split("/draft")[1].split("/schema")[0].lstrip("/-0")


def run_draft(harness, dialect, registry):
    assert harness.ask(cmd="dialect", dialect=dialect) == {"ok": True}, dialect
    count = 0
    files = sorted((FOLDER / draft_of(dialect)).glob("*.json"))
    assert files, f"no cases of {dialect}"
    for path in files:
        for group in read(path):
            tests = [{"description": test["description"], "instance": test["data"]}
                     for test in group["tests"]]
            seq = f"{path.stem} {count}"
            case = {"description": group["description"], "schema": group["schema"],
                    "registry": registry, "tests": tests}
            answer = harness.ask(cmd="run", seq=seq, case=case)
            wanted = [{"valid": test["valid"]} for test in group["tests"]]
            assert answer == {"seq": seq, "results": wanted}, (path, group["description"], answer)
            count += len(tests)
    return count


def case_of(schema, *instances):
    return {"description": "", "schema": schema,
            "tests": [{"description": "", "instance": instance} for instance in instances]}


def trouble(harness):
    """Errors stay with their case; the next one is judged as if nothing had been."""
    assert harness.ask(cmd="dialect", dialect="https://example.com/none") == {"ok": False}
    assert harness.ask(cmd="dialect", dialect=LATEST) == {"ok": True}
    answer = harness.ask(cmd="run", seq=1, case=case_of({"$ref": "http://localhost:1234/none"}, 1))
    assert answer["seq"] == 1 and answer["errored"] and "none" in answer["context"]["message"], answer
    pattern = {"items": {"pattern": "^((a+)+|.*)$"}}
    answer = harness.ask(cmd="run", seq=2, case=case_of(pattern, ["a" * 50 + "\n"] * 20000, ["a"]))
    assert answer["results"][1] == {"valid": True}, answer
    message = answer["results"][0]["context"]["message"]
    assert answer["results"][0]["errored"] and "backtracking" in message, answer
    answer = harness.ask(cmd="run", seq=[3], case=case_of({"type": "null"}, None, 0))
    assert answer == {"seq": [3], "results": [{"valid": True}, {"valid": False}]}, answer
    old = {"$schema": "http://json-schema.org/draft-07/schema#", "dependentRequired": {"a": ["b"]}}
    answer = harness.ask(cmd="run", seq=4, case=case_of(old, {"a": 1}))
    assert answer["results"] == [{"valid": True}], "a schema that says its draft is read by another"


def wrong_order():
    for text in ['{"cmd": "run", "seq": 1}\n', '{"cmd": "start", "version": 2}\n', "[]\n", "{\n",
                 '{"cmd": "start", "version": 1}\n{"cmd": "run", "seq": 1}\n',
                 '{"cmd": "start", "version": 1}\n{"cmd": "jump"}\n',
                 '{"cmd": "start", "version": 1}\n', ""]:
        _, status = Harness().end(text)
        assert status == 2, (text, status)


def main():
    harness = Harness()
    started = harness.ask(cmd="start", version=1)
    about = started["implementation"]
    assert started["version"] == 1 and about["name"] == "gramc" and about["language"] == "c", started
    for name in ("version", "homepage", "issues", "source"):
        assert about[name], f"no {name}"
    registry = remotes()
    counts = {draft_of(d): run_draft(harness, d, registry) for d in about["dialects"]}
    assert len(counts) >= 5 and min(counts.values()) >= 20, counts
    trouble(harness)
    assert harness.end('{"cmd": "stop"}\n') == ("", 0)
    wrong_order()
    print(f"bowtie's protocol: {sum(counts.values())} instances as the cases say, by draft {counts}")


main()
