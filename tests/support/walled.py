"""What a sandboxed program tries, one attempt an argument: walled.py ATTEMPT [WORD...]. Prints what came of
it: "done", or the name of the error."""
import ctypes, errno, mmap, os, signal, socket, struct, subprocess, sys, tempfile, threading

libc = ctypes.CDLL(None, use_errno=True)
X86 = os.uname().machine == "x86_64"
# System calls that Python has no function for: by x86_64, by aarch64.
NUMBERS = {"ptrace": (101, 117), "process_vm_readv": (310, 270), "io_uring_setup": (425, 425), "unshare": (272, 97), "setns": (308, 268),
           "mount": (165, 40), "bpf": (321, 280), "keyctl": (250, 219), "userfaultfd": (323, 282), "pidfd_getfd": (438, 438), "clone": (56, 220),
           "openat2": (437, 437), "shmget": (29, 194), "prlimit64": (302, 261), "perf_event_open": (298, 241), "open_by_handle_at": (304, 265)}

def call(name, *arguments):
    number = NUMBERS[name][0 if X86 else 1]
    if libc.syscall(number, *arguments) < 0: raise OSError(ctypes.get_errno(), name)

def write(path, text="x", mode="w"):
    with open(path, mode) as file: file.write(text)

def truncate_by_open(path):
    os.close(os.open(path, os.O_RDONLY | os.O_TRUNC))

def truncate_by_odd_mode(path):
    os.close(os.open(path, os.O_ACCMODE | os.O_TRUNC))

def connect(port, family=socket.AF_INET, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as s: s.connect(("127.0.0.1", int(port)))

def unix(path):
    with socket.socket(socket.AF_UNIX) as s: s.connect(path)

def pair_of_datagrams(path):
    a, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.sendto(b"hello", path)

def abstract(name):
    with socket.socket(socket.AF_UNIX) as s: s.connect("\0" + name)

def memory(pid):
    os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY))

def old_numbering():
    """int 0x80 with getpid's number there; only where such code can run at all."""
    code = bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3])
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()

def works():
    """What a program may well need."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder + "/a"), os.rename(folder + "/a", folder + "/b"), os.mkdir(folder + "/c"), os.link(folder + "/b", folder + "/c/d"), os.symlink("b", folder + "/e")
        os.chmod(folder + "/b", 0o600), write(folder + "/b", "")
        assert subprocess.run(["sh", "-c", "echo $((6 * 7)) | cat"], capture_output=True, text=True).stdout == "42\n"
        import sqlite3
        sqlite3.connect(folder + "/db").execute("create table t (a)")
    seen = []
    thread = threading.Thread(target=lambda: seen.append(1))
    thread.start(), thread.join()
    assert seen == [1] and os.path.dirname(tempfile.gettempdir() + "/x") == os.environ["HOME"] == os.environ["TMPDIR"]
    a, b = socket.socketpair()
    a.send(b"x"), b.recv(1)
    child = subprocess.Popen(["sleep", "60"])
    child.send_signal(signal.SIGTERM)
    assert child.wait() == -signal.SIGTERM
    import ssl, multiprocessing, asyncio
    assert asyncio.run(asyncio.sleep(0, 7)) == 7
    open("/dev/null", "w").write("x"), open("/etc/passwd").read(), os.urandom(1), os.listdir("/usr")

def litter():
    """Leaves what is hard to remove: deep, closed, and a link out of the folder."""
    here = os.environ["HOME"]
    write(here + "/file"), os.mkdir(here + "/closed"), write(here + "/closed/file"), os.chmod(here + "/closed", 0)
    os.symlink(sys.argv[2], here + "/link"), os.mkfifo(here + "/pipe")
    os.chdir(here)
    for _ in range(1500): os.mkdir("deep-" + "x" * 40), os.chdir("deep-" + "x" * 40)
    sys.stdout.write(here + " "), sys.stdout.flush()

ATTEMPTS = {
    "read": lambda path: open(path).read(), "list": os.listdir, "write": write, "append": lambda path: write(path, "x", "a"),
    "make folder": os.mkdir, "remove": os.remove, "rename out": lambda path: (write(os.environ["HOME"] + "/f"), os.rename(os.environ["HOME"] + "/f", path)),
    "rename in": lambda path: os.rename(path, os.environ["HOME"] + "/f"), "link in": lambda path: os.link(path, os.environ["HOME"] + "/f"),
    "truncate": lambda path: os.truncate(path, 0), "truncate by open": truncate_by_open, "truncate by odd mode": truncate_by_odd_mode,
    "truncate by openat2": lambda path: call("openat2", -100, path.encode(), struct.pack("QQQ", os.O_RDONLY | os.O_TRUNC, 0, 0), 24),
    "execute": lambda path: subprocess.run([path], check=True), "owner": lambda path: os.chown(path, os.getuid(), os.getgid()),
    "attribute": lambda path: os.setxattr(path, "user.x", b"y"), "set-user-ID": lambda _: (write(os.environ["HOME"] + "/s"), os.chmod(os.environ["HOME"] + "/s", 0o4755)),
    "connect": connect, "datagram": lambda port: connect(port, kind=socket.SOCK_DGRAM), "unix": unix, "abstract": abstract, "pair of datagrams": pair_of_datagrams,
    "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW), "raw": lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1),
    "trace": lambda pid: call("ptrace", 16, int(pid), 0, 0), "memory": memory, "environment": lambda pid: open(f"/proc/{pid}/environ").read(),
    "descriptor": lambda pid: os.close(os.open(f"/proc/{pid}/fd/0", os.O_RDONLY)), "vm": lambda pid: call("process_vm_readv", int(pid), 0, 0, 0, 0, 0),
    "limit": lambda pid: call("prlimit64", int(pid), 0, 0, 0), "signal": lambda pid: os.kill(int(pid), signal.SIGUSR1),
    "io_uring": lambda: call("io_uring_setup", 1, bytes(120)), "unshare": lambda: call("unshare", 0x10000000), "mount": lambda: call("mount", 0, 0, 0, 0, 0),
    "clone": lambda: call("clone", 0x10000000 | 17, 0, 0, 0, 0), "bpf": lambda: call("bpf", 0, 0, 0), "keys": lambda: call("keyctl", 0, 0, 0), "shared memory": lambda: call("shmget", 0, 4096, 0o1600),
    "faults": lambda: call("userfaultfd", 0), "events": lambda: call("perf_event_open", 0, 0, 0, 0, 0), "handle": lambda: call("open_by_handle_at", 0, 0, 0),
    "old numbering": old_numbering, "works": works, "litter": lambda _: litter(),
}

if __name__ == "__main__":
    try:
        ATTEMPTS[sys.argv[1]](*sys.argv[2:])
        print("done")
    except OSError as error: print(errno.errorcode.get(error.errno, error.errno))
    except subprocess.CalledProcessError as error: print("exit", error.returncode)
