"""gramc serve --mcp over HTTP, request by request: serve_mcp_http.py GRAMC."""
import base64, http.client, json, os, signal, socket, subprocess, sys, tempfile, threading, time

support = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support")
sys.path.insert(0, support)
from mcp_client import MODERN, SUBSCRIPTION, check, finish, gramc, memory_of, run_groups

REVISION = "2026-07-28"
STREAMS = {"Accept": "application/json, text/event-stream"}
TOOLS = """[tools:ToolLibrary |
  [add:ToolImpl {builtin: "math.add", description: "Adds"} | (x::Int)==>(y::Int)==>(::Int)],
  [slow:ToolImpl {exec: ["sleep", "2.7"]}],
  [stuck:ToolImpl {exec: ["sh", "-c", "echo $$ > stuck.pid; exec sleep 30"]}],
  [big:ToolImpl {exec: ["sh", "-c", "head -c 900000 /dev/zero | tr '\\\\0' x"]}],
  [ping:ToolImpl {returns: "pong"}]%s]
"""
BOX = """[tools:ToolLibrary | [ping:ToolImpl {returns: "pong"}],
  [box:McpServer {command: ["python3", "%s/mcp_box.py", "box.json"%s]}]]
"""


class Server:
    def __init__(self, *arguments):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([gramc, "serve", "--mcp", *arguments, "--listen", "127.0.0.1:0"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.port = int(self.process.stdout.readline().strip().rsplit(":", 1)[1])

    def open(self, body, headers=(), method="POST"):
        """The answer, of which only the head was read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        body = json.dumps(body).encode() if isinstance(body, (dict, list)) else body
        connection.request(method, "/mcp", body, {"Content-Type": "application/json", **dict(headers)} if body else dict(headers))
        return connection.getresponse()

    def post(self, body, headers=()):
        """Status and document."""
        answer = self.open(body, headers)
        content = answer.read()
        return answer.status, json.loads(content) if content else None

    def stop(self, wanted=0):
        self.process.send_signal(signal.SIGTERM)
        check(self.process.wait(timeout=20) == wanted, "SIGTERM ends it")
        self.errors.seek(0)
        return self.errors.read()


def event(answer):
    """The next message of a stream; NULL at its end."""
    while line := answer.readline():
        if line.startswith(b"data: "): return json.loads(line[6:])
    return None


def modern(method, params=(), number=1, **headers):
    """A request of the stateless era and its headers; those given replace them, None takes one away."""
    body = {"jsonrpc": "2.0", "id": number, "method": method, "params": {**dict(params), "_meta": MODERN}}
    usual = {"MCP-Protocol-Version": REVISION, "Mcp-Method": method, **STREAMS}
    if method == "tools/call": usual["Mcp-Name"] = body["params"]["name"]
    for name, value in headers.items(): usual[name.replace("_", "-")] = value
    return body, {name: value for name, value in usual.items() if value is not None}


def legacy(method, params=None, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, **({"params": params} if params else {})}


def call(name, arguments=(), **headers):
    return modern("tools/call", {"name": name, "arguments": dict(arguments)}, **headers)


def expect(server, request, status, code=None):
    got, document = server.post(*request)
    check(got == status and (document or {}).get("error", {}).get("code") == code, request, got, document)
    return document


def encoded(text):
    return "=?base64?" + base64.b64encode(text.encode()).decode() + "?="


def the_headers():
    server = Server("tools.gram")
    for request, status, code in (
            (call("ping"), 200, None), (call("ping", Mcp_Name=encoded("ping")), 200, None),
            (call("ping", Mcp_Name="=?base64?cGluZ===?="), 400, -32020), (call("ping", Mcp_Name=encoded("add")), 400, -32020),
            (call("ping", Mcp_Name=None), 400, -32020), (call("ping", Mcp_Method="tools/list"), 400, -32020),
            (call("ping", MCP_Protocol_Version="2025-11-25"), 400, -32020), (call("ping", MCP_Protocol_Version=None), 400, -32020),
            (modern("what"), 404, -32601), (call("nobody"), 200, -32602), ((b"{", {}), 400, -32700), ((b"", {}), 415, None),
            ((legacy("tools/list"), {}), 200, None), ((legacy("tools/list"), {"MCP-Protocol-Version": "2025-03-26"}), 200, None),
            ((legacy("tools/list"), {"MCP-Protocol-Version": "1999-01-01"}), 400, -32022),
            ((legacy("tools/list"), {"MCP-Protocol-Version": REVISION}), 400, -32602),
            ((legacy("initialize", {"protocolVersion": "1999-01-01"}), {"MCP-Protocol-Version": "1999-01-01"}), 200, None),
            (([legacy("ping")], {}), 400, -32600)):
        document = server.post(*request) if status == 415 else expect(server, request, status, code)
        if status == 415: check(document[0] == 415, document)
    for body, headers, status in (({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}, 202),
                                  ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {"MCP-Protocol-Version": "7"}, 400),
                                  ({"jsonrpc": "2.0", "id": 1, "result": {}}, {}, 202)):
        check(server.post(body, headers)[0] == status, body)
    body, headers = call("ping")
    lines = [f"{name}: {value}" for name, value in headers.items()]
    for more, status in (([], b" 200 "), (["mcp-name: ping"], b" 400 "), (["Mcp-Method: tools/list"], b" 400 "),
                         ([f"MCP-Protocol-Version: {REVISION}"], b" 400 "), (["Mcp-Param-A: 1", "mcp-param-a: 1"], b" 400 ")):
        check(status in post_raw(server, json.dumps(body).encode(), lines=lines + more).recv(65536), "twice", more)
    for method, headers in (("GET", {}), ("HEAD", STREAMS), ("DELETE", STREAMS),
                            ("GET", {**STREAMS, "MCP-Protocol-Version": REVISION})):
        check(server.open(None, headers, method).status == 405, method, headers)
    server.stop()


def pages():
    server = Server("tools.gram", "--origin", "http://page.example")
    wants = {"Origin": "http://page.example", "Access-Control-Request-Method": "POST",
             "Access-Control-Request-Headers": "content-type, Mcp-Param-Region, x-other"}
    answer = server.open(None, wants, "OPTIONS")
    allowed = [name.strip() for name in answer.getheader("Access-Control-Allow-Headers").split(",")]
    check(answer.status == 204 and allowed == ["authorization", "content-type", "mcp-protocol-version", "mcp-method",
                                               "mcp-name", "Mcp-Param-Region"], allowed)
    check(server.open(None, {**wants, "Origin": "http://other.example"}, "OPTIONS").status == 403)
    body, headers = call("ping")
    answer = server.open(body, {**headers, "Origin": "http://page.example"})
    check(answer.status == 200 and answer.getheader("Access-Control-Allow-Origin") == "http://page.example")
    server.stop()


def mirrored_arguments():
    properties = {"region": {"type": "string", "x-mcp-header": "Region"}, "count": {"type": "integer", "x-mcp-header": "Count"},
                  "deep": {"type": "object", "properties": {"dry": {"type": "boolean", "x-mcp-header": "Dry"}}}}
    write("box.json", json.dumps([{"name": "where", "inputSchema": {"type": "object", "properties": properties}}]))
    write("box.gram", BOX % (support, ""))
    server = Server("box.gram")
    both = {"region": "north", "count": 7}
    for arguments, headers, status in (
            ({}, {}, 200), (both, {"Mcp_Param_Region": "north", "mcp_param_count": "7"}, 200),
            (both, {"Mcp_Param_Region": encoded("north"), "Mcp_Param_Count": encoded("7")}, 200),
            (both, {"Mcp_Param_Region": "south", "Mcp_Param_Count": "7"}, 400), (both, {"Mcp_Param_Region": "north"}, 400),
            (both, {"Mcp_Param_Region": "north", "Mcp_Param_Count": "=?base64?Nw=?="}, 400),
            ({"region": "\u00e4"}, {"Mcp_Param_Region": encoded("\u00e4")}, 200), ({"region": None}, {}, 200),
            ({}, {"Mcp_Param_Region": "north"}, 400), ({"deep": {"dry": True}}, {"Mcp_Param_Dry": "true"}, 200),
            ({"deep": {"dry": True}}, {"Mcp_Param_Dry": "false"}, 400), ({}, {"Mcp_Param_Other": "x"}, 200)):
        expect(server, call("where", arguments, **headers), status, None if status == 200 else -32020)
    server.stop()


def write(name, text):
    with open(name, "w") as file: file.write(text)


def progress():
    server = Server("tools.gram")
    kept = legacy("tools/call", {"name": "slow", "_meta": {"progressToken": 9}})
    streamed, streamed_headers = modern("tools/call", {"name": "slow"})
    streamed["params"]["_meta"] = {**MODERN, "progressToken": 9}
    plain = {**streamed_headers, "Accept": "application/json"}
    slow = threading.Thread(target=lambda: check(
        server.open(streamed, plain).getheader("Content-Type") == "application/json", "who takes no stream gets none"))
    slow.start()
    answers = []
    openers = [threading.Thread(target=lambda one=one: answers.append(server.open(*one)))
               for one in ((kept, STREAMS), (streamed, streamed_headers))]
    for opener in openers: opener.start()
    for opener in openers: opener.join()
    for answer in answers:
        check(answer.getheader("Content-Type") == "text/event-stream")
        told = [event(answer)]
        while "method" in told[-1]: told.append(event(answer))
        check([one["method"] for one in told[:-1]] == ["notifications/progress"] * (len(told) - 1) and len(told) > 2, told)
        check([one["params"]["progress"] for one in told[:-1]] == list(range(1, len(told))), told)
        check(told[0]["params"]["progressToken"] == 9, told)
        check("isError" not in told[-1]["result"] and event(answer) is None, "the answer ends the stream")
    slow.join()
    server.stop()


def changes():
    write("changing.gram", '{imports: ["more.gram"]}\n[t:ToolLibrary {extends: base} | [ping:ToolImpl {returns: "pong"}]]\n')
    write("more.gram", '[base:ToolLibrary | [pong:ToolImpl {returns: "ping"}]]\n')
    server = Server("changing.gram#t")
    body, headers = modern("subscriptions/listen", {"notifications": {"toolsListChanged": True}}, "L")
    check(server.open(body, {**headers, "Accept": "application/json"}).status == 406)
    listening, hearing = server.open(body, headers), server.open(None, STREAMS, "GET")
    deaf = server.open(*modern("subscriptions/listen", {"notifications": {}}, "D"))
    heard = event(listening)
    check(heard["params"] == {"notifications": {"toolsListChanged": True}, "_meta": {SUBSCRIPTION: "L"}}, heard)
    check(event(deaf)["params"]["notifications"] == {}, "nothing is wanted")
    found = server.post(*modern("server/discover"))[1]["result"]
    check(found["capabilities"] == {"tools": {"listChanged": True}}, found)
    for file, text, names in (("more.gram", '[base:ToolLibrary | [pang:ToolImpl {returns: "ping"}]]\n', {"ping", "pang"}),
                              ("changing.gram", '[t:ToolLibrary | [pung:ToolImpl {returns: "pong"}]]\n', {"pung"})):
        write(file, text)
        heard = [event(listening), event(hearing)]
        check([one["method"] for one in heard] == ["notifications/tools/list_changed"] * 2, heard)
        check([one["params"] for one in heard] == [{"_meta": {SUBSCRIPTION: "L"}}, {}], heard)
        tools = server.post(*modern("tools/list"))[1]["result"]["tools"]
        check({tool["name"] for tool in tools} == names, tools)
    check(server.post(*call("pung"))[1]["result"]["content"][0]["text"] == "pong")
    check("has changed" in server.stop(), "it is said")
    check(event(listening)["result"]["_meta"] == {SUBSCRIPTION: "L"} and event(listening) is None)
    check(event(deaf)["id"] == "D" and event(hearing) is None)


def post_raw(server, content, length=None, lines=()):
    """A connection on which nothing was read."""
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length or len(content)}\r\n"
    head += "".join(f"{line}\r\n" for line in lines) + "\r\n"
    raw.sendall(head.encode() + content)
    return raw


def the_end():
    server = Server("tools.gram", "--grace", "200ms", "--max-runs", "2")
    stuck = modern("tools/call", {"name": "stuck"}, "S")
    stuck[0]["params"]["_meta"] = {**MODERN, "progressToken": 1}
    streamed = server.open(*stuck)
    check(event(streamed)["method"] == "notifications/progress")
    raw = post_raw(server, json.dumps(legacy("tools/call", {"name": "stuck"})).encode())
    time.sleep(0.3)
    check(expect(server, (legacy("tools/call", {"name": "ping"}), {}), 503, -32603), "more are not taken")
    with open("stuck.pid") as file: pid = int(file.read())
    began = time.monotonic()
    server.stop()
    check(time.monotonic() - began < 4, "it waits no longer than --grace")
    last = event(streamed)
    check(last["id"] == "S" and last["error"]["code"] == -32603 and event(streamed) is None, last)
    check(b" 503 " in raw.recv(65536), "a call that is canceled is said to be")
    try:
        os.kill(pid, 0)
        check(False, "the program still works")
    except ProcessLookupError: pass


def who_reads_nothing():
    """Costs what was to be read, until it goes; who has sent but half is not answered."""
    server = Server("tools.gram", "--grace", "200ms")
    raw = [post_raw(server, json.dumps(legacy("tools/call", {"name": "big"})).encode()) for _ in range(20)]
    time.sleep(0.7)
    check(server.post(*call("ping"))[0] == 200, "others are answered")
    check(memory_of(server.process.pid) < 200 << 20, "20 answers of a MB")
    for one in raw: one.close()
    post_raw(server, b'{"json', 100).close()
    check(server.post(*call("ping"))[0] == 200, "half a message")
    check(b" 413 " in post_raw(server, b'{"a":"', 5 << 20).recv(65536), "a giant one")
    server.stop()


def run(*arguments):
    done = subprocess.run([gramc, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout.strip(), done.stderr


def through_gramc():
    """gramc's own client: a served library is a box of another one, which may be served in turn."""
    write("box.json", json.dumps([{"name": "where", "inputSchema": {
        "type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}}]))
    write("inner.gram", BOX % (support, "") + "[add:Tool {description: \"Adds\"} | (x::Int)==>(y::Int)==>(::Int)]\n")
    server = Server("inner.gram")
    write("by_http.gram", f'[l:ToolLibrary | [in:McpServer {{url: "http://127.0.0.1:{server.port}/mcp"}}]]\n')
    write("by_stdio.gram", f'[l:ToolLibrary | [in:McpServer {{command: ["{gramc}", "serve", "--mcp", "inner.gram"]}}]]\n')
    write("agent.gram", '[clerk:Agent {description: "d", model: "OpenAI/x"} | [ping:Tool {description: "d"} | ()==>(::Text)]]\n')
    for outer in ("by_http.gram", "by_stdio.gram"):
        for tool, arguments, said in (("ping", {}, "pong"), ("where", {"region": " \u00e4"}, '{"region": " \\u00e4"}')):
            code, out, err = run("call", outer, tool, json.dumps(arguments))
            check(code == 0 and out == said, outer, tool, code, out, err)
        code, out, err = run("run", "agent.gram", "--library", outer, "--model", "mock", "ping")
        check(code == 0 and "pong" in out, outer, code, out, err)
        again = Server(outer)
        tools = again.post(*modern("tools/list"))[1]["result"]["tools"]
        check([tool["name"] for tool in tools] == ["ping", "where"] and "region" in tools[1]["inputSchema"]["properties"], tools)
        check(again.post(*call("where", {"region": "x"}, Mcp_Param_Region="x"))[1]["result"]["content"][0]["text"] == '{"region": "x"}', outer)
        again.stop()
    said = server.stop()
    check(said.count("POST /mcp 200") > 8 and "POST /mcp 4" not in said, "the headers are right the first time", said)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write("tools.gram", TOOLS % "")
    run_groups((the_headers, pages, the_end), (mirrored_arguments, through_gramc), (progress,), (changes,), (who_reads_nothing,))
    os.chdir("/")
finish(101)
