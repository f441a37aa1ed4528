"""What holds a sandboxed program, wall by wall: walls.py GRAMC_HOST. Each row is an attempt by an ordinary
user; the same once more as an older kernel has it, which knows fewer rules. gramc-host is started as
gramc starts it, with its socket as descriptor 3."""
import array, os, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time
sys.dont_write_bytecode = True
support = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")
sys.path.insert(0, support)
from checks import check, finish
from left import left_behind, wait_for, wait_until_gone

SANITIZED = os.environ.get("GRAMC_SANITIZED") == "1"
REPORT = struct.Struct("iii")
EXITED, SIGNALED, NOT_STARTED, NOT_LIMITED, NOT_CONTAINED, LISTENS = range(1, 7)
WALL_FILES = 2
OLD = 2  # the ABI of Landlock in Debian 12
USER = 65534
work = tempfile.mkdtemp(prefix="gramc-walls-")
host, program = f"{work}/gramc-host", f"{work}/inside/walled.py"
mark = f"walls-{os.getpid()}"

def install():
    for name in ("inside", "outside", "home", "home/.ssh", "tmp", "shared"): os.mkdir(f"{work}/{name}")
    shutil.copy(sys.argv[1], host)
    shutil.copy(os.path.join(support, "walled.py"), program)
    for name in ("home/.ssh/id", "outside/file", "inside/beside"):
        with open(f"{work}/{name}", "w") as file: file.write("a secret")
    with open(f"{work}/outside/run", "w") as file: file.write("#!/bin/sh\nexit 0\n")
    os.chmod(f"{work}/outside/run", 0o755)
    os.chmod(work, 0o755)
    if os.getuid() == 0:
        for folder, folders, files in os.walk(work):
            for name in folders + files: os.chown(os.path.join(folder, name), USER, USER)

def as_user():
    if os.getuid() == 0: os.setgroups([]), os.setgid(USER), os.setuid(USER)

class Host:
    """`options` of gramc-host; `words`: the program and its arguments."""
    def __init__(self, options, words):
        self.socket, far = socket.socketpair()
        def before():
            os.dup2(far.fileno(), 3, inheritable=True)
            as_user()
        environment = {"PATH": "/usr/bin:/bin", "TMPDIR": f"{work}/tmp", "HOME": f"{work}/home"}
        self.process = subprocess.Popen([host, *options, "exec", *words], cwd=f"{work}/inside", env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=before, close_fds=False, text=True)
        far.close()

    def report(self):
        """(kind, value, wall, descriptors)"""
        data, ancillary, _, _ = self.socket.recvmsg(REPORT.size, 64)
        fds = array.array("i")
        for _, _, part in ancillary: fds.frombytes(part)
        return (*REPORT.unpack(data), list(fds)) if len(data) == REPORT.size else (0, 0, 0, [])

    def end(self):
        """What it printed, and how it ended."""
        kind, value, wall, _ = self.report()
        self.socket.close()
        out, err = self.process.communicate(timeout=60)
        return out.strip(), kind, value, wall, err.strip()

SANDBOX = ["--sandbox", "--read", f"{work}/inside"]

def attempt(words, options=(), old=False):
    abi = ["--landlock", str(OLD)] if old else []
    return Host([*SANDBOX, *abi, *options], ["/usr/bin/python3", program, *words, mark] if words[0] == "-" else ["/usr/bin/python3", program, *words]).end()

