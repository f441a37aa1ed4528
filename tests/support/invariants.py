"""What has to hold of every run, whatever goes wrong in it. One reader for all tests that make things fail:

* no more than 3 bytes in a row of a planted secret stand in anything that was written, in any spelling;
* nothing takes longer than its deadline and one second;
* no process is left, and no descriptor.

As a program it reads files: invariants.py NAME=SECRET... -- FILE_OR_FOLDER..., and says what it found there."""
import base64, html, json, os, sys, urllib.parse
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from left import left_behind, wait_until_gone

MOST = 3      # bytes of a secret in a row
CODED = 6     # of base64 and hexadecimal digits: shorter runs occur by chance
# A sanitized program takes longer to begin, to search for leaks, and over each of 16 million bytes.
GRACE_MS = 3000 if os.environ.get("GRAMC_SANITIZED") == "1" else 1000
NEAR = 40     # bytes of what stands round a find


def windows(data, size):
    return {data[i:i + size] for i in range(max(1, len(data) - size + 1))}


def in_base64(piece):
    """As it stands inside a longer text, at each of three places; what its neighbours decide is left out."""
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + piece).rstrip(b"=")
        sure = coded[(0, 2, 3)[before]:(before + len(piece)) * 8 // 6]
        yield sure
        yield sure.replace(b"+", b"-").replace(b"/", b"_")


def spellings(secret):
    """Every sequence of bytes of which one is too much."""
    secret = secret.encode()
    found = set()
    for piece in windows(secret, MOST + 1):
        text = piece.decode("latin-1")
        found |= {piece, json.dumps(text)[1:-1].encode(), urllib.parse.quote(text, "").encode(), html.escape(text).encode(),
                  json.dumps(json.dumps(text)[1:-1])[1:-1].encode(), b"".join(b"\\u%04x" % byte for byte in piece)}
    for piece in windows(secret, CODED):
        found |= {piece.hex().encode(), piece.hex().upper().encode(), *in_base64(piece)}
    return {one for one in found if len(one) > MOST}


class Secrets:
    def __init__(self, **values):
        """NAME=value. They have to be of letters that stand nowhere else."""
        self.wanted = {one: name for name, value in values.items() for one in spellings(value)}

    def leaks(self, data):
        """Of each secret the first place: (name, what stands there)."""
        found = {}
        for one, name in self.wanted.items():
            at = data.find(one)
            if at >= 0 and name not in found: found[name] = data[max(0, at - NEAR):at + NEAR]
        return sorted(found.items())


def written_below(paths):
    for path in paths:
        if not os.path.isdir(path): yield path
        for folder, _, names in os.walk(path): yield from (os.path.join(folder, name) for name in names)


def leaks_in(secrets, paths, *beside):
    """Of all files; (file, name, what stands there). `beside`: texts that are in no file."""
    texts = [("(printed)", text if isinstance(text, bytes) else text.encode()) for text in beside]
    for path in written_below(paths):
        with open(path, "rb") as file: texts.append((path, file.read()))
    return len(texts), [(path, *leak) for path, text in texts for leak in secrets.leaks(text)]


def events_of(path):
    """A run that was killed leaves a trace without its end, perhaps in the middle of a line."""
    with open(path, "rb") as file: lines = file.read().split(b"\n")
    return [json.loads(line) for line in lines[:-1] if line]


def late_events(events, tools={}, model_ms=None, run_ms=None):
    """What took longer than its deadline and the grace. `tools`: each tool's deadline in milliseconds; None: it has none."""
    for event in events:
        name = event["event"].removeprefix("inner.")
        most = tools.get(event.get("name")) if name == "tool.response" else {"model.attempt": model_ms, "outcome": run_ms}.get(name)
        if most is not None and event["duration_ms"] > most + GRACE_MS: yield event


def descriptors(pid):
    """What each is open for, so that two states can be compared."""
    found = {}
    for number in os.listdir(f"/proc/{pid}/fd"):
        try: found[int(number)] = os.readlink(f"/proc/{pid}/fd/{number}")
        except OSError: pass
    return found


def processes_left(mark, seconds=GRACE_MS / 1000):
    return wait_until_gone(mark, seconds)


def main(words):
    at = words.index("--")
    read, found = leaks_in(Secrets(**dict(word.split("=", 1) for word in words[:at])), words[at + 1:])
    for leak in found: print("a secret stands in", *leak)
    if not read: print("there is nothing to read")
    return 1 if found or not read else 0


if __name__ == "__main__": sys.exit(main(sys.argv[1:]))
