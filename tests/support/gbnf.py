"""Reads GBNF, the notation of llama.cpp's grammars, says whether a text is accepted, and writes random
texts that are. It knows what the notation's description says, and nothing of who wrote the grammar.

A piece of a grammar is a tuple: ("text", s), ("set", inverted, ranges), ("row", pieces),
("choice", pieces), ("repeat", piece, least, most or None), ("rule", name)."""
import re

NAME = re.compile(r"[a-zA-Z0-9-]+")
TIMES = re.compile(r"\{(\d+)(,(\d*))?\}")
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", '"': '"', "[": "[", "]": "]"}


class Wrong(Exception):
    """The grammar is ill-formed."""


class Reader:
    def __init__(self, text):
        self.text, self.at = text, 0

    def fail(self, why):
        raise Wrong(f"{why} at {self.at}: {self.text[self.at:self.at + 40]!r}")

    def blanks(self, lines=False):
        while self.text[self.at:self.at + 1] in ((" ", "\t", "\n") if lines else (" ", "\t")):
            self.at += 1

    def name(self):
        found = NAME.match(self.text, self.at)
        if not found:
            self.fail("a name should stand")
        self.at = found.end()
        return found.group()

    def char(self):
        c = self.text[self.at]
        self.at += 1
        if c == "\n":
            self.fail("a line ends")
        if c != "\\":
            return c
        c = self.text[self.at]
        self.at += 1
        digits = {"x": 2, "u": 4, "U": 8}.get(c)
        if digits:
            number = self.text[self.at:self.at + digits]
            self.at += digits
            return chr(int(number, 16))
        if c not in ESCAPES:
            self.fail("an unknown escape")
        return ESCAPES[c]

    def quoted(self):
        out = ""
        while self.text[self.at] != '"':
            out += self.char()
        self.at += 1
        return ("text", out)

    def brackets(self):
        inverted = self.text[self.at] == "^"
        self.at += inverted
        ranges = []
        while self.text[self.at] != "]":
            low = high = self.char()
            if self.text[self.at] == "-" and self.text[self.at + 1] != "]":
                self.at += 1
                high = self.char()
            if low > high:
                self.fail("a range runs backwards")
            ranges.append((low, high))
        if not ranges:
            self.fail("an empty set")
        self.at += 1
        return ("set", inverted, ranges)

    def atom(self, inside):
        c = self.text[self.at]
        if c in '"[(':
            self.at += 1
        if c == '"':
            return self.quoted()
        if c == "[":
            return self.brackets()
        if c != "(":
            return ("rule", self.name())
        piece = self.choice(True)
        if self.text[self.at] != ")":
            self.fail("a bracket should close")
        self.at += 1
        return piece

    def repeated(self, inside):
        piece = self.atom(inside)
        while True:
            c = self.text[self.at:self.at + 1]
            found = TIMES.match(self.text, self.at)
            if found:
                least = int(found.group(1))
                most = least if found.group(2) is None else int(found.group(3)) if found.group(3) else None
                if most is not None and (most > 1999 or most < least):
                    self.fail("llama.cpp takes no such count")
                self.at = found.end()
            elif c and c in "*+?":
                least, most = (1 if c == "+" else 0), (1 if c == "?" else None)
                self.at += 1
            else:
                return piece
            piece = ("repeat", piece, least, most)

    def row(self, inside):
        pieces = []
        self.blanks(inside)
        while self.at < len(self.text) and self.text[self.at] not in "|)\n":
            pieces.append(self.repeated(inside))
            self.blanks(inside)
        return pieces[0] if len(pieces) == 1 else ("row", pieces)

    def choice(self, inside):
        arms = [self.row(inside)]
        while self.text[self.at:self.at + 1] == "|":
            self.at += 1
            arms.append(self.row(inside))
        return arms[0] if len(arms) == 1 else ("choice", arms)

    def rules(self):
        rules = {}
        while self.at < len(self.text):
            name = self.name()
            self.blanks()
            if self.text[self.at:self.at + 3] != "::=":
                self.fail("::= should stand")
            self.at += 3
            if name in rules:
                self.fail(f"{name} is there twice")
            rules[name] = self.choice(False)
            if self.text[self.at:self.at + 1] != "\n":
                self.fail("a line should end")
            self.at += 1
        return rules


def used_rules(piece):
    if piece[0] == "rule":
        yield piece[1]
    parts = piece[1] if piece[0] in ("row", "choice") else [piece[1]] if piece[0] == "repeat" else []
    for part in parts:
        yield from used_rules(part)


