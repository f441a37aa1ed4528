#!/bin/sh
# All benchmarks on one build, one after the other: bench/run.sh build/release
set -eu
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "# text to tree"
"$build/bench/bench_parse"
echo "# text to schemas"
"$build/bench/bench_compile"

cat >"$work/ten.gram" <<'G'
// Ten lines, one tool.
[helper:Agent {
  description: "Answers",
  model: "OpenAI/gpt-4o-mini"
} |
  [lookUp:Tool { description: "Looks a word up" } |
    (word::Text {minLength: 1})
    ==>(limit::Int {default: 10})
    ==>(::Text)
  ]]
G
echo "# start-up: an empty program, gramc check and gramc compile on ten lines (median of 500)"
"$build/bench/bench_startup" 500 -- "$build/bench/empty" -- "$build/bin/gramc" check "$work/ten.gram" \
    -- "$build/bin/gramc" compile "$work/ten.gram"

sh "$(dirname "$0")/validate/run.sh" "$build"

echo "# specs that are large in one way: processor time at a size and at four times that size"
python3 "$(dirname "$0")/compile/hostile.py" "$build/bin/gramc" || echo "some bounds were not kept"

if [ -x "$build/bench/bench_kinds" ]; then
    echo "# calls of tools by the kind of their implementation"
    here=$(cd "$build" && pwd)
    "$build/bench/bench_kinds" "$here/libexec/gramc/gramc-host" "$here/bench/" "$here/bench/stay"
fi

if [ -x "$build/bench/bench_spawn" ]; then
    echo "# /bin/true by itself, and under its supervisor (500 of each, in turns)"
    "$build/bench/bench_spawn" 500 "$(cd "$build" && pwd)/libexec/gramc/gramc-host"
fi

if [ -x "$build/bench/bench_mcp" ] && [ -x "$build/tests/mcp_server" ]; then
    "$build/bench/bench_mcp" "$(cd "$build" && pwd)/tests/mcp_server" modern
fi

mkdir "$work/many"
"$build/bench/make_files" "$work/many"
cat "$work"/many/*.gram >"$work/one.gram"
# One spec of all files; of a folder, only the file that has the agent is compiled.
(cd "$work" && echo '{imports: [' && printf '"%s",\n' many/*.gram | sed '$s/,$//' && echo ']}') >"$work/many.gram"
echo "# 10,000 tools in 100 files, and in one (median of 20); beside reading them with cat"
"$build/bench/bench_startup" 20 -- /bin/cat "$work/one.gram" -- "$build/bin/gramc" check "$work/many" \
    -- "$build/bin/gramc" check "$work/one.gram" \
    -- "$build/bin/gramc" compile --agent agent_7 "$work/many" \
    -- "$build/bin/gramc" compile --agent agent_7 "$work/many.gram"

if [ -x "$build/bench/bench_http" ]; then
    echo "# 1,000 slow HTTP tools at once on one loop"
    "$build/bench/bench_http"
fi

if [ -x "$build/libexec/gramc/gramc-run" ]; then sh "$(dirname "$0")/serve/run.sh" "$build"; fi

if [ -x "$build/bench/agent_mock" ]; then sh "$(dirname "$0")/agent/run.sh" "$build"; fi

if [ -x "$build/bench/bench_stats" ]; then
    echo "# statistics: what looking after every pair costs and saves (bench_stats --long for 40,000 runs)"
    "$build/bench/bench_stats"
fi

if [ -x "$build/bench/agent_mock" ]; then sh "$(dirname "$0")/experiment/run.sh" "$build"; fi
