"""Whatever gramc can run is served: serve_kinds.py SOURCE GRAMC. One request for each kind of tool, guard,
strategy, form of answer and limit, which shows that it works behind HTTP as it does without."""
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from served import *

PLUGIN = os.path.join(os.path.dirname(gramc), "../tests/plugin/libtemplate.so")


class Web(http.server.BaseHTTPRequestHandler):
    """What tools by HTTP ask."""
    def log_message(self, *_): pass
    def do_GET(self):
        body = json.dumps({"found": self.path}).encode() if self.path.startswith("/box") else ("found at " + self.path).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if self.path.startswith("/box") else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


web = Models(("127.0.0.1", 0), Web)
threading.Thread(target=web.serve_forever, daemon=True).start()
WEB = "http://127.0.0.1:%d" % web.server_port
open("stay.py", "w").write('''import json, os, sys
for count, line in enumerate(sys.stdin, 1):
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "result": "%d stays for %d" % (os.getpid(), count)}), flush=True)
''')
open("box.yaml", "w").write('''office:
  tools:
  - metadata:
      name: look
      description: Looks
      parameters:
        where: {description: Where, type: STRING}
    definition:
      method: GET
      path: {type: TEXT_SUBSTITUTOR, content: "/box/${where}"}
''')
open("deny.sh", "w").write('echo \'{"decision":"deny","message":"ask the user first"}\'\n')
open("tools.gram", "w").write('[shelf:ToolLibrary | [look:ToolImpl {returns: "by MCP"} | (where::Text)==>(::Text)]]\n')
tools = Server("--mcp", "tools.gram#shelf", "--listen", "127.0.0.1:0")


def library(name, implementation):
    open("libraries.gram", "a").write("[%s:ToolLibrary | %s]\n" % (name, implementation))
    return "libraries.gram#" + name


open("libraries.gram", "w").write('''[helper:Agent {description: "Helps", model: "OpenAI/m", instruction: "Help with ${where}."}]
''')
LIBRARIES = {  # name: (what does the tool, outcome of the call, its result)
    "constant": ('[look:ToolImpl {returns: "a desk"}]', "ok", "a desk"),
    "plugin": ('[look:ToolImpl {plugin: "%s", symbol: "my_tool"}]' % PLUGIN, "ok", '\\{"where": ?"here"\\}'),
    "program": ('[look:ToolImpl {exec: ["sh", "-c", "cat; echo"]}]', "ok", '\\{"where": ?"here"\\}'),
    "staying": ('[look:ToolImpl {exec: ["python3", "stay.py"], persistent: true, timeout: 20s}]', "ok", "\\d+ stays for \\d+"),
    "address": ('[look:ToolImpl {http: GET, url: "%s/${where}"}]' % WEB, "ok", "found at /here"),
    "box": ('[office:HttpToolBox {file: "box.yaml", url: "%s"}]' % WEB, "ok", '\\{"found": ?"/box/here"\\}'),
    "server": ('[shelf:McpServer {command: ["%s", "serve", "--mcp", "tools.gram#shelf"]}]' % gramc, "ok", "by MCP"),
    "remote": ('[shelf:McpServer {url: "%s/mcp"}]' % tools.address, "ok", "by MCP"),
    "guarded": ('[look:ToolImpl {returns: "a desk", before: ["sh", "deny.sh"]}]', "denied", "ask the user first"),
    "asked": ('[look:ToolImpl {returns: "a desk", approve: always}]', "denied", "it needs approval, and nobody can be asked"),
    "broken": ('[look:ToolImpl {exec: ["sh", "-c", "echo no luck >&2; exit 3"]}]', "tool-error", "no luck"),
}


def kinds():
    served = [o for name, (implementation, _, _) in LIBRARIES.items() for o in ("-l", library(name, implementation))]
    server = Server("clerk.gram", *served, "--agent", "clerk", *BASE, "--listen", "127.0.0.1:0")
    check([l["name"] for l in server.ask("GET", "/v1/agents").json()["agents"][0]["libraries"]] == list(LIBRARIES), "libraries")
    processes = set()
    for name, (_, outcome, result) in LIBRARIES.items():
        for stream in (False, True):
            answer = server.message({"message": "look", "library": name, "stream": stream})
            document = answer.events()[-1][1] if stream else answer.json()
            call = (document.get("calls") or [{}])[0]
            check(answer.status == 200 and document["outcome"] == "answered", name, answer.body)
            check(call.get("outcome") == outcome and re.search(result, str(call.get("result"))), name, call)
            if stream: check(dict(answer.events())["result"]["outcome"] == outcome, name, answer.body)
            if name == "staying": processes.add(call["result"].split()[0])
    check(len(processes) == 1, "the program that stays is another one for each request:", processes)
    # one request goes through every door
    for name in ("plugin", "server"):
        body = {"model": "clerk@" + name, "messages": [{"role": "user", "content": "look"}]}
        answer = server.ask("POST", "/v1/chat/completions", body)
        check(answer.status == 200 and answer.json()["choices"][0]["message"]["content"] == "You said: look", name, answer.body)
    server.stop()
    # who may approve is said when it is started
    server = Server("clerk.gram", "-l", "libraries.gram#asked", "--agent", "clerk", *BASE, "--approve", "look", "--listen", "127.0.0.1:0")
    check(server.message("look").json()["calls"][0]["result"] == "a desk", "--approve")
    server.stop()


