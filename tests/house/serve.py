"""gramc serve as its clients and strangers see it: serve.py SOURCE GRAMC."""
import asyncio, os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from served import *


def endpoints(server):
    check(server.ask("GET", "/health").json() == {"status": "ok"}, "health")
    check(server.ask("HEAD", "/health").body == "", "a HEAD has no body")
    agents = server.ask("GET", "/v1/agents").json()["agents"]
    check([a["name"] for a in agents] == ["clerk", "guide"] and [l["name"] for l in agents[0]["libraries"]] == ["desk", "attic"], agents)
    check(agents[1]["inputs"] == ["language"], agents)
    answer = server.message("look around")
    document = answer.json()
    open("run.json", "w").write(answer.body)
    valid = subprocess.run([gramc, "validate", source + "/docs/formats/run.schema.json", "run.json"], capture_output=True)
    check(valid.returncode == 0, "the document is not as its schema says", valid.stdout, answer.body)
    check(document["outcome"] == "answered" and document["calls"][0]["result"] == "a desk" and document["usage"]["total"] == 24, document)
    check(document["library"]["name"] == "desk" and "session" not in document, document)
    check(server.message({"message": "look", "library": "attic"}).json()["calls"][0]["result"].strip() == "dust", "the other library")
    check(server.message({"messages": ["one", "two"]}).json()["answers"] == ["You said: one", "You said: one, then two"], "two turns")
    check(server.message({"message": "Hi", "input": {"language": "Latin"}}, agent="guide").status == 200, "an input")
    for name, value in {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}.items():
        check(answer.headers.get(name.lower()) == value, "no", name)
    check("access-control-allow-origin" not in answer.headers, "CORS by default")
    page, again = server.ask("GET", "/"), server.ask("GET", "/")
    check(page.status == 200 and page.headers["content-type"] == "text/html; charset=utf-8", page.raw[:500])
    nonce = re.search("script-src 'nonce-([0-9a-f]{32})'", page.headers["content-security-policy"])[1]
    check(page.body.count('nonce="%s"' % nonce) == 2 and "@NONCE@" not in page.body and nonce not in again.raw.decode(), "the page's number")
    check("unsafe" not in page.headers["content-security-policy"] and "default-src 'none'" in page.headers["content-security-policy"], page.headers)
    check("http://" not in page.body and "https://" not in page.body and "innerHTML" not in page.body, "the page names other sites")
    check(server.ask("GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate").status == 200, "a link to the page")
    check(server.ask("GET", "/", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="no-cors").status == 403, "the page in another one")
    # what cannot be answered
    for body, status, code in [("", 400, "empty_message"), ({}, 400, "bad_request"), ({"message": 5}, 400, "bad_request"), ([], 400, "bad_request"),
                               ({"message": "x", "messages": ["y"]}, 400, "bad_request"), ({"messages": []}, 400, "no_message"),
                               ({"message": "x", "temperature": 1}, 400, "unknown_member"), ({"message": "x", "stream": "yes"}, 400, "bad_request"),
                               ({"message": "x", "library": "cellar"}, 404, "no_library"), ({"message": "x", "input": {"a": "b"}}, 400, "unknown_input"),
                               ({"message": "x", "session": 5}, 400, "bad_request"), ({"message": "x", "session": "nope"}, 404, "no_session")]:
        answer = server.message(body)
        check((answer.status, answer.code()) == (status, code), body, answer.status, answer.body)
    check(server.message("x", agent="guide").code() == "missing_input", "a missing input")
    check(server.message("x", agent="nobody").code() == "no_agent", "no agent")
    check(server.message("x", agent="cl%65rk").status == 200, "an escaped name")
    for wrong in ("cl%00erk", "%zz", "clerk%2f", "%ff"): check(server.message("x", agent=wrong).status == 404, wrong)
    answer = server.message("please fail")
    check(answer.status == 502 and answer.json()["outcome"] == "model-error", answer.raw)
    answer = server.ask("PUT", "/v1/agents")
    check(answer.status == 405 and answer.headers.get("allow") == "GET", answer.raw)
    check(server.ask("GET", "/clerk?message=hi").status == 404, "GET runs without --allow-get")
    check(server.ask("GET", "/nowhere").code() == "not_found", "404")


