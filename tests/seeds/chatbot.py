"""The calculator chatbot of the quarkus seed, as processes: chatbot.py CASE SOURCE GRAMC

    http        GET /calculator?message= answers with the text alone, and asks as the recorded trace does
    session     a second `gramc run --session` sends what the first one said and called, and an answer more
    history     a conversation that was traced goes on in another process
    chat        so do the messages of one process

The model is a server of this file: it answers with the recorded responses and then says how many
messages it was sent."""
import http.server, json, os, pathlib, re, signal, subprocess, sys, tempfile, threading, urllib.error, urllib.parse, urllib.request

case, source, gramc = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), os.path.abspath(sys.argv[3])
trace = source / "tests/data/quarkus"
REQUESTS = [json.loads((trace / ("req%d.json" % i)).read_text()) for i in range(1, 6)]
RESPONSES = [json.loads((trace / ("res%d.json" % i)).read_text()) for i in range(1, 6)]
QUESTION = REQUESTS[0]["messages"][0]["content"]
ANSWER = RESPONSES[-1]["choices"][0]["message"]["content"]
signal.alarm(60)


def check(good, *words):
    if not good:
        print("FAILED:", case, *words)
        sys.exit(1)


class Model(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_POST(self):
        Model.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        count = len(Model.asked)
        said = {"role": "assistant", "content": "I was sent %d." % len(Model.asked[-1]["messages"])}
        answer = RESPONSES[count - 1] if count <= len(RESPONSES) else {
            "object": "chat.completion", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_): pass


model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=model.serve_forever, daemon=True).start()
work = tempfile.TemporaryDirectory()
SPEC = [source / "specs/calculator.gram", "--library", source / "specs/libraries/arithmetic.gram",
        "--base-url", "http://127.0.0.1:%d/v1" % model.server_port]
environment = dict(os.environ, OPENAI_API_KEY="sk-test", HOME=work.name, XDG_STATE_HOME=work.name)


def run(*words):
    done = subprocess.run([gramc, "run", *SPEC, *words], cwd=work.name, env=environment, capture_output=True, text=True)
    check(done.returncode == 0, "gramc run", *words, "ended with", done.returncode, done.stderr)
    return done.stdout.splitlines()


def check_trace():
    """The five requests were the recorded ones, whatever the order of keys."""
    check(Model.asked[:5] == REQUESTS, "other requests than the recorded:", json.dumps(Model.asked[:5]))


def check_continued():
    """The sixth request holds the whole first conversation: question, four calls, four results, answer."""
    said = REQUESTS[-1]["messages"] + [{"role": "assistant", "content": ANSWER}, {"role": "user", "content": "And then?"}]
    check(len(Model.asked) == 6 and Model.asked[5]["messages"] == said, "the conversation does not go on:", json.dumps(Model.asked[5:]))
    check(Model.asked[5]["functions"] == REQUESTS[0]["functions"], "other functions")


def over_http():
    server = subprocess.Popen([gramc, "serve", *SPEC, "--listen", "127.0.0.1:0", "--allow-get", "--quiet"],
                              stdout=subprocess.PIPE, text=True, env=environment)
    try:
        address = server.stdout.readline().strip()
        check(re.fullmatch(r"http://127\.0\.0\.1:\d+", address), "no address:", address)
        with urllib.request.urlopen(address + "/calculator?" + urllib.parse.urlencode({"message": QUESTION})) as answer:
            check(answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain"), answer.status, answer.headers)
            check(answer.read().decode() == ANSWER, "another body")
        check_trace()
        try:
            urllib.request.urlopen(address + "/calculator")
            check(False, "a request without a message is answered")
        except urllib.error.HTTPError as error:
            check(error.code == 400, "without a message:", error.code)
        check(len(Model.asked) == 5, "the model was asked once more")
    finally:
        server.terminate()
        check(server.wait(20) == 0, "the server ended with", server.returncode)


def by_session():
    check(run("--session", "visitor", QUESTION) == [ANSWER], "the first answer")
    check_trace()
    check(run("--session", "visitor", "And then?") == ["I was sent 11."], "the second answer")
    check_continued()
    check(run("--session", "other", "And then?") == ["I was sent 1."], "another session knows of it")


def by_history():
    check(run("--trace", "first.jsonl", QUESTION) == [ANSWER], "the first answer")
    check(run("--history", "first.jsonl", "And then?") == ["I was sent 11."], "the second answer")
    check_continued()


def in_one_process():
    check(run(QUESTION, "And then?") == [ANSWER, "I was sent 11."], "the answers")
    check_continued()


{"http": over_http, "session": by_session, "history": by_history, "chat": in_one_process}[case]()
