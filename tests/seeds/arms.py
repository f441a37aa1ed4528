"""The claim of the pattern-agent seed: one agent, two libraries of tools, and what changes is seen: arms.py CASE SOURCE GRAMC

    differ    the libraries greet differently: the one that greets as is wanted wins
    same      a library against itself: no difference"""
import json, os, pathlib, subprocess, sys, tempfile

case, source, gramc = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), os.path.abspath(sys.argv[3])
libraries = source / "specs/libraries"
os.chdir(tempfile.mkdtemp())
with open("cases.jsonl", "w") as file:
    for i in range(8): print(json.dumps({"message": "Hello, here is guest %d" % i}), file=file)


def compare(a, b):
    done = subprocess.run([gramc, "ab", source / "specs/hello_world.gram", "--a", libraries / a, "--b", libraries / b, "--cases", "cases.jsonl", "--model", "mock",
                           "--expect", "Nice to meet you", "--store", "runs.db", "--format", "json"], capture_output=True, text=True, timeout=60)
    if done.returncode not in (0, 1): sys.exit("gramc ab ended with %d: %s" % (done.returncode, done.stderr))
    document = json.loads(done.stdout)
    means = [next(m["mean"] for m in arm["metrics"] if m["metric"] == "pass") for arm in document["arms"]]
    primary = [c for c in document["comparisons"] if c["metric"] == "pass"]
    if document["counts"]["done"] != 16 or len(primary) != 1: sys.exit(done.stdout)
    return means, primary[0]["verdict"]


got = compare("friendly.gram", "formal.gram") if case == "differ" else compare("friendly.gram", "friendly.gram")
want = {"differ": [1, 0], "same": [1, 1]}[case]
if got[0] != want or (got[1] in ("regression", "worse")) != (case == "differ"): sys.exit("%s gave %s" % (case, got))