def streams(server):
    answer = server.message({"message": "look", "stream": True, "session": True})
    names = [e[0] for e in answer.events()]
    check(answer.headers["content-type"] == "text/event-stream" and answer.complete, answer.raw)
    check(names[0] == "run" and names[-1] == "done" and "delta" in names and names.index("call") < names.index("result"), names)
    events = dict(answer.events())
    check(events["result"]["result"] == "a desk" and events["result"]["outcome"] == "ok", events["result"])
    check(events["done"]["session"] == events["run"]["session"] and events["done"]["content"] == events["answer"]["text"], events)
    spoken = "".join(d["text"] for n, d in answer.events() if n == "delta" and d["iteration"] == 2)
    check(spoken == events["answer"]["text"], spoken)
    answer = server.message({"message": "fail", "stream": True})
    check(answer.events()[-1][1]["outcome"] == "model-error" and answer.complete, answer.raw)


def sessions(server):
    first = server.message({"message": "one", "session": True}).json()["session"]
    check(re.fullmatch("[0-9a-f]{64}", first), first)
    check(server.message({"message": "two", "session": first}).json()["content"] == "You said: one, then two", "a session goes on")
    second = server.message({"message": "one", "session": True}).json()["session"]
    check(first != second, "the same id twice")
    check(server.message({"message": "x", "session": first[:-1] + ("0" if first[-1] != "0" else "1")}).status == 404, "an id that is nearly right")
    # one run at a time
    busy = threading.Thread(target=server.message, args=({"message": "slow", "session": second},))
    busy.start(); time.sleep(0.5)
    check(server.message({"message": "x", "session": second}).code() == "session_busy", "two runs in one session")
    busy.join()
    check("one" in server.message({"message": "x", "session": second}).json()["content"], "it goes on")