class Others:
    """What there is to get at: a process of the same user, servers of several kinds."""
    def __init__(self):
        folder = tempfile.mkdtemp(dir=f"{work}/shared")
        os.chmod(folder, 0o755)
        self.child = subprocess.Popen(["sleep", "600"], preexec_fn=as_user, env={"KEY": "planted"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.tcp, self.udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.path, self.name, self.datagrams = f"{folder}/socket", f"{mark}-{os.path.basename(folder)}", f"{folder}/datagrams"
        self.unix, self.abstract, self.dgram = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.unix.bind(self.path), self.unix.listen(), self.abstract.bind("\0" + self.name), self.abstract.listen(), self.dgram.bind(self.datagrams)
        for path in (self.path, self.datagrams): os.chmod(path, 0o777)

    def rows(self):
        """(attempt and words, what comes of it, what an older kernel's wall says where that differs)"""
        pid, out = str(self.child.pid), f"{work}/outside"
        tcp, udp = str(self.tcp.getsockname()[1]), str(self.udp.getsockname()[1])
        yield from [
            (["read", f"{work}/home/.ssh/id"], "EACCES"), (["list", f"{work}/home"], "EACCES"), (["read", "/etc/shadow"], "EACCES"), (["list", "/etc/ssh"], "EACCES"),
            (["list", "/root"], "EACCES"), (["list", "/tmp"], "EACCES"), (["read", f"{work}/inside/beside"], "done"),
            (["write", f"{out}/new"], "EACCES"), (["write", f"{out}/file"], "EACCES"), (["append", f"{out}/file"], "EACCES"), (["write", f"{work}/inside/new"], "EACCES"),
            (["make folder", f"{out}/folder"], "EACCES"), (["remove", f"{out}/file"], "EACCES"), (["rename out", f"{out}/moved"], "EACCES"),
            (["rename in", f"{out}/file"], "EACCES"), (["link in", f"{out}/file"], "EXDEV"), (["link in", f"{work}/inside/beside"], "EXDEV"),
            (["truncate", f"{out}/file"], "EACCES"), (["truncate by open", f"{out}/file"], "EACCES"), (["truncate", f"{work}/inside/beside"], "EACCES"),
            (["truncate by open", f"{work}/inside/beside"], "EACCES"), (["truncate by odd mode", f"{work}/inside/beside"], "EACCES"),
            (["truncate by openat2", f"{work}/inside/beside"], "EACCES", "ENOSYS"), (["execute", f"{out}/run"], "EACCES"),
            (["owner", f"{out}/file"], "EPERM"), (["attribute", f"{out}/file"], "ENOTSUP"), (["set-user-ID", "-"], "EPERM"),
            (["connect", tcp], "EACCES"), (["datagram", udp], "EACCES"), (["unix", self.path], "EACCES"), (["abstract", self.name], "EACCES"),
            (["pair of datagrams", self.datagrams], "EACCES"), (["netlink"], "EACCES"), (["raw"], "EACCES"),
            (["trace", pid], "EPERM"), (["memory", pid], "EACCES"), (["environment", pid], "EACCES"), (["descriptor", pid], "EACCES"), (["vm", pid], "EPERM"),
            (["limit", pid], "EPERM"), (["signal", pid], "EPERM", "done"),
            (["io_uring"], "ENOSYS"), (["unshare"], "EPERM"), (["clone"], "EPERM"), (["mount"], "EPERM"), (["bpf"], "EPERM"), (["keys"], "EPERM"),
            (["shared memory"], "EPERM"), (["faults"], "EPERM"), (["events"], "EPERM"), (["handle"], "EPERM"), (["works"], "done")]

    def close(self):
        self.child.kill(), self.child.wait()
        for one in (self.tcp, self.udp, self.unix, self.abstract, self.dgram): one.close()

def holds():
    others = Others()
    newer = newest >= 6
    for old in (False, True):
        for words, now, *then in others.rows():
            wanted = (then[0] if then else now) if old or (words[0] == "signal" and not newer) else now
            if words[0] == "signal" and wanted == "done": continue  # such a kernel has no rule for it, and docs/security.md says so
            out, kind, value, _, err = attempt(words, old=old)
            check((out, kind, value) == (wanted, EXITED, 0), words, "old" if old else "new", "gives", out, kind, value, "not", wanted, err[-300:])
        check(open(f"{work}/outside/file").read() == "a secret" == open(f"{work}/inside/beside").read(), "a file was changed")
    check(others.child.poll() is None, "a process of the user was ended")
    others.close()
    if os.uname().machine == "x86_64":
        out, kind, value, *_ = attempt(["old numbering"])
        check((kind, value) == (SIGNALED, signal.SIGSYS), "int 0x80 ends with", out, kind, value)

def without_walls():
    """Each attempt can succeed: what holds it are the walls."""
    others = Others()
    user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"] if os.getuid() == 0 else []
    environment = {"PATH": "/usr/bin:/bin", "TMPDIR": f"{work}/tmp", "HOME": f"{work}/tmp"}
    can = [["read", f"{work}/home/.ssh/id"], ["list", f"{work}/home"], ["append", f"{work}/inside/beside"], ["write", f"{work}/outside/new"], ["make folder", f"{work}/outside/folder"],
           ["truncate by open", f"{work}/tmp/t"], ["execute", f"{work}/outside/run"], ["owner", f"{work}/outside/file"], ["set-user-ID", "-"],
           ["connect", str(others.tcp.getsockname()[1])], ["datagram", str(others.udp.getsockname()[1])], ["unix", others.path], ["abstract", others.name],
           ["pair of datagrams", others.datagrams], ["netlink"], ["environment", str(others.child.pid)], ["limit", str(others.child.pid)], ["shared memory"], ["signal", str(others.child.pid)]]
    with open(f"{work}/tmp/t", "w"): os.chmod(f"{work}/tmp/t", 0o666)
    for words in can:
        done = subprocess.run([*user, "/usr/bin/python3", program, *words], env=environment, capture_output=True, text=True)
        check(done.stdout.strip() == "done", "without walls", words, "gives", done.stdout, done.stderr[-300:])
    others.close()
    os.remove(f"{work}/tmp/s")
    for name in ("new", "folder"):
        path = f"{work}/outside/{name}"
        os.path.isdir(path) and os.rmdir(path) or os.path.exists(path) and os.remove(path)
    with open(f"{work}/inside/beside", "w") as file: file.write("a secret")

def more_is_allowed():
    out = attempt(["write", f"{work}/outside/new"], ["--write", f"{work}/outside"])
    check(out[0] == "done", "a folder that may be written:", out)
    out = attempt(["rename out", f"{work}/outside/moved"], ["--write", f"{work}/outside"])
    check(out[0] == "done", "a file moved to a folder that may be written:", out)
    out = attempt(["read", f"{work}/home/.ssh/id"], ["--read", f"{work}/home/.ssh/id"])
    check(out[0] == "done", "a file that may be read:", out)
    out = attempt(["list", f"{work}/home/.ssh"], ["--read", f"{work}/home/.ssh/id"])
    check(out[0] == "EACCES", "the folder of a file that may be read:", out)
    out = attempt(["write", f"{work}/outside/file"], ["--read", f"{work}/outside"])
    check(out[0] == "EACCES", "a folder that may be read is written:", out)
    others = Others()
    out = attempt(["connect", str(others.tcp.getsockname()[1])], ["--network", "open"])
    check(out[0] == "done", "an open network:", out)
    out = attempt(["read", f"{work}/home/.ssh/id"], ["--network", "open"])
    check(out[0] == "EACCES", "with an open network a key is read:", out)
    out = attempt(["read", f"{work}/inside/beside"], ["--read", f"{work}/is/not/there"])
    check(out[0] == "done", "a place that is not there:", out)
    others.close()

def scratch():
    check(os.listdir(f"{work}/tmp") == ["t"], "scratch folders are left:", os.listdir(f"{work}/tmp"))
    out, *_ = attempt(["litter", f"{work}/outside"])
    path, _, said = out.partition(" ")
    check(said == "done" and path.startswith(f"{work}/tmp/gramc-scratch-"), "litter:", out)
    check(not os.path.exists(path) and os.path.exists(f"{work}/outside/file"), "the scratch folder is left, or more is gone", path)
    for number in (signal.SIGKILL, None):  # of whom it works for; it ends by itself when its socket does
        started = Host(SANDBOX, ["/usr/bin/python3", "-c", "import os, time; print(os.environ['TMPDIR'], flush=True); time.sleep(600)", mark])
        path = started.process.stdout.readline().strip()
        check(os.path.isdir(path), "no scratch folder:", path)
        started.socket.close()
        check(wait_for(lambda: not os.path.exists(path), 20), "a scratch folder outlives its program")
        check(wait_until_gone(mark, 20) == [], "a program outlives its socket")
        started.process.wait(20)

def nothing_starts_without_walls():
    """On a kernel that lacks them."""
    out, kind, value, wall, _ = Host([*SANDBOX, "--landlock", "0"], ["/usr/bin/python3", program, "works"]).end()
    check((out, kind, wall) == ("", NOT_CONTAINED, WALL_FILES), "without Landlock:", out, kind, value, wall)
    for options in (["--read", "/"], ["--network", "none"], ["--sandbox", "--network", "some"], ["--sandbox", "--read", "relative"], ["--sandbox", "--write"]):
        process = subprocess.run([host, *options, "exec", "true"], capture_output=True)
        check(process.returncode == 2, options, "end with", process.returncode)

def own_network():
    """It has a listener that only its holder outside can serve, and reaches nothing else."""
    others = Others()
    code = ("import os, socket, sys, urllib.request\n"
            "try: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2); print('out')\n"
            "except OSError as error: print(type(error).__name__)\n"
            "try: socket.socket(socket.AF_UNIX); print('unix')\n"
            "except OSError as error: print(type(error).__name__)\n"
            "print(urllib.request.urlopen('http://example.invalid/x').read().decode())\n")
    started = Host([*SANDBOX, "--network", "hosts"], ["/usr/bin/python3", "-c", code, str(others.tcp.getsockname()[1])])
    kind, port, _, fds = started.report()
    if kind == NOT_CONTAINED and not namespaces: return  # said by the probe, and refused when a library is bound
    check(kind == LISTENS and port > 0 and len(fds) == 1, "the network's listener:", kind, port, fds)
    if not fds: return
    with socket.socket(fileno=fds[0]) as listener:
        listener.setblocking(True), listener.settimeout(20)
        connection, _ = listener.accept()
        asked = connection.recv(65536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nproxy")
        connection.close()
    check(asked.startswith(b"GET http://example.invalid/x HTTP/1.1\r\n"), "the proxy was asked", asked[:100])
    out, kind, value, _, err = started.end()
    check((out, kind, value) == ("ConnectionRefusedError\nPermissionError\nproxy", EXITED, 0), "in its own network:", out, kind, value, err[-300:])
    others.close()

try:
    install()
    user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"] if os.getuid() == 0 else []
    probed = dict(line.split() for line in subprocess.run([*user, host, "probe"], capture_output=True, text=True).stdout.splitlines())
    newest, namespaces = int(probed["landlock"]), probed["namespaces"] == "yes"
    check(newest > 0 and probed["seccomp"] == "yes", "this kernel builds no walls:", probed)
    print("this kernel:", probed)
    without_walls(), holds(), more_is_allowed(), scratch(), nothing_starts_without_walls(), own_network()
finally:
    for pid in left_behind(mark): os.kill(pid, signal.SIGKILL)
    shutil.rmtree(work, ignore_errors=True)
finish(130)
