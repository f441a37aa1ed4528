"""A program whose sandbox says `network: hosts`: proxy.py GRAMC LIBEXEC. It has a network of its own, and
asks by a proxy what the list of hosts lets out; everything else fails, and says why. As an ordinary user."""
import http.server, json, os, shutil, socket, socketserver, subprocess, sys, tempfile, threading, time
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from checks import check, finish

work = os.path.realpath(tempfile.mkdtemp(prefix="gramc-proxy-"))
gramc = f"{work}/bin/gramc"
BIG = 3 << 20

TOOL = '''import json, socket, sys, urllib.error, urllib.request
asked = json.load(sys.stdin)["what"]
def get(url, data=None):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data=data, headers={"Proxy-X": "p"}), timeout=20) as answer: return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error: return error.code, error.read().decode()
    except OSError as error: return type(error).__name__, str(error)
def raw(text):
    import os
    port = int(os.environ["http_proxy"].rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), 20) as s:
        s.sendall(text.encode("latin-1"))
        got = b""
        try:
            while piece := s.recv(65536): got += piece
        except OSError as error: got += type(error).__name__.encode()
        return got.decode("latin-1")
def tunnel(host, port, say):
    import os
    proxy = int(os.environ["http_proxy"].rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", proxy), 20) as s:
        s.sendall(f"CONNECT {host}:{port} HTTP/1.1\\r\\nHost: {host}:{port}\\r\\n\\r\\n{say}".encode())
        s.shutdown(socket.SHUT_WR)
        got = b""
        while piece := s.recv(65536): got += piece
        return got.decode()
def direct(host, port):
    try:
        socket.create_connection((host, port), 5).close()
        return "connected"
    except OSError as error: return type(error).__name__
print(json.dumps(eval(asked)))
'''

class Heard(http.server.BaseHTTPRequestHandler):
    """Says what it was asked; /big is more than any buffer holds."""
    protocol_version = "HTTP/1.1"
    asked = []
    def log_message(self, *_): pass
    def do_GET(self):
        body = b"x" * BIG if self.path == "/big" else json.dumps({"path": self.path, "host": self.headers["Host"], "hop": self.headers["X-Hop"], "connection": self.headers["Connection"],
                                                                   "proxy": self.headers["Proxy-X"]}).encode()
        Heard.asked.append(self.path)
        self.send_response(200), self.send_header("Content-Length", str(len(body))), self.end_headers()
        self.wfile.write(body)
    def do_POST(self):
        body = str(len(self.rfile.read(int(self.headers["Content-Length"])))).encode()
        self.send_response(200), self.send_header("Content-Length", str(len(body))), self.end_headers()
        self.wfile.write(body)

class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(65536): self.request.sendall(data.upper())

def serve(kind, handler):
    server = kind(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]

def install():
    for folder in ("bin", "libexec", "own", "home"): os.makedirs(f"{work}/{folder}")
    shutil.copy(sys.argv[1], gramc)
    shutil.copytree(sys.argv[2], f"{work}/libexec/gramc")
    with open(f"{work}/own/ask.py", "w") as file: file.write(TOOL)
    with open(f"{work}/own/l.gram", "w") as file:
        file.write('[l:ToolLibrary { sandbox: {network: hosts} } | [ask:ToolImpl {exec: ["/usr/bin/python3", "ask.py"]}]]\n')
    with open(f"{work}/own/s.gram", "w") as file: file.write('[a:Agent {model: "OpenAI/gpt-4o-mini"} | [ask:Tool {description: "Asks"} | (what::Text)==>(::Text)]]\n')
    os.chmod(work, 0o755)
    if os.getuid() == 0: os.chown(f"{work}/home", 65534, 65534)

def list_hosts(*hosts):
    allowed = f', allowHosts: {json.dumps(list(hosts))}' if hosts else ""
    with open(f"{work}/own/gramc.gram", "w") as file: file.write('{kind: "configuration"' + allowed + "}\n")

def ask(what):
    """In a run, whose spec's configuration lists the hosts; the model's part is written down."""
    as_user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    environment = {"PATH": "/usr/bin:/bin", "HOME": f"{work}/home"}
    events = [{"event": "header", "format": "gramc-trace", "version": 1}, {"event": "model.response", "content": None, "calls": [{"name": "ask", "arguments": json.dumps({"what": what})}]},
              {"event": "model.response", "content": "Done."}]
    with open(f"{work}/own/script.jsonl", "w") as file: file.writelines(json.dumps(event) + "\n" for event in events)
    done = subprocess.run([*as_user, gramc, "run", "s.gram", "--library", "l.gram", "--model", "script:script.jsonl", "--trace", "-", "Ask"], cwd=f"{work}/own", env=environment,
                          capture_output=True, text=True, timeout=120)
    for line in done.stdout.splitlines():
        event = json.loads(line)
        if event["event"] == "tool.response" and event["outcome"] == "ok": return json.loads(event["result"])
    return [done.returncode, done.stdout + done.stderr]

