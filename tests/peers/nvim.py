"""gramc lsp in Neovim, set up as editors/README.md says: nvim.py SOURCE GRAMC. Diagnostics, completion, hover, definition, rename,
formatting and code actions, in a Neovim without a screen."""
import os, re, subprocess, sys, tempfile, shutil
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from checks import check, finish

source, gramc = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
if not shutil.which("nvim"):
    print("cannot run: nvim is not installed: apt-get install neovim")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)

setup = re.search("```lua\n(.*?)```", open(source + "/editors/README.md").read(), re.S)[1]
SCRIPT = r'''
local out = io.open(vim.env.GRAMC_OUT, "w")
local function say(name, value) out:write(name .. "=" .. tostring(value):gsub("\n", "\\n") .. "\n") out:flush() end
local function wait(what, fits) if not vim.wait(20000, fits, 20) then say("timeout", what) end end
local function ask(method, params)
  local all = vim.lsp.buf_request_sync(0, method, params, 20000) or {}
  for _, answer in pairs(all) do return answer.result end
end
local function go(pattern, more)
  vim.fn.cursor(1, 1)
  local line, column = unpack(vim.fn.searchpos(pattern, "cW"))
  vim.api.nvim_win_set_cursor(0, {line, column - 1 + (more or 0)})
end
vim.cmd("edit shop.gram")
wait("client", function() return #vim.lsp.buf_get_clients(0) > 0 and vim.lsp.buf_get_clients(0)[next(vim.lsp.buf_get_clients(0))].initialized ~= false end)
wait("findings", function() return #vim.diagnostic.get(0) > 0 end)
say("finding", vim.diagnostic.get(0)[1].message)
say("line", vim.diagnostic.get(0)[1].lnum)
-- The safe fix, by the editor's own way of applying edits.
local where = vim.lsp.util.make_given_range_params({4, 0}, {4, 60})
where.context = {diagnostics = {}}
for _, action in ipairs(ask("textDocument/codeAction", where) or {}) do
  if action.isPreferred then vim.lsp.util.apply_workspace_edit(action.edit, "utf-16") say("action", action.title) break end
end
wait("mended", function() return #vim.diagnostic.get(0) == 0 end)
say("mended", vim.fn.getline(4))
go("::Color", 3)
local items = ask("textDocument/completion", vim.lsp.util.make_position_params())
local names = {}
for _, item in ipairs(vim.lsp.util.extract_completion_items(items)) do names[#names + 1] = item.label end
say("completion", table.concat(names, ","))
vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"
go("find:", 1)
say("hover", table.concat(vim.lsp.util.convert_input_to_markdown_lines(ask("textDocument/hover", vim.lsp.util.make_position_params()).contents), "\n"))
go("::Color", 3)
vim.lsp.buf.definition()
wait("definition", function() return vim.fn.expand("%:t") == "types.gram" end)
say("definition", vim.fn.expand("%:t") .. ":" .. vim.fn.line("."))
vim.cmd("edit shop.gram")
go("find:", 1)
vim.lsp.buf.rename("look")
wait("rename", function() return vim.fn.search("\\[look:Tool", "nw") > 0 end)
say("renamed", vim.fn.search("\\[look:Tool", "nw"))
vim.cmd("edit desk.gram")
say("renamed in the library", vim.fn.getline(1))
vim.cmd("edit shop.gram")
vim.fn.setline(4, (vim.fn.getline(4):gsub("%(color", "(   color")))
vim.lsp.buf.formatting_sync({}, 20000)
say("formatted", table.concat(vim.fn.getline(1, "$"), "\n"))
out:close()
vim.cmd("qall!")
'''
FILES = {"types.gram": '[Color:Text {enum: ["red", "green"]}]\n',
         "shop.gram": '{imports: ["types.gram"]}\n[clerk:Agent {model: "OpenAI/x"} |\n  [find:Tool {description: "Finds"} |\n    (color::Color)==>(size::Itn)==>(::Text)]\n]\n',
         "desk.gram": '[desk:ToolLibrary {description: "d"} | [find:ToolImpl {returns: "a box"}]]\n', "gramc.gram": '{kind: "configuration"}\n', "init.lua": setup, "test.lua": SCRIPT}
with tempfile.TemporaryDirectory() as folder:
    for name, text in FILES.items(): open(os.path.join(folder, name), "w").write(text)
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(gramc, os.path.join(folder, "bin", "gramc"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"], GRAMC_OUT=os.path.join(folder, "out"), HOME=folder,
                       XDG_STATE_HOME=folder, XDG_DATA_HOME=folder, XDG_CACHE_HOME=folder, NVIM_LOG_FILE=os.path.join(folder, "log"))
    run = subprocess.run(["nvim", "--headless", "-u", "init.lua", "-i", "NONE", "-n", "-c", "set hidden", "-c", "luafile test.lua", "-c", "qall!"], cwd=folder, env=environment,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    said = dict(line.split("=", 1) for line in open(os.path.join(folder, "out")).read().splitlines())
check("timeout" not in said, said, run.stdout)
check("Itn" in said.get("finding", "") and said.get("line") == "3", "diagnostics", said, run.stdout)
check("Int" in said.get("action", "") and "size::Int" in said.get("mended", ""), "code action", said)
check("Color" in said.get("completion", "").split(",") and "Text" in said["completion"].split(","), "completion", said)
check('"color"' in said.get("hover", "") and "desk" in said["hover"], "hover", said)
check(said.get("definition") == "types.gram:1", "definition", said)
check(said.get("renamed") == "3" and "[look:ToolImpl" in said.get("renamed in the library", ""), "rename", said)
text = FILES["shop.gram"].replace("(color", "(   color").replace("Itn", "Int").replace("find", "look")
pretty = subprocess.run([gramc, "fmt", "-"], input=text, capture_output=True, text=True).stdout
check(pretty != text and said.get("formatted") == pretty.rstrip("\n").replace("\n", "\\n"), "formatting", said.get("formatted"), pretty)
finish(8)
