"""The tools of the sentinel seed as processes: weather.py CASE SOURCE GRAMC

    fixture     the seed's conversation: five answers of the model, four calls of the API, one in vain
    upstreams   two upstreams of one file are two servers, each with a header, a secret and a time of its own
    slashes     an address ends with a slash or without one, and may have a path

Model and APIs are servers of this file."""
import http.server, json, os, pathlib, subprocess, sys, tempfile, threading, time

case, source, gramc = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), os.path.abspath(sys.argv[3])
data = source / "tests/data/sentinel"
os.chdir(tempfile.mkdtemp())


def check(good, *words):
    if not good: sys.exit("FAILED: %s: %s" % (case, " ".join(map(str, words))))


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        self.server.seen.append((self.command, self.path, dict(self.headers), body))
        status, said = self.server.say(self.command, self.path, body)
        said = json.dumps(said).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)
        except OSError: pass
    do_GET = do_POST = answer
    def log_message(self, *_): pass


def serve(say):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.say, server.seen, server.daemon_threads = say, [], True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def url(server, path=""): return "http://127.0.0.1:%d%s" % (server.server_port, path)


def write(name, text):
    with open(name, "w") as file: file.write(text)


def run(*words, code=0, **env):
    done = subprocess.run([gramc, *words], capture_output=True, text=True, timeout=60, env=dict(os.environ, OPENAI_API_KEY="sk-test", **env))
    check(done.returncode == code, words, "ended with", done.returncode, done.stdout, done.stderr)
    return done


def fixture():
    def api(method, path, body):
        if path == "/api/v1/name": return 200, {"name": "santanu"}
        if path == "/api/v1/location" and json.loads(body) == {"name": "santanu"}: return 200, {"location": "Bangalore"}
        if path == "/api/v1/weather/Bangalore": return 200, {"location": "Bangalore", "weatherValue": "sunny"}
        return 404, {"error": "nobody of that name"}

    def model(method, path, body):
        return 200, answers[len(asked.seen) - 1]
    calls = [("test_get_location", {"name": "ss"}), ("test_get_name", {}), ("test_get_location", {"name": "santanu"}),
             ("test_get_weather_for_city", {"city": "Bangalore"}), ("__output_generator__", {"output": "The weather in Bangalore is sunny."})]
    answers = [{"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
        "role": "assistant", "content": None, "tool_calls": [{"id": "c%d" % i, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}]}}]}
        for i, (name, arguments) in enumerate(calls)]
    server, asked = serve(api), serve(model)
    write("tools.yml", (data / "tools.yml").read_text())
    write("lib.gram", '[lib:ToolLibrary | [test:HttpToolBox {file: "tools.yml", url: "%s"}], [__output_generator__:ToolImpl {builtin: "text.echo"}]]' % url(server))
    write("hosts.gram", '{kind: "configuration", allowHosts: ["127.0.0.1"]}')  # the spec is of another project
    done = run("run", str(data / "agent.gram"), "-l", "lib.gram", "--config", "hosts.gram", "--base-url", url(asked, "/v1"), "How is the weather?")
    check(done.stdout == "The weather in Bangalore is sunny.\n", done.stdout)
    check([(m, p) for m, p, _, _ in server.seen] == [("POST", "/api/v1/location"), ("GET", "/api/v1/name"), ("POST", "/api/v1/location"), ("GET", "/api/v1/weather/Bangalore")], server.seen)
    told = [m["content"] for m in json.loads(asked.seen[-1][3])["messages"] if m["role"] == "tool"]
    check("404" in told[0] and "nobody of that name" in told[0], told)
    check(json.loads(told[1]) == {"name": "santanu"} and json.loads(told[3]) == {"weather": "sunny"}, told)
    names = [t["function"]["name"] for t in json.loads(asked.seen[0][3])["tools"]]
    check(names == ["test_get_name", "test_get_location", "test_get_weather_for_city", "__output_generator__"], names)


UPSTREAM = """%s:
  tools:
  - metadata: {name: find, description: Finds, parameters: {who: {description: Whom, type: STRING}}}
    definition:
      method: GET
      path: {type: TEXT_SUBSTITUTOR, content: '/find/${who}'}
      headers: {X-Two: [{type: TEXT, content: one}, {type: TEXT_SUBSTITUTOR, content: 'and ${who}'}]}
"""


def upstreams():
    first = serve(lambda *_: (200, "first"))
    second = serve(lambda *_: (time.sleep(3), (200, "second"))[1])
    write("tools.yml", UPSTREAM % "first" + UPSTREAM % "second")
    write("lib.gram", '[lib:ToolLibrary | [first:HttpToolBox {file: "tools.yml", url: "%s", headers: {Authorization: "Bearer ${env:FIRST}"}}],'
          ' [second:HttpToolBox {file: "tools.yml", url: "%s", timeout: 500ms, headers: {`X-Key`: "${env:SECOND}"}}]]' % (url(first), url(second)))
    allow = ("--allow-env", "FIRST", "--allow-env", "SECOND")
    secrets = {"FIRST": "one-secret", "SECOND": "other-secret"}
    check(json.loads(run("call", "lib.gram", "first_find", '{"who": "a b"}', *allow, **secrets).stdout) == "first", "the first")
    run("call", "lib.gram", "second_find", '{"who": "c"}', *allow, code=3, **secrets)
    check([len(first.seen), len(second.seen)] == [1, 1], "each server is asked once")
    _, path, headers, _ = first.seen[0]
    check(path == "/find/a%20b" and headers["Authorization"] == "Bearer one-secret" and "X-Key" not in headers, path, headers)
    check(second.seen[0][2]["X-Key"] == "other-secret" and "Authorization" not in second.seen[0][2], second.seen)


def slashes():
    server = serve(lambda *_: (200, "here"))
    write("tools.yml", UPSTREAM % "api")
    for end, path in (("", "/find/x"), ("/", "/find/x"), ("/v2", "/v2/find/x"), ("/v2/", "/v2/find/x")):
        write("lib.gram", '[lib:ToolLibrary | [api:HttpToolBox {file: "tools.yml", url: "%s"}]]' % url(server, end))
        run("call", "lib.gram", "find", '{"who": "x"}')
        check(server.seen[-1][1] == path, end, server.seen[-1][1])
    write("lib.gram", '[lib:ToolLibrary | [api:HttpToolBox {file: "tools.yml", url: ""}]]')
    run("call", "lib.gram", "find", '{"who": "x"}', code=1)


{"fixture": fixture, "upstreams": upstreams, "slashes": slashes}[case]()