def allowed():
    list_hosts(f"127.0.0.1:{web}", f"localhost:{echo}")
    status, body = ask(f"get('http://127.0.0.1:{web}/path?q=1')")
    check(status == 200, "a listed host:", status, body)
    if status == 200:
        check(json.loads(body) == {"path": "/path?q=1", "host": f"127.0.0.1:{web}", "hop": None, "connection": "close", "proxy": "p"}, "the server heard", body)
    text = f"GET http://127.0.0.1:{web}/hop HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: x-hop, keep-alive\r\nX-Hop: h\r\nProxy-Authorization: Basic x\r\n\r\n"
    got = ask(f"raw({text!r})")
    check('"hop": null' in got and f'"host": "127.0.0.1:{web}"' in got and '"connection": "close"' in got, "fields between two ends:", got)
    check(ask(f"len(get('http://127.0.0.1:{web}/big')[1])") == BIG, "a large answer")
    check(ask(f"get('http://127.0.0.1:{web}/post', b'y' * {BIG})") == [200, str(BIG)], "a large request")
    got = ask(f"tunnel('localhost', {echo}, 'hello' * 9)")
    check(got == "HTTP/1.1 200 Connection established\r\n\r\n" + "HELLO" * 9, "a tunnel:", got)

def refused():
    said = "the server cannot be asked: "
    rows = [(f"http://127.0.0.1:{echo}/", f"`allowHosts` of gramc.gram does not list 127.0.0.1:{echo}"), ("http://169.254.169.254/latest", "does not list 169.254.169.254:80"),
            (f"http://localhost:{web}/", f"does not list localhost:{web}"), ("http://example.invalid/", "does not list example.invalid:80")]
    for url, why in rows:
        status, body = ask(f"get({url!r})")
        check(status == 403 and body.startswith(said) and why in body, url, "gives", status, body)
    status, body = ask(f"get('http://169.254.169.254/', b'y' * {BIG})")
    check(status == 403 and body.startswith(said), "a large request that is refused gives", status, body)
    got = ask(f"raw('GET http://127.0.0.1:{web}/ HTTP/1.1\\r\\nX: ' + 'y' * 70000)")
    check("its head is too long" in str(got), "a head without an end gives", str(got)[:300])
    list_hosts()
    for url, what in ((f"http://127.0.0.1:{web}/", "a loopback address"), (f"http://0x7f.1:{web}/", "a loopback address"), (f"http://[::1]:{web}/", "a loopback address"),
                      (f"http://[::ffff:127.0.0.1]:{web}/", "a loopback address"), ("http://169.254.169.254/", "the metadata address of a cloud"), (f"http://localhost:{web}/", f"localhost leads to")):
        status, body = ask(f"get({url!r})")
        check(status == 403 and what in body, "without a list,", url, "gives", status, body)
    list_hosts(f"*.example.org:{web}")
    check(ask(f"direct('127.0.0.1', {web})") == "ConnectionRefusedError", "a connection past the proxy")
    check(ask("direct('10.1.2.3', 80)") == "OSError", "a connection to another network")

def malformed():
    list_hosts(f"127.0.0.1:{web}")
    ok = f"GET http://127.0.0.1:{web}/x HTTP/1.1\r\n"
    rows = {"a path": "GET /x HTTP/1.1\r\n\r\n", "https": "GET https://127.0.0.1/x HTTP/1.1\r\n\r\n", "a user": f"GET http://a@127.0.0.1:{web}/x HTTP/1.1\r\n\r\n", "no port": "CONNECT 127.0.0.1 HTTP/1.1\r\n\r\n",
            "a bare LF": ok + "A: b\n\r\n\r\n", "a fold": ok + "A: b\r\n c\r\n\r\n", "two lengths": ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", "a length and a coding": ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "a length that Connection names": ok + "Connection: content-length\r\nContent-Length: 1\r\n\r\n", "a blank in the target": f"GET http://127.0.0.1:{web}/x y HTTP/1.1\r\n\r\n", "HTTP/2.0": f"GET http://127.0.0.1:{web}/x HTTP/2.0\r\n\r\n",
            "a blank before a colon": ok + "A : b\r\n\r\n", "port 0": "CONNECT 127.0.0.1:0 HTTP/1.1\r\n\r\n", "port 65536": "CONNECT 127.0.0.1:65536 HTTP/1.1\r\n\r\n", "a zone": f"CONNECT [fe80::1%25lo]:{web} HTTP/1.1\r\n\r\n"}
    Heard.asked.clear()
    for name, text in rows.items():
        got = ask(f"raw({text!r})")
        check(isinstance(got, str) and got.startswith("HTTP/1.1 400 Bad Request\r\n") and "the request cannot be taken: " in got, name, "gives", got)
    check(Heard.asked == [], "the server was asked", Heard.asked)

def nothing_left():
    """A tool that stays, served: its proxy's descriptors end with each connection, and with the tool."""
    list_hosts(f"127.0.0.1:{web}")
    done = ask(f"[get('http://127.0.0.1:{web}/path')[0] for _ in range(200)]")
    check(done == [200] * 200, "200 requests of one program:", str(done)[:200])
    held = ask("[direct('127.0.0.1', int(__import__('os').environ['http_proxy'].rsplit(':', 1)[1])) for _ in range(300)] == ['connected'] * 300")
    check(held is True, "300 connections that ask nothing:", held)

try:
    install()
    web, echo = serve(http.server.ThreadingHTTPServer, Heard), serve(socketserver.ThreadingTCPServer, Echo)
    list_hosts()
    probed = subprocess.run([f"{work}/libexec/gramc/gramc-host", "probe"], capture_output=True, text=True).stdout
    if "namespaces yes" in probed: allowed(), refused(), malformed(), nothing_left()
    else:
        # Where there are no namespaces nothing of this may start.
        got = ask("1")
        check(got[0] == 2 and "cannot hold `network: hosts`" in got[1], "without namespaces:", got)
finally: shutil.rmtree(work, ignore_errors=True)
finish(30 if "namespaces yes" in probed else 1)
