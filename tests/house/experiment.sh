#!/bin/bash
# gramc experiment from end to end: what it refuses before the first call, what a run sees of its
# cell, and that a run which was interrupted, or had no room left, tells the same when it is resumed
# as one that was not. survives.py kills them.
set -u
gramc=$1
. "$(dirname "$0")/../support/expect.sh"
. "$(dirname "$0")/../support/odd_and_even.sh"
source=$(cd "$(dirname "$0")/../.." && pwd)
same=$source/tests/support/same_report.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp
git init -q . 2>/dev/null || mkdir .git

# The program of both libraries, which tells of its cell.
cat >tool.sh <<'END'
printf '%s %s\n' "$GRAMC_CELL_ID" "$1" >>calls.log
[ -d "$GRAMC_SCRATCH" ] || exit 9
: >"$GRAMC_SCRATCH/left-behind"
[ "$1" = odd ] && [ -e slow ] && sleep "$(cat slow)"
[ -e stubborn ] && { trap "" TERM; sleep 5; }
case $1-$GRAMC_CELL_ID in odd-*-[13579]-0-?-?) echo "seen";; *) echo "seen well";; esac
END
write_cases

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

# ## Two strategies on one library
cp "$source"/specs/experiments/asking.* .
equivalent="equivalent: treatment is as good as control"
expect 0 "$equivalent" experiment asking.gram run --model mock --store asking.db --record mocked
expect 0 "$equivalent" experiment asking.gram report --store asking.db
expect 0 "$equivalent" experiment asking.gram run --replay mocked --store played.db
grep -q "120 runs replayed" out || complain "what the mock said was not replayed"
# A model that calls natively and knows no JSON; one that knows JSON and does not call.
ollama='{"event":"header","format":"gramc-trace","version":1,"protocol":"ollama","model":"llama3.1:8b"}'
says() { printf '{"event":"model.response","content":"%s"%s}\n' "$1" "${2:-}"; }
{
    echo "$ollama"
    says "OK." ',"calls":[{"name":"adder","arguments":"{\"first\":1,\"second\":2}"}]'
    says "Three."
    for _ in 1 2 3 4 5; do says "I cannot do that."; done
} >native.jsonl
{ echo "$ollama"; says "A number."; says "OK."; says '{\"first\": 1, \"second\": 2}'; } >asked.jsonl
expect 0 "regression: treatment is worse than control, by more than 10 pp" \
    experiment asking.gram run --model script:native.jsonl --store native.db --record native
expect 0 "regression: treatment is worse than control, by more than 10 pp" \
    experiment asking.gram run --replay native --store native-played.db
expect 0 "superior: treatment is better than control" \
    experiment asking.gram run --model script:asked.jsonl --store asked.db
# One file of another protocol than the others is a miss that says so.
sed -i 's/"protocol":"ollama"/"protocol":"chat"/' native/sum-02.jsonl
expect 3 "recorded by another protocol than the arm is asked by now" \
    experiment asking.gram run --replay native --store mixed.db
grep -q "internal" out && complain "a recording of another protocol is an internal error"
# A limit of cost that nothing would reach is refused before the first call; the mock costs nothing.
sed 's/strategy: prompted,/strategy: prompted, maxCost: 0.5,/' asking.gram >limited.gram
expect 2 "the cost of the runs is limited, and there is no price of Ollama/llama3.1:8b (arm treatment)" \
    experiment limited.gram run --store limited.db
expect 0 "$equivalent" experiment limited.gram run --model mock --store limited.db --record limited
expect 0 "$equivalent" experiment limited.gram run --replay limited --store limited-played.db
rm -r asking.* played.* native* asked.* mixed.* limited* mocked

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
# Times differ from run to run; everything else does not.
# resumed ID: a run that was stopped tells the same at its end as one that was not.
resumed() {
    rm -f slow
    expect 0 "regression" experiment spec.gram resume --model mock --id "$1" --report "$1.json"
    python3 "$same" whole.json "$1.json" || complain "$1 tells something else than a whole run"
    [ -z "$(ls tmp)" ] || complain "$1 left behind: $(ls tmp)"
}
for signal in INT TERM; do
    echo 0.15 >slow
    "$gramc" experiment spec.gram run --model mock --id "stopped$signal" >out 2>&1 &
    runner=$!
    sleep 0.4
    expect 2 "another process runs this experiment" \
        experiment spec.gram resume --model mock --id "stopped$signal"
    kill -$signal $runner
    wait $runner
    got=$?
    [ $got = 130 ] || { cat out; complain "SIG$signal ended a run with $got, not 130"; }
    resumed "stopped$signal"
