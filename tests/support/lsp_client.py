"""A client of gramc lsp for tests: requests, notifications, and what the server says by itself."""
import json, os, select, subprocess, time


class Client:
    def __init__(self, gramc, root=None, options=(), capabilities=None, more=None):
        self.process = subprocess.Popen([gramc, "lsp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.bytes, self.number, self.said, self.versions = b"", 0, [], {}
        self.capabilities = {"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}},
                             "workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}}}
        if capabilities is not None: self.capabilities = capabilities
        params = {"processId": os.getpid(), "rootUri": "file://" + root if root else None, "capabilities": self.capabilities}
        params.update(more or {})
        self.info = self.ask("initialize", params)
        self.tell("initialized", {})

    def send(self, message):
        self.raw(json.dumps(dict(message, jsonrpc="2.0")).encode())

    def raw(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def tell(self, method, params): self.send({"method": method, "params": params})

    def request(self, method, params):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        return self.number

    def ask(self, method, params):
        """The result; an error as a dictionary with the key `error`."""
        number = self.request(method, params)
        answer = self.answer(number)
        return answer["result"] if "result" in answer else {"error": answer["error"]}

    def answer(self, number):
        return self.wait(lambda m: m.get("id") == number and "method" not in m)

    def diagnostics(self, uri, version=None):
        fits = lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri and \
            (version is None or m["params"].get("version") == version)
        return self.wait(fits)["params"]["diagnostics"]

    def wait(self, fits, seconds=60):
        """The first message that fits; those before it that do not stay."""
        end = time.time() + seconds
        while True:
            for i, message in enumerate(self.said):
                if fits(message): return self.said.pop(i)
            message = self.read(end - time.time())
            if message is None: raise TimeoutError("the server says nothing: %s" % self.last_words())
            self.said.append(message)

    def last_words(self):
        self.process.kill()
        return "%s %s" % (self.process.wait(), self.process.stderr.read()[:3000].decode("utf-8", "replace"))

    def read(self, seconds):
        """The next message; None: nothing in time, or the end."""
        end = time.time() + max(seconds, 0)
        while True:
            head, blank, rest = self.bytes.partition(b"\r\n\r\n")
            if blank:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.bytes = rest[length:]
                    return json.loads(rest[:length])
            if not select.select([self.process.stdout], [], [], max(end - time.time(), 0))[0]: return None
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more: return None
            self.bytes += more

    def open(self, uri, text, version=1):
        self.versions[uri] = version
        self.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "gram", "version": version, "text": text}})

    def change(self, uri, *changes):
        self.versions[uri] += 1
        self.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": list(changes)})
        return self.versions[uri]

    def at(self, method, uri, line, character, **more):
        return self.ask("textDocument/" + method, dict(more, textDocument={"uri": uri}, position={"line": line, "character": character}))

    def of(self, method, uri, **more):
        return self.ask("textDocument/" + method, dict(more, textDocument={"uri": uri}))

    def stop(self):
        self.ask("shutdown", None)
        self.tell("exit", None)
        self.process.stdin.close()
        code = self.process.wait(20)
        self.errors = self.process.stderr.read()
        return code
