"""gramc serve --mcp over standard input and output, line by line: serve_mcp.py GRAMC.

What official clients make of it stands in tests/peers; here is what they never send."""
import http.server, json, os, signal, sys, tempfile, threading, time

support = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support")
sys.path.insert(0, support)
from mcp_client import MODERN, SUBSCRIPTION, Client, check, failed, finish, memory_of, refused, run_groups, text

TOOLS = """[tools:ToolLibrary {description: "Greets"} |
  [add:ToolImpl {builtin: "math.add", description: "Adds"} | (x::Int)==>(y::Int)==>(::Int)],
  [echo:ToolImpl {exec: ["cat"]}],
  [point:ToolImpl {exec: ["sh", "-c", "echo '{\\"x\\": 1}'"]} | ()==>(::Object {fields: {x: Int}})],
  [liar:ToolImpl {exec: ["echo", "many"]} | ()==>(::Int)],
  [broken:ToolImpl {exec: ["sh", "-c", "echo out of luck >&2; exit 3"]}],
  [slow:ToolImpl {exec: ["sh", "-c", "echo $$ > slow.pid; exec sleep 5"]}],
  [big:ToolImpl {exec: ["sh", "-c", "head -c 900000 /dev/zero | tr '\\\\0' x"]}],
  [ping:ToolImpl {returns: "pong"}]]
"""
HINTS = """[look:Tool {description: "Looks", title: "Look", readOnly: true, idempotent: true, openWorld: true} | ()==>(::Text)]
[wipe:Tool {description: "Wipes", destructive: true} | ()==>(::Text)]
[told:Tool {description: "Tells", readOnly: true} | ()==>(::Text)]
[age:Tool {description: "Of somebody"} | (name::Text)==>(::Object {fields: {age: Int}})]
[own:Tool {description: "Of somebody"} | (name::Text)==>(::Text)]
[l:ToolLibrary | [look:ToolImpl {exec: ["echo", "x"]}], [wipe:ToolImpl {returns: "x", description: "Its own"}], [plain:ToolImpl {exec: ["true"]}],
  [age:ToolImpl {exec: ["echo", "{\\"age\\": 7}"]}], [own:ToolImpl {exec: ["cat"]} | (other::Int)==>(::Text)],
  [box:McpServer {command: ["python3", "%s/mcp_box.py", "hints.json"]}]]
"""
BY_AGENT = """[helper:Agent {description: "Helps", model: "OpenAI/x"}]
[l:ToolLibrary | [ping:ToolImpl {returns: "pong"}], [ask:ToolImpl {agent: helper} | (message::Text)==>(::Text)]]
"""
AGENT = """[clerk:Agent {description: "Is a clerk", model: "OpenAI/gpt-4o", instruction: "Speak ${language}"} |
  [ping:Tool {description: "Pings"} | ()==>(::Text)]]
[waiter:Agent {description: "Waits", model: "OpenAI/gpt-4o"} | [slow:Tool {description: "Waits", timeout: 20s} | ()==>(::Text)]]
[desk:ToolLibrary | [ping:ToolImpl {returns: "pong"}], [slow:ToolImpl {exec: ["sh", "-c", "echo $$ > run.pid; exec sleep 15"]}]]
"""

def handshake_era():
    client = Client("tools.gram")
    for wanted, got in (("2025-06-18", "2025-06-18"), ("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25"),
                        ("1999-01-01", "2025-11-25")):
        check(client.greet(wanted)["result"]["protocolVersion"] == got, wanted, got)
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    check(list(tools) == ["add", "echo", "point", "liar", "broken", "slow", "big", "ping"], list(tools))
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


def gone(pid):
    for _ in range(50):
        try: os.kill(pid, 0)
        except ProcessLookupError: return
        time.sleep(0.1)
    check(False, "the program still works")


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
    gone(pid)
    check(client.end() == (0, b""), "no word of the canceled ones")


def ids_and_batches():
    client = Client("tools.gram")
    for number in (0, -7, 9007199254740993, 123456789012345678901234567890, "", "1", "x" * 5000, "a\u0000b"):
        answer = client.ask("ping", id=number)
        check(answer["id"] == number and type(answer["id"]) is type(number), number)
    for number in (True, [], {}, 1.5):
        client.send("ping", id=number)
        answer = client.read()
        check(answer["id"] is None and answer["error"]["code"] == -32600, number, answer)
    client.greet("2025-03-26")  # the one revision that has batches: they are refused, in words
    client.write([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}])
    answer = client.read()
    check(answer["id"] is None and answer["error"]["code"] == -32600 and "batches" in answer["error"]["message"], answer)
    slow = [client.send("tools/call", {"name": "slow"}, id=one) for one in (1, "1")]
    refused(client.ask("ping", id=1), -32600)
    check(len(slow) == 2 and text(client.call("ping")) == "pong", "1 and \"1\" are two ids")
    client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    check(client.ask("ping", id=1)["result"] == {}, "an id that was canceled is free again")
    client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "1"}})
    for params in ({}, {"requestId": None}, {"requestId": {}}, []):
        client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    client.write({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "ping"}})  # asks for nothing
    check(client.end() == (0, b""), "nothing else is said")


