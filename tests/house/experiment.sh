#!/bin/bash
# gramc experiment from end to end: what it refuses before the first call, what a run sees of its
# cell, and that a run which is killed at any instant and resumed tells the same as one that was not.
# With --long behind the paths: 200 kills instead of 20.
set -u
gramc=$1 long=${2:-}
kills=20
[ "$long" = --long ] && kills=200
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp
git init -q . 2>/dev/null || mkdir .git
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

# An agent with one tool, and two libraries whose program tells of its cell.
cat >tool.sh <<'END'
printf '%s %s\n' "$GRAMC_CELL_ID" "$1" >>calls.log
[ -d "$GRAMC_SCRATCH" ] || exit 9
: >"$GRAMC_SCRATCH/left-behind"
[ "$1" = odd ] && [ -e slow ] && sleep "$(cat slow)"
case $1-$GRAMC_CELL_ID in odd-*-[13579]-0-?-?) echo "seen";; *) echo "seen well";; esac
END
write_spec() {
    cat >spec.gram <<END
[asker:Agent {instruction: "Ask"} | [look:Tool {description: "Looks"} | ()==>(::Text)]]
[even:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "even"]}]]
[odd:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "odd"]}]]
[try:Experiment {cases: "cases.jsonl", repeats: 2, seed: 3 $1} |
  [a:Arm {agent: asker, library: even}], [b:Arm {agent: asker, library: odd}],
  [well:Grader {contains: "well"}]]
END
}
for i in $(seq 25); do echo "{\"id\": \"case$i\", \"message\": \"Look $i\"}"; done >cases.jsonl

# ## What is refused before anything runs
write_spec ', maxCost: 1'
expect 2 "there is no price of" experiment spec.gram run --model some/model --base-url http://127.0.0.1:9/v1
write_spec ''
expect 0 "Runs:      100 = 25 cases x 2 repeats x 2 arms" experiment spec.gram plan --model mock
[ -e calls.log ] && complain "plan called a tool"
unset OPENAI_API_KEY # nothing is asked: no key is needed
sed 's/{instruction: "Ask"}/{instruction: "Ask", model: "OpenAI\/gpt-4o"}/' spec.gram >keyed.gram
expect 0 "model OpenAI/gpt-4o" experiment keyed.gram plan
expect 2 "OPENAI_API_KEY is not set" experiment keyed.gram run
expect 2 "nothing judges the answers" ab spec.gram --a even --b odd --cases cases.jsonl --model mock
[ -e calls.log ] && complain "what nothing judges was run"
expect 2 "evenn: No such file" ab spec.gram --a evenn --b odd --cases cases.jsonl --model mock
sed -i 's/look:ToolImpl {exec: \["sh", "tool.sh", "odd"\]}/other:ToolImpl {returns: "x"}/' spec.gram
expect 1 "does not bind" experiment spec.gram run --model mock
write_spec ''
cat >>spec.gram <<'END'
[talker:Agent {instruction: "Ask kindly"} | look]
END
sed -i 's/b:Arm {agent: asker/b:Arm {agent: talker/' spec.gram
expect 1 "" experiment spec.gram run --model mock
write_spec ''
sed -i 's/instruction: "Ask"/instruction: "Ask for ${thing}"/' spec.gram
expect 1 "thing" experiment spec.gram run --model mock
write_spec ''
expect 2 "no experiment" experiment spec.gram resume --model mock
expect 2 "none of plan, run, resume" experiment spec.gram begin
expect 2 "gramc experiment spec.gram run" run spec.gram --model mock Hello

# ## A whole run
expect 0 "regression: b is worse than a" experiment spec.gram run --model mock --report whole.json
expect 0 "try: done, 25 of 25 cases" experiment spec.gram status
[ "$(wc -l <calls.log)" = 100 ] || complain "a whole run made $(wc -l <calls.log) calls, not 100"
[ "$(cut -d' ' -f1 calls.log | sort -u | wc -l)" = 100 ] || complain "two cells have one id"
[ -z "$(ls tmp)" ] || complain "a whole run left behind: $(ls tmp)"
expect 2 "goes on with them" experiment spec.gram run --model mock --id try
sed -i 's/Look 7"/Look at 7"/' cases.jsonl
expect 2 "was begun with another plan" experiment spec.gram resume --model mock
sed -i 's/Look at 7"/Look 7"/' cases.jsonl

# ## Reset, before each cell
printf '%s\n' 'echo "$GRAMC_CELL_ID reset" >>resets.log' >reset.sh
write_spec ', reset: ["sh", "reset.sh"]'
expect 0 "100 of 100 runs done" experiment spec.gram run --model mock --id with-reset
[ "$(wc -l <resets.log)" = 100 ] || complain "100 cells were reset $(wc -l <resets.log) times"
printf 'exit 3\n' >reset.sh
expect 3 "lack a cell that the infrastructure has failed" \
    experiment spec.gram run --model mock --id without-reset