class Grammar:
    def __init__(self, text):
        self.rules = Reader(text).rules()
        if not self.rules or next(iter(self.rules)) != "root":
            raise Wrong("no root")
        used = {name for piece in self.rules.values() for name in used_rules(piece)} | {"root"}
        if used != set(self.rules):
            raise Wrong(f"rules that are missing or not used: {used ^ set(self.rules)}")
        self.shortest = {name: None for name in self.rules}
        self.measure()

    def accepts(self, text):
        self.memo = {}
        return len(text) in self.ends(("rule", "root"), text, 0)

    def ends(self, piece, text, at):
        """Where the piece may end that begins there."""
        kind = piece[0]
        if kind == "text":
            return {at + len(piece[1])} if text.startswith(piece[1], at) else set()
        if kind == "set":
            return {at + 1} if at < len(text) and in_set(piece, text[at]) else set()
        if kind == "choice":
            return set().union(*(self.ends(p, text, at) for p in piece[1]))
        if kind == "row":
            ends = {at}
            for part in piece[1]:
                ends = set().union(*(self.ends(part, text, e) for e in ends))
            return ends
        if kind == "repeat":
            return self.repeat_ends(piece, text, at)
        key = (piece[1], at)
        if key not in self.memo:
            self.memo[key] = set()  # a rule that begins with itself gets no further
            self.memo[key] = self.ends(self.rules[piece[1]], text, at)
        return self.memo[key]

    def repeat_ends(self, piece, text, at):
        _, part, least, most = piece
        ends, now, count = set(), {at}, 0
        while now:
            if count >= least:
                if now <= ends:
                    break
                ends |= now
            if count == most:
                break
            now = set().union(*(self.ends(part, text, e) for e in now))
            count += 1
        return ends

    def length(self, piece):
        """Of its shortest text; None: it has none that is known."""
        kind = piece[0]
        if kind == "text":
            return len(piece[1])
        if kind == "set":
            return 1
        if kind == "rule":
            return self.shortest[piece[1]]
        if kind == "repeat":
            one = self.length(piece[1])
            return 0 if piece[2] == 0 else None if one is None else one * piece[2]
        parts = [self.length(p) for p in piece[1]]
        if kind == "row":
            return None if None in parts else sum(parts)
        return min((p for p in parts if p is not None), default=None)

    def measure(self):
        changed = True
        while changed:
            changed = False
            for name, piece in self.rules.items():
                length = self.length(piece)
                if length != self.shortest[name]:
                    self.shortest[name], changed = length, True
        if None in self.shortest.values():
            raise Wrong(f"these rules never end: {[n for n, s in self.shortest.items() if s is None]}")

    def sample(self, random, piece=("rule", "root"), room=400):
        """A random text of the piece; where room runs out, its shortest."""
        kind = piece[0]
        if kind == "text":
            return piece[1]
        if kind == "set":
            return pick(random, piece)
        if kind == "rule":
            return self.sample(random, self.rules[piece[1]], room - 8)
        if kind == "choice":
            known = [p for p in piece[1] if self.length(p) is not None]
            short = min(known, key=self.length)
            return self.sample(random, random.choice(known) if room > 0 else short, room - 4)
        if kind == "row":
            out = ""
            for part in piece[1]:
                out += self.sample(random, part, room - len(out) - 1)
            return out
        _, part, least, most = piece
        more = random.choice([0, 0, 1, 1, 2, 3, 9]) if room > 0 else 0
        if random.random() < 0.1 and most is not None and most < 60 and room > 0:
            more = most - least
        count = least + more if most is None else min(most, least + more)
        return "".join(self.sample(random, part, room // (count + 1)) for _ in range(count))


def in_set(piece, char):
    return any(low <= char <= high for low, high in piece[2]) != piece[1]


def pick(random, piece):
    odd = ["\x7f", "\u2028", "\xe9", "\u20ac", "\U0001f600", "\uffff", "/", "'", "<", "~", " "]
    if not piece[1]:
        low, high = random.choice(piece[2])
        return chr(random.randint(ord(low), ord(high)))
    for _ in range(200):
        char = random.choice(odd) if random.random() < 0.3 else chr(random.randint(32, 126))
        if in_set(piece, char):
            return char
    raise Wrong(f"a set of which nothing usual is left: {piece}")
