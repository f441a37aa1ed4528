#!/bin/bash
# Experiments whose runs somebody else has a say in: calls that have to be approved of, and a judge who
# prefers one answer to another, asked over the wire, killed in between, silent, and too dear.
set -u
gramc=$1 runs=5
[ "${GRAMC_LONG:-}" ] && runs=50
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need python3 "makes the judge"
same=$(cd "$(dirname "$0")/../support" && pwd)/same_report.py
work=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir .git

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

# ## Preferences
# The judge: prefers the answer that says "well", whichever order it comes in. `mode` says otherwise.
cat >judge.py <<'END'
import http.server, json, os, threading, time
lock = threading.Lock()
class Judge(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *_): pass
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = json.loads([m["content"] for m in body["messages"] if m["role"] == "user"][0])
        mode = open("mode").read().strip()
        with lock, open("asked.log", "a") as log:
            log.write("%s|%s|%s\n" % (asked["case"]["id"], asked.get("first", asked.get("answer")), asked.get("second", "")))
        both = "first" in asked
        well = ["well" in asked[place] for place in (("first", "second") if both else ("answer", "answer"))]
        better = "tie" if well[0] == well[1] else "first" if well[0] else "second"
        if mode == "place": better = "first"
        if mode.startswith("slow"): time.sleep(float(mode[4:]))
        said = json.dumps({"reason": "it says well", "better": better})
        if not both: said = json.dumps({"reason": "it says so", "score": float(well[0]), "pass": well[0]})
        if mode == "refuse" or (mode == "refuse case2" and asked["case"]["id"] == "case2"):
            said = "I would rather not judge that."
        status = 503 if mode == "down" else 200
        answer = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "judge-1",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Judge)
open("port.new", "w").write(str(server.server_address[1]))
os.rename("port.new", "port")
server.serve_forever()
END
echo fair >mode
python3 judge.py 2>judge.log &
server=$!
for _ in $(seq 100); do [ -e port ] && break; sleep 0.1; done
[ -e port ] || { echo "the judge did not start"; exit 1; }
cat >gramc.gram <<'END'
{kind: configuration}
[`judge-1`:Model {inputPerMillion: 10, outputPerMillion: 20}]
END
# By the place of the case in the order of the plan: at every fifth b says less than a, at the third it
# says more, and at all others both say the same.
cat >tool.sh <<'END'
place=$(echo "$GRAMC_CELL_ID" | cut -d- -f2)
echo "$GRAMC_CELL_ID" >>calls.log
case $1-$place in a-2) echo "seen"; exit;; b-*[05]) echo "seen"; exit;; esac
echo "seen well"
END
write_spec() {
    cat >spec.gram <<END
[asker:Agent {instruction: "Ask"} | [look:Tool {description: "Looks"} | ()==>(::Text)]]
[even:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "a"]}]]
[odd:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "b"]}]]
[which:Experiment {cases: "cases.jsonl", seed: 3, metric: better, repeats: 2, margin: 0.05 ${1:-}} |
  [a:Arm {agent: asker, library: even}], [b:Arm {agent: asker, library: odd}] ${2:-},
  [better:Grader {prefer: "Which says that it went well?", model: "judge-1"}]]
END
}
for i in $(seq 20); do echo "{\"id\": \"case$i\", \"message\": \"Look $i\"}"; done >cases.jsonl
write_spec
model="--model mock --base-url http://127.0.0.1:$(cat port)/v1"
export OPENAI_API_KEY=none
# costs FILE: what the judges of each arm have cost
costs() { python3 -c 'import json, sys; print(*[round(a["judge_cost"], 6) for a in json.load(open(sys.argv[1]))["arms"]])' "$1"; }
asked() { wc -l <asked.log; }

expect 0 "-7.5 pp" experiment spec.gram run $model --report whole.json
[ "$(asked)" = 80 ] || complain "40 preferences in both orders took $(asked) questions"
[ "$(cut -d'|' -f1 asked.log | sort | uniq -c | grep -c '^ *4 ')" = 20 ] || complain "not every case was judged four times"
[ "$(costs whole.json)" = "0 0.96" ] || complain "the judge cost $(costs whole.json), not 0 0.96"

# One who prefers whichever comes first prefers nothing.
echo place >mode
expect 0 "  0.0 pp (-16.1 to +16.1)" experiment spec.gram run $model --id place
echo fair >mode

# Each other arm is compared with the first.
: >asked.log
write_spec '' ', [c:Arm {agent: asker, library: even}]'
expect 0 "c against a, better" experiment spec.gram run $model --id three
[ "$(asked)" = 160 ] || complain "80 preferences in both orders took $(asked) questions"
expect 0 "-7.5 pp" experiment spec.gram report --id three
write_spec

