"""An MCP server whose tools stand in a file: mcp_box.py TOOLS.json. Each says its arguments, or
fails if its name says so. With a second argument, its process id is appended to that file."""
import json, os, sys

with open(sys.argv[1]) as file: tools = json.load(file)
if len(sys.argv) > 2:
    with open(sys.argv[2], "a") as file: file.write(f"{os.getpid()}\n")


def answer(asked):
    method, params = asked["method"], asked.get("params", {})
    if method == "initialize":
        return {"result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "box", "version": "1"}}}
    if method == "tools/list": return {"result": {"tools": tools}}
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": json.dumps(params.get("arguments"))}],
                           "isError": "fail" in params["name"]}}
    return {"error": {"code": -32601, "message": "no such method"}}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked: print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(asked)}), flush=True)
