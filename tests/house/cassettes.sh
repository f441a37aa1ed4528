#!/bin/sh
# Cassettes: what was recorded is played to the same result without model or tools; equal runs give
# equal files; whatever was not recorded is a miss that names its case, and never a result.
set -u
source=$1 gramc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() { echo "$*"; bad=1; }
# expect CODE WORDS... : the command's exit code; what it says is in $work/said
expect() {
    wanted=$1
    shift
    "$@" >"$work/out" 2>"$work/said" </dev/null
    code=$?
    [ $code = "$wanted" ] || { complain "exit $code instead of $wanted: $*"; cat "$work/said"; }
}
said() { grep -q "$1" "$work/said" || { complain "not said: $1"; cat "$work/said"; }; }
found() { grep -q "$1" "$work/out" || { complain "not found: $1"; cat "$work/out"; }; }

# The shop's experiment, as its cassettes lie in the repository.
cp -r "$source/specs/experiments/shop" "$work/shop"
cd "$work/shop" || exit 2
expect 0 "$gramc" experiment shop.gram run --replay cassettes
found 'regression: quick is worse than exact'
found '24 runs replayed, recorded on 20[0-9-]*$'
found 'replay: 72 of 72 calls of models, in 24 of 24 runs, were recorded on 20'
found 'says nothing about what a model would answer today'
expect 1 "$gramc" experiment shop.gram run --replay cassettes -q --fail-if 'regression(success)'
expect 3 "$gramc" experiment shop.gram run --replay cassettes --max 'latency_p95<=60s'
found 'runs were replayed: their times say nothing'
[ -e .gramc ] && complain "what was only played is kept"

# What it will cost: by what was recorded, by what an earlier run used, by the prompts.
cat >gramc.gram <<'END'
{kind: "configuration"}
[`gpt-4o-mini`:Model {inputPerMillion: 1, outputPerMillion: 10}]
END
expect 0 "$gramc" experiment shop.gram plan --replay cassettes
found 'exact: requests 36, tokens in 3855 and out 1217, cost 0.0160 (by 12 recorded runs)'
found 'all arms: cost 0.0321; --replay asks nobody and costs nothing'
expect 0 "$gramc" experiment shop.gram run --replay cassettes --store "$work/earlier.db"
expect 0 env OPENAI_API_KEY=none "$gramc" experiment shop.gram plan --store "$work/earlier.db"
found 'quick: requests 36, tokens in 3855 and out 1217, cost 0.0160 (by 12 earlier runs)'
expect 0 env OPENAI_API_KEY=none "$gramc" experiment shop.gram plan
found 'exact: requests 12 to 120, tokens in at least [0-9]* and out at least 12, cost at least [0-9.]* (by 12 prompts)'
rm gramc.gram

# A tool that says something else than the model was told.
if command -v python3 >/dev/null; then
    expect 0 "$gramc" experiment shop.gram run --replay cassettes --live tools
    found '24 runs replayed'
    sed 's/"plate": "12.00"/"plate": "12.50"/' catalogue.py >changed && mv changed catalogue.py
    expect 3 "$gramc" experiment shop.gram run --replay cassettes --live tools
    said 'case plates, arm [a-z]*: cassette-miss: .*"24.00", the request has "25.00"'
fi
sed 's/words::Text {description: "What/words::Text {description: "Whatever/' shop.gram >changed && mv changed shop.gram
expect 3 "$gramc" experiment shop.gram run --replay cassettes
said 'cassette-miss: request 1 is not the script.s: at /tools/0/'
cp "$source/specs/experiments/shop/shop.gram" .
rm cassettes/mugs.jsonl
expect 3 "$gramc" experiment shop.gram run --replay cassettes
said 'case mugs, .*cassettes/mugs.jsonl: there is no such file'
echo '{"event":"letter"}' >cassettes/mugs.jsonl
expect 3 "$gramc" experiment shop.gram run --replay cassettes
said 'it is no cassette'
sed 's/seed: 7/seed: 8/' shop.gram >changed && mv changed shop.gram
rm -r cassettes && cp -r "$source/specs/experiments/shop/cassettes" .
expect 3 "$gramc" experiment shop.gram run --replay cassettes
said 'recorded with another seed'

