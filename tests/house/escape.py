"""What tools try to get away with, and that nothing is left of them: escape.py GRAMC LIBEXEC PLUGIN.
As an ordinary user: root becomes `nobody`, since root may read and kill everything."""
import json, os, shutil, signal, subprocess, sys, tempfile, time
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from checks import check, finish
from invariants import Secrets
from left import left_behind, wait_for, wait_until_gone

SANITIZED = os.environ.get("GRAMC_SANITIZED") == "1"
SECONDS = 20  # a slow machine may take; nobody waits so long where things go well
KEY = "Xq7ZvJ0wKpQ9" + "gYx3Wq8ZjVz"  # in two pieces: a tool that finds it has not read it here
work = tempfile.mkdtemp(prefix="gramc-escape-")
gramc = os.path.join(work, "bin", "gramc")
numbers = iter(range(1000))

def install():
    os.makedirs(f"{work}/libexec"), os.makedirs(f"{work}/bin"), os.makedirs(f"{work}/home")
    shutil.copy(sys.argv[1], gramc)
    shutil.copytree(sys.argv[2], f"{work}/libexec/gramc")
    shutil.copy(os.path.join(os.path.dirname(__file__), "..", "support", "escapee.py"), work)
    os.chmod(work, 0o755)
    if os.getuid() == 0: os.chown(f"{work}/home", 65534, 65534)

def words(*command):
    """setpriv becomes the command, and so has its number."""
    as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    return as_user + [gramc, *command]

class Attempt:
    """A library with one tool, and the files of one attempt."""
    def __init__(self, how, kind="tool", more=""):
        self.mark = f"escapee-{os.getpid()}-{next(numbers)}"
        self.home = f"{work}/home/{self.mark}"
        os.mkdir(self.home)
        self.ready = f"{self.home}/ready"
        argv = json.dumps(["python3", f"{work}/escapee.py", how, self.mark, self.ready])
        plugin = f"{self.home}/{self.mark}.so"
        if kind == "plugin": shutil.copy(sys.argv[3], plugin)
        text = {"tool": f'[l:ToolLibrary | [try:ToolImpl {{exec: {argv}, timeout: 60s{more}}}]]',
                "staying": f'[l:ToolLibrary | [try:ToolImpl {{exec: {argv}, persistent: true, timeout: 60s{more}}}]]',
                "plugin": f'[l:ToolLibrary | [try:ToolImpl {{plugin: "{plugin}", symbol: scatter, timeout: 60s, env: {{READY: "{self.ready}"}}{more}}}]]',
                "server": f'[l:ToolLibrary | [box:McpServer {{command: {argv}}}]]',
                "grader": '[h:Agent {model: "OpenAI/gpt-4o-mini"} | [t:Tool {description: "Finds"} | (q::Text)==>(::Text)]]\n[l:ToolLibrary | [t:ToolImpl {returns: "x"}]]\n'
                          '[e:Experiment {cases: "cases.jsonl"} | [x:Arm {agent: h, library: l}], [y:Arm {agent: h, library: l}],\n'
                          f'  [g:Grader {{exec: {argv}, timeout: 60s}}]]'}[kind]
        with open(f"{self.home}/in.gram", "w") as file: file.write(text + "\n")
        with open(f"{self.home}/cases.jsonl", "w") as file: file.write('{"id": "a", "message": "m", "expect": "x"}\n')
        with open(f"{self.home}/answers.jsonl", "w") as file: file.write('{"id": "a", "arm": "x", "answer": "x", "calls": []}\n')
        if os.getuid() == 0: os.chown(self.home, 65534, 65534)
        verb = {"server": ["tools", "in.gram"], "grader": ["grade", "in.gram", "--answers", "answers.jsonl"]}
        self.command = words(*verb.get(kind, ["call", "in.gram", "try", "{}"]))

    def start(self, **more):
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, "OPENAI_API_KEY": KEY}
        return subprocess.Popen(self.command, cwd=self.home, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, **more)

    def run(self, **more):
        process = self.start(**more)
        try: said = process.communicate(timeout=SECONDS * 3)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            said = "(gramc did not end) " + process.communicate(timeout=SECONDS)[0]
        check(Secrets(key=KEY).leaks(said.encode()) == [], "a tool's end tells of the key:", said)
        return process.returncode, said

    def nothing_left(self, what):
        left = wait_until_gone(self.mark, SECONDS)
        check(left == [], what, "leaves", left)
        for pid in left: os.kill(pid, signal.SIGKILL)

def leaves_daemons():
    for kind in ("tool", "grader"):
        attempt = Attempt("daemon", kind)
        code, said = attempt.run()
        check(kind == "grader" or "left two" in said, "a tool with daemons says", code, said)
        attempt.nothing_left(f"a {kind} that left daemons")

def end_at_once(process):
    """The first signal waits for graders, the second does not; which of them was first nobody knows."""
    for _ in range(SECONDS * 10):
        process.send_signal(signal.SIGTERM)
        try: return process.wait(timeout=0.1)
        except subprocess.TimeoutExpired: pass