write_spec ''

# ## Programs that stay: one for an arm, or one for a cell
cat >stay.py <<'END'
import json, os, sys
for line in sys.stdin:
    with open("stayed.log", "a") as log:
        log.write("%d %s\n" % (os.getpid(), os.environ.get("GRAMC_CELL_ID", "none")))
    print(json.dumps({"id": json.loads(line)["id"], "result": "seen well"}), flush=True)
END
write_stay() {
    cat >stay.gram <<END
[asker:Agent {instruction: "Ask"} | [look:Tool {description: "Looks"} | ()==>(::Text)]]
[one:ToolLibrary | [look:ToolImpl {exec: ["python3", "stay.py"], persistent: true $1}]]
[other:ToolLibrary | [look:ToolImpl {exec: ["python3", "stay.py"], persistent: true $1}]]
[stay:Experiment {cases: "few.jsonl", seed: 3} |
  [a:Arm {agent: asker, library: one}], [b:Arm {agent: asker, library: other}],
  [well:Grader {contains: "well"}]]
END
}
head -3 cases.jsonl >few.jsonl
write_stay ''
expect 0 "6 of 6 runs done" experiment stay.gram run --model mock --concurrency 1
[ "$(cut -d' ' -f1 stayed.log | sort -u | wc -l)" = 2 ] || complain "arms share a process that stays"
write_stay ', isolation: run'
rm stayed.log
expect 0 "6 of 6 runs done" experiment stay.gram run --model mock --concurrency 1
[ "$(cut -d' ' -f1 stayed.log | sort -u | wc -l)" = 6 ] || complain "cells share a process of their own"
[ "$(grep -c 'none$' stayed.log)" = 0 ] || complain "a process of a cell does not know its cell"

# ## Interrupted
echo 0.15 >slow
"$gramc" experiment spec.gram run --model mock --id stopped >out 2>&1 &
runner=$!
sleep 0.4
expect 2 "another process runs this experiment" experiment spec.gram resume --model mock --id stopped
kill -INT $runner
wait $runner
got=$?
[ $got = 130 ] || { cat out; complain "an interrupted run gave $got, not 130"; }
echo 0.01 >slow
expect 0 "regression" experiment spec.gram resume --model mock --id stopped --report stopped.json

# ## Killed
# Times differ from run to run; everything else does not.
cat >same.py <<'END'
import json, sys
def rest(path):
    report = json.load(open(path))
    names = [m["name"] for m in report["metrics"]]
    late = names.index("latency")
    for arm in report["arms"]:
        arm["metrics"] = [m for m in arm["metrics"] if m["metric"] != "latency"]
    report["comparisons"] = [c for c in report["comparisons"] if c["metric"] != "latency"]
    report["order_effects"] = [o for o in report["order_effects"] if o["metric"] != "latency"]
    for comparison in report["comparisons"]:
        comparison.pop("p_adjusted", None)
    for case in report["cases"]:
        for arm in case["arms"]:
            arm["values"][late] = None
    return json.dumps(report)
sys.exit(rest(sys.argv[1]) != rest(sys.argv[2]))
END
python3 same.py whole.json stopped.json || complain "a run that was interrupted tells something else"
killed=0 number=0
while [ $killed -lt $kills ] && [ $number -lt $kills ]; do
    number=$((number + 1))
    : >calls.log
    verb=run
    for round in 1 2 3 4 5 6; do
        "$gramc" experiment spec.gram $verb --model mock --id "k$number" >out 2>&1 &
        runner=$!
        sleep 0.0$((RANDOM % 90 + 10))
        kill -9 $runner 2>/dev/null && killed=$((killed + 1))
        wait $runner 2>/dev/null
        "$gramc" experiment spec.gram status --id "k$number" >out 2>&1 && verb=resume
    done
    "$gramc" experiment spec.gram $verb --model mock --id "k$number" --report killed.json >out 2>&1 ||
        { cat out; complain "run k$number was not finished"; }
    python3 same.py whole.json killed.json || complain "run k$number tells something else"
    # Four items run at a time: what was not committed within 50 ms is run again, and no more.
    calls=$(wc -l <calls.log)
    [ "$calls" -le $((100 + 6 * 24)) ] || complain "run k$number made $calls calls for 100 cells"
done
echo "$killed kills in $number runs"
[ $killed -ge $kills ] || complain "only $killed of $kills kills hit"
exit $bad
