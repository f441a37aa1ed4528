#!/bin/sh
# --otlp before a collector: what it gets has the shape of OTLP's JSON and the conventions' attributes,
# holds content only when asked, and a collector that is down, slow or unwilling costs a warning alone.
set -u
source=$1 gramc=$2
. "$(dirname "$0")/../support/need.sh"
need python3 "is the collector"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >spec.gram <<'END'
[clerk:Agent {description: "d", model: "OpenAI/gpt-4o"} | [work:Tool {description: "d"} | (n::Int)==>(::Text)]]
[crm:ToolLibrary | [work:ToolImpl {returns: "planted-result"}]]
END
cat >s.jsonl <<'END'
{"event":"header","format":"gramc-trace","version":1}
{"event":"model.response","content":"planted-answer","calls":[{"id":"x1","name":"work","arguments":"{\"n\":31337}"},{"id":"x2","name":"fly","arguments":"{}"}],"finish":"tool_calls","id":"resp-1","model":"gpt-4o-2024","usage":{"prompt":20,"completion":5,"total":25,"cached":4}}
{"event":"model.response","content":"Done.","finish":"stop","usage":{"prompt":30,"completion":6,"total":36}}
END
cat >collect.py <<'END'
import http.server, json, os, subprocess, sys, threading, time
gramc, schema = sys.argv[1:3]
got, answer = [], [200, b"{}", 0]
class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        got.append((self.path, dict(self.headers), body))
        time.sleep(answer[2])
        self.send_response(answer[0]); self.send_header("Content-Length", str(len(answer[1]))); self.end_headers(); self.wfile.write(answer[1])
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d" % server.server_port
RUN = "0123456789abcdef0123456789abcdef"

def fail(*words): print(*words); sys.exit(1)
def run(*options, environment={}, target=url, code=0):
    got.clear()
    done = subprocess.run([gramc, "run", "spec.gram", "--model", "script:s.jsonl", "--run-id", RUN, "--otlp", target, *options, "planted-question"],
                          capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != code: fail(options, done)
    return done
def value(v): (kind, x), = v.items(); return int(x) if kind == "intValue" else [value(i) for i in x["values"]] if kind == "arrayValue" else x
def attributes(span): return {a["key"]: value(a["value"]) for a in span["attributes"]}
def spans(body):
    open("sent.json", "wb").write(body)
    if subprocess.run([gramc, "validate", schema, "sent.json"]).returncode: fail("not the shape of OTLP:", body)
    return json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"]

done = run(environment={"OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=a%20b,other=1", "OTEL_SERVICE_NAME": "desk"})
if "warning" in done.stderr: fail(done.stderr)
if len(got) != 1 or got[0][0] != "/v1/traces": fail("one request to /v1/traces:", got)
path, headers, body = got[0]
if headers.get("Content-Type") != "application/json" or headers.get("x-api-key") != "a b" or headers.get("other") != "1": fail(headers)
for planted in (b"planted", b"31337"):
    if planted in body: fail("content that nobody asked for:", planted, body)
if b'"desk"' not in body: fail("no service.name")
found = spans(body)
names = sorted(s["name"] for s in found)
if names != ["chat gpt-4o", "chat gpt-4o", "execute_tool fly", "execute_tool work", "invoke_agent clerk"]: fail(names)
root, = [s for s in found if s["name"].startswith("invoke_agent")]
if "parentSpanId" in root or len({s["spanId"] for s in found}) != 5: fail("ids:", found)
for span in found:
    if span["traceId"] != RUN: fail("the trace's id is not the run's", span)
    if span is not root and span["parentSpanId"] != root["spanId"]: fail("no child of the run:", span)
    if not int(root["startTimeUnixNano"]) <= int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) <= int(root["endTimeUnixNano"]): fail("times:", span)
    if abs(int(span["startTimeUnixNano"]) / 1e9 - time.time()) > 60: fail("not now:", span)
first = attributes([s for s in found if s["name"] == "chat gpt-4o"][0])
wanted = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "script", "gen_ai.request.model": "gpt-4o", "gen_ai.response.finish_reasons": ["tool_calls"],
          "gen_ai.usage.input_tokens": 20, "gen_ai.usage.output_tokens": 5, "gen_ai.usage.cache_read.input_tokens": 4}
