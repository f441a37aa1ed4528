#!/usr/bin/env python3
"""A model without a brain, so that the experiment can be recorded without a key: it looks for a
number and the words after it, calls the two tools, and says what they said. Speaks OpenAI's chat
completions on 127.0.0.1; prints its address and serves until it is stopped.

    python3 clerk.py &
    gramc experiment shop.gram run --base-url http://127.0.0.1:PORT/v1 --record cassettes"""
import http.server
import json
import re

NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "ten": 10, "twelve": 12}


def call(number, name, arguments):
    return {"role": "assistant", "content": None, "tool_calls": [
        {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}]}


def answer(messages):
    asked = next(m["content"] for m in messages if m["role"] == "user")
    number, product = re.search(r"\b(%s) (\w+)" % "|".join(NUMBERS), asked, re.I).groups()
    said = [m["content"] for m in messages if m["role"] == "tool"]
    if not said:
        return call(1, "findProduct", {"words": product})
    if len(said) == 1 and said[0] != "no such product":
        return call(2, "priceOf", {"product": said[0], "quantity": NUMBERS[number.lower()]})
    text = f"{number.capitalize()} {product}: €{said[1]}." if len(said) == 2 else f"We do not sell {product}."
    return {"role": "assistant", "content": text}


class Clerk(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = answer(request["messages"])
        tokens = len(json.dumps(request["messages"])) // 4, len(json.dumps(message)) // 4
        body = json.dumps({
            "id": "chatcmpl-clerk", "object": "chat.completion", "created": 0, "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if message["content"] is None else "stop"}],
            "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Clerk)
print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
server.serve_forever()
