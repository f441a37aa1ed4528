"""kill -9 at random instants of an experiment of 400 runs, in a file or in PostgreSQL: survives.py
GRAMC_STILL [FOLDER], the second being the folder of a server's socket. 20 kills, with GRAMC_LONG=1
200. By a clock that stands still (tests/clocks/still.c), so that the last report can be compared
with that of a run which nobody killed, byte by byte. What was called is counted by what is called."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

GRAMC = os.path.abspath(sys.argv[1])
SERVER = sys.argv[-1] if len(sys.argv) > 2 else None
KILLS = 200 if os.environ.get("GRAMC_LONG") == "1" else 20
CASES, REPEATS, ARMS, AT_ONCE = 100, 2, 2, 4
RUNS = CASES * REPEATS * ARMS
KILLS_EACH = 5  # of one experiment

SPEC = """[asker:Agent {instruction: "Ask"} | [look:Tool {description: "Looks"} | ()==>(::Text)]]
[even:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "even"]}]]
[odd:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "odd"]}]]
[try:Experiment {cases: "cases.jsonl", repeats: 2, seed: 3, guardrails: [latency]} |
  [a:Arm {agent: asker, library: even}], [b:Arm {agent: asker, library: odd}],
  [well:Grader {contains: "well"}]]
"""
TOOL = """printf '%s\\n' "$GRAMC_CELL_ID" >>calls.log
case $1-$GRAMC_CELL_ID in odd-*-[13579]-0-?-?) echo "seen";; *) echo "seen well";; esac
"""


def psql(query):
    return subprocess.run(["psql", "-h", SERVER, "-U", "gramc", "-d", "kills", "-Atc", query],
                          check=True, capture_output=True, text=True).stdout.split()


class Trial:
    """One experiment of its own: where it is kept, and what of it is."""

    def __init__(self, name):
        self.name = name
        self.path = f"postgresql://gramc@/kills?host={SERVER}" if SERVER else f"{name}.db"

    def command(self, verb, *more):
        options = ["--lease", "200ms", "--wait"] if SERVER else []
        return [GRAMC, "experiment", "spec.gram", verb, "--model", "mock", "--id", self.name,
                "--store", self.path, "--quiet", *options, *more]

    def committed(self):
        """place-repeat-arm of every attempt, or None: it was not begun."""
        query = ("SELECT place||'-'||repeat||'-'||arm FROM {0}attempt WHERE experiment="
                 "(SELECT key FROM {0}experiment WHERE id='{1}')")
        if SERVER:
            begun = psql(f"SELECT 1 FROM gramc.experiment WHERE id='{self.name}'")
            return psql(query.format("gramc.", self.name)) if begun else None
        if not os.path.exists(self.path):
            return None
        file = sqlite3.connect(self.path)
        try:
            begun = file.execute("SELECT 1 FROM experiment").fetchall()
            rows = file.execute(query.format("", self.name)).fetchall()
            return [row[0] for row in rows] if begun else None
        except sqlite3.OperationalError:  # killed before there were tables
            return None
        finally:
            file.close()


def calls():
    """place-repeat-arm of each call, behind the plan's fingerprint and before the attempt."""
    if not os.path.exists("calls.log"):
        return []
    with open("calls.log", encoding="ascii") as log:
        return ["-".join(line.split("-")[1:4]) for line in log]


def finish(trial, verb, report):
    done = subprocess.run(trial.command(verb, "--report", report), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{trial.name}: exit {done.returncode}\n{done.stderr}")


def kill_once(trial, verb, longest):
    process = subprocess.Popen(trial.command(verb), stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(random.uniform(0.005, longest))
    alive = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    time.sleep(0.05)  # programs of its that still run have begun long ago
    return alive


def check(trial, at_kills):
    """None of what was committed is called again; what was not, once for each kill."""
    called = calls()
    for offset, committed in at_kills:
        again = set(called[offset:]) & set(committed)
        assert not again, f"{trial.name}: called again though committed: {sorted(again)}"
    offsets = [0] + [offset for offset, _ in at_kills] + [len(called)]
    for begin, end in zip(offsets, offsets[1:]):
        twice = end - begin - len(set(called[begin:end]))
        # Programs that a killed process has left may tell late: as many as ran at once.
        assert twice <= AT_ONCE, f"{trial.name}: one process called {twice} runs twice"
    kept = trial.committed()
    assert len(kept) == len(set(kept)) == RUNS, f"{trial.name}: {len(kept)} attempts are kept"
    return len(called)


def run_killed(number, longest):
    trial, at_kills = Trial(f"k{number}"), []
    if os.path.exists("calls.log"):
        os.remove("calls.log")
    verb = "run"
    for _ in range(2 * KILLS_EACH):
        if len(at_kills) == KILLS_EACH:
            break
        alive = kill_once(trial, verb, longest)
        committed = trial.committed()
        verb = "run" if committed is None else "resume"
        if alive:
            at_kills.append((len(calls()), committed or []))
    finish(trial, verb, "killed.json")
    with open("whole.json", "rb") as whole, open("killed.json", "rb") as killed:
        assert whole.read() == killed.read(), f"{trial.name}: its report differs"
    return len(at_kills), check(trial, at_kills)


def main():
    seed = int(os.environ.get("GRAMC_SEED", time.time_ns() % 1000000))
    print(f"seed {seed}")
    random.seed(seed)
    with open("spec.gram", "w", encoding="utf-8") as file:
        file.write(SPEC)
    with open("tool.sh", "w", encoding="utf-8") as file:
        file.write(TOOL)
    with open("cases.jsonl", "w", encoding="utf-8") as file:
        file.writelines(f'{{"id": "case{i}", "message": "Look {i}"}}\n' for i in range(CASES))
    if SERVER:
        subprocess.run(["createdb", "-h", SERVER, "-U", "gramc", "kills"], check=True)
    begun = time.monotonic()
    finish(Trial("whole"), "run", "whole.json")
    took = time.monotonic() - begun
    assert len(calls()) == len(set(calls())) == RUNS, "a whole run does not call once for each run"
    killed = number = made = 0
    while killed < KILLS and number < KILLS:
        number += 1
        kills, count = run_killed(number, took / 3)
        killed += kills
        made += count
    print(f"{killed} kills in {number} experiments of {RUNS} runs: {made - number * RUNS} runs made again")
    assert killed >= KILLS, f"only {killed} of {KILLS} kills hit"
    assert not os.listdir("tmp"), f"left behind: {os.listdir('tmp')}"


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir(".git")
    os.mkdir("tmp")
    os.environ["TMPDIR"] = os.path.join(folder, "tmp")
    main()
    os.chdir("/")
