"""Whatever goes wrong in a run, three things hold: nothing is late by more than a second, no secret stands in
anything that was written, nothing is left. A table of all that can go wrong, and support/invariants.py
reads everything: invariants.py GRAMC."""
import itertools, json, os, shutil, signal, subprocess, sys, tempfile, time
sys.dont_write_bytecode = True
support = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
sys.path.insert(0, support)
import faulty
from checks import check, finish
from invariants import GRACE_MS, Secrets, descriptors, events_of, late_events, leaks_in, processes_left
from left import wait_for

gramc = os.path.abspath(sys.argv[1])
SANITIZED = os.environ.get("GRAMC_SANITIZED") == "1"
TOOL_MS, MODEL_MS, RUN_MS = 700, 900, 3000
# Of letters that stand together nowhere else; quotes and others are written in many ways.
PLANTED = {"model_key": "Xq7ZvJ0wKpQ9gYx/3Wq+Zj5kVxQ", "key": 'Gz4"QxJ8&wZk%2VqX7jYpZ0Kfz', "password": "Wvq8\\ZxK3<JzQ6yGqXw5"}
secrets = Secrets(**PLANTED)
work = tempfile.mkdtemp(prefix="gramc-invariants-")
marks = (f"invariants-{os.getpid()}-{number}" for number in itertools.count())
server = faulty.serve(PLANTED["password"])
http = f"http://127.0.0.1:{server.server_address[1]}"

SPEC = """[Password:Text {secret: true}]
[door:Agent {model: "OpenAI/gpt-4o-mini", instruction: "Log in."} |
  [login:Tool {description: "Logs in"} | (user::Text)==>(password::Password)==>(::String)]]
"""
KINDS = {
    "program": "[l:ToolLibrary | [login:ToolImpl {exec: WORDS, timeout: 700ms, env: {KEY: \"${env:KEY}\"}}]]",
    "staying": "[l:ToolLibrary | [login:ToolImpl {exec: WORDS, persistent: true, timeout: 700ms, env: {KEY: \"${env:KEY}\"}}]]",
    "server": "[l:ToolLibrary | [box:McpServer {command: WORDS, timeout: 700ms, env: {KEY: \"${env:KEY}\"}}]]",
    "http": "[l:ToolLibrary | [login:ToolImpl {http: POST, url: \"URL\", headers: {Authorization: \"Bearer ${env:KEY}\"}, "
            "body: \"{\\\"user\\\": \\\"${user}\\\", \\\"password\\\": \\\"${password}\\\"}\", timeout: 700ms}]]",
}


