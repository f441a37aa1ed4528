#!/bin/bash
# Processes that share an experiment in PostgreSQL: who may join, what each says that it did, what
# becomes of a dead one's cases, of clocks that are wrong, of a database that is gone for a while or
# for good. Runs below tests/support/postgres.sh, which appends the folder of the server's socket.
set -u
root=$1 gramc=$2 skew=$3 server=${!#}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp
mkdir .git
bad=0
complain() { echo "$*"; bad=1; }

# expect CODE TEXT ARGUMENT...: runs gramc with that end, and that text on either output.
expect() {
    local wanted=$1 text=$2 got
    shift 2
    timeout 120 "$gramc" "$@" >out 2>&1 </dev/null
    got=$?
    if [ $got != "$wanted" ] || ! grep -qF -- "$text" out; then
        head -20 out
        complain "gramc $* gave $got, not $wanted, or did not say: $text"
    fi
}
new_database() {
    createdb -h "$server" -U gramc "$1" || exit 1
    store="postgresql://gramc@/$1?host=$server"
}
ask() { psql -h "$server" -U gramc -d "$1" -Atc "$2"; }
calls() { if [ -e calls.log ]; then wc -l <calls.log; else echo 0; fi; }

cat >tool.sh <<'END'
printf '%s %s\n' "$GRAMC_CELL_ID" "$1" >>calls.log
[ -e slow ] && sleep "$(cat slow)"
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
write_spec ''

# ## Who may join
new_database join
expect 2 "--store names the database" worker spec.gram --model mock
expect 2 "has no experiment try to join" worker spec.gram --model mock --store "$store"
expect 0 "regression: b is worse than a" experiment spec.gram run --model mock --store "$store"
expect 0 "nothing is open" worker spec.gram --model mock --store "$store"
expect 0 "all 25 cases are finished" worker spec.gram --model mock --store "$store" --id try
expect 2 "has no experiment other to join" worker spec.gram --model mock --store "$store" --id other
refused() { expect 2 "was begun with another plan" "${@:2}"; grep -qF -- ": $1" out || { cat out; complain "it does not say: $1"; }; }
join=(worker spec.gram --model mock --store "$store" --id try)
sed -i 's/Look 7"/Look at 7"/' cases.jsonl
refused "its cases" "${join[@]}"
sed -i 's/Look at 7"/Look 7"/' cases.jsonl
sed -i 's/"tool.sh", "odd"/"tool.sh", "strange"/' spec.gram
refused "the library of arm b" "${join[@]}"
write_spec ''
sed -i 's/instruction: "Ask"/instruction: "Ask again"/' spec.gram
refused "the agent of arm a, the agent of arm b" "${join[@]}"
write_spec ', metric: score'
refused "its settings" "${join[@]}"
write_spec ''
sed -i 's/contains: "well"/contains: "good"/' spec.gram
refused "its graders" "${join[@]}"
write_spec ''
echo '{"event":"header","format":"gramc-trace","version":2}' >model.jsonl
refused "the model of arm a, the model of arm b" "${join[@]}" --model script:model.jsonl

exit $bad
