#!/bin/bash
# Experiments whose runs somebody else has a say in: calls that have to be approved of.
set -u
gramc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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

# ## Approval: nobody is asked
cat >wipe.gram <<'END'
[cleaner:Agent {instruction: "Clean"} | [wipe:Tool {description: "Wipes", destructive: true} | ()==>(::Text)]]
[one:ToolLibrary | [wipe:ToolImpl {exec: ["sh", "-c", "echo one >>wiped; echo clean"]}]]
[two:ToolLibrary | [wipe:ToolImpl {exec: ["sh", "-c", "echo two >>wiped; echo clean"]}]]
[tidy:Experiment {cases: "rooms.jsonl"} |
  [a:Arm {agent: cleaner, library: one}], [b:Arm {agent: cleaner, library: two}],
  [done:Grader {contains: "clean"}]]
END
printf '{"id": "hall", "message": "Clean the hall"}\n{"id": "attic", "message": "Clean the attic"}\n' >rooms.jsonl
denied="arm b: wipe: denied in every run"
expect 0 "$denied" experiment wipe.gram run --model mock
[ -e wiped ] && complain "a tool that nobody approved of was called"
grep -qF "a (one)  0.0 %" out || complain "denied calls count as passed: $(cat out)"
expect 0 "$denied" experiment wipe.gram run --model mock --approve other
[ -e wiped ] && complain "another tool's approval was taken for this one's"
"$gramc" experiment wipe.gram run --model mock --approve wipe --id given >out 2>&1 || complain "$(cat out)"
grep -q "denied" out && complain "it says that what was approved of is denied"
[ "$(sort wiped | uniq -c | tr -s ' \n' ' ')" = " 2 one 2 two " ] || complain "approved calls: $(cat wiped)"
expect 2 "was begun with another plan" experiment wipe.gram resume --model mock --id given
rm wiped
expect 0 "equivalent" ab wipe.gram --agent cleaner --a wipe.gram#one --b wipe.gram#two --cases rooms.jsonl --expect clean \
    --model mock --approve-all --store ab.db --margin 0.9
[ "$(wc -l <wiped)" = 4 ] || complain "ab made $(wc -l <wiped) approved calls, not 4"
exit $bad
