"""The calculator's tools: a request a line, an answer a line."""
import json
import math
import sys

TOOLS = {
    "stringLength": lambda s: len(s),
    "add": lambda a, b: a + b,
    "sqrt": lambda x: math.sqrt(x),
}

for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    try:
        answer["result"] = TOOLS[request["tool"]](**request["arguments"])
    except Exception as error:
        answer["error"] = str(error)
    print(json.dumps(answer), flush=True)