# Recorded twice, the files are equal; none of them can be read by others.
cp -r "$source/specs" "$work/specs"
cd "$work/specs/experiments" || exit 2
echo '{kind: "configuration"}' >../gramc.gram
for time in 1 2; do
    expect 0 "$gramc" experiment greeting.gram run --model mock --store "$work/$time.db" --record "$work/tapes$time"
    said 'recorded 12 runs of 2 cases'
done
diff -r "$work/tapes1" "$work/tapes2" || complain "equal runs were recorded differently"
[ -z "$(find "$work/tapes1" -type f ! -perm 600)" ] || complain "others can read what was said"
expect 0 "$gramc" experiment greeting.gram run --replay "$work/tapes1"
found '12 runs replayed'

# Models that are asked anew are not replayed, whatever plays the tools.
expect 0 "$gramc" experiment greeting.gram run --model mock --replay "$work/tapes1" --live models
grep -q 'replayed' "$work/out" && complain "runs with a model that was asked are called replayed"

# What is already there stays, the day of recording too; what changed is written.
sed '1s/20[0-9-]*"}/2020-02-02"}/' "$work/tapes1/by-name.jsonl" >"$work/old" && cp "$work/old" "$work/tapes1/by-name.jsonl"
grep -q 2020-02-02 "$work/tapes1/by-name.jsonl" || complain "no day stands in the first line"
expect 0 "$gramc" experiment greeting.gram run --replay "$work/tapes1"
found 'recorded between 2020-02-02 and 20'
expect 0 "$gramc" experiment greeting.gram run --model mock --store "$work/3.db" --record "$work/tapes1"
cmp -s "$work/old" "$work/tapes1/by-name.jsonl" || complain "an equal recording was written anew"

# Looked after: scrubbed to what is still played, pruned to what is planned, and nothing by --check.
cp -r "$work/tapes1" "$work/tapes3"
expect 0 "$gramc" cassette verify "$work/tapes3"
expect 1 "$gramc" cassette scrub "$work/tapes3" --pattern 'Hello' --check
diff -r "$work/tapes1" "$work/tapes3" >/dev/null || complain "--check wrote something"
expect 0 "$gramc" cassette scrub "$work/tapes3" --pattern 'Hello'
grep -q Hello "$work"/tapes3/*.jsonl && complain "what was to be scrubbed is still there"
expect 0 "$gramc" cassette verify "$work/tapes3"
expect 0 "$gramc" cassette scrub "$work/tapes3" --pattern 'Hello'
said '0 places in 0 of 2 files'
cp "$work/tapes1/by-name.jsonl" "$work/tapes1/nobody.jsonl"
expect 1 "$gramc" cassette prune "$work/tapes1" greeting.gram --check
[ -e "$work/tapes1/nobody.jsonl" ] || complain "--check removed something"
expect 0 "$gramc" cassette prune "$work/tapes1" greeting.gram
found 'of nobody.jsonl'
[ -e "$work/tapes1/nobody.jsonl" ] && complain "nothing was pruned"
cmp -s "$work/old" "$work/tapes1/by-name.jsonl" || complain "pruning changed what is used"
expect 0 "$gramc" experiment greeting.gram run --replay "$work/tapes1"
[ -z "$(find "$work/tapes3" -type f ! -perm 600)" ] || complain "others can read what was scrubbed"
[ "$(id -u)" = 0 ] || { chmod 500 "$work/tapes3"; expect 2 "$gramc" cassette scrub "$work/tapes3" --pattern e; chmod 700 "$work/tapes3"; }

expect 2 "$gramc" experiment greeting.gram run --model mock --live tools
expect 2 "$gramc" experiment greeting.gram run --replay a --record b
expect 2 "$gramc" experiment greeting.gram run --replay a --live everything
exit $bad
