"""The words that the language server offers are those that the compiler reads, all of them: lsp_words.py SOURCE GRAMC."""
import os, re, subprocess, sys, tempfile
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from checks import check, finish

source, gramc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
words = open(source + "/lsp/words.def").read()
labels = re.findall(r'^LABEL\("(\w+)"', words, re.M)
offered = {}
for label, name, sort, values, about in re.findall(r'^PROPERTY\("(\w+)", "(\w+)", (\w+), "((?:[^"\\]|\\.)*)", "((?:[^"\\]|\\.)+)"\)', words, re.M):
    check(name not in offered.setdefault(label, {}), "twice:", label, name)
    offered[label][name] = about


def rows(file, table):
    """The names in a table of the compiler."""
    text = open(os.path.join(source, "compiler", file)).read()
    block = re.search(table + r"\[\w*\] = \{(.*?)\n\s*\};|" + table + r"\[\] = \{(.*?)\};", text, re.S)
    check(block, "there is no such table:", file, table)
    return set(re.findall(r'\{"(\w+)", PROPERTY_', block[0]))


kinds = open(source + "/include/gramc/kinds.def").read()
expected = {"Agent": rows("agent.c", "property_row rows"), "Tool": rows("tool.c", "property_row rows"), "Task": rows("task.c", "property_row rows"),
            "ToolBox": rows("box_use.c", "property_row rows"), "ToolLibrary": rows("library.c", "library_rows"),
            "ToolImpl": rows("library_impl.c", "property_row rows") | set(re.findall(r"^GRAMC_KIND\(\w+, (\w+),", kinds, re.M)),
            "McpServer": rows("library_box.c", "mcp_rows"), "HttpToolBox": rows("library_box.c", "http_rows"), "sandbox": rows("sandbox.c", "property_row rows"),
            "Experiment": rows("experiment.c", "property_row rows"), "Arm": rows("experiment.c", "arm_rows"), "Grader": rows("grader.c", "property_row rows"),
            "Model": rows("config.c", "price_rows"), "header": rows("imports.c", "header_rows"),
            "type": set(re.findall(r'^PROPERTY\(\w+, +"(\w+)"', open(source + "/compiler/type_properties.def").read(), re.M))}
settings = re.search(r"\} settings\[\] = \{(.*?)\};", open(source + "/compiler/config.c").read(), re.S)[1]
expected["configuration"] = set(re.findall(r'\{"(\w+)",', settings))
for label, names in expected.items():
    check(len(names) > 1 and set(offered.get(label, {})) == names, label, "offered:", sorted(set(offered.get(label, {})) - names), "not offered:", sorted(names - set(offered.get(label, {}))))
check(set(offered) == set(expected), "labels:", set(offered) ^ set(expected))
known = open(source + "/compiler/spec.c").read()
for label in labels: check('"%s"' % label in known or label in kinds, "no label of the language:", label)

# Each word is one that check takes: none is called unknown.
place = {"Agent": "[a:Agent {%s}]", "Tool": "[a:Tool {%s} | ()==>(::Text)]", "Task": "[a:Agent | [t:Task {%s}]]", "ToolBox": "[a:Agent | [b:ToolBox {%s}]]", "ToolLibrary": "[l:ToolLibrary {%s}]",
         "ToolImpl": "[l:ToolLibrary | [t:ToolImpl {%s}]]", "McpServer": "[l:ToolLibrary | [t:McpServer {%s}]]", "HttpToolBox": "[l:ToolLibrary | [t:HttpToolBox {%s}]]",
         "sandbox": "[l:ToolLibrary {sandbox: {%s}}]", "Experiment": "[e:Experiment {%s}]", "Arm": "[e:Experiment | [a:Arm {%s}]]", "Grader": "[e:Experiment | [g:Grader {%s}]]"}
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.gram")
    for label, name, sort, values in re.findall(r'^PROPERTY\("(\w+)", "(\w+)", (\w+), "((?:[^"\\]|\\.)*)"', words, re.M):
        if sort != "WORD" or label not in place: continue
        for word in values.split():
            value = word if re.fullmatch(r"[A-Za-z_]\w*", word) else '"%s"' % word
            open(path, "w").write((place[label] % ("%s: %s" % (name, value))) + "\n")
            said = subprocess.run([gramc, "check", path], capture_output=True, text=True).stdout
            check("`%s`" % word not in said or ("G0232" not in said and "did you mean" not in said), label, name, word, said)
finish(60)