def openai(server):
    def complete(**body): return server.ask("POST", "/v1/chat/completions", {"model": "clerk", "messages": [{"role": "user", "content": "one"}], **body})
    check([m["id"] for m in server.ask("GET", "/v1/models").json()["data"]][:3] == ["clerk", "clerk@desk", "clerk@attic"], "models")
    answer = complete().json()
    check(answer["choices"][0]["message"]["content"] == "You said: one" and answer["choices"][0]["finish_reason"] == "stop" and answer["usage"]["total_tokens"] == 12, answer)
    history = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "You said: one"}, {"role": "user", "content": [{"type": "text", "text": "two"}]}]
    check(complete(messages=history).json()["choices"][0]["message"]["content"] == "You said: one, then two", "history")
    answer = complete(stream=True, stream_options={"include_usage": True})
    events = [e[1] for e in answer.events()]
    check(events[-1] == "[DONE]" and events[-2]["usage"]["total_tokens"] == 12 and events[-2]["choices"] == [], events)
    check("".join(e["choices"][0]["delta"].get("content", "") for e in events[:-2]) == "You said: one", events)
    check(events[0]["choices"][0]["delta"]["role"] == "assistant" and events[-3]["choices"][0]["finish_reason"] == "stop", events)
    answer = complete(messages=[{"role": "user", "content": "look"}], stream=True)
    text = "".join(e[1]["choices"][0]["delta"].get("content", "") for e in answer.events()[:-1])
    check(text == "Let me look.\n\nYou said: look", text)
    check(complete(model="clerk@attic", messages=[{"role": "user", "content": "look"}]).status == 200, "a library")
    check(complete(model="guide", metadata={"language": "Latin", "label": "x"}).status == 200, "metadata as inputs")
    check(complete(temperature=0.5, top_p=1).headers.get("gramc-ignored") == "temperature, top_p", "what is ignored is not told")
    for body, status, code in [({"model": "gpt-4"}, 404, "model_not_found"), ({"tools": [{"type": "function", "function": {"name": "f"}}]}, 400, "unsupported_parameter"), ({"n": 2}, 400, "unsupported_value"),
                               ({"response_format": {"type": "json_object"}}, 400, "unsupported_value"), ({"messages": []}, 400, "invalid_value"),
                               ({"messages": [{"role": "system", "content": "x"}]}, 400, "invalid_value"), ({"messages": [{"role": "tool", "content": "x"}]}, 400, "unsupported_value"),
                               ({"messages": [{"role": "assistant", "content": "x"}]}, 400, "invalid_value"), ({"messages": [{"role": "user", "content": ""}]}, 400, "empty_message"),
                               ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "unsupported_value"), ({"messages": [{"role": "user"}]}, 400, "invalid_type"),
                               ({"messages": [{"role": "user", "content": "fail"}]}, 502, "model-error"), ({"stream": 1}, 400, "invalid_type"),
                               ({"tool_choice": "required"}, 400, "unsupported_value"), ({"functions": [{"name": "f"}]}, 400, "unsupported_parameter"), ({"logprobs": True}, 400, "unsupported_value"),
                               ({"modalities": ["text", "audio"]}, 400, "unsupported_value"), ({"top_k": 4}, 400, "unsupported_parameter"), ({"n": "1"}, 400, "unsupported_value"),
                               ({"messages": [{"role": "assistant", "content": None, "tool_calls": [{"id": "x"}]}, {"role": "user", "content": "x"}]}, 400, "unsupported_value")]:
        answer = complete(**body)
        check((answer.status, answer.code()) == (status, code) and "param" in answer.json()["error"], body, answer.status, answer.body)
    check(complete(tools=[]).status == 200 and complete(tools=None, tool_choice="none", logprobs=False, modalities=["text"], n=None).status == 200, "what says nothing")
    check(complete(top_k=4).json()["error"]["param"] == "top_k" and complete(model="x").json()["error"]["param"] == "model", "what an error is about")
    # instructions of the client, wherever they stand, are behind the agent's
    say, system = {"role": "user", "content": "instructed?"}, {"role": "system", "content": "Be brief."}
    told = complete(messages=[system, {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "developer", "content": [{"type": "text", "text": "Say ${x}."}]}, say])
    check(told.json()["choices"][0]["message"]["content"] == "planted-instruction\n\nBe brief.\n\nSay ${x}.", told.body)
    check(complete(messages=[say]).json()["choices"][0]["message"]["content"] == "planted-instruction", "they are not kept")
    check(complete(model="guide", metadata={"language": "Latin"}, messages=[system, say]).json()["choices"][0]["message"]["content"] == "Speak Latin.\n\nBe brief.", "inputs are filled in")
    # what an answer was is taken back as it came
    for content in ({"content": "b"}, {"content": None, "refusal": "b"}, {"content": "b", "refusal": None, "tool_calls": []}):
        answer = complete(messages=[{"role": "assistant", **content}, {"role": "user", "content": "one"}])
        check(answer.status == 200 and answer.json()["choices"][0]["message"]["content"] == "You said: one", content, answer.body)
    one = server.ask("GET", "/v1/models/clerk").json()
    check(one["id"] == "clerk" and one["object"] == "model" and server.ask("GET", "/v1/models/clerk%40attic").json()["id"] == "clerk@attic" == server.ask("GET", "/v1/models/clerk@attic").json()["id"], one)
    for name in ("gpt-4", "clerk@cellar", "%zz"): check(server.ask("GET", "/v1/models/" + name).code() == "model_not_found", name)
    answer = complete(messages=[{"role": "user", "content": "fail"}], stream=True)
    check(answer.status == 200 and answer.events()[-1][1]["error"]["code"] == "model-error" and answer.complete, answer.raw)