def bytes_in_pieces():
    client = Client("tools.gram")
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "echo", "arguments": {"a": "\u00e4" * 50}}},
                        ensure_ascii=False).encode() + b"\r\n" for n in range(3)]
    for byte in b"".join(lines): client.write(bytes([byte]))
    for _ in range(3): check(json.loads(text(client.read())) == {"a": "\u00e4" * 50}, "byte by byte")
    client.write(b"".join(json.dumps({"jsonrpc": "2.0", "id": n, "method": "ping"}).encode() + b"\n" for n in range(2000)))
    check([client.read()["id"] for _ in range(2000)] == list(range(2000)), "2,000 at once")
    check(client.end() == (0, b""))


def who_reads_nothing():
    client = Client("tools.gram", "--max-runs", "1000")
    ask = json.dumps({"jsonrpc": "2.0", "id": "%d", "method": "tools/call", "params": {"name": "big"}}) + "\n"
    os.set_blocking(client.process.stdin.fileno(), False)
    most = 0
    try:
        for number in range(400):
            client.write((ask % number).encode())
            most = max(most, memory_of(client.process.pid))
            if number % 20 == 0: time.sleep(0.05)
        for _ in range(100):
            most = max(most, memory_of(client.process.pid))
            time.sleep(0.05)
    except (BrokenPipeError, ProcessLookupError, FileNotFoundError, StopIteration, BlockingIOError): pass
    check(client.process.wait(timeout=20) == 0, "it is given up")
    client.errors.seek(0)
    check(b"the client reads no answers" in client.errors.read(), "it is said")
    check(most < 400 << 20, f"{most >> 20} MB")


def the_end():
    client = Client("tools.gram", "--grace", "300ms")
    client.send("tools/call", {"name": "slow"})
    time.sleep(0.3)
    client.process.send_signal(signal.SIGTERM)
    check(client.process.wait(timeout=4) == 0 and client.read() is None, "SIGTERM while a call works")
    with open("slow.pid") as file: gone(int(file.read()))
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


def reloads():
    """Cost nothing that stays: 5 of them, each of a file of 2 MB; 100 with GRAMC_LONG."""
    count = 100 if os.environ.get("GRAMC_LONG") else 5
    with open("box.json", "w") as file: json.dump([{"name": "told", "inputSchema": {"type": "object"}}], file)

    def write(number):
        with open("again.gram", "w") as file:
            file.write("// " + "x" * (2 << 20) + f"""
[t:ToolLibrary | [n{number}:ToolImpl {{returns: "{number}"}}],
  [box:McpServer {{command: ["python3", "{support}/mcp_box.py", "box.json", "pids"]}}]]\n""")

    write(0)
    client = Client("again.gram")
    client.greet()
    sizes = []
    for number in range(1, count + 1):
        write(number)
        check(client.read()["method"] == "notifications/tools/list_changed")
        check(text(client.call(f"n{number}")) == str(number) and text(client.call("told", {"a": number})) == f'{{"a": {number}}}')
        sizes.append(memory_of(client.process.pid))
    # Sanitizers keep for a while what was freed, but no file.
    most = 5 if os.environ.get("GRAMC_SANITIZED") == "1" else 3
    check(sizes[-1] - sizes[1] < most << 20, sizes)
    check(client.end() == (0, b""), "ends")
    with open("pids") as file: pids = [int(line) for line in file]
    check(len(pids) >= count and not any(os.path.exists(f"/proc/{pid}") for pid in pids), "no server is left")
    print(f"{count} reloads: {sizes[0] >> 10} to {sizes[-1] >> 10} KiB, {len(pids)} servers of boxes")


def a_box_of_http():
    """Its file is watched, too; what it is about to say is asked of the one that was read last."""
    class Says(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.path.encode())

        def log_message(self, *words): pass

    def write(path):
        with open("web.yaml", "w") as file:
            file.write(f"""web:
  tools:
  - metadata: {{name: look, description: Looks, parameters: {{what: {{description: What, type: STRING}}}}}}
    definition:
      method: GET
      path: {{type: TEXT_SUBSTITUTOR, content: "{path}/${{what}}"}}
""")

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Says) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        write("/old")
        with open("web.gram", "w") as file:
            file.write(f'[t:ToolLibrary | [web:HttpToolBox {{file: "web.yaml", url: "http://127.0.0.1:{web.server_port}"}}]]\n')
        client = Client("web.gram")
        client.greet()
        check(text(client.call("look", {"what": "a"})) == "/old/a")
        write("/new")
        check(client.read()["method"] == "notifications/tools/list_changed")
        check(text(client.call("look", {"what": "a"})) == "/new/a")
        os.remove("web.yaml")
        time.sleep(1)
        failed(client.call("look", {}), "do not fit")
        write("/newest")
        check(client.read()["method"] == "notifications/tools/list_changed", "a file that was gone is back")
        check(text(client.call("look", {"what": "a"})) == "/newest/a")
        check(client.end() == (0, b""), "ends")
        web.shutdown()


