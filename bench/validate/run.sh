#!/bin/sh
# The validator and RapidJSON on the same calls in one run, members in order and shuffled:
#     bench/validate/run.sh BUILD [CALLS]
# RapidJSON is left out, and said to be, where its headers or a C++ compiler are missing.
set -eu
build=$1
count=${2:-300000}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

peer=
if echo '#include <rapidjson/schema.h>' | c++ -E -x c++ - >/dev/null 2>&1; then
    c++ -O2 -DNDEBUG -msse4.2 -DRAPIDJSON_SSE42 "$here/peer_rapidjson.cc" -o "$work/peer" && peer=$work/peer
else
    echo "skipped: rapidjson, whose headers are not installed (apt-get install rapidjson-dev)"
fi
for order in "" shuffled; do
    echo "# text in, verdict out: $count calls${order:+, members $order}"
    # shellcheck disable=SC2086
    "$build/bench/gen_calls" "$count" 42 $order >"$work/calls.tsv"
    "$build/bench/bench_validate" "$here/schemas.json" "$work/calls.tsv"
    if [ -n "$peer" ]; then "$peer" "$here/schemas.json" "$work/calls.tsv" 3; fi
done
