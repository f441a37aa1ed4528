"""examples/toolstore as its users run it: toolstore.py TOOLSTORE SOURCE GRAMC

What one process puts into the database another one calls, by templates of its own engine."""
import http.server, json, os, subprocess, sys, tempfile, threading

toolstore, gramc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[3])
os.chdir(tempfile.mkdtemp())
seen = []


class Server(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        seen.append((self.command, self.path, self.headers.get("X-Who"), body))
        said = json.dumps({"weatherValue": "sunny"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)
    do_GET = do_POST = answer
    def log_message(self, *_): pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
TOOL = """  - metadata: {name: %s, description: d, parameters: {city: {description: Where, type: STRING}}}
    definition: {method: %s, path: {type: %s, content: '%s'}%s}
"""


def write(name, text):
    with open(name, "w") as file: file.write(text)


def run(*words, code=0, out=None, err=""):
    done = subprocess.run([toolstore, "tools.db", *words], capture_output=True, text=True, timeout=60)
    if done.returncode != code or (out is not None and done.stdout != out) or err not in done.stderr:
        sys.exit("%s gave %d\n%s%s" % (words, done.returncode, done.stdout, done.stderr))


write("weather.yml", "weather:\n  tools:\n"
      + TOOL % ("look", "GET", "MUSTACHE", "/of/{{city}}?q={{city}}", ", headers: {X-Who: [{type: MUSTACHE, content: 'from {{city}}'}]}")
      + "    transformer: {type: JOLT, config: '[{\"operation\": \"shift\", \"spec\": {\"weatherValue\": \"weather\"}}]'}\n"
      + TOOL % ("tell", "POST", "TEXT", "/notes", ", body: {type: MUSTACHE, content: '{\"city\": {{city}}}'}"))
write("lib.gram", '[tools:ToolLibrary | [weather:HttpToolBox {store: "weather", url: "http://127.0.0.1:%d"}]]' % server.server_port)
run("list", out="")
run("load", "weather.yml", out="0 replaced\n")
run("load", "weather.yml", out="2 replaced\n")
run("list", out="weather look\nweather tell\n")
run("list", "nowhere", out="")
run("call", "lib.gram", "look", '{"city": "R\u00edo/\\"1\\""}', out='{"weather":"sunny"}\n')
run("call", "lib.gram", "tell", '{"city": "a\\"b"}', out='{"weatherValue": "sunny"}\n')
run("call", "lib.gram", "look", '{"town": "x"}', code=1)
assert seen[0] == ("GET", "/of/R%C3%ADo%2F%221%22?q=R%C3%ADo%2F%221%22", "from R\u00edo/\"1\"".encode().decode("latin-1"), ""), seen
assert seen[1] == ("POST", "/notes", None, '{"city": "a\\"b"}'), seen
assert len(seen) == 2, seen
# what the file may not say is told with its place, and puts nothing there
write("bad.yml", "weather:\n  tools:\n" + TOOL % ("new", "GET", "MUSTACHE", "/of/{{town}}", "") + TOOL % ("other", "GET", "HANDLEBARS", "/", ""))
run("load", "bad.yml", code=1, err="bad.yml:4:63: no parameter `town` is declared")
run("list", out="weather look\nweather tell\n")
run("remove", "weather", "look")
run("remove", "weather", "look", code=1, err="there is no such tool")
run("call", "lib.gram", "look", '{"city": "x"}', code=1)
write("other.gram", '[tools:ToolLibrary | [box:HttpToolBox {store: "nowhere", url: "http://127.0.0.1:1"}]]')
run("call", "other.gram", "box_look", "{}", code=1, err="its store has no tools of `nowhere`")
write("tools.db", "no database at all, and longer than a header of one would be")
run("list", code=1, err="not a database")
# the command has neither store nor engine, and says so
done = subprocess.run([gramc, "tools", "lib.gram"], capture_output=True, text=True)
if done.returncode != 3 or "its tools stand in a store, and this program has none" not in done.stderr:
    sys.exit("gramc tools gave %d\n%s%s" % (done.returncode, done.stdout, done.stderr))
