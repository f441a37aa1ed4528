"""What tests of gramc serve --mcp share: the counting of checks, and a client over standard input and
output. gramc is the first argument of the test."""
import concurrent.futures, json, os, subprocess, sys, tempfile, time
from checks import check, finish

gramc = os.path.abspath(sys.argv[1])
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"

class Client:
    def __init__(self, *arguments):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([gramc, "serve", "--mcp", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.number = 0

    def write(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def send(self, method, params=None, **more):
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method,
                    **({"params": params} if params is not None else {}), **more})
        return self.number

    def ask(self, method, params=None, **more):
        number = self.send(method, params, **more)
        answer = self.read()
        check(answer and answer.get("id") == more.get("id", number), method, answer)
        return answer

    def call(self, name, arguments=None, meta=None):
        params = {"name": name}
        if arguments is not None: params["arguments"] = arguments
        if meta: params["_meta"] = meta
        return self.ask("tools/call", params)

    def greet(self, revision="2025-11-25"):
        answer = self.ask("initialize", {"protocolVersion": revision, "capabilities": {},
                                         "clientInfo": {"name": "test", "version": "1"}})
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def end(self):
        self.process.stdin.close()
        rest = self.process.stdout.read()
        return self.process.wait(timeout=20), rest


def text(answer):
    return answer["result"]["content"][0]["text"]


def failed(answer, words):
    result = answer.get("result", {})
    check(result.get("isError") is True and words in text(answer), words, answer)


def refused(answer, code):
    check(answer.get("error", {}).get("code") == code, code, answer)


def run_groups(*groups):
    """The tests of a group one after the other, and the groups at a time: they mostly wait."""
    def run(group):
        for test in group:
            began = time.monotonic()
            test()
            if os.environ.get("GRAMC_TIMES"): print(f"{test.__name__}: {time.monotonic() - began:.1f} s", flush=True)

    with concurrent.futures.ThreadPoolExecutor(len(groups)) as pool:
        for done in [pool.submit(run, group) for group in groups]: done.result()


def memory_of(pid):
    """Bytes that are resident."""
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS"))