def an_agent():
    client = Client("agent.gram", "--agent", "clerk", "--library", "desk", "--model", "mock")
    tools = client.ask("tools/list")["result"]["tools"]
    check([tool["name"] for tool in tools] == ["clerk"] and tools[0]["inputSchema"]["required"] == ["language", "message"], tools)
    answer = client.call("clerk", {"message": "hello", "language": "Latin"})
    check("isError" not in answer["result"] and text(answer), answer)
    failed(client.call("clerk", {"message": "hello"}), "`language` is missing")
    failed(client.call("clerk", {"message": " ", "language": "Latin"}), "`message` is empty")
    failed(client.call("clerk", {"message": "a", "language": "Latin", "more": "b"}), "`more` is none of them")
    meta = {"progressToken": "p"}
    number = client.send("tools/call", {"name": "clerk", "arguments": {"message": "ping", "language": "Latin"}, "_meta": meta})
    told = [client.read() for _ in range(5)]
    check([one["params"]["message"] for one in told[:4]] ==
          ["asks the model, iteration 1", "calls ping", "ping: ok", "asks the model, iteration 2"], told)
    check(told[4]["id"] == number and "isError" not in told[4]["result"] and text(told[4]), told)
    check(client.end() == (0, b""), "ends")
    client = Client("agent.gram", "--agent", "waiter", "--library", "desk", "--model", "mock")
    number = client.send("tools/call", {"name": "waiter", "arguments": {"message": "go"}, "_meta": meta})
    told = [client.read()["params"] for _ in range(3)]
    check([one["message"] for one in told] == ["asks the model, iteration 1", "calls slow", "still at work"], told)
    check([one["progress"] for one in told] == [1, 2, 3], told)
    client.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    with open("run.pid") as file: gone(int(file.read()))
    check(client.ask("ping")["result"] == {}, "no word of the canceled run")
    check(client.end() == (0, b""), "ends")


def hints():
    with open("hints.gram", "w") as file: file.write(HINTS % support)
    with open("hints.json", "w") as file:
        json.dump([{"name": "told", "title": "Told", "description": "Of the box", "inputSchema": {"type": "object"},
                    "annotations": {"title": "T", "readOnlyHint": False, "idempotentHint": True}}], file)
    client = Client("hints.gram")
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["result"]["tools"]}
    check(tools["look"]["title"] == "Look" and tools["look"]["description"] == "Looks", tools["look"])
    check(tools["look"]["annotations"] == {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": True}, tools["look"])
    check(tools["wipe"]["description"] == "Its own", tools["wipe"])
    check(tools["wipe"]["annotations"] == {"readOnlyHint": False, "destructiveHint": True, "openWorldHint": False}, tools["wipe"])
    check(tools["told"]["title"] == "Told" and tools["told"]["description"] == "Of the box", tools["told"])
    check(tools["told"]["annotations"] == {"title": "T", "idempotentHint": True, "readOnlyHint": True}, tools["told"])
    check("annotations" not in tools["plain"], tools["plain"])
    check(tools["age"]["inputSchema"]["required"] == ["name"] and tools["age"]["outputSchema"]["type"] == "object", tools["age"])
    check(client.call("age", {"name": "Ann"})["result"]["structuredContent"] == {"age": 7})
    failed(client.call("age"), "the arguments do not fit: name: missing")
    check(tools["own"]["inputSchema"]["required"] == ["other"], "a signature of its own counts")
    check(client.end() == (0, b""), "ends")


def tools_of_agents():
    with open("inner.gram", "w") as file: file.write(BY_AGENT)
    client = Client("inner.gram")
    check([tool["name"] for tool in client.ask("tools/list")["result"]["tools"]] == ["ping"])
    check(client.end() == (0, b""), "ends")
    client.errors.seek(0)
    check(b"ask is left out: an agent does it" in client.errors.read(), "it is said")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    with open("tools.gram", "w") as file: file.write(TOOLS)
    with open("agent.gram", "w") as file: file.write(AGENT)
    run_groups((handshake_era, stateless_era, what_is_no_message, ids_and_batches, bytes_in_pieces, a_long_line,
                calls_at_once, the_end), (who_reads_nothing, an_agent, hints, tools_of_agents), (other_tools,), (reloads,),
               (a_box_of_http,))
    os.chdir("/")
finish(210)
