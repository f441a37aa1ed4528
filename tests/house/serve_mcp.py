"""gramc serve --mcp over standard input and output, line by line: serve_mcp.py GRAMC.

What official clients make of it stands in tests/peers; here is what they never send."""
import json, os, signal, subprocess, sys, tempfile, time

gramc = os.path.abspath(sys.argv[1])
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
TOOLS = """[tools:ToolLibrary {description: "Greets"} |
  [add:ToolImpl {builtin: "math.add", description: "Adds"} | (x::Int)==>(y::Int)==>(::Int)],
  [echo:ToolImpl {exec: ["cat"]}],
  [point:ToolImpl {exec: ["sh", "-c", "echo '{\\"x\\": 1}'"]} | ()==>(::Object {fields: {x: Int}})],
  [liar:ToolImpl {exec: ["echo", "many"]} | ()==>(::Int)],
  [broken:ToolImpl {exec: ["sh", "-c", "echo out of luck >&2; exit 3"]}],
  [slow:ToolImpl {exec: ["sh", "-c", "echo $$ > slow.pid; exec sleep 5"]}],
  [ping:ToolImpl {returns: "pong"}]]
"""
AGENT = """[clerk:Agent {description: "Is a clerk", model: "OpenAI/gpt-4o", instruction: "Speak ${language}"} |
  [ping:Tool {description: "Pings"} | ()==>(::Text)]]
[desk:ToolLibrary | [ping:ToolImpl {returns: "pong"}]]
"""
failures, checks = [], 0


def check(good, *words):
    global checks
    checks += 1
    if not good:
        failures.append(words)
        print("FAILED:", *words, flush=True)