class Case:
    """A folder with a spec and one library, and what is asked of it."""
    def __init__(self, kind, fault, model="is fine"):
        self.name, self.mark = f"{kind} {fault}, model {model}", next(marks)
        self.folder = os.path.join(work, self.mark)
        self.model, self.trace = model, os.path.join(self.folder, "trace.jsonl")
        os.mkdir(self.folder)
        words = json.dumps([sys.executable, os.path.join(support, "faulty.py"), kind, fault, self.mark])
        text = SPEC + KINDS[kind].replace("WORDS", words).replace("URL", f"{http}/{fault.replace(' ', '%20')}/tool") + "\n"
        self.write("in.gram", text)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file: file.write(text)

    def words(self, *command):
        base = f"{http}/{self.model.replace(' ', '%20')}/v1"
        return [gramc, *command, "--allow-env", "KEY", *([] if command[0] == "call" else ["--base-url", base, "--timeout", "900ms"])]

    def environment(self):
        return {"PATH": os.environ["PATH"], "HOME": self.folder, "OPENAI_API_KEY": PLANTED["model_key"], "KEY": PLANTED["key"],
                "XDG_STATE_HOME": os.path.join(self.folder, "state"), **{name: value for name, value in os.environ.items() if "SAN" in name}}

    def run(self, *command, most_ms=RUN_MS, number=None):
        """What is printed goes to files, like everything else."""
        began = time.monotonic()
        with open(os.path.join(self.folder, "out.txt"), "ab") as out, open(os.path.join(self.folder, "err.txt"), "ab") as err:
            process = subprocess.Popen(self.words(*command), cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            if number:
                self.wait_for_call(process)
                began = time.monotonic()
                process.send_signal(number)
            try: process.wait(60)
            except subprocess.TimeoutExpired: process.kill(), process.wait()
        took = (time.monotonic() - began) * 1000
        check(took <= most_ms + GRACE_MS, self.name, command[0], f"took {took:.0f} ms, its deadline is {most_ms} ms")
        left = processes_left(self.mark)
        check(left == [], self.name, command[0], "leaves", left)
        for pid in left: os.kill(pid, signal.SIGKILL)
        return process.returncode

    def wait_for_call(self, process):
        """Until the tool is at work; on a busy machine that takes its time."""
        end = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < end:
            if os.path.exists(self.trace) and b"tool.request" in open(self.trace, "rb").read(): return
            time.sleep(0.02)
        check(False, self.name, "never called the tool")

    def read_all(self, least):
        """Every file of the folder; the library is none, since it holds no secret's value."""
        read, found = leaks_in(secrets, [self.folder])
        check(read >= least, self.name, "wrote", read, "files, not", least)
        for leak in found: check(False, self.name, "a secret stands in", *leak)
        check(not found, self.name, "holds", len(found), "secrets")

    def read_trace(self, ended=True):
        events = events_of(self.trace)
        names = [event["event"] for event in events]
        check(not ended or names[-1] == "outcome", self.name, "ends with", names)
        late = list(late_events(events, {"login": TOOL_MS}, MODEL_MS, RUN_MS))
        check(late == [], self.name, "is late:", [(e["event"], e["duration_ms"]) for e in late])
        return names


RUN = ("run", "in.gram", "--library", "l", "--max-duration", "3s", "--trace", "trace.jsonl", "-v", "-v", "--format", "json", "Log in")


def runs():
    """Each fault of each kind of tool, in a run and called by hand; then those of HTTP, of a tool and of the model."""
    for kind in ("program", "staying", "server"):
        for fault in faulty.FAULTS:
            case = Case(kind, fault)
            case.run(*RUN)
            check("tool.request" in case.read_trace(), case.name, "did not call the tool")
            case.run("call", "in.gram", "login" if kind != "server" else "box.login", '{"user": "ann", "password": "of no interest"}', most_ms=TOOL_MS)
            case.read_all(4)
    for fault in faulty.HTTP_FAULTS:
        case = Case("http", fault)
        case.run(*RUN)
        check("tool.request" in case.read_trace(), case.name, "did not call the tool")
        case.read_all(4)
        case = Case("program", "repeats", fault)
        case.run(*RUN)
        check("model.attempt" in case.read_trace(), case.name, "did not ask the model")
        case.read_all(4)


def ended_by_signals():
    for kind in ("program", "staying", "server"):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL):
            case = Case(kind, "never answers")
            case.name += f", ended by {number.name}"
            case.run(*RUN, number=number)
            case.read_trace(ended=False)
            case.read_all(4)

REPORTS = ("report.html", "report.json", "report.xml", "report.md", "report.csv", "report.txt")


def experiments():
    """With a store, cassettes and every form of report."""
    for kind, fault in (("program", "ends"), ("staying", "never answers"), ("server", "is killed"), ("http", "fails")):
        case = Case(kind, fault)
        case.write("cases.jsonl", '{"id": "a", "message": "Log in", "expect": "x"}\n{"id": "b", "message": "Log in again", "expect": "y"}\n')
        with open(os.path.join(case.folder, "in.gram"), "a") as file:
            file.write('[m:ToolLibrary {extends: l} | [other:ToolImpl {returns: "x"}]]\n[e:Experiment {cases: "cases.jsonl"} | [x:Arm {agent: door, library: l}], [y:Arm {agent: door, library: m}]]\n')
        reports = [word for name in REPORTS for word in ("--report", name)]
        case.run("experiment", "in.gram", "run", "--store", "store.db", "--record", "tapes", *reports, most_ms=4 * RUN_MS)
        for name in REPORTS: check(os.path.exists(os.path.join(case.folder, name)), case.name, "has no", name)
        case.read_all(10)


