"""Tools, servers and a model that go wrong in a given way, and repeat the secrets that they were given.

faulty.py program|staying|server FAULT MARK: one of these on standard input and output. `serve()` does the
same over HTTP, for tools, for servers of MCP and for a model; the fault is the first part of the path."""
import base64, http.server, json, os, signal, subprocess, sys, threading, time, urllib.parse

LONG = 600  # nobody waits so long
FLOOD = 3 << 19  # more than a result may have


def heard(text=""):
    """All that a tool was told: its arguments, and its environment's KEY."""
    return f"{text} and the key {os.environ.get('KEY', '')}, again: {os.environ.get('KEY', '')!r}"


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def complain(text):
    sys.stderr.write(text)
    sys.stderr.flush()


def leave_daemon(_):
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({LONG})", *sys.argv[1:]], start_new_session=True)
    return "left one"


def never(text):
    complain(text)
    time.sleep(LONG)


def end(text, code=3):
    complain(text)
    os._exit(code)


def be_killed(text):
    complain(text)
    os.kill(os.getpid(), signal.SIGKILL)


def break_off(text):
    say(text[:len(text) // 2])
    os._exit(0)


def close_output(text):
    complain(text)
    os.close(1)
    time.sleep(LONG)


# What becomes of a call: the text of its result, if it gets so far.
FAULTS = {
    "repeats": lambda text: text,
    "repeats in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "repeats for a URL": lambda text: urllib.parse.quote(text),
    "floods": lambda text: text * (FLOOD // len(text)),
    "ends": end,
    "complains at length": lambda text: end(text * 99),
    "is killed": be_killed,
    "never answers": never,
    "breaks off": break_off,
    "closes its output": close_output,
    "leaves a daemon": leave_daemon,
    "talks nonsense": lambda text: say("\n{" + text + "\n") or text,
    "takes 2 seconds to end": lambda text: signal.signal(signal.SIGTERM, lambda *_: time.sleep(2)) and never(text) or never(text),
}


def program(fault):
    say(FAULTS[fault](heard(sys.stdin.read())))


def staying(fault):
    for line in sys.stdin:
        result = FAULTS[fault](heard(line))
        say(json.dumps({"id": json.loads(line)["id"], "result": result}) + "\n")


# ## A server of MCP

TOOL = {"name": "login", "description": "Logs in", "inputSchema": {"type": "object", "properties": {"user": {"type": "string"}, "password": {"type": "string"}}}}


def mcp_result(asked, fault):
    """None: it is told something, and does not answer."""
    method = asked.get("method")
    if method == "initialize":
        return {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": heard(), "version": "1"}}
    if method == "tools/list": return {"tools": [TOOL]}
    if method == "tools/call": return {"content": [{"type": "text", "text": FAULTS[fault](heard(json.dumps(asked)))}]}
    return {} if "id" in asked else None


def server(fault):
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.get("method", "").startswith("server/"):
            say(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": heard("no such method")}}) + "\n")
        elif (result := mcp_result(asked, fault)) is not None:
            say(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}) + "\n")


# ## Over HTTP

class Handler(http.server.BaseHTTPRequestHandler):
    """/FAULT/tool answers a tool's call, /FAULT/v1/chat/completions is a model."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def all_that_came(self, body):
        return f"{self.path} {dict(self.headers)} {body}"

    def answer(self, status, text, kind="application/json", length=None):
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("X-Heard", json.dumps(dict(self.headers)))
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        fault, what = urllib.parse.unquote(self.path)[1:].split("/", 1)
        said = self.all_that_came(body)
        text = json.dumps(said) if what == "tool" else self.model_says(body, said)
        HTTP_FAULTS[fault](self, text, said)

    def model_says(self, body, said):
        asked = json.loads(body)
        has_called = any(message["role"] == "tool" for message in asked["messages"])
        call = {"id": "c1", "type": "function", "function": {"name": "login", "arguments": json.dumps({"user": "ann", "password": self.server.password})}}
        message = {"role": "assistant", "content": said} if has_called else {"role": "assistant", "content": None, "tool_calls": [call]}
        return json.dumps({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 7, "completion_tokens": 5, "total_tokens": 12},
                           "choices": [{"index": 0, "message": message, "finish_reason": "stop" if has_called else "tool_calls"}]})

    do_GET = do_POST


def hold(handler, text, said):
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(text)))
    handler.end_headers()
    handler.wfile.write(text[:len(text) // 2].encode())
    handler.server.over.wait(LONG)


def drop(handler, text, said):
    handler.answer(200, text[:len(text) // 2], length=len(text))
    handler.close_connection = True


def lead_away(handler, text, said):
    handler.send_response(307)
    handler.send_header("Location", "http://127.0.0.1:1/" + said[:99].replace(" ", "+").replace("\n", ""))
    handler.send_header("Content-Length", "0")
    handler.end_headers()


HTTP_FAULTS = {
    "is fine": lambda handler, text, said: handler.answer(200, text),
    "refuses": lambda handler, text, said: handler.answer(401, json.dumps({"error": {"message": said, "type": "authentication_error"}})),
    "fails": lambda handler, text, said: handler.answer(503, said * 9, "text/plain"),
    "talks nonsense": lambda handler, text, said: handler.answer(200, "{" + said),
    "holds": hold,
    "drops": drop,
    "floods": lambda handler, text, said: handler.answer(200, said * (40 * FLOOD // len(said))),
    "leads away": lead_away,
}


class Faulty(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    def handle_error(self, *_): pass


def serve(password):
    """The server, which runs; `over.set()` lets go of those it holds."""
    faulty = Faulty(("127.0.0.1", 0), Handler)
    faulty.password, faulty.over = password, threading.Event()
    threading.Thread(target=faulty.serve_forever, daemon=True).start()
    return faulty


if __name__ == "__main__": {"program": program, "staying": staying, "server": server}[sys.argv[1]](sys.argv[2])
