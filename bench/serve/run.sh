#!/bin/sh
# gramc serve under wrk: requests a second, latencies, failures, CPU a request, and whether its memory
# stays as it is. bench/serve/run.sh build/release [SECONDS], 10 without; 600 for a long look.
set -eu
build=$1 seconds=${2:-10}
if ! command -v wrk >/dev/null; then
    echo "# gramc serve under wrk: skipped, wrk is not installed"
    exit 0
fi
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || :; rm -rf "$work"' EXIT
cat >"$work/spec.gram" <<'G'
[clerk:Agent {description: "Answers", model: "OpenAI/m"} | [look:Tool {description: "Looks"} | (where::Text {default: "here"})==>(::Text)]]
[desk:ToolLibrary {description: "Knows"} | [look:ToolImpl {returns: "a desk"}]]
G
request() { printf 'wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [[%s]]\n' "$1"; }
request '{"message":"Hello"}' >"$work/messages.lua"
request '{"message":"Hello","stream":true}' >"$work/events.lua"
request '{"model":"clerk","messages":[{"role":"user","content":"Hello"}]}' >"$work/completions.lua"
: >"$work/health.lua"

"$build/bin/gramc" serve "$work/spec.gram" --model mock --quiet --max-runs 1000 --listen 127.0.0.1:0 >"$work/address" &
server=$!
while [ ! -s "$work/address" ]; do sleep 0.1; done
address=$(cat "$work/address")
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$server/status"; }
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }

echo "# gramc serve under wrk, 64 connections, $seconds s each: a scripted model, a tool call in each run"
wrk -t1 -c64 -d2s -s "$work/messages.lua" "$address/v1/agents/clerk/messages" >/dev/null
before=$(memory)
# measure NAME PATH
measure() {
    start=$(ticks)
    wrk -t1 -c64 -d"${seconds}s" --latency -s "$work/$1.lua" "$address$2" >"$work/out"
    end=$(ticks)
    awk -v name="$1" -v ticks=$((end - start)) -v hz="$(getconf CLK_TCK)" '
        /^Requests\/sec/ { rate = $2 } / requests in / { count = $1 } /^ +50%/ { half = $2 } /^ +99%/ { worst = $2 }
        /Non-2xx/ { bad = $NF } /Socket errors/ { errors = $0 }
        END {
            printf "%-12s %9.0f requests/s   p50 %8s   p99 %8s   %6.1f us of CPU a request   %d not answered with 2xx%s\n",
                name, rate, half, worst, count ? ticks / hz * 1e6 / count : 0, bad, errors
            exit !count || bad
        }' "$work/out"
}
measure health /health
measure messages /v1/agents/clerk/messages
measure events /v1/agents/clerk/messages
measure completions /v1/chat/completions
after=$(memory)
echo "memory       $before KiB before, $after KiB behind"
[ "$after" -le $((before + 4096)) ] || { echo "the server has grown"; exit 1; }
kill -TERM "$server"
wait "$server" || { echo "the server ended with an error"; exit 1; }
server=
