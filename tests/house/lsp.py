"""gramc lsp as an editor sees it: lsp.py SOURCE GRAMC. Each feature on a small project, texts that are broken while they are
written, messages that no editor sends, and random edits: whatever they make of a text, the server says of it what `gramc check` says."""
import json, os, random, shutil, subprocess, sys, tempfile, time
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from checks import check, finish
from lsp_client import Client

source, gramc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
LONG, SANITIZED = os.environ.get("GRAMC_LONG") == "1", os.environ.get("GRAMC_SANITIZED") == "1"
work = os.path.realpath(tempfile.mkdtemp())

TYPES = '''[Color:Text {enum: ["red", "green"], description: "Of the box"}]
[Size:Object | (width::Int {min: 1}), (height::Int {min: 1})]
'''
SHOP = '''{imports: ["types.gram"]}
[clerk:Agent {description: "Sells boxes", instruction: "Sell ${what} in ${language}.", model: "OpenAI/gpt-4o-mini"} |
  [findBox:Tool {description: "Finds a box"} |
    (color::Color {default: "red"})==>(size::Size)==>(note::Text {optional: true, maxLength: 9})==>(::Text)],
  sell,
  [ask:Task {prompt: "Sell ${what}."} | sell]
]
[sell:Tool {description: "Sells a box"} | (price::Double {min: 0})==>(::Null)]
'''
DESK = '''[desk:ToolLibrary {description: "By hand"} |
  [findBox:ToolImpl {returns: "a box"}],
  [sell:ToolImpl {exec: ["true"]}]
]
[attic:ToolLibrary {extends: desk} | [findBox:ToolImpl {returns: "dust"}]]
'''
STUDY = '''{imports: ["shop.gram", "desk.gram"]}
[boxes:Experiment {cases: "cases.jsonl", metric: kind} |
  [a:Arm {agent: clerk, library: desk}],
  [b:Arm {agent: clerk, library: attic}],
  [kind:Grader {contains: "please"}]
]
'''
FILES = {"types.gram": TYPES, "shop.gram": SHOP, "desk.gram": DESK, "study.gram": STUDY, "cases.jsonl": '{"message":"x","what":"y","language":"z"}\n',
         "gramc.gram": '{kind: "configuration", allowEnv: ["SHOP_KEY"]}\n[`gpt-4o-mini`:Model {inputPerMillion: 0.15, outputPerMillion: 0.6}]\n'}
for name, text in FILES.items(): open(os.path.join(work, name), "w").write(text)


def uri(name): return "file://" + os.path.join(work, name)
def place(text, part, more=0):
    at = text.index(part) + more
    return text.count("\n", 0, at), len(text[text.rfind("\n", 0, at) + 1:at].encode("utf-16-le")) // 2
def at(text, part, more=0): return dict(zip(("line", "character"), place(text, part, more)))
def span(text, part, more=0, length=None):
    return {"start": at(text, part, more), "end": at(text, part, more + (len(part) if length is None else length))}


def offset(text, position):
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    before = sum(len(line) + 1 for line in lines[:position["line"]])
    units = lines[position["line"]].encode("utf-16-le")[:2 * position["character"]]
    return before + len(units.decode("utf-16-le"))


