#!/bin/sh
# gramc run --chat on a terminal and off it: lines are edited and kept, answers continue the conversation,
# Ctrl-C ends an answer or a line and not the chat, and a session has one chat at a time.
set -u
gramc=$1
. "$(dirname "$0")/../support/need.sh"
need python3 "makes the terminal"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
printf '[a:Agent {description: "d", model: "OpenAI/x"}]\n' >a.gram
cat >drive.py <<'END_OF_DRIVE'
import http.server, json, os, pty, select, signal, stat, subprocess, sys, termios, threading, time
signal.alarm(100)
gramc = sys.argv[1]
bodies, hangs = [], threading.Event()

# Says how many messages it was sent; a message with "hang" gets the beginning of an answer.
class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        bodies.append(body)
        said = "I have %d." % len(body["messages"])
        last = body["messages"][-1]["content"]
        if "fail" in last:
            self.send_response(400); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"{}")
        elif body.get("stream"):
            self.send_response(200); self.send_header("Content-Type", "text/event-stream"); self.send_header("Connection", "close"); self.end_headers()
            piece = lambda delta, finish=None: self.wfile.write(("data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}) + "\n\n").encode())
            if "hang" in last:
                piece({"content": "One moment"}); self.wfile.flush(); hangs.set(); time.sleep(30); return
            if "slow" in last:
                time.sleep(1.5); piece({"content": "Rather"}); self.wfile.flush(); time.sleep(1.5); piece({"content": " slow."}); self.wfile.flush(); time.sleep(1.5); said = "    "
            for part in (said[:3], said[3:]): piece({"content": part})
            piece({}, "stop"); self.wfile.write(b"data: [DONE]\n\n"); self.close_connection = True
        else:
            reply = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}]}).encode()
            self.send_response(200); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(reply))); self.end_headers(); self.wfile.write(reply)
    def log_message(self, *a): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
command = [gramc, "run", "a.gram", "--base-url", "http://127.0.0.1:%d/v1" % server.server_port, "--chat"]
environment = {**os.environ, "TERM": "xterm", "XDG_STATE_HOME": os.getcwd() + "/state", "HOME": os.getcwd(), "LC_ALL": "C", "OPENAI_API_KEY": "sk-test"}

class Chat:
    def __init__(self, *options):
        self.pid, self.fd = pty.fork()
        if self.pid == 0: os.execve(command[0], command + list(options), environment)
        self.seen, self.mark = b"", 0
    def expect(self, want):
        until = time.time() + 20
        while want not in self.seen[self.mark:]:
            ready = select.select([self.fd], [], [], max(0, until - time.time()))[0]
            try: data = os.read(self.fd, 65536) if ready else b""
            except OSError: data = b""
            if not data: print("not shown: %r; shown: %r" % (want, self.seen[self.mark:])); sys.exit(1)
            self.seen += data
        self.mark = self.seen.index(want, self.mark) + len(want)
    def type(self, text):
        self.expect(b"> ")
        until = time.time() + 20
        while termios.tcgetattr(self.fd)[3] & termios.ICANON: # the prompt comes first
            check(time.time() < until, "no line is edited:", self.seen[self.mark:])
            time.sleep(0.01)
        os.write(self.fd, text)
    def end(self):
        try:
            while True:
                data = os.read(self.fd, 65536)
                if not data: break
                self.seen += data
        except OSError: pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

def check(truth, *what):
    if not truth: print(*what); sys.exit(1)
def asked(): return [(m["role"], m["content"]) for m in bodies[-1]["messages"]]

