"""gramc serve --mcp over standard input and output, line by line: serve_mcp.py GRAMC.

What official clients make of it stands in tests/peers; here is what they never send."""
import json, os, signal, sys, tempfile, time

support = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support")
sys.path.insert(0, support)
from mcp_client import MODERN, SUBSCRIPTION, Client, check, failed, finish, memory_of, refused, text

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
    check(sizes[-1] - sizes[1] < 3 << 20, sizes)
    check(client.end() == (0, b""), "ends")
    with open("pids") as file: pids = [int(line) for line in file]
    check(len(pids) >= count and not any(os.path.exists(f"/proc/{pid}") for pid in pids), "no server is left")
    print(f"{count} reloads: {sizes[0] >> 10} to {sizes[-1] >> 10} KiB, {len(pids)} servers of boxes")


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
    for test in (handshake_era, stateless_era, what_is_no_message, a_long_line, calls_at_once, the_end, other_tools, reloads, an_agent):
        began = time.monotonic()
        test()
        if os.environ.get("GRAMC_TIMES"): print(f"{test.__name__}: {time.monotonic() - began:.1f} s")
    os.chdir("/")
finish(120)