def gramc_is_ended():
    for kind, how in (("tool", "hold"), ("staying", "stay"), ("server", "hold"), ("plugin", "scatter"), ("grader", "hold"), ("tool", "stop-helper")):
        for number in (signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT):
            attempt = Attempt(how, kind)
            process = attempt.start()
            there = wait_for(lambda: os.path.exists(attempt.ready), SECONDS)
            check(there and len(left_behind(attempt.mark)) >= 3, kind, "did not get ready", there, left_behind(attempt.mark))
            process.send_signal(number)
            if kind == "grader": end_at_once(process)
            said = process.communicate(timeout=SECONDS)[0]
            attempt.nothing_left(f"gramc ended by {number.name} with a {kind} ({said.strip()})")

def deadline():
    for kind, how in (("tool", "hold"), ("staying", "stay"), ("plugin", "scatter"), ("tool", "stop-helper")):
        attempt = Attempt(how, kind)
        path = f"{attempt.home}/in.gram"
        with open(path) as file: text = file.read()
        with open(path, "w") as file: file.write(text.replace("timeout: 60s", "timeout: 2s"))
        code, said = attempt.run()
        check(code != 0 and "the tool did not finish in time and was stopped" in said, how, "past its deadline says", code, said)
        check(os.path.exists(attempt.ready), how, "was not ready at its deadline")
        attempt.nothing_left(f"{how} past its deadline")

def spying():
    attempt = Attempt("spy")
    code, said = attempt.run()
    if not check_json(said, code): return
    seen = json.loads(said)
    check(seen["near"] == 2, "a tool has a helper and gramc above it:", seen)
    for what in ("environ", "memory", "traced", "descriptors"):
        check(seen[what] == [], f"a tool gets at {what} of gramc or its helper:", seen)

def check_json(said, code):
    check(said.startswith(("{", "[")), "a tool says", code, said)
    return said.startswith(("{", "["))

def inherited():
    inside, outside = os.pipe()
    try:
        _, said = Attempt("descriptors").run(pass_fds=(inside, outside))
        check(said.strip() == "[0, 1, 2]", "a tool inherits descriptors:", said)
    finally: os.close(inside), os.close(outside)

def rights():
    _, said = Attempt("rights").run()
    check(json.loads(said) == {"no_new_privs": "1", "core": [0, 0]}, "the rights of a tool:", said)

def burning():
    attempt = Attempt("burn", more=", maxCpu: 1s")
    code, said = attempt.run()
    check(code == 3 and "the program was ended by signal 24, its limit of CPU time" in said, "a loop that ignores SIGXCPU says", code, said)
    attempt.nothing_left("a loop that ignores SIGXCPU")

def bombing():
    """Of a user who has other processes, perhaps: the limit counts them too."""
    most = sum(1 for pid in os.listdir("/proc") if pid.isdigit() and threads_of(pid)) + 200
    attempt = Attempt("bomb", more=f", maxProcesses: {most}")
    code, said = attempt.run()
    made = int(said.split()[1]) if said.startswith("made ") else -1
    check(code == 0 and 0 < made <= most, "a fork bomb says", code, said)
    attempt.nothing_left("a fork bomb")

def threads_of(pid):
    return os.path.exists(f"/proc/{pid}/task")

def filling():
    attempt = Attempt("fill", more=", maxFileSize: 1MB")
    code, said = attempt.run()
    check(code == 3 and "the program was ended by signal 25, its limit of the size of a file" in said, "a file of 10 GB:", code, said)
    attempt = Attempt("fill-on", more=", maxFileSize: 1MB")
    code, said = attempt.run()
    check(code == 0 and "refused: File too large" in said, "a file of 10 GB with SIGXFSZ ignored:", code, said)
    big = f"{attempt.home}/big"
    check(not os.path.exists(big) or os.path.getsize(big) <= 1 << 20, "the file grew to", os.path.exists(big) and os.path.getsize(big))

def environment_block():
    """As root, or as the same user where gramc is readable: the block holds nothing at all."""
    attempt = Attempt("hold")
    process = attempt.start()
    wait_for(lambda: os.path.exists(attempt.ready), SECONDS)
    try:
        with open(f"/proc/{process.pid}/environ", "rb") as file: block = file.read()
        check(KEY.encode() not in block and block.strip(b"\0") == b"", "the environment block of gramc:", block)
    except PermissionError: check(os.getuid() != 0, "root may not read the environment of gramc")
    except ProcessLookupError: check(False, "gramc ended before its tool:", process.communicate(timeout=SECONDS)[0])
    process.kill()
    process.communicate(timeout=SECONDS)
    attempt.nothing_left("gramc killed")

try:
    install()
    bombing(), filling(), environment_block()
    leaves_daemons(), gramc_is_ended(), deadline(), inherited(), rights(), burning()
    if not SANITIZED: spying()  # a sanitized gramc stays readable for its own search for leaks
finally:
    for pid in left_behind(f"escapee-{os.getpid()}-"): os.kill(pid, signal.SIGKILL)  # a check that broke off left them
    shutil.rmtree(work, ignore_errors=True)
finish(70)