def served():
    """One process for all of them: it has the descriptors and children of before when they are over."""
    case = Case("program", "repeats")
    names, text = [], SPEC.split("[door", 1)[0]
    library = "[l:ToolLibrary |\n"
    for number, fault in enumerate(faulty.FAULTS):
        for kind in ("program", "staying"):
            name = f"{kind}{number}"
            names.append(name)
            words = json.dumps([sys.executable, os.path.join(support, "faulty.py"), kind, fault, case.mark])
            text += f'[{name}:Agent {{model: "OpenAI/gpt-4o-mini", instruction: "Log in."}} | [login:Tool {{description: "Logs in"}} | (user::Text)==>(password::Password)==>(::String)]]\n'
            case.write(f"{name}.gram", f'[{name}:ToolLibrary | [login:ToolImpl {{exec: {words}, timeout: 700ms, env: {{KEY: "${{env:KEY}}"}}{", persistent: true" if kind == "staying" else ""}}}]]\n')
    for name in names:
        if not serve_one(case, text, name): return
    case.read_all(len(names))


def serve_one(case, text, name):
    """Asked twice before it is counted: what stays for the next call is no leak."""
    case.write("in.gram", text)
    out = open(os.path.join(case.folder, "served.txt"), "ab")
    words = case.words("serve", "in.gram", "--agent", name, "--library", f"{name}.gram", "--listen", "127.0.0.1:0", "--max-duration", "3s")
    process = subprocess.Popen(words, cwd=case.folder, env=case.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=out, text=True)
    address = process.stdout.readline().strip()
    if not address: return check(False, name, "is not served", open(out.name).read())
    ask = ["curl", "-sS", "-m", "20", "-H", "Content-Type: application/json", "-d", '{"message": "Log in"}', f"{address}/v1/agents/{name}/messages"]
    states = []
    for _ in range(3):
        said = subprocess.run(ask, capture_output=True)
        out.write(said.stdout + said.stderr), out.flush()
        time.sleep(0.3)
        states.append(descriptors(process.pid))
    wait_for(lambda: len(descriptors(process.pid)) <= len(states[1]), 5)
    now = descriptors(process.pid)
    check(len(now) <= len(states[1]), name, "leaves descriptors:", sorted(now.values()), "before:", sorted(states[1].values()))
    process.terminate()
    check(process.wait(30) == 0, name, "served, ends with", process.returncode)
    check(processes_left(case.mark) == [], name, "served, leaves processes")
    return True


def can_fail():
    """The reader finds what it is for."""
    import base64, urllib.parse
    whole = PLANTED["key"]
    for bad in (whole, whole[5:9], urllib.parse.quote(whole), json.dumps(whole)[3:12], whole.encode().hex(), base64.b64encode(b"xy" + whole.encode()).decode(),
                base64.urlsafe_b64encode(whole.encode()).decode(), json.dumps(json.dumps(whole))):
        check(secrets.leaks(b"before " + bad.encode() + b" behind"), "not found:", bad)
    check(not secrets.leaks(b"before " + whole[:3].encode() + b" behind ${env:KEY}"), "three bytes are too much")
    late = list(late_events([{"event": "tool.response", "name": "t", "duration_ms": 701 + GRACE_MS}, {"event": "outcome", "duration_ms": 2001 + GRACE_MS}], {"t": 700}, None, 2000))
    check(len(late) == 2, "late events:", late)
    mark = next(marks)
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)", mark])
    wait_for(lambda: processes_left(mark, 0), 10)
    check(processes_left(mark, 0) == [child.pid], "a process that is left is not seen")
    child.kill(), child.wait()


try:
    can_fail()
    runs(), ended_by_signals(), experiments(), served()
finally:
    server.over.set()
    shutil.rmtree(work, ignore_errors=True) if not os.environ.get("GRAMC_KEEP") else print(work)
finish(300)