open("agents.gram", "w").write('''[plain:Agent {model: "OpenAI/m"} | add]
[evaluator:Agent {strategy: evaluated, model: "OpenAI/m"} | add]
[prompter:Agent {strategy: prompted, model: "Ollama/m"} | add]
[planner:Agent {model: "OpenAI/m"} | [first:Task {prompt: "Add some for ${message}."} | add], [second:Task {prompt: "Say it."}]]
[former:Agent {model: "OpenAI/m", output: {type: Object, fields: {total: Int, when: {type: Date, examples: ["2026-01-31"]}}}} | add]
[boss:Agent {model: "OpenAI/m"} | [ask:Tool {description: "Asks"} | (message::Text)==>(::Text)]]
[direct:Agent {model: "OpenAI/m"} | [tell:Tool {description: "Tells", returnDirect: true} | ()==>(::Text)]]
[add:Tool {description: "Adds"} | (a::Int)==>(b::Int)==>(::Int)]
[clerk:Agent {model: "OpenAI/m"} | add]
[sums:ToolLibrary | [add:ToolImpl {builtin: "math.add"}], [ask:ToolImpl {agent: clerk, library: sums}], [tell:ToolImpl {returns: "told"}]]
''')
AGENTS = {  # name: (requests to the model, names of the calls, the answer)
    "plain": (2, ["add"], ".+"), "evaluator": (None, ["add"], ".+"), "prompter": (None, ["add"], ".+"), "planner": (3, ["add"], ".+"),
    "former": (None, ["add"], '\\{"total":\\d+,"when":"2026-01-31"\\}'), "boss": (4, ["ask"], ".+"), "direct": (1, ["tell"], "told"),
}


def agents():
    server = Server("agents.gram", "-l", "agents.gram#sums", "--model", "mock", "--listen", "127.0.0.1:0")
    for name, (requests, calls, content) in AGENTS.items():
        answer = server.message("Hi", agent=name)
        document = answer.json()
        check(answer.status == 200 and document["outcome"] == "answered", name, answer.body)
        check([c["name"] for c in document["calls"]] == calls and all(c["outcome"] == "ok" for c in document["calls"]), name, document["calls"])
        check(requests in (None, document["requests"]) and re.fullmatch(content, document["content"], re.S), name, answer.body)
        streamed = server.message({"message": "Hi", "stream": True, "session": True}, agent=name)
        done = streamed.events()[-1]
        check(done[0] == "done" and done[1]["content"] == document["content"] and done[1]["session"], name, streamed.body)
        again = server.message({"message": "Hi", "session": done[1]["session"]}, agent=name)
        check(again.status == 200 and again.json()["outcome"] == "answered", name, "in a session", again.body)
        whole = server.ask("POST", "/v1/chat/completions", {"model": name, "messages": [{"role": "user", "content": "Hi"}]})
        check(whole.status == 200 and whole.json()["choices"][0]["message"]["content"] == document["content"], name, whole.body)
    server.stop()


def limits():
    """A limit ends a run with its name, and OpenAI's clients see that the answer is cut."""
    for option, value, message, outcome, status in [("--max-iterations", "1", "look", "max-iterations", 200), ("--max-tokens", "1", "look", "token-budget", 200),
                                                    ("--max-duration", "300ms", "slow", "max-duration", 504)]:
        server = Server("clerk.gram", "-l", "libraries.gram#constant", "--agent", "clerk", *BASE, option, value, "--listen", "127.0.0.1:0")
        answer = server.message(message)
        check(answer.json().get("outcome") == outcome and answer.status == status, outcome, answer.body)
        whole = server.ask("POST", "/v1/chat/completions", {"model": "clerk", "messages": [{"role": "user", "content": message}]})
        check(whole.status == 200 and whole.json()["choices"][0]["finish_reason"] == "length", outcome, whole.body)
        server.stop()


for part in (kinds, agents, limits): part()
tools.stop()
finish(90)
