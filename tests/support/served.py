"""gramc serve for tests that are called with SOURCE GRAMC: the server, what it answers, what failed.

Requests are written byte by byte, because no HTTP client writes wrong ones. The model is a server of
this file that streams slowly, so that runs can be met on their way."""
import http.server, json, os, re, resource, signal, socket, subprocess, sys, tempfile, threading, time
from checks import check, finish

source, gramc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SANITIZED = os.environ.get("GRAMC_SANITIZED") == "1"
TOKEN, OTHER = "first-token-0123456789", "other-token-9876543210"
INJECTED = "look\n\nevent: done\ndata: {}\n\n"

class Model(http.server.BaseHTTPRequestHandler):
    """Says `slow` words one by one, how it was `instructed`, calls `look` when it is told to, and `inject` is a tool's name that
    ends the event it stands in; breaks off when it is told to."""
    protocol_version = "HTTP/1.1"
    cut = []  # requests whose reader went away

    def log_message(self, *_): pass

    def piece(self, value):
        data = b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def chunk(self, delta, finish=None):
        self.piece({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = asked["messages"][-1]
        users = [m["content"] for m in asked["messages"] if m["role"] == "user"]
        if "fail" in users[-1]:
            body = b'{"error":{"message":"no such luck"}}'
            self.send_response(400); self.send_header("Content-Length", str(len(body))); self.end_headers(); self.wfile.write(body)
            return
        calls = ("look" in users[-1] or "inject" in users[-1]) and said["role"] == "user"
        system = [m["content"] for m in asked["messages"] if m["role"] == "system"]
        words = ["Let me look."] if calls else system if "instructed" in users[-1] else ["You said: "] + [", then ".join(users)]
        if "slow" in users[-1]: words = ["word%d " % i for i in range(40)]
        usage = {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12}
        call = {"index": 0, "id": "call_9", "type": "function", "function": {"name": INJECTED if "inject" in users[-1] else "look", "arguments": "{\"where\":\"here\"}"}}
        if not asked.get("stream"):
            if "slow" in users[-1]: time.sleep(3)
            message = {"role": "assistant", "content": "".join(words)}
            if calls: message["tool_calls"] = [call]
            body = json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
                               "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}]}).encode()
            self.send_response(200); self.send_header("Content-Type", "application/json"); self.send_header("Content-Length", str(len(body))); self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200); self.send_header("Content-Type", "text/event-stream"); self.send_header("Transfer-Encoding", "chunked"); self.end_headers()
        try:
            for word in words:
                self.chunk({"content": word})
                if "slow" in users[-1]: time.sleep(0.1)
            if calls: self.chunk({"tool_calls": [call]})
            self.chunk({}, "tool_calls" if calls else "stop")
            self.piece({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage})
            self.piece(b"[DONE]")
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            Model.cut.append(users[-1])
            self.close_connection = True


class Models(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True
    def handle_error(self, *_): pass


class Server:
    def __init__(self, *options, code=None, env=None, files=None):
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
        self.log = open("log.%d" % Server.count, "w+")
        Server.count += 1
        self.process = subprocess.Popen([gramc, "serve", *options], stdout=subprocess.PIPE, stderr=self.log, text=True, preexec_fn=limit,
                                        env={**os.environ, "OPENAI_API_KEY": "sk-planted-key", **(env or {})})
        if code is not None:
            self.process.wait(30)
            check(self.process.returncode == code, "exit", self.process.returncode, "not", code, options, self.said())
            return
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://(.*):(\d+)", self.address)
        check(match, "no address:", self.address, self.said())
        self.port = int(match[2])
        self.tree = self.process.pid

    count = 0

    def said(self):
        self.log.flush()
        return open(self.log.name).read()

    def stop(self, number=signal.SIGTERM, code=0, within=20):
        began = time.time()
        self.process.send_signal(number)
        try: self.process.wait(within)
        except subprocess.TimeoutExpired:
            self.process.kill()
            check(False, "the server does not stop", self.said())
        check(self.process.returncode == code, "stopped with", self.process.returncode, self.said())
        check("ERROR: " not in self.said() and "runtime error" not in self.said(), self.said())
        return time.time() - began

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def raw(self, data, half=False):
        """All that comes back until the server hangs up."""
        with self.connect() as s:
            got = b""
            try:
                s.sendall(data)
                if half: s.shutdown(socket.SHUT_WR)
                while piece := s.recv(65536): got += piece
            except OSError: pass
            return got

    def ask(self, method, path, body=None, **headers):
        if isinstance(body, (dict, list)): body = json.dumps(body)
        lines = ["%s %s HTTP/1.1" % (method, path), "Connection: close"]
        given = {"Host": "localhost:%d" % self.port}
        if body is not None: given |= {"Content-Type": "application/json", "Content-Length": str(len(body.encode()))}
        given |= {k.replace("_", "-"): v for k, v in headers.items()}
        lines += ["%s: %s" % (k, v) for k, v in given.items() if v is not None]
        return Answer(self.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or "").encode()))

    def message(self, body, agent="clerk", **headers):
        return self.ask("POST", "/v1/agents/%s/messages" % agent, {"message": body} if isinstance(body, str) else body, **headers)