def edited(texts, edit):
    """What the texts by uri are after a workspace edit."""
    texts = dict(texts)
    changes = edit.get("documentChanges") or [{"textDocument": {"uri": u}, "edits": e} for u, e in edit["changes"].items()]
    for change in changes:
        if change.get("kind") == "create": texts[change["uri"]] = ""; continue
        text = texts[change["textDocument"]["uri"]]
        for e in sorted(change["edits"], key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
            text = text[:offset(text, e["range"]["start"])] + e["newText"] + text[offset(text, e["range"]["end"]):]
        texts[change["textDocument"]["uri"]] = text
    return texts


def labels(client, name, line, character):
    return [i["label"] for i in client.at("completion", uri(name), line, character)["items"]]


ALL = {uri(n): t for n, t in FILES.items()}


def checked(texts):
    """What gramc check says of a project with these texts, as one text."""
    with tempfile.TemporaryDirectory() as folder:
        for u, t in texts.items(): open(os.path.join(folder, os.path.basename(u)), "w").write(t)
        p = subprocess.run([gramc, "check", folder], capture_output=True, text=True)
        return p.stdout + p.stderr


def capabilities():
    c = Client(gramc, work)
    can = c.info["capabilities"]
    check(can["positionEncoding"] == "utf-16" and can["textDocumentSync"]["change"] == 2, can)
    check(c.ask("initialize", {})["error"]["code"] == -32600, "initialize twice")
    check(c.ask("no/such", {})["error"]["code"] == -32601, "no such method")
    check(c.of("hover", uri("shop.gram"), position={"line": 0, "character": 0})["error"]["code"] == -32602, "a document that is not open")
    check(c.stop() == 0 and c.errors == b"", "end", c.errors)
    c = Client(gramc, work, capabilities={"general": {"positionEncodings": ["utf-8", "utf-16"]}})
    check(c.info["capabilities"]["positionEncoding"] == "utf-8", "utf-8")
    c.open(uri("x.gram"), '[a:Agent {description: "\u00e9\U0001f600"} | nobody]\n')
    found = c.diagnostics(uri("x.gram"), 1)
    check([d["range"]["start"]["character"] for d in found if "nobody" in d["message"]] == [35], found)
    c.tell("exit", None); c.process.stdin.close()
    check(c.process.wait(20) == 1, "exit without shutdown")


def findings(c):
    c.open(uri("shop.gram"), SHOP)
    check(c.diagnostics(uri("shop.gram"), 1) == [], "a sound spec")
    v = c.change(uri("shop.gram"), {"range": span(SHOP, "sell,", 0, 4), "text": "sel"})
    found = c.diagnostics(uri("shop.gram"), v)
    check(len(found) == 1 and found[0]["severity"] == 1 and found[0]["source"] == "gramc" and "sell" in found[0]["message"], found)
    broken = SHOP.replace("sell,", "sel,", 1)
    check(found[0]["range"] == span(broken, "  sel,", 2, 3), found)
    # A file that it imports changes in the editor, and is not saved.
    v = c.change(uri("shop.gram"), {"text": SHOP})
    check(c.diagnostics(uri("shop.gram"), v) == [], "mended")
    c.open(uri("types.gram"), TYPES)
    c.diagnostics(uri("types.gram"), 1)
    c.diagnostics(uri("shop.gram"))
    c.change(uri("types.gram"), {"range": span(TYPES, "Size", 0, 4), "text": "Width"})
    found = c.diagnostics(uri("shop.gram"))
    check([d["code"] for d in found] and any("Size" in d["message"] for d in found), "an import that is not saved:", found)
    v = c.change(uri("types.gram"), {"text": TYPES})
    c.diagnostics(uri("types.gram"), v)
    check(c.diagnostics(uri("shop.gram")) == [], "the import is mended")
    pulled = c.of("diagnostic", uri("shop.gram"))
    check(pulled == {"kind": "full", "items": []}, pulled)
    # The configuration is a document as well.
    c.open(uri("gramc.gram"), '{kind: "configuration", stric: true}\n')
    found = c.diagnostics(uri("gramc.gram"), 1)
    check(len(found) == 1 and "stric" in found[0]["message"], "a configuration's own:", found)
    c.tell("textDocument/didClose", {"textDocument": {"uri": uri("gramc.gram")}})
    c.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri("gramc.gram") and not m["params"]["diagnostics"])
    # A name that a URI escapes is the name that an import says.
    with open(os.path.join(work, "more types.gram"), "w") as file: file.write("[Tone:Text]\n")
    c.open(uri("tone.gram"), '{imports: ["more types.gram"]}\n[t:Tool {description: "d"} | (x::Pitch)==>(::Text)]\n')
    check(len(c.diagnostics(uri("tone.gram"), 1)) == 1, "a type that is not there")
    c.open(uri("more%20types.gram"), "[Pitch:Text]\n")
    check(c.diagnostics(uri("tone.gram")) == [], "the import has it in the editor")
    os.remove(os.path.join(work, "more types.gram"))
    c.open(uri("twice.gram"), "[a:Agent | [t:Tool {description: \"d\"} | (x::Int)==>(x::Int)==>(::Int)]]\n")
    found = c.diagnostics(uri("twice.gram"), 1)
    check(found and found[0]["relatedInformation"][0]["location"]["uri"] == uri("twice.gram"), "the other place:", found)