done
# Also one whose programs do not want to end.
: >stubborn
"$gramc" experiment spec.gram run --model mock --id stubborn >out 2>&1 &
runner=$!
sleep 0.4
begun=$(date +%s%N)
kill -INT $runner
wait $runner
got=$?
took=$((($(date +%s%N) - begun) / 1000000))
[ $got = 130 ] || { cat out; complain "SIGINT ended a run of stubborn programs with $got, not 130"; }
[ $took -lt 2000 ] || complain "SIGINT took $took ms to end stubborn programs"
rm stubborn
resumed stubborn

# ## The folder of one that was killed: the next one removes it, and no other
echo 0.3 >slow
"$gramc" experiment spec.gram run --model mock --id lives >out 2>&1 &
lives=$!
"$gramc" experiment spec.gram run --model mock --id dies >out2 2>&1 &
runner=$!
sleep 0.5
[ "$(ls tmp | wc -l)" = 2 ] || complain "two runs have $(ls tmp | wc -l) folders"
kill -9 $runner
wait $runner 2>/dev/null
mkdir tmp/gramc-run-young tmp/gramc-run-empty tmp/gramc-other
: >tmp/gramc-run-young/something
ln -s "$work" tmp/gramc-run-link
cp cases.jsonl two.jsonl
rm slow
"$gramc" ab spec.gram --agent asker --a even --b odd --cases two.jsonl --expect well --store ab.db \
    --model mock >out3 2>&1 || { cat out3; complain "a run beside the folder of a dead one fails"; }
[ "$(ls tmp | wc -l)" = 4 ] || complain "beside a folder in use and three that are others': $(ls tmp)"
kill -INT $lives
wait $lives
[ "$(ls tmp | wc -l)" = 3 ] || complain "an interrupted run leaves its folder: $(ls tmp)"
[ -e cases.jsonl ] || complain "a link was followed"
touch -d '2 hours ago' tmp/gramc-run-young # what others have put there
expect 0 "regression" experiment spec.gram resume --model mock --id dies
[ "$(ls tmp | tr '\n' ' ')" = "gramc-other gramc-run-link " ] || complain "left in the end: $(ls tmp)"
rm -r tmp
mkdir tmp

# ## No room, from some moment on
for limit in 20 64 160; do
    (ulimit -f $limit; exec "$gramc" experiment spec.gram run --model mock --store "limited$limit.db" >out 2>&1)
    got=$?
    [ $got = 3 ] || { cat out; complain "files of at most $limit KiB ended a run with $got, not 3"; }
    grep -q "limited$limit.db: " out || { cat out; complain "a run in $limit KiB does not say what failed"; }
    verb=resume
    "$gramc" experiment spec.gram status --store "limited$limit.db" >out 2>&1 || verb=run
    expect 0 "regression" experiment spec.gram $verb --model mock --store "limited$limit.db" --report limited.json
    python3 "$same" whole.json limited.json || complain "a run that had $limit KiB tells something else"
done
mkdir full
if mount -t tmpfs -o size=256k tmpfs full 2>/dev/null; then
    expect 3 "the disk is full; what was written before that is kept" \
        experiment spec.gram run --model mock --store full/s.db
    cp full/s.db* .
    umount full
    expect 0 "regression" experiment spec.gram resume --model mock --store s.db --report limited.json
    python3 "$same" whole.json limited.json || complain "a run on a full disk tells something else"
else
    echo "no disk of 256 KiB can be mounted here: only limits of files were tried"
fi
exit $bad