def strangers(server):
    body = {"message": "x"}
    for host in ("evil.example", "evil.example:%d" % server.port, "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "", "[::2]", "localhost@evil.example"):
        check(server.message(body, Host=host).status == 403, "Host", host)
        check(server.ask("GET", "/health", Host=host).status == 403, "Host of health", host)
    for host in ("localhost", "LocalHost:1", "127.0.0.1:%d" % server.port, "[::1]:80"):
        check(server.ask("GET", "/health", Host=host).status == 200, "Host", host)
    check(server.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 400"), "no Host")
    check(server.raw(b"GET /health HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nHost: evil\r\n\r\n").startswith(b"HTTP/1.1 400"), "two Hosts")
    for origin in ("http://evil.example", "null", "http://localhost:1", "https://evil.example", "localhost:%d" % server.port, "file://", "http://localhost:%d.evil" % server.port):
        check(server.message(body, Origin=origin).code() == "other_origin", "Origin", origin)
        check(server.ask("GET", "/v1/agents", Origin=origin).code() == "other_origin", "Origin", origin)
    check(server.message(body, Origin="http://localhost:%d" % server.port).status == 200, "our own origin")
    for site in ("cross-site", "same-site"): check(server.ask("GET", "/v1/agents", Sec_Fetch_Site=site).code() == "other_origin", site)
    check(server.ask("GET", "/v1/agents", Sec_Fetch_Site="same-origin").status == 200, "same-origin")
    check(server.ask("OPTIONS", "/v1/agents/clerk/messages", Origin="http://evil.example", Access_Control_Request_Method="POST").status == 403, "a preflight")
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonp", None):
        check(server.message(body, Content_Type=kind).status == 415, "a form of another page:", kind)
    check(server.message(body, Content_Type="application/json; charset=utf-8").status == 200, "a charset")


def smugglers(server):
    """Whoever sits between a client and us must see the same end of each request: one request, one answer."""
    head = b"POST /v1/agents/clerk/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    hidden = b"GET /v1/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    chunk = b"f\r\n{\"message\":\"x\"}\r\n0\r\n\r\n"
    for name, request in {
        "both": head + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
        "both, the other way": head + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n" + chunk,
        "two lengths": head + b"Content-Length: 15\r\nContent-Length: 16\r\n\r\n{\"message\":\"x\"}",
        "the same length twice": head + b"Content-Length: 15\r\nContent-Length: 15\r\n\r\n{\"message\":\"x\"}",
        "a list of lengths": head + b"Content-Length: 15, 15\r\n\r\n{\"message\":\"x\"}",
        "a signed length": head + b"Content-Length: +15\r\n\r\n{\"message\":\"x\"}",
        "a negative length": head + b"Content-Length: -1\r\n\r\n",
        "a length in hex": head + b"Content-Length: 0xf\r\n\r\n{\"message\":\"x\"}",
        "a length beyond numbers": head + b"Content-Length: 99999999999999999999999\r\n\r\n",
        "another coding": head + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + chunk,
        "two codings": head + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunk,
        "a coding that is none": head + b"Transfer-Encoding: xchunked\r\n\r\n" + chunk,
        "a blank before the colon": head + b"Transfer-Encoding : chunked\r\n\r\n" + chunk,
        "a tab before the coding": head + b"Content-Length: 4\r\nTransfer-Encoding:\tchunked\r\n\r\n" + chunk,
        "a folded coding": head + b"Content-Length: 4\r\nTransfer-Encoding:\r\n chunked\r\n\r\n" + chunk,
        "a chunk size that is none": head + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        "a chunk size with a sign": head + b"Transfer-Encoding: chunked\r\n\r\n+f\r\n{\"message\":\"x\"}\r\n0\r\n\r\n",
        "a chunk size beyond numbers": head + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
    }.items():
        got = server.raw(request + hidden, half=True)
        # Of a length that is none libmicrohttpd 0.9.75 sends the head of its refusal twice, and hangs up.
        answers = got.count(b"HTTP/1.1 ")
        check(answers <= 1 or answers == 2 and b"length" in name.encode() and got.count(b"Connection: close") == 2, name, "gave two answers:", got)
        check(b"HTTP/1.1 2" not in got, name, "was taken:", got)
        check(b'"agents"' not in got, name, "let the hidden one through:", got)
    check(server.ask("GET", "/health").status == 200, "it goes on")
    # two in one write are two, in order
    got = server.raw(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" + hidden)
    check(got.count(b"HTTP/1.1 200") == 2 and got.index(b'"ok"') < got.index(b'"agents"'), "pipelined:", got)


def those_who_go(server):
    before = len(Model.cut)
    for stream in (True, False):
        s = server.connect()
        body = json.dumps({"message": "slow %s" % stream, "stream": stream})
        s.sendall(("POST /v1/agents/clerk/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)).encode())
        time.sleep(0.6)
        s.close()
    deadline = time.time() + 10
    while len(Model.cut) == before and time.time() < deadline: time.sleep(0.05)
    check("slow True" in Model.cut[before:], "the run goes on without its client", Model.cut)
    deadline = time.time() + 10
    while server.said().count("broken off") < 2 and time.time() < deadline: time.sleep(0.05)
    check(server.said().count("broken off") >= 2, "nobody says that a client has gone", server.said())


def many(server):
    answers, threads = [], []
    def one(i):
        answer = server.message({"message": "look %d" % i, "stream": i % 2 == 0, "library": "attic" if i % 8 == 0 else "desk"})
        document = answer.events()[-1][1] if i % 2 == 0 else answer.json()
        answers.append(answer.status == 200 and document["content"] == "You said: look %d" % i)
    for i in range(64): threads.append(threading.Thread(target=one, args=(i,)))
    for t in threads: t.start()
    for t in threads: t.join()
    check(len(answers) == 64 and all(answers), "64 at once:", answers)


def stopping():
    server = Server(*SPEC, "--grace", "20s")
    answers = []
    threads = [threading.Thread(target=lambda b=b: answers.append(server.message(b))) for b in ({"message": "slow", "stream": True}, {"message": "slow"})]
    kept = server.connect()
    kept.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    check(kept.recv(4096).startswith(b"HTTP/1.1 200"), "a connection that stays")
    for t in threads: t.start()
    time.sleep(0.8)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    try:
        with server.connect() as s:
            s.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            check(s.recv(100) == b"", "it still answers new connections")
    except OSError: check(True)
    kept.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    got = kept.recv(4096)
    check(got == b"" or got.startswith(b"HTTP/1.1 503"), "a request while it stops:", got)
    for t in threads: t.join()
    server.process.wait(20)
    check(server.process.returncode == 0, "exit", server.process.returncode, server.said())
    check(len(answers) == 2 and all(a.status == 200 for a in answers), "what ran has not ended:", [a.raw for a in answers])
    check(any(a.headers.get("content-type") == "text/event-stream" and a.complete and a.events()[-1][1]["outcome"] == "answered" for a in answers), "the stream was cut")
    # no patience: canceled, and told so
    server = Server(*SPEC, "--grace", "300ms")
    answers.clear()
    threads = [threading.Thread(target=lambda b=b: answers.append(server.message(b))) for b in ({"message": "slow", "stream": True}, {"message": "slow"})]
    for t in threads: t.start()
    time.sleep(0.6)
    took = server.stop()
    for t in threads: t.join()
    check(took < 8, "stopping took", took)
    check(sorted(a.status for a in answers) == [200, 503], [a.raw for a in answers])
    for a in answers:
        document = a.events()[-1][1] if a.status == 200 else a.json()
        check(document["outcome"] == "canceled", document)
    # a second signal ends it at once
    server = Server(*SPEC, "--grace", "1h")
    thread = threading.Thread(target=server.message, args=("slow",))
    thread.start(); time.sleep(0.5)
    server.process.send_signal(signal.SIGINT); time.sleep(0.3)
    check(server.stop(signal.SIGINT, code=130) < 3, "a second signal")
    thread.join()


def tokens():
    open("tokens", "w").write("# two clients\n%s\n\n%s\n" % (TOKEN, OTHER))
    server = Server(*SPEC, "--token-file", "tokens", "--allow-get")
    bearer, other = "Bearer " + TOKEN, "Bearer " + OTHER
    check(server.ask("GET", "/health").status == 200, "health needs no token")
    for path in ("/v1/agents", "/v1/models", "/clerk?message=x"):
        answer = server.ask("GET", path)
        check(answer.status == 401 and answer.headers.get("www-authenticate") == "Bearer", path, answer.raw)
    for given in ("", "Bearer", "Bearer ", "Bearer x", "Basic " + TOKEN, TOKEN, bearer + "x", bearer[:-1], "Bearer " + TOKEN.upper(), "Bearer %s,%s" % (TOKEN, OTHER)):
        check(server.message("x", Authorization=given).status == 401, "Authorization:", given)
    check(server.raw(("GET /v1/agents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: %s\r\nAuthorization: %s\r\n\r\n" % (bearer, bearer)).encode()).startswith(b"HTTP/1.1 401"), "two tokens")
    for given in (bearer, "bearer " + TOKEN, other): check(server.message("x", Authorization=given).status == 200, "Authorization:", given)
    # a stolen session
    session = server.message({"message": "secret", "session": True}, Authorization=bearer).json()["session"]
    stolen = server.message({"message": "x", "session": session}, Authorization=other)
    missing = server.message({"message": "x", "session": "0" * 64}, Authorization=other)
    check(stolen.status == 404 and stolen.body == missing.body, "a stolen session:", stolen.body)
    check(server.message({"message": "x", "session": session}, Authorization=bearer).json()["content"] == "You said: secret, then x", "its owner")
    answer = server.ask("GET", "/clerk?message=a+b%26c", Authorization=bearer)
    check(answer.status == 200 and answer.body == "You said: a b&c", answer.raw)
    check(server.ask("GET", "/guide?message=x&language=Latin", Authorization=bearer).status == 200, "inputs in the query")
    for query in ("", "?message=", "?message=%zz", "?message=%00", "?message=x&a=b"): check(server.ask("GET", "/clerk" + query, Authorization=bearer).status == 400, query)
    check(server.ask("GET", "/clerk?message=x", Authorization=bearer, Sec_Fetch_Site="cross-site").status == 403, "an image of another page")
    server.stop()
    said = server.said()
    for planted in (TOKEN, OTHER, session, "sk-planted-key", "planted-instruction", "secret", "a+b"): check(planted not in said, "the log tells", planted)
    check('POST /v1/agents/clerk/messages 200' in said and "GET /clerk 200" in said, said)


def starting():
    Server("clerk.gram", *BASE, "--listen", "0.0.0.0:0", code=2)
    Server("clerk.gram", *BASE, "--listen", "nonsense", code=2)
    Server("clerk.gram", *BASE, "--listen", "127.0.0.1:0", "--token-env", "NOT_SET", code=2)
    Server("clerk.gram", *BASE, "--listen", "127.0.0.1:0", "--token-env", "SHORT", code=2, env={"SHORT": "short"})
    Server("clerk.gram", *BASE, "--listen", "127.0.0.1:0", "--max-runs", "0", code=2)
    for option in (["--mcp"], ["--ab", "x"]): Server("clerk.gram", *BASE, "--listen", "127.0.0.1:0", *option, "--keep-sessions", code=2)
    Server("nowhere.gram", code=2)
    taken = socket.create_server(("127.0.0.1", 0))
    Server("clerk.gram", *BASE, "--listen", "127.0.0.1:%d" % taken.getsockname()[1], code=2)
    taken.close()
    server = Server("clerk.gram", "-l", "desk.gram#desk", *BASE, "--listen", "0.0.0.0:0", "--token-env", "T", "--host", "agents.example", "--origin", "https://app.example", env={"T": TOKEN})
    ours = {"Authorization": "Bearer " + TOKEN}
    check(server.ask("GET", "/v1/agents", Host="agents.example", **ours).status == 200, "--host")
    check(server.ask("GET", "/v1/agents", Host="10.1.2.3:80", **ours).status == 200, "a number off loopback")
    check(server.ask("GET", "/v1/agents", Host="evil.example", **ours).status == 403, "another name")
    answer = server.ask("GET", "/v1/agents", Origin="https://app.example", **ours)
    check(answer.status == 200 and answer.headers.get("access-control-allow-origin") == "https://app.example", answer.raw)
    answer = server.ask("OPTIONS", "/v1/agents/clerk/messages", Origin="https://app.example", Access_Control_Request_Method="POST")
    check(answer.status == 204 and "authorization" in answer.headers.get("access-control-allow-headers", ""), answer.raw)
    check(server.ask("GET", "/v1/agents", Origin="https://app.example.evil", **ours).status == 403, "another origin")
    server.stop()
    server = Server("clerk.gram", "-l", "desk.gram#desk", *BASE, "--listen", "127.0.0.1:0", "--refuse-system", "--quiet")
    body = {"model": "clerk", "messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "x"}]}
    answer = server.ask("POST", "/v1/chat/completions", body)
    check(answer.status == 400 and answer.json()["error"]["param"] == "messages", "--refuse-system", answer.body)
    check(server.message("x").status == 200, "a quiet one")
    server.stop()
    check(server.said() == "", "a quiet one says", server.said())


def kept():
    """Sessions outlive the server, for the token that began them, and the store tells nobody their ids."""
    open("tokens", "w").write("%s\n%s\n" % (TOKEN, OTHER))
    options = (*SPEC, "--token-file", "tokens", "--keep-sessions", "--state", "state", "--session-time", "1ms")
    ours, theirs = {"Authorization": "Bearer " + TOKEN}, {"Authorization": "Bearer " + OTHER}
    server = Server(*options)
    session = server.message({"message": "one", "session": True}, **ours).json()["session"]
    check(server.message({"message": "two", "session": session}, **ours).json()["content"] == "You said: one, then two", "a kept session goes on")
    check(server.message({"message": "fail", "session": session}, **ours).status == 502, "a run that fails")
    busy = threading.Thread(target=server.message, args=({"message": "slow", "session": session},), kwargs=ours)
    busy.start(); time.sleep(0.5)
    other = Server(*options)
    for each in (server, other): check(each.message({"message": "x", "session": session}, **ours).code() == "session_busy", "two runs in one session")
    busy.join()
    server.stop(signal.SIGKILL, code=-9)
    check("slow, then three" in other.message({"message": "three", "session": session}, **ours).json()["content"], "it goes on elsewhere")
    other.stop()
    server = Server(*options)
    document = server.message({"message": "four", "session": session, "stream": True}, **ours).events()[-1][1]
    check(document["content"].endswith("three, then four") and "fail" not in document["content"] and document["session"] == session, document)
    stolen, missing = server.message({"message": "x", "session": session}, **theirs), server.message({"message": "x", "session": "0" * 64}, **theirs)
    check(stolen.status == 404 and stolen.body == missing.body, "a stolen session:", stolen.body)
    for wrong in (session.upper(), session[1:], session + "0", "../" + session[3:]): check(server.message({"message": "x", "session": wrong}, **ours).code() == "no_session", wrong)
    server.stop()
    listed = subprocess.run([gramc, "session", "list", "--format", "json", "--state", "state"], capture_output=True, text=True)
    name = re.search("serve:[0-9a-f]{64}", listed.stdout)
    check(listed.returncode == 0 and listed.stdout.count("serve:") == 1 and session not in listed.stdout, listed.stdout, listed.stderr)
    shown = subprocess.run([gramc, "session", "show", name[0], "--state", "state"], capture_output=True, text=True)
    check("four" in shown.stdout and session not in shown.stdout, shown.stdout, shown.stderr)
    check(session not in server.said() and session.encode() not in open("state/sessions.db", "rb").read(), "the id is somewhere")


def documented():
    """The page's own commands, as a reader pastes them."""
    page = open(source + "/docs/serve.md").read()
    commands = [block for block in re.findall("```sh\n(.*?)```", page, re.S) if block.startswith("curl ")]
    check(len(commands) >= 2, "the page shows too few commands")
    server = Server(source + "/specs/hello_world.gram", "-l", source + "/specs/libraries/friendly.gram", "--model", "mock", "--listen", "127.0.0.1:0")
    for command in commands:
        check("http://127.0.0.1:8080/" in command, "another address:", command)
        shell = subprocess.run(["sh", "-c", command.replace("curl ", "curl -sS --fail-with-body ").replace("http://127.0.0.1:8080", server.address)], capture_output=True, text=True)
        document = json.loads(shell.stdout or "{}")
        check(shell.returncode == 0 and (document.get("content") or document["choices"][0]["message"]["content"]), command, shell.stdout, shell.stderr)
    server.stop()


def settled(server, idle):
    """What is held once clients are gone. Seldom does the system bring the end of a connection seconds late; past the limits for
    quiet connections (10 and 60 s) nothing of it may be left."""
    begun = time.time()
    while (after := Usage(server)).files > idle.files and time.time() < begun + 75: time.sleep(0.1)
    if time.time() > begun + 5: print("connections were closed after %.0f s only" % (time.time() - begun))
    if after.files > idle.files: subprocess.run(["ls", "-l", "/proc/%d/fd" % server.process.pid])
    return after


def load():
    """Many connections that stay: nothing but answers, and what the server holds stays as it is."""
    server = Server("clerk.gram", "-l", "desk.gram#desk", "--agent", "clerk", "--model", "mock", "--max-runs", "1000", "--quiet", "--listen", "127.0.0.1:0")
    seconds, statuses = (20 if os.environ.get("GRAMC_LONG") == "1" else 2), {}
    def post(path, body): return b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (path, len(body), body)
    requests = [post(b"/v1/agents/clerk/messages", b'{"message":"x"}'), post(b"/v1/agents/clerk/messages", b'{"message":"x","stream":true}'),
                post(b"/v1/chat/completions", b'{"model":"clerk","stream":true,"messages":[{"role":"user","content":"x"}]}'), b"GET /v1/agents HTTP/1.1\r\nHost: localhost\r\n\r\n"]
    async def client(number, until):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        while time.time() < until:
            number += 1
            writer.write(requests[number % len(requests)])
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"Content-Length: (\d+)", head)
            await (reader.readexactly(int(length[1])) if length else reader.readuntil(b"\r\n0\r\n\r\n"))
            statuses[head[9:12]] = statuses.get(head[9:12], 0) + 1
        writer.close()
    async def clients(count, for_s):
        until = time.time() + for_s
        await asyncio.gather(*[client(i, until) for i in range(count)])
    server.ask("GET", "/health")
    idle = Usage(server)
    # Memory is held for the most that ran at once, which a busy machine may meet late: it grows in some rounds. A leak grows in each.
    asyncio.run(clients(512, 1))
    grown = []
    while not grown or not SANITIZED and grown[-1] >= 2 << 20 and len(grown) < 6:
        before = Usage(server).memory
        for count in (64, 512): asyncio.run(clients(count, seconds))
        grown.append(Usage(server).memory - before)
    after = settled(server, idle)
    print("%d requests in %d s, %.0f us of CPU each" % (sum(statuses.values()), 1 + 2 * seconds * len(grown), 1e6 * after.cpu / sum(statuses.values())))
    check(list(statuses) == [b"200"] and statuses[b"200"] > (100 if SANITIZED else 1000), "under load:", statuses)
    check(after.files <= idle.files and after.threads == idle.threads, "left open:", idle.files, after.files, idle.threads, after.threads)
    check(SANITIZED or grown[-1] < 2 << 20, "memory grows in each round:", grown)
    server.stop()


server = Server(*SPEC)
for part in (endpoints, streams, sessions, openai, strangers, smugglers, those_who_go, many): part(server)
server.stop()
for part in (tokens, starting, stopping, kept, documented, load): part()
finish(250)
