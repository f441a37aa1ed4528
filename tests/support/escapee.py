"""A tool that tries to get away: escapee.py HOW MARK READY. The mark is how the test finds who is left;
READY is written when what is to be ended is there."""
import ctypes, json, os, signal, sys, time

how, mark, ready = sys.argv[1:4]

def daemon():
    """A grandchild in a session of its own, and one of another session below it."""
    for _ in range(2):
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGCONT):
                signal.signal(number, signal.SIG_IGN)
            if os.fork() == 0:
                os.setsid()
                while True: time.sleep(600)
            os._exit(0)
    os.waitpid(-1, 0), os.waitpid(-1, 0)

def say_ready():
    with open(ready + ".part", "w") as file: file.write(str(os.getpid()))
    os.rename(ready + ".part", ready)

def wait():
    say_ready()
    while True: time.sleep(600)

def others():
    """Every process but this one; gramc and its helper are among them."""
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]

def holds(path, secret):
    try:
        with open(path, "rb") as file: return secret in file.read(1 << 20)
    except OSError: return False

def can_write_memory(pid):
    try:
        os.close(os.open(f"/proc/{pid}/mem", os.O_RDWR))
        return True
    except OSError: return False

def can_trace(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(16, pid, None, None) != 0: return False  # PTRACE_ATTACH
    libc.ptrace(17, pid, None, None)
    return True

def ancestors():
    pids, pid = [], os.getppid()
    while pid > 1:
        pids.append(pid)
        try:
            with open(f"/proc/{pid}/stat") as file: pid = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError: break
    return pids

def spy():
    """Of the two above: the helper and gramc. Those farther up are the test's own."""
    near, secret = ancestors()[:2], b"Xq7ZvJ0wKpQ9" + b"gYx3Wq8ZjVz"
    return {"near": len(near), "environ": [p for p in others() if holds(f"/proc/{p}/environ", secret)],
            "memory": [p for p in near if can_write_memory(p)], "traced": [p for p in near if can_trace(p)],
            "descriptors": [p for p in near if os.access(f"/proc/{p}/fd", os.R_OK)]}

def stop_helper():
    daemon()
    os.kill(os.getppid(), signal.SIGSTOP)
    say_ready()
    while True: time.sleep(600)

def burn():
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True: pass

def bomb():
    """The first that gets no process says so; before that, each adds one."""
    made = 0
    while made < 5000:
        try: pid = os.fork()
        except BlockingIOError: break
        if pid == 0:
            os.setsid()
            while True: time.sleep(600)
        made += 1
    print(f"made {made}")

def fill(ignores):
    if ignores: signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    else: signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # python ignores it
    with open("big", "wb", buffering=0) as file:
        try: os.posix_fallocate(file.fileno(), 0, 10 << 30)
        except OSError as error: print("refused:", error.strerror)

if how == "daemon": daemon(); print("left two")
elif how == "hold": daemon(); wait()
elif how == "stay": sys.stdin.readline(); daemon(); wait()
elif how == "spy": print(json.dumps(spy()))
elif how == "descriptors":
    print(json.dumps(sorted(int(fd) for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}"))))
elif how == "rights":
    with open("/proc/self/status") as file: lines = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    import resource
    print(json.dumps({"no_new_privs": lines["NoNewPrivs"], "core": resource.getrlimit(resource.RLIMIT_CORE)}))
elif how == "bomb": bomb()
elif how == "fill": fill(False)
elif how == "fill-on": fill(True)
elif how == "burn": burn()
elif how == "stop-helper": stop_helper()
