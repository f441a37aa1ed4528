"""A library from elsewhere is asked about before anything of it is started: trust.py GRAMC. At a terminal, a
pty of this test; without one; once, and again when it has changed; by every command that starts programs."""
import json, os, pty, select, shutil, subprocess, sys, tempfile, threading, time
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import check, finish

gramc = os.path.abspath(sys.argv[1])
work = os.path.realpath(tempfile.mkdtemp(prefix="gramc-trust-"))
own, their, state = f"{work}/own", f"{work}/their", f"{work}/state"
started = f"{work}/started"
SECONDS = 30
QUESTION, NOBODY = b"Trust it? [y/N] ", "nobody can be asked here whether to trust it"
TOUCH = json.dumps(["sh", "-c", f"echo $0 >>{started}", "a\x1b[2Jb"])
SPEC = '[a:Agent {model: "OpenAI/x"} | [t:Tool {description: "T"} | (q::Text)==>(::Text)]]\n'
LIBRARIES = {
    "program": f'[l:ToolLibrary | [t:ToolImpl {{exec: {TOUCH}}}]]',
    "staying program": f'[l:ToolLibrary | [t:ToolImpl {{exec: {TOUCH}, persistent: true}}]]',
    "plugin": '[l:ToolLibrary | [t:ToolImpl {plugin: "t.so", symbol: t}]]',
    "server": f'[l:ToolLibrary | [s:McpServer {{command: {TOUCH}}}]]',
    "address": f'[l:ToolLibrary | [s:HttpToolBox {{file: "s.yaml", urlFrom: {TOUCH}}}]]',
    "guard": f'[l:ToolLibrary {{before: {TOUCH}}} | [t:ToolImpl {{returns: "x"}}]]',
    "guard of a tool": f'[l:ToolLibrary | [t:ToolImpl {{returns: "x", after: {TOUCH}}}]]',
}
HARMLESS = '[l:ToolLibrary | [t:ToolImpl {returns: "x"}]]'
RUN = ("run", "s.gram", "--library", "../their/l.gram", "--model", "mock", "hello")
# Each command that starts programs; `tools` and `bind` start boxes alone.
COMMANDS = {"run": RUN, "call": ("call", "../their/l.gram", "t", '{"q": "x"}'), "serve": ("serve", "s.gram", "--library", "../their/l.gram", "--model", "mock", "--listen", "127.0.0.1:0"),
            "serve --mcp": ("serve", "--mcp", "../their/l.gram"), "ab": ("ab", "s.gram", "--a", "../their/l.gram", "--b", "own.gram", "--cases", "cases.jsonl", "--model", "mock", "--expect", "x"),
            "ab, the other": ("ab", "s.gram", "--a", "own.gram", "--b", "../their/l.gram", "--cases", "cases.jsonl", "--model", "mock", "--expect", "x"),
            "tools": ("tools", "../their/l.gram"), "bind": ("bind", "s.gram", "--library", "../their/l.gram")}
BOXES_ALONE = ("tools", "bind")

def put(path, text):
    with open(path, "w") as file: file.write(text)

def install():
    for folder in (own, their): os.mkdir(folder)
    put(f"{own}/gramc.gram", '{kind: "configuration"}\n')
    put(f"{own}/s.gram", SPEC)
    put(f"{own}/own.gram", HARMLESS + "\n")
    put(f"{own}/cases.jsonl", '{"id": "a", "message": "m", "expect": "x"}\n{"id": "b", "message": "m", "expect": "x"}\n')
    put(f"{their}/s.yaml", "s:\n  tools: []\n")

def fresh(text=LIBRARIES["program"]):
    put(f"{their}/l.gram", text + "\n")
    shutil.rmtree(state, ignore_errors=True)

def environment(): return {"PATH": os.environ["PATH"], "HOME": work, "XDG_STATE_HOME": state, "OPENAI_API_KEY": "k", "CI": "true"}

def without_terminal(*command):
    """With an end: what is served would go on."""
    try: done = subprocess.run([gramc, *command], cwd=own, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, start_new_session=True)
    except subprocess.TimeoutExpired: return None, "it went on"
    return done.returncode, done.stdout + done.stderr

