"""An experiment that users carry out, as its operator sees it: online.py SOURCE GRAMC [SERVER].

With the folder of a PostgreSQL server's socket: what two servers of gramc do that share a database.

Without a network: the model is gramc's own mock, which calls the tool and repeats what it says. What
the arms answer differs by their libraries alone."""
import hashlib, http.client, json, os, random, re, resource, signal, sqlite3, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from checks import check, finish

source, gramc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

def spec(experiment, more=""):
    return '''[helper:Agent {model: "OpenAI/m", instruction: "Help."} | [look:Tool {description: "Looks"} | (where::Text)==>(::Text)]]
[shop:ToolLibrary | [look:ToolImpl {returns: "found it"}]]
[attic:ToolLibrary | [look:ToolImpl {returns: "nothing here"}]]
[slow:ToolLibrary | [look:ToolImpl {exec: ["sh", "-c", "sleep 0.03; echo found it"]}]]
[broken:ToolLibrary | [look:ToolImpl {exec: ["sh", "-c", "exit 3"]}]]
''' + more + experiment


SEARCH = '''[search:Experiment {units: 120, seed: 7, guardrails: [feedback, callErrors]} |
  [old:Arm {agent: helper, library: attic}], [new:Arm {agent: helper, library: shop}],
  [found:Grader {contains: "found"}], [brief:Grader {matches: "^.{1,20}$", required: false}]]
'''