def completions(c):
    line, character = place(SHOP, "color::Color", 7)
    names = labels(c, "shop.gram", line, character)
    check("Color" in names and "Size" in names and "Text" in names and "Agent" not in names, names)
    items = c.at("completion", uri("shop.gram"), *place(SHOP, "maxLength"))["items"]
    keys = [i["label"] for i in items]
    check("pattern" in keys and "minLength" in keys and "optional" not in keys and "items" not in keys and "temperature" not in keys, keys)
    check(all(i["documentation"]["value"] for i in items), "properties without a word about them")
    check({"red", "green"} <= set(labels(c, "shop.gram", *place(SHOP, '"red"', 1))), "members of an enum", labels(c, "shop.gram", *place(SHOP, '"red"', 1)))
    keys = labels(c, "shop.gram", *place(SHOP, "description: \"Sells boxes\""))
    check("temperature" in keys and "strategy" in keys and "model" not in keys and "pattern" not in keys, keys)
    check("findBox" in labels(c, "shop.gram", *place(SHOP, "sell,", 2)) and "sell" in labels(c, "shop.gram", *place(SHOP, "| sell", 4)), "tools to offer")
    check({"what", "language", "message"} <= set(labels(c, "shop.gram", *place(SHOP, "${language", 4))), "inputs", labels(c, "shop.gram", *place(SHOP, "${language", 4)))
    check({"gpt-4o-mini", "Anthropic/"} <= set(labels(c, "shop.gram", *place(SHOP, "OpenAI/gpt", 3))), "models", labels(c, "shop.gram", *place(SHOP, "OpenAI/gpt", 3)))
    check({"types.gram", "desk.gram"} <= set(labels(c, "shop.gram", *place(SHOP, "types.gram", 2))), "files", labels(c, "shop.gram", *place(SHOP, "types.gram", 2)))
    c.open(uri("study.gram"), STUDY)
    check({"desk", "attic"} <= set(labels(c, "study.gram", *place(STUDY, "attic", 2))), "libraries")
    check("clerk" in labels(c, "study.gram", *place(STUDY, "clerk", 2)), "agents")
    check({"kind", "pass", "cost"} <= set(labels(c, "study.gram", *place(STUDY, "metric: kind", 9))), "metrics", labels(c, "study.gram", *place(STUDY, "metric: kind", 9)))
    c.open(uri("desk.gram"), DESK)
    check({"findBox", "sell"} <= set(labels(c, "desk.gram", *place(DESK, "[sell:", 0))), "tools to implement", labels(c, "desk.gram", *place(DESK, "[sell:", 0)))
    keys = labels(c, "desk.gram", *place(DESK, "returns"))
    check("http" in keys and "exec" in keys and "temperature" not in keys, keys)
    check({"Agent", "Tool", "ToolLibrary"} <= set(labels(c, "shop.gram", *place(SHOP, "clerk:Agent", 8))), "labels at top level")
    check("Task" in labels(c, "shop.gram", *place(SHOP, "ask:Task", 5)) and "Arm" not in labels(c, "shop.gram", *place(SHOP, "ask:Task", 5)), "labels in an agent")
    check("agent" in labels(c, "shop.gram", SHOP.count("\n"), 0), "snippets at top level")


def in_broken_texts(c):
    """A text is broken for as long as it is written: what stands in front of the cursor counts."""
    def after(text, more=""):
        c.open(uri("new.gram"), text + more)
        return labels(c, "new.gram", text.count("\n"), len(text) - text.rfind("\n") - 1)
    check("Agent" in after("[helper:"), "label of an open bracket")
    check("description" in after("[helper:Agent {"), "key of an open record")
    check("direct" in after("[helper:Agent {strategy: "), "words of an open value")
    check("direct" in after("[helper:Agent {strategy: di"), "a word that has begun")
    check("true" in after("[h:Agent {coerce: "), "a flag")
    check("Text" in after("[h:Agent | [t:Tool {description: \"d\"} | (a::"), "a type")
    check("Kind" in after("[Kind:Text {enum: [\"x\"]}]\n[h:Agent | [t:Tool {description: \"d\"} | (a::"), "a type of the file")
    check("x" in after("[Kind:Text {enum: [\"x\"]}]\n[h:Agent | [t:Tool {description: \"d\"} | (a::Kind {default: "), "a member")
    check("Kind" in after("[Kind:Text]\n[Box:Object {fields: {a: "), "a type in a map of fields")
    check("minLength" in after("[Box:Object {fields: {a: {type: Text, "), "a property in a map")
    check("network" in after("[l:ToolLibrary {sandbox: {"), "a property of a sandbox")
    check("none" in after("[l:ToolLibrary {sandbox: {network: "), "a word of a sandbox")
    check("imports" in after("{"), "a header")
    check("severities" in after("{kind: \"configuration\", "), "a configuration")
    check("types.gram" in after("{imports: [\"ty"), "a file")
    check("env:SHOP_KEY" in after("[l:ToolLibrary | [t:ToolImpl {http: GET, url: \"http://x/${"), "a secret that may be read")
    check(after("// nothing ") == [], "a comment")
    check("G0232" in after("[a:Agent {wire: x}]\n// gramc: allow("), "codes of what was found", after("[a:Agent {wire: x}]\n// gramc: allow("))
    c.open(uri("new.gram"), "[helper:Agent {model: \"x\"} | [t:Tool {description: \"Does\"} | (a::Int)==>(::Int)], \n[other:Tool {description: \"Other\"} | (b::Int)==>(::Int)]\n")
    found = c.of("documentSymbol", uri("new.gram"))
    check("helper" in json.dumps(found) and "other" in json.dumps(found), "symbols of a broken text:", found)


