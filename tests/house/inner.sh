#!/bin/bash
# An agent that does a tool of another: the boxes of its own library are asked what they offer and
# called, by a program or at an address that one tells; a change of it is a change of the arm; and
# what it says is not streamed to whoever asked the first.
set -u
gramc=$1
work=$(mktemp -d)
server=
trap '[ -n "$server" ] && kill "$server" 2>/dev/null; wait; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir .git
bad=0
complain() { echo "$*"; bad=1; }

# expect CODE TEXT ARGUMENT...: runs gramc with that end, and that text on either output.
expect() {
    local wanted=$1 text=$2 got
    shift 2
    "$gramc" "$@" >out 2>&1 </dev/null
    got=$?
    if [ $got != "$wanted" ] || ! grep -qF -- "$text" out; then
        head -20 out
        complain "gramc $* gave $got, not $wanted, or did not say: $text"
    fi
}

cat >calc.gram <<'END'
[add:Tool {description: "Adds two numbers"} | (a::Int)==>(b::Int)==>(::Int)]
[calc:ToolLibrary | [add:ToolImpl {builtin: "math.add"}]]
END
cat >spec.gram <<END
[boss:Agent {model: "OpenAI/big"} | [ask:Tool {description: "Asks"} | (message::Text)==>(::Text)]]
[clerk:Agent {model: "OpenAI/small", instruction: "Add."} |
  [add:Tool {description: "Adds two numbers"} | (a::Int)==>(b::Int)==>(::Int)]]
[near:ToolLibrary | [ask:ToolImpl {agent: clerk, library: program}]]
[program:ToolLibrary | [box:McpServer {command: ["$gramc", "serve", "--mcp", "calc.gram"]}]]
[far:ToolLibrary | [ask:ToolImpl {agent: clerk, library: address}]]
[address:ToolLibrary | [box:McpServer {urlFrom: ["cat", "url"]}]]
[asking:Experiment {cases: "cases.jsonl", repeats: 1, seed: 3} |
  [a:Arm {agent: boss, library: near}], [b:Arm {agent: boss, library: far}],
  [sum:Grader {contains: "three"}]]
END
cat >s.jsonl <<'END'
{"event":"header","format":"gramc-trace","version":2}
{"event":"model.response","calls":[{"id":"c","name":"ask","arguments":"{\"message\":\"1+2\"}"}]}
{"event":"inner.model.response","within":"1.1.1","calls":[{"id":"d","name":"add","arguments":"{\"a\":1,\"b\":2}"}]}
{"event":"inner.model.response","within":"1.1.1","content":"Three."}
{"event":"model.response","content":"It is three."}
END
for i in $(seq 12); do echo "{\"id\": \"case$i\", \"message\": \"1+2, for the ${i}th time\"}"; done >cases.jsonl

# ## Boxes of the inner library
run="run spec.gram --agent boss --model script:s.jsonl --trace trace.jsonl"
expect 0 "It is three." $run --library near "1+2"
grep -q '"inner.tool.response".*"outcome":"ok","result":"3"' trace.jsonl || complain "the program was not called"
expect 3 "the program that is asked for its url failed" $run --library far "1+2" # nobody tells an address
"$gramc" serve --mcp calc.gram --listen 127.0.0.1:0 >served 2>&1 &
server=$!
for _ in $(seq 100); do grep -q http served && break; sleep 0.1; done
sed -n 's|.*\(http://[0-9.:]*\).*|\1/mcp|p' served | head -1 >url
expect 0 "It is three." $run --library far "1+2"
grep -q '"inner.tool.response".*"outcome":"ok","result":"3"' trace.jsonl || complain "the server was not called"

# ## Both in an experiment; the inner agent and its library are part of the arm
expect 0 "24 of 24 runs done" experiment spec.gram run --model script:s.jsonl --id both
for change in 's/instruction: "Add."/instruction: "Add well."/' 's/calc.gram"\]}/calc.gram"], timeout: 9s}/'; do
    sed "$change" spec.gram >changed.gram
    expect 0 "asking" experiment changed.gram run --model script:s.jsonl --id changed --store changed.db
    expect 2 "was begun with another plan" experiment changed.gram resume --model script:s.jsonl --id both
    grep -q "the library of arm a" out || complain "the change is not that of the arm's library"
    rm -f changed.*
done
[ $bad = 0 ]
