"""Tools of libraries in their sandboxes: sandbox.py GRAMC LIBEXEC PLUGIN. Programs of a library from elsewhere are kept to
themselves, those of one's own get what the library says; what model and user read where something is held back. As an ordinary
user: root becomes `nobody`. What each wall holds by itself is house/walls.py's."""
import json, os, re, shutil, socket, subprocess, sys, tempfile
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from checks import check, finish

SECONDS = 60
KEY = "qzv-planted-qzv"  # in a file that no tool may read
work = os.path.realpath(tempfile.mkdtemp(prefix="gramc-sandbox-"))
home, own, their = f"{work}/home", f"{work}/own", f"{work}/their"
gramc = f"{work}/bin/gramc"

PEEK = '''import json, os, socket, subprocess, sys, tempfile
def peek(code):
    try: return str(eval(code))
    except Exception as e: return type(e).__name__ + " " + str(getattr(e, "errno", ""))
if __name__ == "__main__":
    code = json.load(sys.stdin)["code"]
    print(eval(code) if code.startswith("(open") else peek(code))
'''
STAY = '''import json, sys
from peek import peek
for line in sys.stdin:
    call = json.loads(line)
    print(json.dumps({"id": call["id"], "result": peek(call["arguments"]["code"])}), flush=True)
'''
SERVER = '''import json, sys
from peek import peek
TOOL = {"name": "peek", "description": "Peeks", "inputSchema": {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked: continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif asked["method"] == "tools/list": answer["result"] = {"tools": [TOOL]}
    elif asked["method"] == "tools/call":
        answer["result"] = {"content": [{"type": "text", "text": peek(asked["params"]["arguments"]["code"])}]}
    else: answer["error"] = {"code": -32601, "message": "unknown"}
    print(json.dumps(answer), flush=True)
'''
NODE = '''const code = JSON.parse(require("fs").readFileSync(0, "utf8")).code;
const fs = require("fs"), net = require("net"), os = require("os");
const tell = (error) => error.code ?? String(error);
const connect = (port) => new Promise((done) => net.connect(port, "127.0.0.1").on("connect", () => done("connected")).on("error", (e) => done(tell(e))));
(async () => { try { console.log(String(await eval(code))); } catch (error) { console.log(tell(error)); } })();
'''
GUARD = '''import json
from peek import peek
print(json.dumps({"decision": "deny", "message": peek("open('@SECRET@').read()")}))
'''

