"""How long an editor waits for findings after a keystroke: keystroke.py GRAMC [LINES [KEYSTROKES]].

A spec of that many lines (10,000), edited in its middle, one character at a time; from the message that tells of the change
to the findings for the new text, and what the server's memory is before and after."""
import os, sys, time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/support"))
from lsp_client import Client

gramc, lines = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 10000
strokes = int(sys.argv[3]) if len(sys.argv) > 3 else 300
text, agents = [], 0
while len(text) < lines:
    text += ['[agent%d:Agent {description: "Agent number %d", model: "OpenAI/gpt-4o-mini",' % (agents, agents), '  instruction: "Help with ${topic} and be brief."} |']
    for tool in range(6):
        text += ['  [tool%d_%d:Tool {description: "Looks up record %d of kind %d"} |' % (agents, tool, agents, tool),
                 '    (name::Text {description: "The name of it"})==>(count::Integer {default: %d, min: 0, max: 1000})' % tool,
                 '      ==>(mode::Text {enum: ["fast", "slow"], default: "fast"})==>(::Text)]' + (',' if tool < 5 else '')]
    text += [']', '']
    agents += 1
uri, client = "file:///nowhere/big.gram", Client(gramc)
client.open(uri, "\n".join(text) + "\n")
assert client.diagnostics(uri, 1) == [], "the spec has findings"


def resident(): return int(open("/proc/%d/statm" % client.process.pid).read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


before, taken = resident(), []
line = next(i for i, row in enumerate(text) if i > lines // 2 and ":Tool" in row)
for i in range(strokes):
    at = {"line": line, "character": 3}
    began = time.perf_counter()
    version = client.change(uri, {"range": {"start": at, "end": at}, "text": "x"})
    client.diagnostics(uri, version)
    taken.append((time.perf_counter() - began) * 1000)
taken.sort()
print("%d lines, %d keystrokes: median %.1f ms, 95%% %.1f ms, longest %.1f ms; memory %.1f MB, then %.1f MB"
      % (len(text), strokes, taken[len(taken) // 2], taken[len(taken) * 95 // 100], taken[-1], before, resident()))
client.stop()