def looking(c):
    shown = c.at("hover", uri("shop.gram"), *place(SHOP, "findBox", 2))["contents"]["value"]
    check('"color"' in shown and "`clerk`" in shown and "`desk`" in shown and "`attic`" in shown and "Finds a box" in shown, shown)
    shown = c.at("hover", uri("shop.gram"), *place(SHOP, "::Color", 3))["contents"]["value"]
    check('"green"' in shown and "Of the box" in shown, shown)
    shown = c.at("hover", uri("shop.gram"), *place(SHOP, "maxLength", 3))["contents"]["value"]
    check("greatest number of characters" in shown, shown)
    shown = c.at("hover", uri("shop.gram"), *place(SHOP, "Text {optional", 1))["contents"]["value"]
    check('"string"' in shown, shown)
    c.open(uri("typo.gram"), "[a:Agent | nobody]\n")
    shown = c.at("hover", uri("typo.gram"), 0, 13)["contents"]["value"]
    check("G0" in shown and len(shown) > 100, "a finding's explanation:", shown)
    defined = lambda name, text, part, more=1: [(os.path.basename(l["uri"]), l["range"]["start"]["line"]) for l in c.at("definition", uri(name), *place(text, part, more))]
    check(defined("shop.gram", SHOP, "::Color", 3) == [("types.gram", 0)], "a type of another file")
    check(defined("shop.gram", SHOP, "  sell,", 3) == [("shop.gram", 7)], "a tool that is listed")
    check(defined("desk.gram", DESK, "sell:ToolImpl", 1) == [("shop.gram", 7)], "the tool of an implementation", defined("desk.gram", DESK, "sell:ToolImpl", 1))
    check(defined("study.gram", STUDY, "attic") == [("desk.gram", 4)] and defined("study.gram", STUDY, "metric: kind", 9) == [("study.gram", 4)], "a library, a grader")
    check(defined("shop.gram", SHOP, "types.gram") == [("types.gram", 0)], "a file")
    check(defined("desk.gram", DESK, "extends: desk", 10) == [("desk.gram", 0)], "extends")
    used = sorted({(os.path.basename(l["uri"]), l["range"]["start"]["line"]) for l in c.at("references", uri("shop.gram"), *place(SHOP, "[sell:Tool", 2), context={"includeDeclaration": True})})
    check(used == [("desk.gram", 2), ("shop.gram", 4), ("shop.gram", 5), ("shop.gram", 7)], used)
    used = [os.path.basename(l["uri"]) for l in c.at("references", uri("types.gram"), *place(TYPES, "Color", 1), context={"includeDeclaration": False})]
    check(used == ["shop.gram"], used)
    marked = c.at("documentHighlight", uri("shop.gram"), *place(SHOP, "  sell,", 3))
    check(len(marked) == 3 and sum(m["kind"] == 3 for m in marked) == 1, marked)
    links = c.of("documentLink", uri("study.gram"))
    check({os.path.basename(l["target"]) for l in links} == {"shop.gram", "desk.gram", "cases.jsonl"}, links)


def renaming(c):
    def renamed(name, text, part, new, more=1):
        answer = c.at("rename", uri(name), *place(text, part, more), newName=new)
        return answer if "error" in answer else edited(ALL, answer)
    after = renamed("types.gram", TYPES, "Color", "Paint")
    check(after[uri("types.gram")].startswith("[Paint:Text") and "color::Paint {" in after[uri("shop.gram")], after)
    check("error" not in checked(after), checked(after))
    after = renamed("shop.gram", SHOP, "[sell:Tool", "trade", 2)
    check("  trade," in after[uri("shop.gram")] and "| trade]" in after[uri("shop.gram")] and "[trade:ToolImpl" in after[uri("desk.gram")], after)
    check("error" not in checked(after), checked(after))
    after = renamed("study.gram", STUDY, "attic", "loft")
    check("[loft:ToolLibrary" in after[uri("desk.gram")] and "library: loft" in after[uri("study.gram")], after)
    after = renamed("shop.gram", SHOP, "note::Text", "remark")
    check("(remark::Text" in after[uri("shop.gram")] and "error" not in checked(after), after)
    after = renamed("shop.gram", SHOP, "note::Text", "a note")
    check("(`a note`::Text" in after[uri("shop.gram")] and "error" not in checked(after), after)
    check("error" in renamed("types.gram", TYPES, "Color", "Size"), "a name that is taken")
    check("error" in renamed("types.gram", TYPES, "Color", "Text"), "a name of the language")
    check("error" in renamed("types.gram", TYPES, "Color", ""), "no name")
    check(c.at("prepareRename", uri("shop.gram"), *place(SHOP, "sell,", 2))["placeholder"] == "sell", "prepare")
    check(c.at("prepareRename", uri("shop.gram"), *place(SHOP, "description", 2)) is None, "a property is no name")
    # A second spec has a tool of that name: libraries that serve both keep it, and so does the wire.
    open(os.path.join(work, "other.gram"), "w").write('[other:Agent {model: "OpenAI/x"} | [sell:Tool {description: "Sells too"} | (price::Double {min: 0})==>(::Null)]]\n')
    after = renamed("shop.gram", SHOP, "[sell:Tool", "trade", 2)
    check('[trade:Tool {name: "sell", description' in after[uri("shop.gram")] and after[uri("desk.gram")] == DESK, "two specs:", after)
    check("error" in renamed("desk.gram", DESK, "sell:ToolImpl", "trade"), "an implementation of two specs' tools")
    os.remove(os.path.join(work, "other.gram"))
    kept = Client(gramc, work, more={"initializationOptions": {"rename": {"keepWireNames": True}}})
    kept.open(uri("shop.gram"), SHOP)
    after = edited(ALL, kept.at("rename", uri("shop.gram"), *place(SHOP, "[sell:Tool", 2), newName="trade"))
    check('[trade:Tool {name: "sell", ' in after[uri("shop.gram")] and after[uri("desk.gram")] == DESK and "error" not in checked(after), "the wire name is kept:", after)
    after = edited(ALL, kept.at("rename", uri("shop.gram"), *place(SHOP, "price::Double", 1), newName="cost"))
    check('(cost::Double {name: "price", min: 0})' in after[uri("shop.gram")] and "error" not in checked(after), "and a parameter's:", after)
    check(kept.stop() == 0, "end")
    plain = Client(gramc, work, capabilities={})
    plain.open(uri("types.gram"), TYPES)
    after = edited(ALL, plain.at("rename", uri("types.gram"), *place(TYPES, "Color", 1), newName="Paint"))
    check("color::Paint {" in after[uri("shop.gram")], "a client without versions:", after)
    check(plain.stop() == 0, "end")


