#!/usr/bin/env python3
"""Says of each row of rows.tsv whether it holds: seeds.py SOURCE_FOLDER BUILD_FOLDER

Runs what the row names and nothing else; a proof that is not there is a failure. Prints a line a
row: pass, fail or missing. Exit status 1 if a row fails or is missing."""
import collections
import os
import pathlib
import re
import subprocess
import sys

SOURCE, BUILD = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
Row = collections.namedtuple("Row", "id what proofs missing")


def read_rows():
    for line in (SOURCE / "tests/seeds/rows.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, what, rest = line.split("\t")
        proofs, _, missing = rest.partition("missing:")
        yield Row(name, what, proofs.split(), missing)


def run_unit(program):
    """The cases of a program that went well, and whether all did."""
    environment = dict(os.environ, GRAMC_SOURCE_DIR=str(SOURCE), GRAMC_BUILD_DIR=str(BUILD))
    done = subprocess.run([BUILD / "tests" / program], cwd=BUILD / "tests", env=environment,
                          capture_output=True, text=True, errors="replace")
    return set(re.findall(r"^\[       OK \] (\w+)", done.stdout + done.stderr, re.M)), done.returncode == 0


def run_golden():
    """All golden cases that hold, as paths under tests/golden."""
    folder = SOURCE / "tests/golden"
    done = subprocess.run([BUILD / "tests/golden", folder / "cases", folder / "run"],
                          capture_output=True, text=True, errors="replace")
    failed = set(re.findall(r"^FAILED (\S+\.test):", done.stdout + done.stderr, re.M))
    if not re.search(r"^\d+ cases passed", done.stdout + done.stderr, re.M):
        return set()
    return {str(path.relative_to(folder)) for path in folder.glob("*/*.test") if str(path) not in failed}


def run_script(name, case):
    """Whether a script beside this one ends well."""
    script = SOURCE / "tests/seeds" / name
    done = subprocess.run([sys.executable, script, case, SOURCE, BUILD / "bin/gramc"], capture_output=True, text=True)
    sys.stderr.write(done.stdout + done.stderr)
    return done.returncode == 0


class Proofs:
    def __init__(self):
        self.programs, self.cases = {}, run_golden()

    def hold(self, proof):
        kind, name, *case = proof.split(":")
        if kind == "golden":
            return name in self.cases
        if kind == "script":
            return run_script(name, *case)
        if kind != "unit" or not (BUILD / "tests" / name).is_file():
            return False
        if name not in self.programs:
            self.programs[name] = run_unit(name)
        passed, all_passed = self.programs[name]
        return case[0] in passed if case else all_passed


def main():
    proofs, count = Proofs(), collections.Counter()
    for row in read_rows():
        broken = [proof for proof in row.proofs if not proofs.hold(proof)]
        verdict = "fail" if broken or not (row.proofs or row.missing) else "missing" if row.missing else "pass"
        count[verdict] += 1
        why = "does not hold: " + " ".join(broken) if broken else row.missing
        print(f"{verdict:8}{row.id:5}{row.what}" + (f" ({why})" if why else ""))
    print(f"{count['pass']} passed, {count['fail']} failed, {count['missing']} missing")
    sys.exit(0 if count["pass"] == sum(count.values()) == 91 else 1)


main()
