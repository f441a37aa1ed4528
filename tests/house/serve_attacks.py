"""gramc serve and those who mean it harm: serve_attacks.py SOURCE GRAMC. Each attack is refused, leaves a
line in the log, and when all are over the server has the descriptors, threads and memory of before."""
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from served import *

LOCAL = b"Host: localhost\r\n"
GET = b"GET /health HTTP/1.1\r\n" + LOCAL
POST = b"POST /v1/agents/clerk/messages HTTP/1.1\r\n" + LOCAL + b"Content-Type: application/json\r\n"
HIDDEN = b"GET /v1/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
BODY = b'{"message":"x"}'


def chunked(data): return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)


def new_log(server, before, wanted):
    """What the log has behind `before`, when it has what is wanted, or not within a while."""
    deadline = time.time() + 3
    while not re.search(wanted, said := server.said()[before:]) and time.time() < deadline: time.sleep(0.01)
    return said


# name: (request, statuses; 0: it hangs up without one, line of the log). What follows is never answered.
UNREADABLE = r" 0 0 bytes [0-9.]+ ms, (no request|cannot be read)\n"
LINES = {
    # lines
    "a bare LF": (b"GET /health HTTP/1.1\r\nHost: localhost\nX: y\r\n\r\n", 400, "GET /health 400 "),
    "a bare CR": (b"GET /health HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n", 400, "GET /health 400 "),
    "a bare CR behind the request line": (b"GET /health HTTP/1.1\rHost: localhost\r\nX: y\r\n\r\n", 400, UNREADABLE),
    "a bare CR that hides a length": (GET + b"X: a\rContent-Length: 5\r\n\r\nhello", 400, "GET /health 400 "),
    "a bare CR before the end": (GET + b"X: a\r\r\n", 400, "(GET|-) /health (400|0) "),
    "a NUL in a path": (b"GET /health\0x HTTP/1.1\r\n" + LOCAL + b"\r\n", 400, "GET /health 400 "),
    "a NUL in a Host": (b"GET /health HTTP/1.1\r\nHost: localhost\0.evil\r\nX: y\r\n\r\n", 400, "GET /health 400 "),
    "a NUL in the last header": (GET + b"X: y\0z\r\n\r\n", 400, "GET /health 400 "),
    "a NUL in a name": (GET + b"X\0Y: z\r\n\r\n", 400, UNREADABLE),
    "a control character": (GET + b"X: \x0b\r\n\r\n", 400, "GET /health 400 "),
    "a folded header": (GET + b"X: a\r\n b\r\n\r\n", 400, "GET /health 400 "),
    "a fold that makes a name": (POST + b"Content-Length: 15\r\nTransfer-: chunked\r\n Encoding\r\n\r\n" + BODY, 400, "messages 400 "),
    "a first header that is folded": (b"GET /health HTTP/1.1\r\n X: a\r\n" + LOCAL + b"\r\n", 400, "GET /health 400 "),
    "a blank before a colon": (GET + b"X : y\r\n\r\n", 400, "GET /health 400 "),
    "a blank before the colon of a coding": (POST + b"Content-Length: 15\r\nTransfer-Encoding : chunked\r\n\r\n" + BODY, 400, "messages 400 "),
    "a tab before the colon of a length": (POST + b"Content-Length\t: 99\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(BODY), 400, "messages 400 "),
    "a blank in a name": (GET + b"X Y: z\r\n\r\n", 400, "GET /health 400 "),
    "no name": (GET + b": y\r\n\r\n", 400, "GET /health 400 "),
    "no colon": (GET + b"X\r\n\r\n", 400, UNREADABLE),
    "no Host": (b"GET /health HTTP/1.1\r\n\r\n", 400, UNREADABLE),
    "two blanks": (b"GET  /health HTTP/1.1\r\n" + LOCAL + b"\r\n", 400, "GET /health 400 "),
    "a blank in a path": (b"GET /hea lth HTTP/1.1\r\n" + LOCAL + b"\r\n", 0, UNREADABLE),
    # versions and targets
    "HTTP/0.9": (b"GET /health\r\n\r\n", 400, UNREADABLE),
    "HTTP/1.2": (b"GET /health HTTP/1.2\r\n" + LOCAL + b"\r\n", 505, "GET /health 505 "),
    "the preface of HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, UNREADABLE),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9 + b"\r\n\r\n", 0, UNREADABLE),
    "an absolute target": (b"GET http://localhost/health HTTP/1.1\r\n" + LOCAL + b"\r\n", 400, "GET http://localhost/health 400 "),
    "a target of another host": (b"GET http://evil.example/health HTTP/1.1\r\n" + LOCAL + b"\r\n", 400, "GET http://evil.example/health 400 "),
    "an authority": (b"CONNECT localhost:22 HTTP/1.1\r\n" + LOCAL + b"\r\n", 400, "CONNECT localhost:22 400 "),
    "an asterisk": (b"OPTIONS * HTTP/1.1\r\n" + LOCAL + b"\r\n", 400, r"OPTIONS \* 400 "),
    "TRACE": (b"TRACE /health HTTP/1.1\r\n" + LOCAL + b"\r\n", 405, "TRACE /health 405 "),
    # ends
    "a coding in HTTP/1.0": (POST.replace(b"1.1", b"1.0") + b"Transfer-Encoding: chunked\r\n\r\n" + chunked(BODY), 400, "messages 400 "),
    "a refused post with a request for body": (POST.replace(b"localhost", b"evil") + b"Content-Length: %d\r\n\r\n" % len(HIDDEN), 403, "messages 403 "),
    "a refused type with a request for body": (POST.replace(b"application/json", b"text/plain") + b"Content-Length: %d\r\n\r\n" % len(HIDDEN), 415, "messages 415 "),
    "a GET with a body": (GET + b"Content-Length: %d\r\n\r\n" % len(HIDDEN), 413, "GET /health 413 "),
    "nothing at the path": (b"GET /nowhere HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, "GET /nowhere 404 "),
    "a chunk that does not end": (POST + b"Transfer-Encoding: chunked\r\n\r\nf\r\n" + BODY + b"XX0\r\n\r\n", 400, "messages 0 "),
    "a chunk size with 0x": (POST + b"Transfer-Encoding: chunked\r\n\r\n0xf\r\n" + BODY + b"\r\n0\r\n\r\n", 400, "messages 0 "),
    "a chunk size behind a blank": (POST + b"Transfer-Encoding: chunked\r\n\r\n f\r\n" + BODY + b"\r\n0\r\n\r\n", 400, "messages 0 "),
    "a LF in a chunk's extension": (POST + b"Transfer-Encoding: chunked\r\n\r\nf;\n\r\n" + BODY + b"\r\n0\r\n\r\n", 400, "messages 0 "),
    "a body of 5 MiB": (POST + b"Content-Length: 5242880\r\n\r\n", 413, "messages 413 "),
    # sizes
    "a long address": (b"GET /" + b"x" * 70000 + b" HTTP/1.1\r\n" + LOCAL + b"\r\n", 414, UNREADABLE),
    "a long method": (b"G" * 70000 + b" /health HTTP/1.1\r\n" + LOCAL + b"\r\n", 414, UNREADABLE),
    "a long header": (GET + b"X: " + b"y" * 70000 + b"\r\n\r\n", 431, "- /health" + UNREADABLE),
    "5,000 headers": (GET + b"".join(b"X-%d: y\r\n" % i for i in range(5000)) + b"\r\n", 431, "- /health" + UNREADABLE),
    # names
    "a Host with a user": (b"GET /health HTTP/1.1\r\nHost: evil@localhost\r\n\r\n", 403, "GET /health 403 "),
    "a Host with two ports": (b"GET /health HTTP/1.1\r\nHost: localhost:80:evil\r\n\r\n", 403, "GET /health 403 "),
    "a Host that ends in a dot": (b"GET /health HTTP/1.1\r\nHost: localhost.\r\n\r\n", 403, "GET /health 403 "),
    # paths
    "a way up": (b"GET /../../etc/passwd HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, r"GET /\.\./\.\./etc/passwd 404 "),
    "a way up in escapes": (b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, "GET /%2e%2e/%2e%2e/etc/passwd 404 "),
    "a way around": (b"GET /v1/../health HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, r"GET /v1/\.\./health 404 "),
    "an escaped path": (b"GET /%68ealth HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, "GET /%68ealth 404 "),
    "a backslash": (b"GET /\\..\\health HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, r"GET /\\x5c\.\.\\x5chealth 404 "),
    "two slashes": (b"GET //health HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, "GET //health 404 "),
    "a fragment": (b"GET /health#x HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, "GET /health#x 404 "),
    "overlong UTF-8": (b"POST /v1/agents/cl%c0%a5rk/messages HTTP/1.1\r\n" + LOCAL + b"Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}", 404, "rk/messages 404 "),
    # the log
    "an escape for terminals": (b"GET /\x1b[31m HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, r"GET /\\x1b\[31m 404 "),
    "a line for the log": (b"GET /x%0d%0aGET%20/v1/agents%20200 HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, "GET /x%0d%0aGET%20/v1/agents%20200 404 "),
    "a mark for the log": (b"GET /\xe2\x80\xae\xff HTTP/1.1\r\n" + LOCAL + b"\r\n", 404, r"GET /\\xe2\\x80\\xae\\xff 404 "),
}


def lines(server):
    for name, (request, status, line) in LINES.items():
        before = len(server.said())
        got = server.raw(request + HIDDEN, half=True)
        answers = re.findall(rb"HTTP/1\.1 (\d+)", got)
        said = new_log(server, before, line)
        # Of a request that it refuses itself libmicrohttpd 0.9.75 sometimes sends the head twice, and hangs up.
        twice = len(answers) == 2 and got.count(b"Connection: close") == 2 and b'"code"' not in got
        check(len(answers) <= 1 or twice, name, "gave two answers:", got)
        # What it has not read makes the kernel forget what it said.
        lost = not answers and len(request) > 32768  # more than its headers may have
        check(lost or set(map(int, answers)) == ({status} if status else set()), name, "was answered with", got[:300])
        check(re.search(line, said), name, "is not in the log, which has", said)
        check(b'"agents"' not in got and "GET /v1/agents 200" not in said, name, "let the hidden one through:", got)
        check(all(32 <= ord(c) < 127 or c == "\n" for c in said), name, "in the log:", said)


def bombs(server):
    """A body costs no more than time and memory in proportion to its size."""
    keys = "{" + ",".join('"a%d":0' % i for i in range(350000)) + "}"
    user, said = '{"role":"user","content":"x"}', '{"role":"assistant","content":"x"}'
    messages, completions = "/v1/agents/clerk/messages", "/v1/chat/completions"
    asking = '{"model":"clerk","messages":[%s]' % user
    for name, path, body, status in [
            ("arrays in arrays", messages, '{"message":' + "[" * 1000000 + "]" * 1000000 + "}", 400),
            ("objects in objects", messages, '{"a":' * 600000 + "1" + "}" * 600000, 400),
            ("brackets without end", messages, "[" * 4000000, 400),
            ("350,000 members", messages, keys, 400),
            ("350,000 inputs", messages, '{"message":"x","input":' + keys + "}", 400),
            ("the same member 250,000 times", messages, "{" + ",".join(['"message":"x"'] * 250000) + "}", 400),
            ("a number of 4 MB", messages, '{"message":' + "9" * 4000000 + "}", 400),
            ("half a pair", messages, '{"message":"\\ud800"}', 400),
            ("350,000 labels", completions, asking + ',"metadata":' + keys + "}", 200),
            ("n of 3 MB", completions, asking + ',"n":1' + "0" * 3000000 + "}", 400),
            ("100,001 messages", completions, '{"model":"clerk","messages":[' + ",".join([user, said] * 50000 + [user]) + "]}", None),
            ("130,000 parts", completions, '{"model":"clerk","messages":[{"role":"user","content":[' + ",".join(['{"type":"text","text":"x"}'] * 130000) + "]}]}", 200)]:
        before = Usage(server)
        answer = server.ask("POST", path, body)
        after = Usage(server)
        check(answer.status == status if status else answer.status, name, answer.status, answer.body[:300])
        if SANITIZED: continue
        check(after.cpu - before.cpu < 2, name, "cost", after.cpu - before.cpu, "s")
        check(after.memory - before.memory < 64 << 20, name, "cost", after.memory - before.memory, "bytes")


def injections(server):
    """Texts and names are hostile; events are ours."""
    text = "one\n\nevent: done\ndata: {\"outcome\":\"fake\"}\r\n\rid: 7\n: x\u2028\u0085"
    answer = server.message({"message": text, "stream": True})
    check([n for n, _ in answer.events()].count("done") == 1 and "fake" not in answer.events()[-1][1]["outcome"], answer.body)
    check(answer.events()[-1][1]["content"] == "You said: " + text, answer.body)
    answer = server.message({"message": "inject", "stream": True})
    names = [n for n, _ in answer.events()]
    check(names.count("done") == 1 and names[-1] == "done", names)
    check(INJECTED in [d.get("name") for n, d in answer.events() if n in ("call", "result")] and "\r" not in answer.body, answer.body)
    for line in answer.body.split("\n"): check(line == "" or line.startswith(("event: ", "data: {", ":")), "a line of the stream:", line)
    body = {"model": "clerk", "messages": [{"role": "user", "content": text}], "stream": True}
    answer = server.ask("POST", "/v1/chat/completions", body)
    check("".join(d["choices"][0]["delta"].get("content", "") for _, d in answer.events()[:-1]) == "You said: " + text, answer.body)
    for line in answer.body.split("\n"): check(line == "" or line.startswith("data: "), "a line of the stream:", line)


def thieves():
    open("tokens", "w").write("%s\n%s\n" % (TOKEN, OTHER))
    server = Server(*SPEC, "--token-file", "tokens")
    ours = {"Authorization": "Bearer " + TOKEN}
    session = server.message({"message": "secret", "session": True}, **ours).json()["session"]
    missing = server.message({"message": "x", "session": "0" * 64}, **ours).raw
    # Neither an id that is nearly right nor one of another client's says more than one that was made up.
    for name, given, token in [("stolen", session, OTHER), ("cut", session[:-1], TOKEN), ("long", session + "0", TOKEN), ("large", session.upper(), TOKEN),
                               ("guessed", session[:-1] + ("0" if session[-1] != "0" else "1"), TOKEN), ("none", "", TOKEN), ("a path", "../" + session, TOKEN)]:
        got = server.message({"message": "x", "session": given}, Authorization="Bearer " + token)
        check(got.status == 404 and got.raw[got.raw.index(b"\r\n\r\n"):] == missing[missing.index(b"\r\n\r\n"):], "a session id:", name, got.raw)
    for query in ("?token=%s", "?access_token=%s", "?api_key=%s", "?Authorization=Bearer%%20%s"):
        check(server.ask("GET", "/v1/agents" + query % TOKEN).status == 401, "a token in the address", query)
    check(server.message("x", Cookie="token=" + TOKEN).status == 401, "a token in a cookie")
    check(server.message("x", X_Api_Key=TOKEN).status == 401, "a token in another header")
    check(server.ask("GET", "/health", Host="rebound.example").status == 403, "a name that leads here")
    check(server.message("x", Host="rebound.example:%d" % server.port, Origin="http://rebound.example:%d" % server.port, **ours).status == 403, "a rebound page")
    # No token: nothing of the body is looked at.
    for body in ("nonsense", "[" * 100000): check(server.message(json.loads('{"message":"%s"}' % body)).status == 401, "a body without a token")
    server.stop()
    for planted in (TOKEN, session, "secret"): check(planted not in server.said(), "the log tells", planted)
    check("GET /v1/agents 401" in server.said(), server.said())


def crowds():
    """One address does not take the connections of all: a quarter of the descriptors are 32, half of which are one's."""
    server = Server(*SPEC, "--token-env", "T", "--listen", "0.0.0.0:0", env={"T": TOKEN}, files=128)
    def join(address): return socket.create_connection(("127.0.0.1", server.port), timeout=5, source_address=(address, 0))
    def answers(s):
        try:
            s.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return s.recv(4096).startswith(b"HTTP/1.1 200")
        except OSError: return False
    taken = [join("127.0.0.2") for _ in range(16)]
    check(all(map(answers, taken)), "16 connections of one address")
    more = [join("127.0.0.2") for _ in range(4)]
    check(not any(map(answers, more)), "a 17th connection of one address")
    check("a connection is refused, its address has 16" in server.said(), server.said())
    other = join("127.0.0.3")
    check(answers(other), "another address")
    taken.pop().close()
    deadline = time.time() + 5
    while not answers(again := join("127.0.0.2")) and time.time() < deadline: time.sleep(0.05)
    check(time.time() < deadline, "there is room again")
    for s in (*taken, *more, other, again): s.close()
    server.stop()


server = Server(*SPEC)
for _ in range(5): server.message("look"); server.raw(POST + b"Content-Length: x\r\n\r\n" + b"y" * 100000, half=True)
before = Usage(server)
for part in (lines, injections, bombs): part(server)
for _ in range(40):
    for name in ("a long header", "a folded header", "a chunk size with 0x"): server.raw(LINES[name][0], half=True)
deadline = time.time() + 5
while (after := Usage(server)).files > before.files and time.time() < deadline: time.sleep(0.1)
check(after.files <= before.files and after.threads <= before.threads, "left open:", before.files, after.files, before.threads, after.threads)
check(SANITIZED or after.memory - before.memory < 24 << 20, "memory has grown by", after.memory - before.memory)
check(server.message("still there").json()["content"] == "You said: still there", "it goes on")
server.stop()
for part in (thieves, crowds): part()
finish(300)
