#!/bin/sh
# gramc run asks at the terminal before a call that may destroy something: what it shows cannot fool the
# terminal, only a yes is one, `always` lasts, an interrupt takes the question back, and without a terminal
# the call is denied.
set -u
gramc=$1
. "$(dirname "$0")/../support/need.sh"
need python3 "makes the terminal"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >t.gram <<'SPEC'
[cleaner:Agent {description: "Cleans", model: "OpenAI/x"} |
  [wipe:Tool {description: "Wipes", destructive: true} | (path::Text)==>(::Text)]]
[l:ToolLibrary | [wipe:ToolImpl {exec: ["sh", "-c", "cat >>wiped"]}]]
SPEC
python3 - "$gramc" <<'TEST'
import json, os, pty, select, signal, subprocess, sys, time

gramc = sys.argv[1]
QUESTION = b"[y/N/always] "
bad = []

def script(*calls):
    lines = [{"event": "header", "format": "gramc-trace", "version": 1}]
    for paths in calls:
        lines.append({"event": "model.response", "calls": [
            {"name": "wipe", "arguments": json.dumps({"path": path})} for path in paths]})
    lines.append({"event": "model.response", "content": "Done."})
    with open("calls.jsonl", "w") as out:
        for line in lines: out.write(json.dumps(line) + "\n")

def run(answers, *options, early=b""):
    """Answers each question in turn; bytes are typed, a number is a signal. What was shown, how it ended."""
    if os.path.exists("wiped"): os.remove("wiped")
    child, terminal = pty.fork()
    if child == 0:
        os.execv(gramc, [gramc, "run", "t.gram", "--model", "script:calls.jsonl", *options, "Clean"])
    if early: os.write(terminal, early)
    shown, seen, end = b"", 0, time.time() + 20
    while time.time() < end:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try: data = os.read(terminal, 65536)
            except OSError: break
            if not data: break
            shown += data
        if shown.count(QUESTION) > seen and seen < len(answers):
            answer = answers[seen]
            seen += 1
            if isinstance(answer, int): os.kill(child, answer)
            else: os.write(terminal, answer)
    else:
        os.kill(child, signal.SIGKILL)
        bad.append("it hangs")
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    wiped = open("wiped").read() if os.path.exists("wiped") else ""
    return shown, os.waitstatus_to_exitcode(status), wiped

def expect(what, condition, shown):
    if not condition: bad.append("%s: %r" % (what, shown))

script(["/a"])
for answer, calls in ((b"y\n", 1), (b"Yes\n", 1), (b"n\n", 0), (b"\n", 0), (b"yep\n", 0), (b"\x04", 0)):
    shown, code, wiped = run([answer])
    expect("answer %r" % answer, wiped.count("/a") == calls and code == 0, (shown, code, wiped))
    expect("question", b'call `wipe`, which may destroy something, with {"path": "/a"}? ' + QUESTION in shown, shown)
    if calls == 0: expect("it is said", b"`wipe` was denied: " in shown, shown)
shown, code, wiped = run([b"n\n"], early=b"y\n")
expect("what was typed before", wiped == "", (shown, wiped))
script(["/a"], ["/b"], ["/c"])
shown, code, wiped = run([b"n\n", b"always\n"])
expect("always", wiped == '{"path": "/b"}{"path": "/c"}' and shown.count(QUESTION) == 2, (shown, wiped))
script(["/a", "/b"])
shown, code, wiped = run([b"n\n", b"y\n"])
expect("one after the other", wiped == '{"path": "/b"}', (shown, wiped))
script(["\x1b[2J\x1b[1;1Hsafe\r\x9b1A\u202eevil"])
shown, code, wiped = run([b"n\n"])
line = shown[shown.find(b"gramc: call"):shown.find(QUESTION)]
expect("controls are escaped", not any(byte < 32 or byte == 127 for byte in line) and b"\xc2\x9b" not in line
       and "\u202e".encode() not in line and b"evil" in line, shown)
script(["/" + "x" * 20000 + "/end"])
shown, code, wiped = run([b"n\n"])
expect("arguments are shown whole", b"/end" in shown.replace(b"\r\n", b""), shown[-200:])
script(["/a"])
shown, code, wiped = run([signal.SIGINT])
expect("an interrupt", code == 130 and wiped == "", (shown, code))
shown, code, wiped = run([], "--approve", "wipe")
expect("--approve", wiped == '{"path": "/a"}' and QUESTION not in shown, shown)
shown, code, wiped = run([], "--approve-all")
expect("--approve-all", wiped == '{"path": "/a"}' and QUESTION not in shown, shown)
os.remove("wiped")
done = subprocess.run([gramc, "run", "t.gram", "--model", "script:calls.jsonl", "Clean"], stdin=subprocess.DEVNULL,
                      capture_output=True, start_new_session=True, timeout=20)
expect("without a terminal", done.returncode == 0 and not os.path.exists("wiped")
       and b"there is no terminal to ask at; see --approve" in done.stderr, done.stderr)
for line in bad: print(line)
sys.exit(1 if bad else 0)
TEST