class Answer:
    def __init__(self, raw):
        self.raw = raw
        head, _, body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split()[1]) if lines[0] else 0
        self.headers = {k.lower(): v for k, v in (l.split(": ", 1) for l in lines[1:] if ": " in l)}
        if self.headers.get("transfer-encoding") == "chunked":
            whole, self.complete = b"", False
            while body:
                size, _, body = body.partition(b"\r\n")
                if not (n := int(size or b"0", 16)): self.complete = True; break
                whole, body = whole + body[:n], body[n + 2:]
            body = whole
        self.body = body.decode()

    def json(self):
        try: return json.loads(self.body)
        except ValueError: return {}

    def code(self): return self.json().get("error", {}).get("code")

    def events(self):
        found = []
        for block in self.body.split("\n\n"):
            fields = dict(l.split(": ", 1) for l in block.split("\n") if ": " in l)
            if "data" in fields: found.append((fields.get("event"), fields["data"] if fields["data"] == "[DONE]" else json.loads(fields["data"])))
        return found


class Usage:
    """What a process holds."""
    told = False

    def __init__(self, server):
        folder = "/proc/%d/" % server.process.pid
        self.threads = len(os.listdir(folder + "task"))
        try: self.files = len(os.listdir(folder + "fd"))
        except PermissionError:
            self.files = 0
            if not Usage.told: print("descriptors are not counted: only root counts those of a process that keeps its memory to itself")
            Usage.told = True
        self.memory = int(open(folder + "statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        self.cpu = sum(map(int, open(folder + "stat").read().split()[13:15])) / os.sysconf("SC_CLK_TCK")


work = tempfile.TemporaryDirectory()
os.chdir(work.name)
open("clerk.gram", "w").write('''[clerk:Agent {description: "Answers", model: "OpenAI/m", instruction: "planted-instruction"} |
  [look:Tool {description: "Looks", optional: true} | (where::Text)==>(::Text)]]
[guide:Agent {description: "Speaks ${language}", model: "OpenAI/m", instruction: "Speak ${language}."}]
''')
open("desk.gram", "w").write('''[desk:ToolLibrary {description: "d"} | [look:ToolImpl {returns: "a desk"}]]
[attic:ToolLibrary {description: "d"} | [look:ToolImpl {exec: ["sh", "-c", "sleep 0.2; echo dust"]}]]
''')
models = Models(("127.0.0.1", 0), Model)
threading.Thread(target=models.serve_forever, daemon=True).start()
BASE = ["--base-url", "http://127.0.0.1:%d/v1" % models.server_port]
SPEC = ["clerk.gram", "-l", "desk.gram#desk", "-l", "desk.gram#attic", *BASE, "--listen", "127.0.0.1:0"]