# Two answers; the second one continues the first.
chat = Chat("--session", "s")
chat.type(b"Hello\r"); chat.expect(b"I have 1.")
chat.type("Zoe\x7f\u00eb?\r".encode()); chat.expect(b"I have 3.")
check(asked()[-1] == ("user", "Zo\u00eb?"), "edited to", asked())
check(asked()[:2] == [("user", "Hello"), ("assistant", "I have 1.")], "continued", asked())
check(chat.seen.count(b"I have 3.") == 1, "a streamed answer is shown twice", chat.seen)
# The session is in use.
second = subprocess.run(command + ["--session", "s"], input="x\n", capture_output=True, text=True, env=environment)
check(second.returncode == 2 and "session s is in use" in second.stderr, "a second chat:", second)
# Ctrl-C ends a line, then an answer, and the next message knows nothing of that one.
chat.type(b"never said"); chat.expect(b"never said"); os.write(chat.fd, b"\x03")
chat.type(b"hang on\r"); chat.expect(b"One moment"); check(hangs.wait(20), "no hanging answer")
os.write(chat.fd, b"\x03"); chat.expect(b"the run ended as canceled")
chat.type(b"fail now\r"); chat.expect(b"the run ended as model-error")
chat.type(b" a secret\r"); chat.expect(b"I have 5.")
check("hang on" not in str(bodies[-1]) and "never said" not in str(bodies) and "fail now" not in str(bodies[-1]), "what got no answer stays", asked())
chat.type(b"\x1b[A\x1b[A\x1b[A\x1b[A\r"); chat.expect(b"I have 7.")
check(asked()[-1] == ("user", "Hello"), "arrow up four times gives", asked()[-1])
chat.type(b"\x04")
check(chat.end() == 0, "Ctrl-D does not end it with 0", chat.seen)
check(b" in the model" not in chat.seen, "a closing line for each answer", chat.seen)

# What is waited for is shown, and never over what was said.
chat = Chat()
chat.type(b"slow\r"); chat.expect(b"\r\x1b[Kwaiting for x, 1 s\r\x1b[KRather slow."); chat.type(b"\x04")
check(chat.end() == 0 and b"Rather slow.    \r\n" in chat.seen, "progress and answer:", chat.seen)
with open("state/gramc/chat_history") as lines: check(lines.read().endswith("slow\n"), "the slow line")

# The next chat has the session and the lines.
kept = "state/gramc/chat_history"
check(open(kept, encoding="utf-8").read().split("\n") == ["Hello", "Zo\u00eb?", "hang on", "fail now", "Hello", "slow", ""], "kept:", open(kept).read())
check(stat.S_IMODE(os.stat(kept).st_mode) == 0o600, "mode of the lines")
check(stat.S_IMODE(os.stat("state/gramc").st_mode) == 0o700, "mode of the folder")
chat = Chat("--session", "s", "--no-stream")
chat.type(b"\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A\r"); chat.expect(b"I have 9.")
check(asked()[-1] == ("user", "Zo\u00eb?"), "arrow up in the next chat gives", asked()[-1])
chat.type(b"\x04"); check(chat.end() == 0, "the second chat", chat.seen)

# Without a terminal: a message a line, and nothing is kept of what is typed.
def piped(text, *options):
    return subprocess.run(command + list(options), input=text, capture_output=True, text=True, env=environment)
before = open(kept).read()
got = piped("one\n\ntwo\r\nthree")
check((got.returncode, got.stdout, got.stderr) == (0, "I have 1.\nI have 3.\nI have 5.\n", ""), "piped:", got)
check([m["content"] for m in bodies[-1]["messages"][::2]] == ["one", "two", "three"], "piped:", asked())
got = piped("one\nfail\nthree\n")
check(got.returncode == 3 and got.stdout == "I have 1.\n", "a failure in the middle:", got)
got = piped("two\n", "--format", "json", "one")
check(got.returncode == 0 and [json.loads(line)["content"] for line in got.stdout.splitlines()] == ["I have 1.", "I have 3."], "documents:", got)
check(open(kept).read() == before, "piped lines are kept")

# A pipe that stays open gets each answer at once.
child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
child.stdin.write(b"one\n"); child.stdin.flush()
check(child.stdout.readline() == b"I have 1.\n", "no answer while the pipe is open")
child.stdin.close(); check(child.wait(20) == 0, "the end of the pipe")
END_OF_DRIVE
python3 drive.py "$gramc"
