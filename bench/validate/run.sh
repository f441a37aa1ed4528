#!/bin/sh
# The validator, RapidJSON, Ajv and @sourcemeta/jsonschema on the same calls in one run, members in order and
# shuffled:
#     bench/validate/run.sh BUILD [CALLS [TOOLS]]
# The calls are of schemas.json (five tools without defaults), of tools.json (ten as programs print
# them, half of whose calls are filled in), and of TOOLS, a collection of your own (gen_tool_calls
# says what it may look like). Behind them the schemas and instances on which validators fall off
# cliffs (gen_cliffs), members in order. A peer is left out, and said to be, where it is not installed. Any
# wrong verdict of ours fails.
set -eu
build=$1
count=${2:-300000}
tools=${3:-}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

peer=
if echo '#include <rapidjson/schema.h>' | c++ -E -x c++ - >/dev/null 2>&1; then
    c++ -O2 -DNDEBUG -msse4.2 -DRAPIDJSON_SSE42 "$here/peer_rapidjson.cc" -o "$work/peer" && peer=$work/peer
else
    echo "skipped: rapidjson, whose headers are not installed (apt-get install rapidjson-dev)"
fi
javascript="$here/../../tests/peers/run.sh"
if ! why=$(CI= sh "$javascript" -e 0); then
    echo "skipped: ajv: $why"
    javascript=
fi

# Installed by bench/peers/run.sh, or by npm ci in its folder.
jsonschema=$here/../peers/node_modules/@sourcemeta/jsonschema/build/github-releases
jsonschema=$jsonschema/jsonschema-linux-$(uname -m | sed 's/aarch64/arm64/')
if ! "$jsonschema" version >/dev/null 2>&1; then
    echo "skipped: @sourcemeta/jsonschema, which is not installed (npm ci in bench/peers)"
    jsonschema=
fi

# The first line is what a run pays.
ratios() {
    awk -F'[:,]' '{ print; gsub(/"/, "", $2); for (i = 3; i < NF; i++) if ($i == "\"ns_per_call\"") time[NR] = $(i + 1); name[NR] = $2 }
        END { for (i = 2; i <= NR; i++) printf "%s takes %.1f times as long\n", name[i], time[i] / time[1] }' "$1"
}

# compare SCHEMAS CALLS RUNS: of the peers, once they are warm
compare() {
    "$build/bench/bench_validate" "$1" "$2" >"$work/results"
    # RapidJSON knows no unevaluatedProperties, no $defs and no draft but 4.
    if [ -n "$peer" ] && ! grep -q -e unevaluated -e '"$ref"' "$1"; then "$peer" "$1" "$2" "$3" >>"$work/results"; fi
    if [ -n "$javascript" ]; then
        sh "$javascript" "$here/peer_ajv.mjs" "$1" "$2" "$3" >>"$work/results"
    fi
    # Start-up is taken off, several times a schema: a few schemas, a few runs.
    if [ -n "$jsonschema" ]; then
        python3 "$here/peer_jsonschema.py" "$jsonschema" "$1" "$2" 3 >>"$work/results"
    fi
    ratios "$work/results"
}

for order in "" shuffled; do
    echo "# text in, verdict out: $count calls${order:+, members $order}"
    # shellcheck disable=SC2086
    "$build/bench/gen_calls" "$count" 42 $order >"$work/calls.tsv"
    compare "$here/schemas.json" "$work/calls.tsv" 3
    for collection in "$here/tools.json" ${tools:+"$tools"}; do
        echo "# the same of ${collection##*/}"
        # shellcheck disable=SC2086
        "$build/bench/gen_tool_calls" "$collection" "$work/schemas.json" "$work/calls.tsv" "$count" 42 $order
        compare "$work/schemas.json" "$work/calls.tsv" 3
    done
done

for kind in $("$build/bench/gen_cliffs"); do
    "$build/bench/gen_cliffs" "$kind" "$work/schemas.json" "$work/calls.tsv"
    echo "# $kind"
    compare "$work/schemas.json" "$work/calls.tsv" 30
done
