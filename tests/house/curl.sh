#!/bin/sh
# --curl: what is printed, pasted into a shell, is the request that was sent, key and all, and the key
# itself is nowhere in it.
set -u
source=$1 gramc=$2
. "$(dirname "$0")/../support/need.sh"
need python3 "is the server"
need curl "sends what was printed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
cat >spec.gram <<'END'
[clerk:Agent {description: "d", model: "OpenAI/gpt-4o"} | [work:Tool {description: "It's \"odd\": $HOME `id` \\ é"} | (n::Int)==>(::Text)]]
[crm:ToolLibrary | [work:ToolImpl {returns: "fine"}]]
END
cat >compare.py <<'END'
import http.server, json, os, subprocess, sys, threading
gramc = sys.argv[1]
got = []
chat = {"id": "r", "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hi."}}]}
claude = {"id": "r", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "content": [{"type": "text", "text": "Hi."}], "usage": {"input_tokens": 1, "output_tokens": 1}}
class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        got.append((self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        answer = json.dumps(claude if "messages" in self.path else chat).encode()
        self.send_response(200); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(answer))); self.end_headers(); self.wfile.write(answer)
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = "http://127.0.0.1:%d/v1" % server.server_port
for model, key in (("OpenAI/gpt-4o", "OPENAI_API_KEY"), ("Anthropic/claude-x", "ANTHROPIC_API_KEY")):
    got.clear()
    environment = {**os.environ, key: "planted-key-2718"}
    done = subprocess.run([gramc, "run", "spec.gram", "--model", model, "--base-url", url, "--curl", "It's $HOME `id` \\ \u202e \"x\""], capture_output=True, text=True, env=environment)
    if done.returncode or done.stdout != "Hi.\n": print(done); sys.exit(1)
    if "planted-key" in done.stderr or "$" + key not in done.stderr or "\u202e" in done.stderr: print("the key:", done.stderr); sys.exit(1)
    command = done.stderr[done.stderr.index("curl "):]
    again = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment)
    if again.returncode or len(got) != 2: print(command, again, len(got)); sys.exit(1)
    (path, headers, body), (path2, headers2, body2) = got
    if path != path2 or json.loads(body) != json.loads(body2): print("another request:", got); sys.exit(1)
    for name in ("authorization", "x-api-key", "anthropic-version", "content-type"):
        if headers.get(name) != headers2.get(name): print("another header:", name, got); sys.exit(1)
END
python3 compare.py "$gramc"