if any(first.get(k) != v for k, v in wanted.items()): fail("chat:", first)
tools = {attributes(s)["gen_ai.tool.name"]: (s, attributes(s)) for s in found if s["name"].startswith("execute_tool")}
if tools["work"][1].get("gen_ai.tool.call.id") != "x1" or "error.type" in tools["work"][1]: fail("tool:", tools["work"])
if tools["fly"][1].get("error.type") != "unknown-tool" or tools["fly"][0]["status"].get("code") != 2: fail("tool:", tools["fly"])
whole = attributes(root)
if whole.get("gen_ai.agent.name") != "clerk" or whole.get("gramc.library.name") != "crm" or whole.get("gen_ai.usage.input_tokens") != 50: fail("run:", whole)
if whole.get("gramc.run.outcome") != "answered" or "error.type" in whole: fail("run:", whole)

run("--otlp-content", target=url + "/v1/traces/")
if got[0][0] != "/v1/traces": fail("a whole address:", got)
for planted in (b"planted-question", b"planted-answer", b"planted-result", b"31337"):
    if planted not in got[0][2]: fail("no content:", planted)
found = spans(got[0][2])
for span in found:
    for key, text in attributes(span).items():
        if key.endswith(".messages"): json.loads(text)

# An agent that does a tool: its spans hang on that of the call, in the same trace, down to its own.
open("boss.gram", "w").write('''[boss:Agent {model: "OpenAI/big"} | [ask:Tool {description: "Asks"} | (message::Text)==>(::Text)]]
[one:Agent {model: "OpenAI/small"} | [deep:Tool {description: "Goes on"} | (message::Text)==>(::Text)]]
[two:Agent {model: "OpenAI/tiny", instruction: "Be brief."}]
[lib:ToolLibrary | [ask:ToolImpl {agent: one}], [deep:ToolImpl {agent: two}]]
''')
def told(within, **said): return json.dumps({"event": ("inner." if within else "") + "model.response", **({"within": within} if within else {}), **said}) + "\n"
def asks(name, id): return [{"id": id, "name": name, "arguments": '{"message": "m"}'}]
open("boss.jsonl", "w").write(json.dumps({"event": "header", "format": "gramc-trace", "version": 2}) + "\n"
    + told("", calls=asks("ask", "a1") + asks("ask", "a2")) + told("1.1.1", calls=asks("deep", "d1")) + told("1.1.1/1.1.1", content="Yes.") + told("1.1.1", content="It says yes.")
    + told("1.1.2", content="No.") + told("", content="One yes, one no."))
got.clear()
done = subprocess.run([gramc, "run", "boss.gram", "--agent", "boss", "--model", "script:boss.jsonl", "--run-id", RUN, "--otlp", url, "Ask"], capture_output=True, text=True)
if done.returncode or "One yes" not in done.stdout: fail(done)
found = spans(got[0][2])
by_id = {s["spanId"]: s for s in found}
if len(by_id) != len(found) or {s["traceId"] for s in found} != {RUN}: fail("ids of inner runs:", found)
def way(span): return [span["name"]] + (way(by_id[span["parentSpanId"]]) if "parentSpanId" in span else [])
ways = sorted("/".join(reversed(way(s))) for s in found)
boss, ask, one = "invoke_agent boss", "execute_tool ask", "invoke_agent one"
called = "/".join([boss, ask, one])
deeper = called + "/execute_tool deep"
wanted = sorted([boss] + 2 * [boss + "/chat big"] + 2 * ["/".join([boss, ask])] + 2 * [called] + 3 * [called + "/chat small"]
                + [deeper, deeper + "/invoke_agent two", deeper + "/invoke_agent two/chat tiny"])
if ways != wanted: fail("spans of inner runs:", ways)
for span in found:
    over = by_id.get(span.get("parentSpanId"), span)
    if not int(over["startTimeUnixNano"]) - 2000000 <= int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) <= int(over["endTimeUnixNano"]) + 2000000: fail("times of inner runs:", span, over)

# A run that fails is sent as well.
run("--max-iterations", "1", code=3)
whole = attributes([s for s in spans(got[0][2]) if s["name"].startswith("invoke_agent")][0])
if whole.get("error.type") != "max-iterations": fail("a failed run:", whole)

# What goes wrong is a warning.
for reply, words in (((500, b"no", 0), "status 500"), ((200, b'{"partialSuccess":{"rejectedSpans":"2"}}', 0), "rejected some"), ((200, b"{}", 30), "in time")):
    answer[:] = reply
    begun = time.time()
    done = run()
    if "warning: the spans did not reach" not in done.stderr or words not in done.stderr or done.stdout != "Done.\n": fail(reply, done)
    if time.time() - begun > 20: fail("a slow collector holds the run up")
answer[:] = (200, b"{}", 0)
done = run(environment={"OTEL_EXPORTER_OTLP_HEADERS": "nonsense"})
if got or "OTEL_EXPORTER_OTLP_HEADERS" not in done.stderr: fail("wrong headers:", done)
END
python3 collect.py "$gramc" "$source/tests/data/otlp-traces.schema.json"