def put(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file: file.write(text)
    os.chmod(path, mode)

def install():
    for folder in (f"{work}/bin", f"{work}/libexec", f"{home}/.ssh", f"{work}/out", f"{work}/tmp"): os.makedirs(folder)
    shutil.copy(sys.argv[1], gramc)
    shutil.copytree(sys.argv[2], f"{work}/libexec/gramc")
    put(f"{home}/.ssh/id", KEY)
    put(f"{own}/gramc.gram", '{kind: "configuration", allowEnv: ["TOKEN"]}\n')
    for folder in (own, their):
        for name, text in (("peek.py", PEEK), ("stay.py", STAY), ("server.py", SERVER), ("peek.js", NODE),
                           ("guard.py", GUARD.replace("@SECRET@", f"{home}/.ssh/id"))): put(f"{folder}/{name}", text)
        shutil.copy(sys.argv[3], f"{folder}/plugin.so")
    os.chmod(work, 0o755)
    if os.getuid() == 0:
        for folder, _, names in os.walk(work):
            if folder.startswith((f"{work}/bin", f"{work}/libexec")): continue
            for path in [folder] + [f"{folder}/{name}" for name in names]: os.chown(path, 65534, 65534)

def words(*command):
    as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    return as_user + [gramc, *command]

def start(*command):
    environment = {"PATH": os.environ["PATH"], "HOME": home, "TMPDIR": f"{work}/tmp", "LANG": "C.UTF-8", "TOKEN": "tokenvalue77", "OTHER": "o"}
    return subprocess.run(words(*command), cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)

def library(folder, text):
    put(f"{folder}/l.gram", text + "\n")
    return f"{folder}/l.gram"

def run(path, codes, *tools):
    """The agent calls each tool with each code; what it said to each, and what the user reads."""
    tools = tools or ("peek",)
    said = ", ".join(f'[{tool}:Tool {{description: "Peeks"}} | (code::Text)==>(::Text)]' for tool in tools)
    put(f"{own}/s.gram", f'[a:Agent {{model: "OpenAI/x"}} | {said}]\n')
    calls = [{"name": tool, "arguments": json.dumps({"code": code})} for tool in tools for code in codes]
    lines = [{"event": "header", "format": "gramc-trace", "version": 1}, {"event": "model.response", "calls": calls},
             {"event": "model.response", "content": "Done."}]
    put(f"{work}/script.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    trace = f"{work}/tmp/trace.jsonl"
    if os.path.exists(trace): os.remove(trace)
    ended = start("run", f"{own}/s.gram", "--library", path, "--model", f"script:{work}/script.jsonl", "--trace", trace, "--trust", "go")
    said = {}
    if os.path.exists(trace):
        for event in map(json.loads, open(trace)):
            if event["event"] == "tool.response": said[event["call"]] = (event["outcome"], event["result"])
    return [said.get(i + 1, ("none", ended.stdout + ended.stderr)) for i in range(len(calls))], ended

def expect(kind, path, rows):
    said, ended = run(path, [code for code, _ in rows])
    for (code, wanted), (outcome, result) in zip(rows, said):
        check(re.fullmatch(wanted, str(result), re.S), kind, code, "wanted", wanted, "and got", outcome, result, ended.stderr)

# ## A library from elsewhere

def listening():
    server = socket.create_server(("127.0.0.1", 0))
    return server, server.getsockname()[1]

HELD = "PermissionError (1|13)"

def strict_rows(port):
    """What is held, and what must work."""
    secret = f"{home}/.ssh/id"
    return [("open('peek.py').read()[:6]", "import"),
            (f"open('{secret}').read()", HELD),
            (f"open('{own}/s.gram').read()", HELD),
            (f"os.listdir('{home}')", HELD),
            (f"socket.create_connection(('127.0.0.1', {port}))", HELD),
            ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM)", HELD),
            ("open('left', 'w')", HELD),
            (f"open('{work}/out/left', 'w')", HELD),
            ("tempfile.NamedTemporaryFile('w').write('x')", "1"),
            ("os.environ['HOME'] == os.environ['TMPDIR'] == tempfile.gettempdir()", "True"),
            ("sorted(set(os.environ) - {'LC_CTYPE'})", re.escape("['HOME', 'LANG', 'PATH', 'TMPDIR']")),
            ("subprocess.run(['sh', '-c', 'echo from sh'], capture_output=True, text=True).stdout", "from sh\n?"),
            (f"subprocess.run(['cat', '{secret}'], capture_output=True).returncode", "1"),
            ("os.environ.get('TOKEN')", "None")]

PROGRAMS = {"program": '[l:ToolLibrary | [peek:ToolImpl {exec: ["python3", "peek.py"]}]]',
            "program that stays": '[l:ToolLibrary | [peek:ToolImpl {exec: ["python3", "stay.py"], persistent: true}]]',
            "server": '[l:ToolLibrary | [s:McpServer {command: ["python3", "server.py"]}]]'}

def strangers():
    server, port = listening()
    for kind, text in PROGRAMS.items(): expect(f"a stranger's {kind}:", library(their, text), strict_rows(port))
    check(not os.path.exists(f"{their}/left") and os.listdir(f"{work}/out") == [], "something was written")
    left = [name for name in os.listdir(f"{work}/tmp") if name != "trace.jsonl"]
    check(left == [], "scratch folders are left:", left)
    server.close()

def with_node():
    server, port = listening()
    rows = [("fs.readFileSync('peek.js', 'utf8').slice(0, 5)", "const"), (f"fs.readFileSync('{home}/.ssh/id')", "EACCES|EPERM"),
            (f"connect({port})", "EACCES|EPERM"), ("fs.writeFileSync(os.tmpdir() + '/x', 'x')", "undefined"), ("fs.writeFileSync('x', 'x')", "EACCES|EPERM"),
            ("os.tmpdir() === os.homedir()", "true")]
    expect("a stranger's node tool:", library(their, '[l:ToolLibrary | [peek:ToolImpl {exec: ["node", "peek.js"]}]]'), rows)
    server.close()

def guards_and_plugins():
    path = library(their, '[l:ToolLibrary {before: ["python3", "guard.py"]} | [peek:ToolImpl {returns: "x"}]]')
    said, _ = run(path, ["1"])
    check("PermissionError" in said[0][1] and KEY not in said[0][1], "a stranger's guard:", said)
    for folder, is_written in ((their, False), (own, True)):
        path = library(folder, '[l:ToolLibrary | [list_descriptors:ToolImpl {plugin: "plugin.so"}]]')
        said, ended = run(path, ["x"], "list_descriptors")
        check(os.path.exists(f"{folder}/hosted.fd") == is_written, "a plugin in", folder, "has written a file:", not is_written, said, ended.stderr)
    path = library(their, '[l:ToolLibrary | [s:McpServer {urlFrom: ["python3", "-c", "print(open(\'' + f"{home}/.ssh/id" + '\').read())"]}]]')
    ended = start("run", f"{own}/s.gram", "--library", path, "--model", "mock", "--trust", "go")
    check("PermissionError" in ended.stderr and KEY not in ended.stderr, "a stranger's urlFrom:", ended.stderr)

def words_of_failure():
    """The tool's own words, with the file, reach the model; the user reads that in the trace."""
    path = library(their, PROGRAMS["program"])
    said, ended = run(path, [f"(open('{home}/.ssh/id').read())"])
    check(said[0][0] == "tool-error" and f"Permission denied: '{home}/.ssh/id'" in said[0][1], "a failure says", said, ended.stderr)

def wider():
    for asked, named in (("write: [\".\"]", "`write`"), ("network: open", "`network: open`"), ("env: [TOKEN]", "`env`"), ("read: [\"/\"]", "`read`")):
        path = library(their, '[l:ToolLibrary | [peek:ToolImpl {exec: ["python3", "peek.py"], sandbox: {%s}}]]' % asked)
        said, ended = run(path, ["open('left', 'w')"])
        check(ended.returncode == 1 and f"asks for {named}" in ended.stderr and not os.path.exists(f"{their}/left"), asked, ended.returncode, ended.stderr)

# ## One's own

def ones_own():
    server, port = listening()
    rows = [(f"open('{home}/.ssh/id').read()", HELD), (f"open('{work}/out/left', 'w').write('x')", "1"), ("open('peek.py').read()[:6]", "import"),
            (f"open('{their}/peek.py').read()[:6]", "import"), (f"open('{their}/x', 'w')", HELD),
            (f"socket.create_connection(('127.0.0.1', {port})).getpeername()[0]", "127.0.0.1"), ("os.environ['TOKEN'][::-1]", "77eulavnekot"),
            ("os.environ['TOKEN']", re.escape("${env:TOKEN}")), ("os.environ.get('OTHER')", "None"), ("os.environ['PLAIN']", "p")]
    for kind, text in PROGRAMS.items():
        sandbox = 'sandbox: {read: ["../their"], write: ["%s/out"], network: open, env: [TOKEN]}' % work
        text = re.sub(r'(\["python3", "[a-z.]+"\])', r'\1, env: {PLAIN: "p"}', text.replace("[l:ToolLibrary", "[l:ToolLibrary {" + sandbox + "}"))
        expect(f"one's own {kind}:", library(own, text), rows)
        check(os.path.exists(f"{work}/out/left"), kind, "has written nothing")
        if os.path.exists(f"{work}/out/left"): os.remove(f"{work}/out/left")
    rows = [(f"open('{home}/.ssh/id').read()", KEY), ("os.environ.get('TOKEN')", "None")]
    expect("one's own without a sandbox:", library(own, PROGRAMS["program"]), rows)
    path = library(own, '[l:ToolLibrary {sandbox: {env: [OTHER]}} | [peek:ToolImpl {exec: ["python3", "peek.py"]}]]')
    said, ended = run(path, ["1"])
    check(ended.returncode == 1 and "`OTHER` may not be read" in ended.stderr, "a variable that is not allowed:", ended.returncode, ended.stderr)
    path = library(own, '[l:ToolLibrary {sandbox: {read: ["nowhere"]}} | [peek:ToolImpl {exec: ["python3", "peek.py"]}]]')
    said, ended = run(path, ["1"])
    check(ended.returncode == 2 and "`nowhere` of `read` is not there" in ended.stderr, "a place that is not there:", ended.returncode, ended.stderr)
    server.close()

def kept_apart():
    """What is the same but for its sandbox is not the same process."""
    stays = 'exec: ["python3", "stay.py"], persistent: true'
    server = 'command: ["python3", "server.py"]'
    for kind, text in (("programs that stay", f'[peek:ToolImpl {{{stays}, sandbox: {{}}}}], [look:ToolImpl {{{stays}, sandbox: {{write: ["../out"]}}}}]'),
                       ("servers", f'[a:McpServer {{{server}, sandbox: {{}}}}], [b:McpServer {{{server}, sandbox: {{write: ["../out"]}}}}],'
                                   '[peek:ToolImpl {mcp: a}], [look:ToolImpl {mcp: b, tool: peek}]')):
        said, ended = run(library(own, f"[l:ToolLibrary | {text}]"), ["open('../out/x', 'w').write('x')"], "peek", "look")
        check(re.fullmatch(HELD, said[0][1]) and said[1] == ("ok", "1"), kind, said, ended.stderr)

def shown():
    library(their, PROGRAMS["program"])
    ended = start("bind", f"{own}/s.gram", "--library", f"{their}/l.gram")
    check(re.search(r"^peek .* strict$", ended.stdout, re.M), "bind shows", ended.stdout, ended.stderr)
    path = library(own, '[l:ToolLibrary | [peek:ToolImpl {exec: ["python3", "peek.py"], sandbox: {read: ["."], write: [".", "../out"]}}]]')
    ended = start("bind", f"{own}/s.gram", "--library", path)
    check(re.search(r"^peek .* read 1, write 2, no network$", ended.stdout, re.M), "bind shows", ended.stdout, ended.stderr)
    ended = start("bind", f"{own}/s.gram", "--library", path, "--format", "json")
    found = json.loads(ended.stdout)["tools"][0]["sandbox"]
    check(found == {"read": ["."], "write": [".", "../out"], "network": "none", "env": []}, "bind as JSON:", found)

def refused():
    """Where the system has no walls, nothing is started without them."""
    said, ended = run(library(their, PROGRAMS["program"]), [f"open('{work}/out/left', 'w')"])
    check(ended.returncode == 2 and "this system cannot hold" in ended.stderr and os.listdir(f"{work}/out") == [],
          "without walls:", ended.returncode, ended.stderr)

def has_walls():
    probe = subprocess.run([f"{work}/libexec/gramc/gramc-host", "probe"], capture_output=True, text=True)
    return probe.returncode == 0 and "landlock 0" not in probe.stdout and "seccomp yes" in probe.stdout

try:
    install()
    if not has_walls():
        refused()
        check(os.environ.get("CI") != "true", "CI lacks nothing")
        print("skipped but for that: this system has neither Landlock nor seccomp")
        finish(1)
    strangers(), guards_and_plugins(), words_of_failure(), wider(), ones_own(), kept_apart(), shown()
    if shutil.which("node"): with_node()
    elif os.environ.get("CI") == "true": check(False, "there is no node")
    else: print("skipped: there is no node")
finally:
    shutil.rmtree(work, ignore_errors=True)
finish(60)