# A judge who refuses has not judged: asked again, never scored, missing in the end.
echo refuse case2 >mode
expect 3 "lack a cell" experiment spec.gram run $model --id refused
expect 3 "case case2, arm b: grader better: the judge did not judge" experiment spec.gram resume $model --id refused
write_spec ', maxMissing: 0.1'
expect 0 "warning: 2 of 40 comparisons" experiment spec.gram run $model --id patient
grep -qF "case case2, arm b: grader better: the judge did not judge" out || complain "it does not say who was not judged"
grep -q "19 cases show" out || complain "a case without a verdict takes part: $(cat out)"
echo fair >mode
: >asked.log
expect 0 "-7.5 pp" experiment spec.gram resume $model --id patient --report patient.json
[ "$(asked)" = 4 ] && ! grep -qv '^case2|' asked.log || complain "resume asked for more than the missing: $(cat asked.log)"
write_spec
expect 0 "-7.5 pp" experiment spec.gram resume $model --id refused --report refused.json
python3 "$same" whole.json refused.json && complain "what was asked in vain cost nothing"

# What the judge may cost is told apart from what the runs may.
expect 2 "--max-judge-cost takes a number" experiment spec.gram run $model --max-judge-cost much
expect 0 "its judges have cost 0.12" experiment spec.gram run $model --id dear --max-judge-cost 0.1 --concurrency 1
expect 0 "-7.5 pp" experiment spec.gram resume $model --id dear --max-judge-cost 1 --max-cost 0.000001 --report dear.json
python3 "$same" whole.json dear.json || complain "a run that used up its judges' money tells something else"

# What judges said is recorded with the runs, and played: nobody is asked, and no key is needed.
write_both() {
    write_spec "${1:-}" ', [kind:Grader {rubric: "Is it well?", model: "judge-1", required: false}]'
}
write_both
expect 0 "recorded 80 runs" experiment spec.gram run $model --id taped --record tapes --report taped.json
expect 0 "recorded 80 runs" experiment spec.gram run $model --id taped2 --record tapes2
diff -r tapes tapes2 >out || complain "equal runs were recorded differently: $(head -5 out)"
: >asked.log
unset OPENAI_API_KEY
expect 0 "-7.5 pp" experiment spec.gram run --model OpenAI/other --replay tapes --report played.json
export OPENAI_API_KEY=none
[ "$(asked)" = 0 ] || complain "a judge that was recorded was asked $(asked) times"
python3 - <<'END' || complain "what was played tells something else"
import json, sys
taped, played = (json.load(open(name)) for name in ("taped.json", "played.json"))
def values(report):
    late = [m["name"] for m in report["metrics"]].index("latency")
    return [[[v for i, v in enumerate(arm["values"]) if i != late] for arm in case["arms"]] for case in report["cases"]]
sys.exit(values(taped) != values(played))
END
expect 0 "-7.5 pp" experiment spec.gram run $model --replay tapes --live judges
[ "$(asked)" = 160 ] || complain "--live judges asked $(asked) questions, not 160"
sed -i 's/Which says that it went well/Which says so/' spec.gram
expect 3 "the judge did not judge: cassette-miss" experiment spec.gram run $model --replay tapes
write_both
sed -i '/"grader":"kind"/d' tapes/case4.jsonl
expect 3 "case case4" experiment spec.gram run $model --replay tapes
grep -qF "cassette-miss: what the judge of kind said is not recorded" out || complain "a missing judge is not said: $(cat out)"
write_spec

# Interrupted and killed at any moment: what was judged is not asked again, and nothing counts twice.
echo slow0.05 >mode
"$gramc" experiment spec.gram run $model --id stopped >out 2>&1 &
runner=$!
sleep 0.5
kill -INT $runner
wait $runner
got=$?
[ $got = 130 ] || complain "an interrupted run gave $got, not 130: $(cat out)"
echo slow0.005 >mode
expect 0 "-7.5 pp" experiment spec.gram resume $model --id stopped --report stopped.json
python3 "$same" whole.json stopped.json || complain "a run that was interrupted tells something else"
echo slow0.06 >mode # a run takes longer than the four kills, on a fast machine too
killed=0
for number in $(seq "$runs"); do
    : >asked.log
    verb=run
    for round in 1 2 3 4; do
        "$gramc" experiment spec.gram $verb $model --id "k$number" >out 2>&1 &
        runner=$!
        sleep 0.$((RANDOM % 30 + 10))
        kill -9 $runner 2>/dev/null && killed=$((killed + 1))
        wait $runner 2>/dev/null
        "$gramc" experiment spec.gram status --id "k$number" >out 2>&1 && verb=resume
    done
    "$gramc" experiment spec.gram $verb $model --id "k$number" --report killed.json >out 2>&1 ||
        complain "run k$number was not finished: $(cat out)"
    python3 "$same" whole.json killed.json || complain "run k$number tells something else"
    # Four items at a time, two questions each; what was asked within the last 50 ms may be asked again.
    [ "$(asked)" -le $((80 + 4 * 32)) ] || complain "run k$number asked $(asked) questions for 80"
done
echo "$killed kills in $runs runs"
[ $killed -ge $((3 * runs)) ] || complain "only $killed of $((4 * runs)) kills hit"
exit $bad
