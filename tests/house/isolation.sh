#!/bin/bash
# What keeps state between calls, in an experiment: MCP servers, programs that stay, plugins. By
# default each is an arm's alone; with `isolation: run` it is a cell's alone, begins anew, knows its
# cell, and is gone when the cell is over. Programs of one call and the reset command know theirs too.
set -u
gramc=$1 build=$2
. "$(dirname "$0")/../support/need.sh"
need python3 "is the server"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
mkdir tmp .git
export TMPDIR=$work/tmp
bad=0 together=2
complain() { echo "$*"; bad=1; }

cat >look.py <<'END2'
import json, os, sys
count = 0
def look():
    global count
    count += 1
    scratch = os.environ.get("GRAMC_SCRATCH")
    with open("looked.log", "a") as log:
        log.write("%d %d %s %s\n" % (os.getpid(), count, os.environ.get("GRAMC_CELL_ID", "none"),
                  "scratch" if scratch and os.access(scratch, os.W_OK) else "none"))
def mcp(message):
    method = message.get("method")
    if method == "initialize":
        return {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}},
                "serverInfo": {"name": "look", "version": "1"}}
    if method == "tools/list":
        return {"tools": [{"name": "look", "description": "Looks", "inputSchema": {"type": "object", "properties": {}}}]}
    if method == "tools/call":
        look()
        return {"content": [{"type": "text", "text": "seen"}]}
def answer(message):
    if sys.argv[1] == "stay":
        look()
        return {"id": message["id"], "result": "seen"}
    result = mcp(message)
    if result is None:
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}
if sys.argv[1] == "once":
    look()
    print("seen")
    sys.exit()
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message: print(json.dumps(answer(message)), flush=True)
END2
printf '%s\n' '[ -d "$GRAMC_SCRATCH" ] && echo "$GRAMC_CELL_ID" >>resets.log' >reset.sh
for i in 1 2 3; do echo "{\"id\": \"c$i\", \"messages\": [\"Look\", \"Look again\"]}"; done >cases.jsonl

# run TOOL: an experiment of three cases and two arms that have the same in their libraries, two calls
# a cell. Leaves looked.log: process, its how manieth call, cell, whether the scratch folder is there.
run() {
    cat >spec.gram <<END2
[asker:Agent {instruction: "Ask"} | [look:Tool {description: "Looks"} | ()==>(::Text)]]
[one:ToolLibrary | $1]
[other:ToolLibrary | $1]
[try:Experiment {cases: "cases.jsonl", seed: 3, reset: ["sh", "reset.sh"]} |
  [a:Arm {agent: asker, library: one}], [b:Arm {agent: asker, library: other}],
  [seen:Grader {contains: "seen"}]]
END2
    rm -f looked.log resets.log .gramc/*
    "$gramc" experiment spec.gram run --model mock --concurrency "$together" >out 2>&1 || { cat out; complain "it does not run: $1"; }
    grep -q '6 of 6 runs done' out || { cat out; complain "not all runs are done: $1"; }
    [ "$(wc -l <looked.log)" = 12 ] || { cat looked.log; complain "$(wc -l <looked.log) calls, not 12: $1"; }
    [ "$(sort -u resets.log | wc -l)" = 6 ] || complain "not every cell was reset: $1"
    for pid in $(cut -d' ' -f1 looked.log | sort -u); do kill -0 "$pid" 2>/dev/null && complain "process $pid outlives the experiment: $1"; done
    [ -z "$(ls tmp)" ] || complain "something is left in TMPDIR: $1"
}
column() { cut -d' ' -f"$1" looked.log | sort -u; }
cells_are_known() {
    [ "$(column 3 | wc -l)" = 6 ] && ! column 3 | grep -q none || { cat looked.log; complain "a call does not know its cell: $1"; }
    [ "$(column 3)" = "$(sort -u resets.log)" ] || complain "the reset names another cell than the calls: $1"
    [ "$(column 4)" = scratch ] || { cat looked.log; complain "a call has no scratch folder: $1"; }
}
# An arm's alone: two processes, whose state goes on from cell to cell; which cell it is they cannot know.
belongs_to_arms() {
    together=1 # programs that stay come in pools
    run "$1"
    [ "$(column 1 | wc -l)" = 2 ] || { cat looked.log; complain "arms share a process, or have several: $1"; }
    [ "$(column 2 | sort -n | tail -1)" = 6 ] || { cat looked.log; complain "an arm's process has begun anew: $1"; }
    [ "$(column 3)" = none ] || complain "a process of many cells names one: $1"
}
belongs_to_cells() {
    together=2
    run "$1"
    [ "$(column 1 | wc -l)" = 6 ] || { cat looked.log; complain "cells share a process: $1"; }
    [ "$(column 2 | tr '\n' ' ')" = '1 2 ' ] || { cat looked.log; complain "state leaks from cell to cell: $1"; }
    [ "$(cut -d' ' -f1,3 looked.log | sort -u | wc -l)" = 6 ] || complain "a process has calls of two cells: $1"
    cells_are_known "$1"
}

server='[box:McpServer {command: ["python3", "look.py", "mcp"]'
belongs_to_arms "$server}]"
belongs_to_cells "$server, isolation: run}]"
stays='[look:ToolImpl {exec: ["python3", "look.py", "stay"], persistent: true'
belongs_to_arms "$stays}]"
belongs_to_cells "$stays, isolation: run}]"
plugin="[look:ToolImpl {plugin: \"$build/tests/plugin/libcell.so\", symbol: \"look\""
belongs_to_arms "$plugin}]"
belongs_to_cells "$plugin, isolation: run}]"
run '[look:ToolImpl {exec: ["python3", "look.py", "once"]}]'
cells_are_known 'a program of one call'
exit $bad
