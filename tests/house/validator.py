"""docs/validator.md is true: its program is compiled with nothing but gramc/schema.h and linked with
nothing but the library of the validator and PCRE2, and its console blocks are run in a folder that has the files that the page shows.
    validator.py SOURCE GRAMC LIBRARY CC"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE, GRAMC, LIBRARY, CC = sys.argv[1:]
PAGE = pathlib.Path(SOURCE, "docs/validator.md").read_text()
FLAGS = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I" + SOURCE + "/include"]
SANITIZERS = ["-fsanitize=address,undefined"] if os.environ.get("GRAMC_SANITIZED") else []


def files():
    """A block behind a line that ends in a file's name is that file."""
    named = re.findall(r"`([a-z.]+)`:\n\n```[a-z]+\n(.*?)```", PAGE, re.S)
    return {name: text for name, text in named}


def commands():
    """Each command with what it prints."""
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def compile_program(work):
    program = [CC, *FLAGS, *SANITIZERS, "weather.c", LIBRARY, "-lpcre2-8", "-o", "weather"]
    subprocess.run(program, cwd=work, check=True)
    needed = subprocess.run([CC, *FLAGS, "-MM", "weather.c"], cwd=work, check=True, text=True,
                            capture_output=True).stdout
    ours = sorted(re.findall(r"gramc/(\w+\.\w+)", needed.replace(SOURCE, "")))
    assert ours == ["gramc.h", "schema.h"], f"the program includes {ours}"
    cxx = [CC, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", FLAGS[-1]]
    subprocess.run([*cxx, "weather.c"], cwd=work, check=True)


def run(work, command):
    path = os.path.dirname(GRAMC) + ":" + os.environ["PATH"]
    done = subprocess.run(command, shell=True, cwd=work, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                          env={**os.environ, "PATH": path})
    return done.stdout


def main():
    shown, count = files(), 0
    assert set(shown) == {"weather.c", "weather.schema.json", "calls.jsonl"}, list(shown)
    lines = [line for line in shown["weather.c"].splitlines() if line.strip()]
    assert len(lines) <= 25, f"{len(lines)} lines are not a short program"
    with tempfile.TemporaryDirectory() as work:
        for name, text in shown.items():
            pathlib.Path(work, name).write_text(text)
        compile_program(work)
        for command, printed in commands():
            if command.startswith("cc "):
                continue
            got = run(work, command)
            assert got == printed, f"the page shows another output of: {command}\n{got}"
            count += 1
    assert count >= 4, f"only {count} commands were run"
    print(f"docs/validator.md: its program and {count} commands do as it says")


main()