def run(*arguments):
    done = subprocess.run([gramc, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def small_files():
    """Files of the server end at 800 KB, as on a disk that is full."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (800000, 800000))


class Server:
    def __init__(self, *arguments, before=None):
        self.process = subprocess.Popen([gramc, "serve", *arguments, "--model", "mock", "--listen", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=before)
        self.address = self.process.stdout.readline().strip()
        if not self.address: raise SystemExit("the server did not begin: " + self.process.stderr.read())
        self.here = threading.local()

    def ask(self, path, body, method="POST"):
        connection = getattr(self.here, "connection", None)
        if connection is None:
            connection = self.here.connection = http.client.HTTPConnection(self.address[7:], timeout=20)
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        try: value = json.loads(text)
        except ValueError: value = text
        return answer.status, value, {k.lower(): v for k, v in answer.getheaders()}

    def say(self, **body): return self.ask("/v1/agents/helper/messages", {"message": "Where?"} | body)

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.process.wait(20)
        return self.process.stderr.read()


def arm_of(name, seed, key, weights):
    """As docs/experiments.md says it."""
    share = int(hashlib.sha256(f"{name}\n{seed}\n{key}".encode()).hexdigest()[:13], 16) / 2 ** 52
    for arm, weight in enumerate(weights):
        share -= weight / sum(weights)
        if share < 0: return arm
    return len(weights) - 1


def rows(sql, store=".gramc/experiments.db"):
    database = sqlite3.connect(store)
    try: return database.execute(sql).fetchall()
    finally: database.close()


def report(*arguments, store=".gramc/experiments.db"):
    return run("report", store, *arguments)


def write(name, text):
    with open(name, "w", encoding="utf-8") as file: file.write(text)


def assignment():
    """Sticky, by the hash that is documented, over restarts; and nobody sees it."""
    seen = {}
    for shown in (False, True):
        server = Server("a.gram", "--ab", "search", *(["--show-arm"] if shown else []))
        for i in range(20):
            status, answer, headers = server.say(user=f"user-{i}")
            check(status == 200 and answer["outcome"] == "answered", status, answer)
            arm = ["old", "new"][arm_of("search", 7, f"user-{i}", [1, 1])]
            check(seen.setdefault(i, answer["content"]) == answer["content"], "another arm after a restart")
            check((answer["content"] == "found it") == (arm == "new"), "not the arm that the hash says", i, answer["content"])
            told = json.dumps([answer, headers])
            check(headers.get("gramc-arm") == (arm if shown else None), headers)
            check(shown == ("shop" in told or "attic" in told) and shown == ("model" in answer), "what it tells of the arm", told)
        if not shown:
            write("run.json", json.dumps(answer))
            check(run("validate", source + "/docs/formats/run.schema.json", "run.json")[0] == 0, "the document")
            check(server.ask("/v1/agents", None, "GET")[1]["agents"][0]["libraries"] == [], "the libraries are told")
            check([m["id"] for m in server.ask("/v1/models", None, "GET")[1]["data"]] == ["helper"], "the models are told")
            check(server.ask("/health", None, "GET")[1] == {"status": "ok"}, "health")
            check(server.say(library="shop")[0] == 400, "a library may be chosen")
            stream = server.ask("/v1/agents/helper/messages", {"message": "Where?", "stream": True, "user": "user-1"})[1]
            check("event: done" in stream and "library" not in stream and "shop" not in stream, "a stream tells the arm", stream)
            chat = server.ask("/v1/chat/completions", {"model": "helper", "user": "user-1", "metadata": {"covariate": "0.5"},
                                                       "messages": [{"role": "user", "content": "Where?"}]})[1]
            check(chat["model"] == "helper" and chat["choices"][0]["message"]["content"] == seen[1], chat)
        log = server.stop()
    units = rows("SELECT count(DISTINCT unit), count(*), sum(covariate IS NOT NULL) FROM exposure")
    check(units == [(20, 42, 1)], units)
    check(not rows("SELECT 1 FROM exposure WHERE unit LIKE '%user%'"), "the store names users")
    # a session is a unit, and so is a message without one
    server = Server("a.gram", "--ab", "search")
    session = server.say(session=True)[1]["session"]
    first = [server.say(session=session)[1]["content"] for _ in range(4)]
    check(len(set(first)) == 1, "a session changes its arm", first)
    check(server.say(session=session, user="somebody")[0] == 409, "a session of another user")
    check(server.ask(f"/v1/sessions/{session}/feedback", {"label": "good"})[:2] == (200, {"status": "recorded"}), "feedback")
    for body, status in [({"score": 2}, 400), ({"label": "fine"}, 400), ({}, 400), ({"score": 1, "label": "good"}, 400), ({"score": 0.25}, 200)]:
        check(server.ask(f"/v1/sessions/{session}/feedback", body)[0] == status, body)
    check(server.ask("/v1/sessions/%s/feedback" % ("0" * 64), {"score": 1})[0] == 404, "feedback of nobody")
    before = rows("SELECT count(DISTINCT unit) FROM exposure")[0][0]
    for _ in range(3): server.say()
    check(rows("SELECT count(DISTINCT unit) FROM exposure")[0][0] == before + 3, "messages without a session are units")
    log += server.stop()
    check(session not in log and "user-1" not in log, "the log names sessions or users", log)
    check(rows("SELECT value FROM feedback ORDER BY value") == [(0.25,), (1.0,)], "feedback in the store")


def verdicts():
    """From messages to a verdict, in every form; not before the end, and of what was planned alone."""
    server, rng = Server("a.gram", "--ab", "search"), random.Random(3)
    session = {}

    def talk(first, last):
        for i in range(first, last):
            told = server.say(user=f"user-{i}", session=True, covariate=round(rng.random(), 3))[1]
            if i % 3 == 0: server.say(session=told["session"])
            if i % 2 == 0: server.ask(f"/v1/sessions/{told['session']}/feedback", {"score": 1 if told["content"] == "found it" else 0.5})

    talk(0, 60)
    code, text, _ = report()
    check("60 of 120 planned units" in text and "inconclusive" in text and "not valid before they have come" in text, text)
    check(re.search("Welch p|chi-square p [<=].*Holm", text) is None, "p-values before the end", text)
    check(report("--fail-if", "regression(pass)")[0] == 3, "a gate before the end")
    check("search: online, running, 60 of 120 units, 80 messages" in run("experiment", "a.gram", "status")[1], "status")
    code, _, words = run("serve", "a.gram", "--ab", "search", "--model", "mock", "--listen", "127.0.0.1:0")
    check(code == 2 and "another process" in words, "a second server", words)
    talk(60, 130)
    check("sessions" not in server.stop().replace("/v1/sessions/*", ""), "sessions in the log")
    for arguments in (("report", ".gramc/experiments.db"), ("experiment", "a.gram", "report"), ("report", ".gramc/experiments.db", "--id", "search")):
        code, text, words = run(*arguments)
        check(code == 0 and "superior: new is better than old" in text and "online, unpaired: 120 of 120 planned units" in text, arguments, text, words)
        check("sample ratio" in text and "guardrails" in text and "feedback" in text, text)
        check("10 units came after the 120 that were planned, and are not analysed" in text, text)
    code, text, _ = report("--format", "json")
    write("report.json", text)
    document = json.loads(text)
    check(run("validate", source + "/docs/formats/experiment.schema.json", "report.json")[0] == 0, "the JSON report is not as its schema says")
    online = document["online"]
    check(online["seen"] == 130 and sum(online["analysed"]) == 120 and sum(online["messages"]) == 160 and online["with_covariate"] == 120, online)
    expected = sum(arm_of("search", 7, f"user-{i}", [1, 1]) for i in range(130))
    check(online["units"] == [130 - expected, expected] and not online["sample_ratio"]["mismatch"], online)
    for form, words in {"markdown": "superior", "junit": "new is better than old", "html": "online, unpaired", "csv": "feedback"}.items():
        code, text, _ = report("--format", form)
        check(code == 0 and words in text, form, text[:300])
    check(run("report", "report.json")[:2] == report()[:2], "the JSON report does not tell the same")
    code, _, words = run("report", "report.json", "report.json")
    check(code == 2 and "shares no cases" in words, words)
    check(report("--fail-if", "regression(pass)", "--require-decision")[0] == 0, "a gate")
    check(run("experiment", "a.gram", "analyse")[1].startswith('{"format"'), "analyse")


def failing():
    """A run that failed is a failure of its arm, and is not dropped."""
    write("f.gram", spec('''[tools:Experiment {units: 30} | [good:Arm {agent: helper, library: shop}],
      [bad:Arm {agent: helper, library: broken}], [found:Grader {contains: "found"}]]'''))
    server = Server("f.gram", "--ab", "tools", "--store", "f.db", "--max-iterations", "2")
    for i in range(30): server.say(user=str(i))
    server.stop()
    document = json.loads(report("--format", "json", store="f.db")[1])
    check(sum(document["online"]["messages"]) == 30 and document["comparisons"][0]["verdict"] == "regression", document["comparisons"][0])
    check(document["arms"][1]["metrics"][0]["mean"] == 0 and document["arms"][1]["done"] == document["online"]["messages"][1], document["arms"][1])


def killed():
    """What was answered is in the store; what was under way is said to have crashed."""
    write("k.gram", spec('''[late:Experiment {units: 5000} | [a:Arm {agent: helper, library: slow}],
      [b:Arm {agent: helper, library: slow, weight: 3}], [found:Grader {contains: "found"}]]'''))
    answered = 0
    for kill in range(3):
        server = Server("k.gram", "--ab", "late", "--store", "k.db", "-q")
        counts = [0] * 4

        def talk(k):
            try:
                for i in range(1000):
                    if server.say(user=f"{kill}-{k}-{i}")[0] == 200: counts[k] += 1
            except (OSError, http.client.HTTPException): pass

        threads = [threading.Thread(target=talk, args=(k,)) for k in range(4)]
        for thread in threads: thread.start()
        time.sleep(0.4 + 0.17 * kill)
        server.stop(signal.SIGKILL)
        for thread in threads: thread.join()
        answered += sum(counts)
        ended = rows("SELECT count(DISTINCT place) FROM attempt WHERE outcome='answered'", "k.db")[0][0]
        check(answered <= ended, "answers that are not in the store", answered, ended)
    server = Server("k.gram", "--ab", "late", "--store", "k.db")
    server.say(user="last")
    check("stopping" in server.stop(), "it does not stop")
    exposed, = rows("SELECT count(*) FROM exposure", "k.db")[0]
    crashed, = rows("SELECT count(*) FROM attempt WHERE outcome='crash'", "k.db")[0]
    document = json.loads(report("--format", "json", store="k.db")[1])
    check(document["online"]["unended"] == 0 and document["online"]["crashed"] == crashed and crashed > 0, document["online"], crashed)
    check(sum(document["online"]["messages"]) == exposed == document["counts"]["done"], document["counts"], exposed)
    check(document["online"]["shares"] == [0.25, 0.75] and answered > 20, document["online"], answered)


def no_room():
    """What cannot be recorded is not answered; three arms share the level."""
    write("n.gram", spec('''[full:Experiment {units: 3000} | [a:Arm {agent: helper, library: shop, weight: 2}],
      [b:Arm {agent: helper, library: shop}], [c:Arm {agent: helper, library: attic}], [found:Grader {contains: "found"}]]'''))
    server = Server("n.gram", "--ab", "full", "--store", "n.db", before=small_files)
    statuses = []
    while len(statuses) < 400 and 503 not in statuses:
        status, told, _ = server.say(user=str(len(statuses)))
        statuses.append(status)
    check(statuses[-1] == 503 and told["error"]["code"] == "not_recorded" and len(statuses) > 10, statuses[-1], told, len(statuses))
    check("the store: " in server.stop(), "the log does not say why")
    exposed, = rows("SELECT count(*) FROM exposure", "n.db")[0]
    answered = statuses.count(200)
    check(exposed == answered, "answers that were not recorded before", exposed, answered)
    server = Server("n.gram", "--ab", "full", "--store", "n.db")
    for i in range(40): server.say(user=f"later-{i}")
    server.stop()
    document = json.loads(report("--format", "json", store="n.db")[1])
    check([c["arm"] for c in document["comparisons"] if c["role"] == "primary"] == ["b", "c"], document["comparisons"])
    check(sum(document["online"]["messages"]) == answered + 40 and document["online"]["shares"] == [0.5, 0.25, 0.25], document["online"])


def refused():
    def refuses(words, experiment, *arguments, more="", code=2):
        write("r.gram", spec(experiment, more))
        got, _, said = run("serve", "r.gram", "--model", "mock", "--listen", "127.0.0.1:0", "--store", "r.db", *arguments)
        check(got == code and words in said, words, got, said)

    arms = '| [x:Arm {agent: helper, library: shop}], [y:Arm {agent: helper, library: attic}]'
    graded = arms + ', [g:Grader {contains: "found"}]]'
    refuses("nope", f"[e:Experiment {{units: 9}} {graded}", "--ab", "nope")
    write("c.jsonl", '{"message": "m", "price": "1"}\n')
    refuses("does not say how many `units` are planned", f'[e:Experiment {{cases: "c.jsonl"}} {graded}', "--ab", "e")
    refuses("`repeats` has no meaning online", f"[e:Experiment {{units: 9, repeats: 2}} {graded}", "--ab", "e")
    refuses("compares two answers", f'[e:Experiment {{units: 9, metric: p}} {arms}, [p:Grader {{prefer: "Which?", model: "OpenAI/m"}}]]', "--ab", "e")
    refuses("names ${price}", f'[e:Experiment {{cases: "c.jsonl", units: 9}} {arms}, [p:Grader {{contains: "${{price}}"}}]]', "--ab", "e")
    refuses("nothing judges the answers", f"[e:Experiment {{units: 9}} {arms}]", "--ab", "e")
    refuses("the arms say which libraries", f"[e:Experiment {{units: 9}} {graded}", "--ab", "e", "--library", "r.gram#shop")
    refuses("goes with --ab", f"[e:Experiment {{units: 9}} {graded}")
    refuses("--show-arm goes with --ab", f"[e:Experiment {{units: 9}} {graded}", "--show-arm")
    refuses("serves tools", f"[e:Experiment {{units: 9}} {graded}", "--ab", "e", "--mcp")
    other = '[other:Agent {model: "OpenAI/m", instruction: "${language}"}]'
    refuses("different inputs", '[e:Experiment {units: 9, vary: agent} | [x:Arm {agent: helper, library: shop}], [y:Arm {agent: other}], [g:Grader {contains: "f"}]]',
            "--ab", "e", more=other)
    check(not os.path.exists("r.db"), "a refused experiment has a store")
    check("gramc serve r.gram --ab e" in run("experiment", "r.gram", "run", "--model", "mock")[2], "an online experiment over cases")
    # another plan in the same store
    write("p.gram", spec(f"[e:Experiment {{units: 9}} {graded}"))
    server = Server("p.gram", "--ab", "e", "--store", "p.db")
    server.say()
    server.stop()
    write("p.gram", spec(f"[e:Experiment {{units: 10}} {graded}"))
    code, _, said = run("serve", "p.gram", "--ab", "e", "--store", "p.db", "--model", "mock", "--listen", "127.0.0.1:0")
    check(code == 2 and "begun with another plan; what differs: its settings" in said, said)
    check(report(store="p.db")[0] == 0 and "1 of 9 planned units" in report(store="p.db")[1], "its report")
    code, _, said = run("report", "p.db", "--id", "nobody")
    check(code == 2 and "no runs of nobody" in said, said)


def shared():
    """Two servers at a time, one of which dies: users keep their arms, places are never given twice."""
    store = f"postgresql://gramc@/online?host={sys.argv[3]}"
    subprocess.run(["createdb", "-h", sys.argv[3], "-U", "gramc", "online"], check=True)
    servers = [Server("a.gram", "--ab", "search", "--store", store) for _ in range(2)]
    answers = [{}, {}]

    def talk(k):
        for i in range(50):
            told = servers[k].say(user=f"user-{i}", session=True, covariate=i)[1]
            answers[k][i] = told["content"]
            servers[k].ask(f"/v1/sessions/{told['session']}/feedback", {"score": 1})

    threads = [threading.Thread(target=talk, args=(k,)) for k in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    check(answers[0] == answers[1] and len(answers[0]) == 50, "two servers assign differently")
    servers[0].stop(signal.SIGKILL)
    servers[1].stop()
    code, text, words = report(store=store)
    check(code == 0 and "50 of 120 planned units, 100 messages" in text, text, words)
    online = json.loads(report("--format", "json", store=store)[1])["online"]
    check(online["told"] == online["units"] and online["unended"] == 0 and online["with_covariate"] == 50, online)
    check("50 of 120 units, 100 messages, 100 of them ended" in run("experiment", "a.gram", "status", "--store", store)[1], "status")


parts, least = ((shared,), 4) if len(sys.argv) > 3 else ((assignment, verdicts, failing, killed, no_room, refused), 100)
work = tempfile.TemporaryDirectory()
os.chdir(work.name)
os.mkdir(".git")
for part in parts:
    os.mkdir(part.__name__)
    os.chdir(part.__name__)
    write("a.gram", spec(SEARCH))
    part()
    os.chdir("..")
finish(least)
