#!/usr/bin/env python3
"""The table of large specs: what `gramc check`, `compile`, `fmt`, `diff` and `import` take for them, in
processor time, at a size and at four times that size. Four times the size may take at most eight times as
long (time that is too short to measure apart), and each row keeps its bound in seconds.

usage: hostile.py GRAMC [--only WORD] [--scale N] [--openapi MB]

Ends with 1 if a bound was not kept."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

import shapes

FLOOR = 0.05  # below this a ratio says nothing
MOST_RATIO = 8.0


def run(command, folder):
    """Processor time, peak memory in MiB, and how it ended; the better of two runs if it is short."""
    best = None
    for _ in range(2):
        pid = os.fork()
        if pid == 0:
            devnull = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(devnull, fd)
            resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT))
            os.chdir(folder)
            os.execv(command[0], command)
        _, status, used = os.wait4(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        seconds = used.ru_utime + used.ru_stime
        best = (seconds, used.ru_maxrss / 1024, code) if not best or seconds < best[0] else best
        if seconds > 1:
            break
    return best


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write(text)
    return os.path.getsize(path)


def row(name, small, large, bytes_, bound):
    ratio = large[0] / max(small[0], FLOOR / 4)
    over = large[0] > bound or (large[0] > FLOOR and ratio > MOST_RATIO) or large[2] not in (0, 1)
    print("%-34s %10d bytes %7.3f s, x4 %7.3f s (%4.1f) of %5.2f %6.0f MiB  exit %d%s"
          % (name, bytes_, small[0], large[0], ratio, bound, large[1], large[2], "  OVER" if over else ""), flush=True)
    return over


def case(gramc, name, make, count, commands):
    over = False
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "small.gram", make(count))
        size = write(folder, "large.gram", make(4 * count))
        write(folder, "large2.gram", make(4 * count).replace('"t"', '"u"'))
        write(folder, "small2.gram", make(count).replace('"t"', '"u"'))
        for command in commands:
            results = []
            for which in ("small", "large"):
                files = [which + ".gram"] + ([which + "2.gram"] if command == "diff" else [])
                words = {"compile": ["compile", "--target", "json-schema"], "diff": ["diff"], "check": ["check"],
                         "fmt": ["fmt", "--check"]}[command]
                results.append(run([gramc] + words + files, folder))
            over |= row("%s: %s" % (command, name), results[0], results[1], size, BOUND)
    return over


def big_openapi(gramc, megabytes):
    with tempfile.TemporaryDirectory() as folder:
        size = write(folder, "big.json", shapes.openapi(int(megabytes * 1e6)))
        small = write(folder, "small.json", shapes.openapi(int(megabytes * 25e4)))
        command = [gramc, "import", "--from", "openapi", "-o", "out.gram"]
        results = [run(command + [which], folder) for which in ("small.json", "big.json")]
        return row("import: OpenAPI, %d MB" % megabytes, results[0], results[1], size, max(0.5, 5 * megabytes / 73))


words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
words.add_argument("gramc")
words.add_argument("--only", default="")
words.add_argument("--scale", type=float, default=1)
words.add_argument("--openapi", type=float, default=8)
words.add_argument("--limit", type=int, default=60)
words.add_argument("--commands", default="check,compile,diff,fmt")
told = words.parse_args()
LIMIT = told.limit
BOUND = 0.5 * told.scale
program = os.path.abspath(told.gramc)
failed = []
for title, (maker, number) in shapes.SHAPES.items():
    if told.only in title and case(program, title, maker, max(4, int(number * told.scale)), told.commands.split(",")):
        failed.append(title)
if told.only in "OpenAPI" and big_openapi(program, told.openapi):
    failed.append("OpenAPI")
if failed:
    sys.exit("over the bound: " + ", ".join(failed))