def structure(c):
    tree = c.of("documentSymbol", uri("shop.gram"))
    names = [(s["name"], [k["name"] for k in s["children"]]) for s in tree]
    check(names == [("clerk", ["findBox", "ask"]), ("sell", ["price"])], names)
    found = c.ask("workspace/symbol", {"query": "BOX"})
    check({(s["name"], os.path.basename(s["location"]["uri"])) for s in found} >= {("findBox", "shop.gram"), ("findBox", "desk.gram"), ("boxes", "study.gram")}, found)
    folds = c.of("foldingRange", uri("shop.gram"))
    check({"startLine": 1, "endLine": 5} in folds, folds)
    ranges = c.of("selectionRange", uri("shop.gram"), positions=[at(SHOP, "maxLength", 2)])[0]
    depth, widest = 0, ranges
    while "parent" in widest: widest, depth = widest["parent"], depth + 1
    check(depth >= 4 and widest["range"]["start"] == {"line": 1, "character": 0}, ranges)
    data = c.of("semanticTokens/full", uri("shop.gram"))["data"]
    legend = c.info["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
    line = character = 0
    kinds = {}
    for i in range(0, len(data), 5):
        character = data[i + 1] + (character if data[i] == 0 else 0)
        line += data[i]
        kinds[(line, character)] = legend[data[i + 3]]
    check(kinds[place(SHOP, "clerk")] == "class" and kinds[place(SHOP, "findBox")] == "function" and kinds[place(SHOP, "color")] == "parameter", kinds)
    check(kinds[place(SHOP, "::Color", 2)] == "type" and kinds[place(SHOP, "Agent {")] == "keyword" and kinds[place(SHOP, "maxLength")] == "property", kinds)
    hints = c.of("inlayHint", uri("shop.gram"), range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}})
    required = [h["position"] for h in hints if h["label"] == "required"]
    check(at(SHOP, "size::") in required and at(SHOP, "color::") not in required and at(SHOP, "note::") not in required, hints)
    check(any(h["label"].startswith("= {") and h["position"] == at(SHOP, "::Color", 7) for h in hints), hints)
    lenses = [(l["command"]["title"], l["range"]["start"]["line"]) for l in c.of("codeLens", uri("shop.gram"))]
    check(("compile", 1) in lenses and ("run", 1) in lenses and any(t.startswith("bound by") and "desk" in t and n == 2 for t, n in lenses), lenses)


def formats(c):
    ugly = SHOP.replace("{description: \"Sells a box\"}", "{description:\"Sells a box\"   }")
    c.open(uri("ugly.gram"), ugly)
    path = os.path.join(work, "ugly.gram")
    open(path, "w").write(ugly)
    pretty = subprocess.run([gramc, "fmt", "-"], input=ugly, capture_output=True, text=True).stdout
    edits = c.of("formatting", uri("ugly.gram"), options={"tabSize": 2, "insertSpaces": True})
    check(edited({uri("ugly.gram"): ugly}, {"changes": {uri("ugly.gram"): edits}})[uri("ugly.gram")] == pretty != ugly, edits)
    edits = c.of("rangeFormatting", uri("ugly.gram"), options={}, range=span(ugly, "[sell:Tool", 0, 3))
    after = edited({uri("ugly.gram"): ugly}, {"changes": {uri("ugly.gram"): edits}})[uri("ugly.gram")]
    check("[sell:Tool {description: \"Sells a box\"}" in after, after)
    edits = c.of("rangeFormatting", uri("ugly.gram"), options={}, range=span(ugly, "clerk"))
    after = edited({uri("ugly.gram"): ugly}, {"changes": {uri("ugly.gram"): edits}})[uri("ugly.gram")]
    check("{description:\"Sells a box\"   }" in after, "what the range does not touch:", after)
    c.open(uri("ugly.gram"), "[a:Agent {")
    check(c.of("formatting", uri("ugly.gram"), options={}) == [], "a broken text stays as it is")
    os.remove(path)