class Client:
    def __init__(self, *arguments):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([gramc, "serve", "--mcp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.number = 0

    def write(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def send(self, method, params=None, **more):
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method,
                    **({"params": params} if params is not None else {}), **more})
        return self.number

    def ask(self, method, params=None, **more):
        number = self.send(method, params, **more)
        answer = self.read()
        check(answer and answer.get("id") == more.get("id", number), method, answer)
        return answer

    def call(self, name, arguments=None, meta=None):
        params = {"name": name}
        if arguments is not None: params["arguments"] = arguments
        if meta: params["_meta"] = meta
        return self.ask("tools/call", params)

    def greet(self, revision="2025-11-25"):
        answer = self.ask("initialize", {"protocolVersion": revision, "capabilities": {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        return self.process.wait(timeout=20), rest


def text(answer):
    return answer["result"]["content"][0]["text"]


def failed(answer, words):
    result = answer.get("result", {})
    check(result.get("isError") is True and words in text(answer), words, answer)


def refused(answer, code):
    check(answer.get("error", {}).get("code") == code, code, answer)


def handshake_era():
    client = Client("tools.gram")
    for wanted, got in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25"),
                        ("1999-01-01", "2025-11-25")):
        check(client.greet(wanted)["result"]["protocolVersion"] == got, wanted, got)
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    check(list(tools) == ["add", "echo", "point", "liar", "broken", "slow", "ping"], list(tools))
    check(tools["add"]["inputSchema"]["required"] == ["x", "y"] and "outputSchema" not in tools["add"], tools["add"])
    check(tools["point"]["outputSchema"]["type"] == "object", tools["point"])
    check(tools["ping"]["annotations"]["readOnlyHint"] is True, tools["ping"])
    check(text(client.call("add", {"x": 2, "y": 40})) == "42")
    check("structuredContent" not in client.call("add", {"x": 2, "y": 40})["result"])
    check(client.call("point")["result"]["structuredContent"] == {"x": 1})
    check(json.loads(text(client.call("echo", {"a": "\u00e4\n\U0001f600"}))) == {"a": "\u00e4\n\U0001f600"})
    check(client.ask("ping")["result"] == {})
    failed(client.call("add", {"x": 2}), "the arguments do not fit: y: missing")
    failed(client.call("add", {"x": 2, "y": 1, "z": 1}), "the arguments do not fit")
    failed(client.call("liar"), "the tool's result is not what it promises")
    failed(client.call("broken"), "out of luck")
    refused(client.call("nobody"), -32602)
    refused(client.call("add", [1]), -32602)
    refused(client.ask("tools/call", {}), -32602)
    refused(client.ask("tools/list", {"cursor": "2"}), -32602)
    refused(client.ask("server/discover"), -32602)
    refused(client.ask("resources/list"), -32601)
    check(client.end() == (0, b""), "ends")


def stateless_era():
    client = Client("tools.gram#tools")
    found = client.ask("server/discover", {"_meta": MODERN})["result"]
    check(found["supportedVersions"] == ["2026-07-28"] and found["resultType"] == "complete", found)
    check(found["ttlMs"] == 0 and found["cacheScope"] == "private", found)
    tools = {tool["name"]: tool for tool in client.ask("tools/list", {"_meta": MODERN})["result"]["tools"]}
    check(tools["add"]["outputSchema"] == {"type": "integer"}, tools["add"])
    check(client.call("add", {"x": 2, "y": 40}, MODERN)["result"]["structuredContent"] == 42)
    refused(client.ask("ping", {"_meta": MODERN}), -32601)
    refused(client.ask("initialize", {"_meta": MODERN, "protocolVersion": "2025-11-25"}), -32601)
    other = client.ask("tools/list", {"_meta": {**MODERN, "io.modelcontextprotocol/protocolVersion": "2030-01-01"}})
    refused(other, -32022)
    check(other["error"]["data"] == {"supported": ["2026-07-28"], "requested": "2030-01-01"}, other)
    refused(client.ask("tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}), -32602)
    refused(client.ask("subscriptions/listen", {"_meta": MODERN}), -32602)
    check(client.end() == (0, b""), "ends")


def what_is_no_message():
    client = Client("tools.gram")
    for line, code in ((b"{\n", -32700), (b"\xff\xfe\n", -32700), (b"[]\n", -32600), (b"7\n", -32600), (b"{}\n", -32600),
                       (b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n', -32600),
                       (b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32600),
                       (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}\n', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":7}\n', -32600),
                       (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}\n', -32602),
                       (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":1}}\n', -32602),
                       (b"[" * 100000 + b"\n", -32700)):
        client.write(line)
        refused(client.read(), code)
    for line in (b"\n", b"  \r\n", b'{"jsonrpc":"2.0","id":1,"result":{}}\n', b'{"jsonrpc":"2.0","method":"what"}\n',
                 b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}\n'):
        client.write(line)
    check(client.ask("ping")["result"] == {}, "goes on")
    check(client.ask("ping", id="\u00e4\"\\")["result"] == {}, "an id of any text")
    client.process.stdin.write(b'{"jsonrpc":"2.0","id":99,"method":"ping"}')  # and no end of the line
    check(client.end() == (0, b'{"jsonrpc":"2.0","id":99,"result":{}}\n'), "the last line")


def a_long_line():
    client = Client("tools.gram")
    check(len(text(client.call("echo", {"a": "x" * 900000}))) > 900000, "a long argument")
    try:
        client.write(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * (17 << 20))
    except BrokenPipeError:
        pass  # nobody reads any more
    refused(client.read(), -32600)
    check(client.process.wait(timeout=20) == 0, "it is given up")


def calls_at_once():
    client = Client("tools.gram", "--max-runs", "2")
    client.greet()
    meta = {"progressToken": "t"}
    slow = client.send("tools/call", {"name": "slow", "_meta": meta})
    refused(client.ask("ping", id=slow), -32600)
    check(text(client.call("ping")) == "pong", "while another works")
    second = client.send("tools/call", {"name": "slow"})
    refused(client.call("ping"), -32603)
    progress = client.read()
    check(progress["method"] == "notifications/progress" and progress["params"]["progressToken"] == "t", progress)
    for number in (slow, second):
        client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    check(text(client.call("ping")) == "pong", "the canceled ones are gone")
    with open("slow.pid") as file: pid = int(file.read())
    for _ in range(50):
        try: os.kill(pid, 0)
        except ProcessLookupError: break
        time.sleep(0.1)
    else: check(False, "the program still works")
    check(client.end() == (0, b""), "no word of the canceled ones")


def the_end():
    client = Client("tools.gram", "--grace", "300ms")
    client.send("tools/call", {"name": "slow"})
    began = time.monotonic()
    check(client.end() == (0, b"") and time.monotonic() - began < 4, "a call is not waited for longer than that")
    client = Client("tools.gram")
    check(text(client.call("ping")) == "pong")
    client.process.send_signal(signal.SIGTERM)
    check(client.process.wait(timeout=20) == 0, "SIGTERM ends it")


def other_tools():
    with open("other.gram", "w") as file: file.write('[t:ToolLibrary | [ping:ToolImpl {returns: "pong"}]]\n')
    client = Client("other.gram")
    check(client.greet()["result"]["capabilities"] == {"tools": {"listChanged": True}})
    client.write({"jsonrpc": "2.0", "id": "L", "method": "subscriptions/listen",
                  "params": {"_meta": MODERN, "notifications": {"toolsListChanged": True}}})
    heard = client.read()
    check(heard["method"] == "notifications/subscriptions/acknowledged" and heard["params"]["_meta"] == {SUBSCRIPTION: "L"}, heard)
    with open("other.gram", "w") as file: file.write('[t:ToolLibrary | [pong:ToolImpl {returns: "ping"}]]\n')
    told = [client.read(), client.read()]
    check([one["method"] for one in told] == ["notifications/tools/list_changed"] * 2, told)
    check([one["params"] for one in told] == [{}, {"_meta": {SUBSCRIPTION: "L"}}], told)
    check([tool["name"] for tool in client.ask("tools/list")["result"]["tools"]] == ["pong"], "the other ones")
    refused(client.call("ping"), -32602)
    with open("other.gram", "w") as file: file.write("[t:ToolLibrary | [")
    time.sleep(1.5)
    check(text(client.call("pong")) == "ping", "a file that says nothing good changes nothing")
    client.process.stdin.close()
    last = client.read()
    check(last["id"] == "L" and last["result"]["_meta"] == {SUBSCRIPTION: "L"}, last)
    check(client.process.wait(timeout=20) == 0)


def an_agent():
    client = Client("agent.gram", "--agent", "clerk", "--library", "desk", "--model", "mock")
    tools = client.ask("tools/list")["result"]["tools"]
    check([tool["name"] for tool in tools] == ["clerk"] and tools[0]["inputSchema"]["required"] == ["language", "message"], tools)
    answer = client.call("clerk", {"message": "hello", "language": "Latin"})
    check("isError" not in answer["result"] and text(answer), answer)
    failed(client.call("clerk", {"message": "hello"}), "`language` is missing")
    failed(client.call("clerk", {"message": " ", "language": "Latin"}), "`message` is empty")
    failed(client.call("clerk", {"message": "a", "language": "Latin", "more": "b"}), "`more` is none of them")
    check(client.end() == (0, b""), "ends")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("tools.gram", "w") as file: file.write(TOOLS)
    with open("agent.gram", "w") as file: file.write(AGENT)
    for test in (handshake_era, stateless_era, what_is_no_message, a_long_line, calls_at_once, the_end, other_tools, an_agent):
        test()
    os.chdir("/")
print(f"{checks} checks, {len(failures)} failed")
sys.exit(1 if failures or checks < 90 else 0)
