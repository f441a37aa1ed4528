#!/bin/sh
# What gramc run tells of itself: its JSON document fits the published schema, a failing server is told,
# a terminal gets progress and a closing line and a pipe does not, and an interrupted run says what
# there is of an answer.
set -u
source=$1 gramc=$2
. "$(dirname "$0")/../support/need.sh"
need python3 "makes the terminal"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 seen=0
complain() { echo "$*"; bad=1; }
schema=$source/docs/formats/run.schema.json

for case in "$source"/tests/golden/run/i11-run-json*.test; do
    grep -q '^--- stdout$' "$case" || continue
    seen=$((seen + 1))
    sed '1,/^--- stdout$/d; /^--- /,$d' "$case" >"$work/$seen.json"
done
[ "$seen" -ge 3 ] || complain "only $seen documents were judged"
"$gramc" validate "$schema" "$work"/*.json >"$work/said" || { cat "$work/said"; complain "the documents do not fit $schema"; }
sed 's/"version":1/"version":2/' "$work/1.json" >"$work/wrong"
"$gramc" validate "$schema" "$work/wrong" >/dev/null 2>&1 && complain "$schema accepts another version"

# So does what is kept of a session.
for case in "$source"/tests/golden/run/i11-7-session-show-json*.test; do
    sed '1,/^--- stdout$/d; /^--- /,$d' "$case" >"$work/session.json"
    grep -q '"format":"gramc-session"' "$work/session.json" || complain "$case has no session"
    "$gramc" validate "$source/docs/formats/session.schema.json" "$work/session.json" || complain "$case does not fit the schema of sessions"
done

# What is made of a trace is the same document, and a page holds no markup but ours.
# Many times: they must not read a clock twice, or round a time in two ways.
for again in $(seq 25); do
    "$gramc" run "$source/specs/hello_world.gram" --library "$source/specs/libraries/friendly.gram" --model mock --trace "$work/t.jsonl" \
        --format json "Hello" "<script>alert(1)</script>" >"$work/of-run.json" || complain "run $again failed"
    "$gramc" trace --format json "$work/t.jsonl" >"$work/of-trace.json"
    cmp "$work/of-run.json" "$work/of-trace.json" || complain "run and trace tell different things, run $again"
done
for case in "$source"/tests/golden/cases/trace-*json.test; do
    sed '1,/^--- stdout$/d; /^--- /,$d' "$case" >"$work/of-case.json"
    [ -s "$work/of-case.json" ] || continue
    "$gramc" validate "$schema" "$work/of-case.json" || complain "$case does not fit $schema"
done
"$gramc" trace --html "$work/t.jsonl" >"$work/t.html"
python3 - "$work/t.html" <<'END' || complain "the page is not harmless"
import html.parser, sys
allowed = {"html", "head", "meta", "style", "title", "body", "h1", "h2", "small", "section", "pre", "dl", "dt", "dd", "details", "summary"}
class Page(html.parser.HTMLParser):
    text = ""
    stack = []
    def handle_starttag(self, tag, attrs):
        assert tag in allowed, tag
        assert all(name in ("lang", "charset", "name", "content", "http-equiv", "class") for name, _ in attrs), attrs
        if tag != "meta": self.stack.append(tag)
    def handle_endtag(self, tag): assert self.stack.pop() == tag, tag
    def handle_data(self, data): self.text += data
page = Page()
page.feed(open(sys.argv[1]).read())
assert not page.stack and "<script>alert(1)</script>" in page.text
END

cd "$work" || exit 2
cat >spec.gram <<'END'
[a:Agent {description: "d", model: "OpenAI/x"} | [work:Tool {description: "d"} | (n::Int)==>(::Text)]]
[slow:ToolLibrary | [work:ToolImpl {exec: ["sleep", "30"]}]]
END
cat >s.jsonl <<'END'
{"event":"header","format":"gramc-trace","version":1}
{"event":"model.response","content":"One moment, please.","calls":[{"id":"x","name":"work","arguments":"{\"n\":1}"}]}
{"event":"model.response","content":"It did not work."}
END
cat >drive.py <<'END'
import http.server, os, pty, signal, subprocess, sys, threading, time
gramc = sys.argv[1]

# A server that fails.
class Fails(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(500); self.send_header("Content-Length", "4"); self.end_headers(); self.wfile.write(b"oops")
    def log_message(self, *a): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Fails)
threading.Thread(target=server.serve_forever, daemon=True).start()
open("web.gram", "w").write('[web:ToolLibrary | [work:ToolImpl {http: "GET", url: "http://127.0.0.1:%d/${n}"}]]\n' % server.server_port)
got = subprocess.run([gramc, "run", "spec.gram", "-l", "web.gram", "--model", "script:s.jsonl", "Go"], capture_output=True, text=True)
if got.returncode != 0 or got.stdout != "It did not work.\n": print("a failing server:", got); sys.exit(1)
if "`work` failed:" not in got.stderr or "500" not in got.stderr: print("HTTP 500 is not told:", got.stderr); sys.exit(1)
if " in tools" in got.stderr: print("a closing line in a pipe:", got.stderr); sys.exit(1)
server.shutdown()

def interrupted(term, options):
    """Ctrl-C when the tool has worked for three seconds; standard error is a terminal."""
    if os.path.exists("events"): os.remove("events")
    ours, theirs = pty.openpty()
    child = subprocess.Popen([gramc, "run", "spec.gram", "-l", "spec.gram#slow", "--model", "script:s.jsonl", "--trace", "events", *options, "Go"],
                             stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "TERM": term})
    os.close(theirs)
    until = time.time() + 20
    while time.time() < until and not (os.path.exists("events") and "tool.request" in open("events").read()): time.sleep(0.05)
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=20)
    shown = b""
    while True:
        try: data = os.read(ours, 65536)
        except OSError: break
        if not data: break
        shown += data
    return child.returncode, out, shown

for term, options in (("xterm", []), ("dumb", []), ("xterm", ["-q"])):
    code, out, shown = interrupted(term, options)
    progress = b"\r\x1b[Kwaiting for work, 1 s" in shown
    if code != 130: print(term, options, "exit", code); sys.exit(1)
    if b"what the model had said: One moment, please." not in shown: print(term, options, "no partial text:", shown); sys.exit(1)
    if progress != (term == "xterm" and not options): print(term, options, "progress:", shown); sys.exit(1)
    if (b"gramc: canceled in " in shown) != (not options): print(term, options, "closing line:", shown); sys.exit(1)
    if out: print(term, options, "stdout:", out); sys.exit(1)
END
python3 drive.py "$gramc" || complain "see above"
exit $bad