def actions(c):
    def offered(name, text, part, more=1, only=None):
        context = {"diagnostics": [], **({"only": only} if only else {})}
        return c.of("codeAction", uri(name), range={"start": at(text, part, more), "end": at(text, part, more)}, context=context)
    typo = '[a:Agent {model: "OpenAI/x"} | [t:Tool {description: "d"} | (when::Txt)==>(::Text)]]\n'
    c.open(uri("typo.gram"), typo)
    fixes = [o for o in offered("typo.gram", typo, "Txt") if o.get("isPreferred")]
    check(len(fixes) == 1 and "Text" in fixes[0]["title"], fixes)
    after = edited({uri("typo.gram"): typo}, fixes[0]["edit"])[uri("typo.gram")]
    check("when::Text" in after, after)
    every = [o for o in offered("typo.gram", typo, "Txt", only=["source"]) if o["kind"] == "source.fixAll"]
    check(len(every) == 1 and "when::Text" in edited({uri("typo.gram"): typo}, every[0]["edit"])[uri("typo.gram")], every)
    unused = '{language: 1}\n[a:Agent {model: "OpenAI/x"} | [t:Tool {description: "d"} | (x::Int)==>(::Int)]]\n[b:Agent {model: "OpenAI/x"} | [u:Tool {description: "e"} | (x::Text)==>(::Int)]]\n'
    c.open(uri("typo.gram"), unused)
    codes = {d["code"] for d in c.of("diagnostic", uri("typo.gram"))["items"]}
    line = c.of("diagnostic", uri("typo.gram"))["items"][0]["range"]
    allow = [o for o in c.of("codeAction", uri("typo.gram"), range=line, context={"diagnostics": []}) if o["title"].startswith("Allow")]
    check(allow, "nothing to allow", codes)
    if allow:
        after = edited({uri("typo.gram"): unused}, allow[0]["edit"])[uri("typo.gram")]
        c.open(uri("typo.gram"), after)
        check(not {d["code"] for d in c.of("diagnostic", uri("typo.gram"))["items"]} & codes, "allowed, and told all the same:", after)
    # Behind a fence there is no line of its own for a comment; the blank one before it is inside the string.
    fenced = unused.replace("[u:Tool {description: \"e\"}", "[u:Tool {description: ```\n  e\n  ```}").replace("[u:", "\n  [u:")
    fenced = fenced.replace("(x::Text)", "(x::Text {minLength: 3, maxLength: 3, pattern: \"^a$\"})")
    c.open(uri("typo.gram"), fenced)
    behind = [d for d in c.of("diagnostic", uri("typo.gram"))["items"] if d["range"]["start"]["line"] == fenced.count("\n") - 1]
    check(behind, "nothing to allow behind a fence", c.of("diagnostic", uri("typo.gram"))["items"])
    for d in behind:
        allow = [o for o in c.of("codeAction", uri("typo.gram"), range=d["range"], context={"diagnostics": []}) if o["title"].startswith("Allow")]
        check(not allow, "a comment inside of a string:", allow)
    check(not [o for o in offered("shop.gram", SHOP, "findBox:Tool") if o["title"].startswith("Add")], "both libraries do it already")
    extracts = [o for o in offered("shop.gram", SHOP, "note::") if o["kind"] == "refactor.extract"]
    check(len(extracts) == 1, extracts)
    after = edited(ALL, extracts[0]["edit"])
    check("[Note:Text {maxLength: 9}]\n[clerk" in after[uri("shop.gram")] and "(note::Note {optional: true})" in after[uri("shop.gram")], after[uri("shop.gram")])
    check("error" not in checked(after), checked(after))
    new = SHOP.replace("  sell,\n", "  sell,\n  [wrap:Tool {description: \"Wraps it\"} | (box::Text)==>(::Text)],\n")
    c.change(uri("shop.gram"), {"text": new})
    stubs = [o for o in offered("shop.gram", new, "wrap:Tool") if o["title"].startswith("Add")]
    check({o["title"] for o in stubs} == {"Add `wrap` to the library `desk`", "Add `wrap` to the library `attic`"}, stubs)
    for o in stubs:
        after = edited({**ALL, uri("shop.gram"): new}, o["edit"])
        check("[wrap:ToolImpl {returns: \"example\"}]" in after[uri("desk.gram")] and "error" not in checked(after), after[uri("desk.gram")])
    sized = new.replace("(box::Text)==>(::Text)", "(box::Text)==>(::Size)")
    c.change(uri("shop.gram"), {"text": sized})
    stub = [o for o in offered("shop.gram", sized, "wrap:Tool") if o["title"] == "Add `wrap` to the library `desk`"]
    after = edited({**ALL, uri("shop.gram"): sized}, stub[0]["edit"])
    check('[wrap:ToolImpl {returns: {"width":1,"height":1}}]' in after[uri("desk.gram")] and "error" not in checked(after), after[uri("desk.gram")])
    c.change(uri("shop.gram"), {"text": SHOP})
    shown = c.ask("workspace/executeCommand", {"command": "gramc.schema", "arguments": [uri("shop.gram"), "clerk", "openai"]})
    check([t["function"]["name"] for t in json.loads(shown)] == ["findBox", "sell"], shown)
    check("error" in c.ask("workspace/executeCommand", {"command": "gramc.schema", "arguments": [uri("shop.gram"), "clerk", "nobody"]}), "no such target")
    check(len(c.ask("workspace/executeCommand", {"command": "gramc.targets"})) >= 6, "targets")