def at_terminal(answer, *command):
    """What was shown, and the exit code; `answer` is typed when the question stands there."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(own)
        os.execve(gramc, [gramc, *command], environment())
    shown, typed, end = b"", False, time.monotonic() + SECONDS
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try: data = os.read(terminal, 65536)
            except OSError: break
            if not data: break
            shown += data
        if not typed and QUESTION in shown:
            os.write(terminal, answer)
            typed = True
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return code, shown

def nothing_started(what, said):
    """In its sandbox a program cannot leave a mark; it complains of that instead."""
    text = said if isinstance(said, str) else said.decode()
    check("cannot create" not in text and "Permission denied" not in text, what, "started something:", text)

def nobody_there():
    for kind, text in LIBRARIES.items():
        fresh(text)
        code, said = without_terminal(*RUN)
        check(code == 2 and NOBODY in said and "--trust" in said and "l.gram)" in said, kind, "gives", code, said)
        nothing_started(kind, said)
    for name, command in COMMANDS.items():
        fresh(LIBRARIES["server" if name in BOXES_ALONE else "program"])
        code, said = without_terminal(*command)
        check(code == 2 and NOBODY in said, name, "gives", code, said)
        nothing_started(name, said)
        fresh(LIBRARIES["program"] if name in BOXES_ALONE else HARMLESS)
        if "serve" not in name: check(NOBODY not in without_terminal(*command)[1], name, "asks about what it does not start")
    check("\x1b" not in without_terminal(*RUN)[1], "what is listed fools a terminal")

def trusted_for_once():
    fresh()
    code, said = without_terminal("call", "--trust", "../their/l.gram", "t", "{}")
    check("cannot create" in said, "--trust does not let it start:", code, said)
    check(without_terminal(*RUN)[0] == 2, "--trust is remembered")

def one_s_own():
    fresh()
    shutil.copy(f"{their}/l.gram", f"{own}/copy.gram")
    for command in (("run", "s.gram", "--library", "copy.gram", "--model", "mock", "hello"), ("call", "copy.gram", "t", "{}"), ("tools", "copy.gram")):
        code, said = without_terminal(*command)
        check(NOBODY not in said, command, "asks about one's own library:", said)

def asked():
    fresh()
    for answer in (b"n\n", b"\n", b"maybe\n", b"\x04"):
        code, shown = at_terminal(answer, *RUN)
        check(code == 2 and b"is not of this project, and starts:" in shown and b"nothing of it was started" in shown, answer, "gives", code, shown)
        check(b"\x1b[2J" not in shown and b"../their/l.gram)" in shown, "the question shows", shown)
        nothing_started(answer, shown)
    code, shown = at_terminal(b"y\n", *RUN)
    check(code == 0 and QUESTION in shown, "a yes gives", code, shown)
    code, shown = at_terminal(b"", *RUN)
    check(code == 0 and QUESTION not in shown, "it is asked about again:", shown)
    code, said = without_terminal(*RUN)
    check(code == 0, "what was trusted does not run without a terminal:", said)
    put(f"{their}/l.gram", LIBRARIES["program"].replace("echo", "echo  ") + "\n")
    code, shown = at_terminal(b"no\n", *RUN)
    check(code == 2 and b"has changed since it was trusted" in shown, "what has changed gives", code, shown)
    code, said = without_terminal(*RUN)
    check(code == 2 and "has changed since it was trusted" in said, "what has changed, without a terminal:", code, said)

def the_list():
    name = f"{state}/gramc/trusted"
    fresh()
    at_terminal(b"yes\n", *RUN)
    check(os.stat(name).st_mode & 0o777 == 0o600, "the list has the mode", oct(os.stat(name).st_mode))
    good = open(name).read()
    for bad, why in ((good + "blot\n", "line 2 is no fingerprint and path"), (good[:-1], "line 1 is no"), ("0" * 64 + " relative\n", "line 1 is no"), ("x" * (1 << 20) + "y", "more than 1 MiB")):
        put(name, bad)
        code, said = without_terminal(*RUN)
        check(code == 2 and why in said, "a list that is", why, "gives", code, said)
        nothing_started(why, said)
    put(name, good), os.chmod(name, 0o622)
    code, said = without_terminal(*RUN)
    check(code == 2 and "others may write this file" in said, "a list that others write:", code, said)
    os.remove(name), os.symlink(f"{own}/s.gram", name)
    code, said = without_terminal(*RUN)
    check(code == 2, "a list that is a link:", code, said)

def two_at_once():
    fresh()
    put(f"{their}/m.gram", LIBRARIES["program"].replace("l:", "m:") + "\n")
    commands = [RUN, (*RUN[:3], "../their/m.gram", *RUN[4:])]
    threads = [threading.Thread(target=at_terminal, args=(b"y\n", *command)) for command in commands * 2]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    for command in commands: check(without_terminal(*command)[0] == 0, "of two at once one was forgotten:", command)

try:
    install()
    nobody_there(), trusted_for_once(), one_s_own(), asked(), the_list(), two_at_once()
finally: shutil.rmtree(work, ignore_errors=True)
finish(60)