def cancelled(c):
    """Requests that wait can be taken back, and a text that is out of date is not judged."""
    big = "".join('[t%d:Tool {description: "d"} | (a::Text)==>(::Text)]\n' % i for i in range(3000))
    c.open(uri("big.gram"), big)
    c.diagnostics(uri("big.gram"), 1)
    said = len(c.said)
    frames = []
    for i in range(30):
        c.versions[uri("big.gram")] += 1
        frames.append({"method": "textDocument/didChange", "params": {"textDocument": {"uri": uri("big.gram"), "version": c.versions[uri("big.gram")]},
                                                                      "contentChanges": [{"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}, "text": " "}]}})
    c.number += 2
    frames += [{"id": c.number - 1, "method": "textDocument/documentSymbol", "params": {"textDocument": {"uri": uri("big.gram")}}},
               {"id": c.number, "method": "textDocument/hover", "params": {"textDocument": {"uri": uri("big.gram")}, "position": {"line": 3, "character": 2}}},
               {"method": "$/cancelRequest", "params": {"id": c.number}}]
    data = b""
    for f in frames:
        body = json.dumps(dict(f, jsonrpc="2.0")).encode()
        data += b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    c.process.stdin.write(data); c.process.stdin.flush()
    check(c.answer(c.number).get("error", {}).get("code") == -32800, "a request that was taken back")
    check("result" in c.answer(c.number - 1), "the other one")
    c.diagnostics(uri("big.gram"), c.versions[uri("big.gram")])
    judged = sum(m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri("big.gram") for m in c.said[said:])
    check(judged <= 5, "texts that are out of date were judged:", judged)
    c.tell("textDocument/didClose", {"textDocument": {"uri": uri("big.gram")}})


def expected(text, path):
    open(path, "w", newline="").write(text)
    report = json.loads(subprocess.run([gramc, "check", "--format", "json", path], capture_output=True, text=True).stdout)
    mine = [f for f in report["files"] if f["path"] == path]
    number = {"error": 1, "warning": 2, "information": 3}
    return [(d["code"], number[d["severity"]], d["message"] + ("\n" + d["help"] if "help" in d else ""), d["range"]) for f in mine for d in f["diagnostics"]]


def random_edits():
    """Whatever an editor makes of a text: the server's text is the editor's, and it says what check says."""
    rounds = 10000 if LONG else 60 if SANITIZED else 250
    chance = random.Random(7)
    texts = [SHOP.replace('{imports: ["types.gram"]}\n', ""), TYPES, DESK, open(source + "/specs/hello_world.gram").read()]
    pieces = ["{", "}", "[", "]", "(", ")", "|", ",", ":", "::", '"', "'", "`", "```\n", "==>", "<--", "a", "Text", "Agent", "Tool", " ", "\n", "\r\n", "//", "\u00e9", "\U0001f600", "0", "1.5", "30s", "default: ", "min: ", "${x}", "\t", "enum: [\"a\"]", "[b:Agent]\n", "@", "\\"]
    c = Client(gramc, work)
    path, name = os.path.join(work, "edited.gram"), uri("edited.gram")
    text = chance.choice(texts)
    c.open(name, text)
    wrong = 0
    for i in range(rounds):
        if i % 40 == 39 or len(text) > 6000:
            text = chance.choice(texts)
            version = c.change(name, {"text": text})
        else:
            changes = []
            for _ in range(chance.choice((1, 1, 1, 2, 3))):
                a = chance.randrange(len(text) + 1)
                b = min(len(text), a + chance.choice((0, 0, 0, 1, 1, 2, 5, 20)))
                # Nobody edits the middle of a line's end.
                while a and text[a - 1:a + 1] == "\r\n": a -= 1
                while b and text[b - 1:b + 1] == "\r\n": b += 1
                new = "".join(chance.choice(pieces) for _ in range(chance.choice((0, 1, 1, 2))))
                def where(at):
                    before = text[:at].replace("\r\n", "\n").replace("\r", "\n")
                    return {"line": before.count("\n"), "character": len(before[before.rfind("\n") + 1:].encode("utf-16-le")) // 2}
                changes.append({"range": {"start": where(a), "end": where(b)}, "text": new})
                text = text[:a] + new + text[b:]
            version = c.change(name, *changes)
        said = [(d["code"], d["severity"], d["message"], d["range"]) for d in c.diagnostics(name, version)]
        wanted = expected(text, path)
        if said != wanted:
            wrong += 1
            if wrong < 4: check(False, "after edit", i, repr(text), "said", said, "wanted", wanted)
        if i % 25 == 0: # and none of the questions is too much for a broken text
            line = chance.randrange(text.count("\n") + 1)
            for method in ("completion", "hover", "definition", "references", "prepareRename", "documentHighlight"): c.at(method, name, line, chance.randrange(30))
            for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "codeLens", "documentLink", "formatting"): c.of(method, name, options={})
            everything = {"start": {"line": 0, "character": 0}, "end": {"line": 9999, "character": 0}}
            for method in ("codeAction", "inlayHint", "rangeFormatting"): c.of(method, name, range=everything, context={"diagnostics": []}, options={})
    check(wrong == 0, "disagreements with check:", wrong, "of", rounds)
    print("%d random edits" % rounds)
    check(c.stop() == 0 and c.errors == b"", "end", c.errors[:2000])


def memory():
    """The server holds what is open, not what was."""
    c = Client(gramc, work)
    c.open(uri("shop.gram"), SHOP)
    c.diagnostics(uri("shop.gram"), 1)
    def resident(): return int(open("/proc/%d/statm" % c.process.pid).read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    def work_on(rounds):
        for i in range(rounds):
            version = c.change(uri("shop.gram"), {"range": span(SHOP, "clerk", 0, 0), "text": "x"}, {"range": span("xclerk" + SHOP, "xclerk", 0, 0), "text": ""}, {"text": SHOP})
            c.diagnostics(uri("shop.gram"), version)
            c.at("references", uri("shop.gram"), *place(SHOP, "sell,", 1), context={"includeDeclaration": True})
    work_on(50)
    before = resident()
    work_on(600)
    check(SANITIZED or resident() - before < 1 << 20, "memory has grown by", resident() - before)
    check(c.stop() == 0, "end")


def strange_messages():
    """Messages that no editor sends end in an error, or in the end of the server: never in a crash."""
    bodies = [b"", b"{", b"[]", b"null", b"1", b'"x"', b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"2.0","id":1}', b'{"jsonrpc":"2.0","id":{},"method":5}',
              b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":null}', b'{"jsonrpc":"2.0","id":[1],"method":"textDocument/hover","params":[]}',
              b'{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":5}}}', b"\xff\xfe", b'{"id":"\\ud800"}']
    methods = ["completion", "hover", "definition", "references", "rename", "prepareRename", "documentSymbol", "formatting", "rangeFormatting", "codeAction", "inlayHint",
               "semanticTokens/full", "semanticTokens/range", "foldingRange", "selectionRange", "documentLink", "codeLens", "diagnostic", "documentHighlight"]
    odd = [None, 5, "x", [], {}, {"line": -1, "character": -1}, {"line": 1e300, "character": 10**30}, {"line": "x", "character": None}, {"line": 4294967295, "character": 4294967295}]
    c = Client(gramc, work)
    c.open(uri("shop.gram"), SHOP)
    for body in bodies: c.raw(body)
    for method in methods:
        for value in odd:
            params = {"textDocument": {"uri": uri("shop.gram")}, "position": value, "range": {"start": value, "end": value}, "positions": [value], "newName": value, "context": value, "options": value}
            answer = c.ask("textDocument/" + method, params)
            check(answer is None or isinstance(answer, (list, dict)), method, value, answer)
    for value in odd:
        c.tell("textDocument/didChange", {"textDocument": {"uri": uri("shop.gram"), "version": value}, "contentChanges": [{"range": {"start": value, "end": value}, "text": "y"}, {"range": value, "text": value}]})
        c.ask("workspace/executeCommand", {"command": value, "arguments": value})
        c.ask("workspace/symbol", {"query": value})
    check(c.stop() == 0 and c.errors == b"", "end", c.errors[:2000])
    chance = random.Random(11)
    for i in range(400 if LONG else 25):
        c = Client(gramc, work)
        c.open(uri("shop.gram"), SHOP)
        data = bytearray()
        for _ in range(10):
            body = bytearray(json.dumps({"jsonrpc": "2.0", "id": chance.randrange(9), "method": "textDocument/" + chance.choice(methods), "params": {"textDocument": {"uri": uri("shop.gram")}, "position": {"line": chance.randrange(9), "character": chance.randrange(40)}}}).encode())
            for _ in range(chance.randrange(4)): body[chance.randrange(len(body))] = chance.randrange(256)
            data += b"Content-Length: %d\r\n\r\n" % (len(body) + chance.choice((0, 0, 0, 0, 0, -1, 1))) + body
        try:
            c.process.stdin.write(bytes(data)); c.process.stdin.close()
        except BrokenPipeError: pass
        c.process.stdout.read()
        check(c.process.wait(30) in (0, 1) and c.process.stderr.read() == b"", "strange bytes", i, c.process.returncode)
    for head in (b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: -1\r\n\r\n", b"Content-Length:\r\n\r\n{}", b"x" * 5000, b"Content-Type: x\r\n\r\n{}"):
        p = subprocess.run([gramc, "lsp"], input=head, capture_output=True, timeout=60)
        check(p.returncode == 1 and p.stderr == b"", "a header", head[:40], p.returncode)


capabilities()
client = Client(gramc, work)
for part in (findings, completions, in_broken_texts, looking, renaming, structure, formats, actions, cancelled): part(client)
check(client.stop() == 0 and client.errors == b"", "the end", client.errors[:3000])
for part in (random_edits, memory, strange_messages): part()
used = subprocess.run([gramc, "lsp", "x.gram"], capture_output=True, text=True)
check(used.returncode == 2 and "takes no files" in used.stderr, used.stderr)
shutil.rmtree(work)
finish(200)
