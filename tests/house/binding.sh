#!/bin/sh
# What gramc bind prints as JSON, for every golden case that binds against a snapshot or without
# boxes: it fits the published schema, with our validator.
set -u
source=$1 gramc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
schema=$source/docs/formats/binding.schema.json
seen=0
for case in "$source"/tests/golden/run/finding-G04*.test "$source"/tests/golden/run/bind-snapshot.test; do
    rm -rf "$work/case"
    mkdir "$work/case"
    awk -v folder="$work/case" '
        /^--- file / { if (file) close(file); file = folder "/" substr($0, 10); printf "" > file; next }
        /^--- / { if (file) close(file); file = ""; next }
        file { print > file }' "$case"
    options="--library tools.gram --no-config --format json"
    [ -f "$work/case/tools.json" ] && options="$options --snapshot tools.json"
    [ -f "$work/case/agent.gram" ] || continue
    seen=$((seen + 1))
    (cd "$work/case" && "$gramc" bind agent.gram $options) >"$work/$seen.json"
done
[ "$seen" -ge 15 ] || { echo "only $seen cases bind"; exit 1; }
"$gramc" validate "$schema" "$work"/*.json || exit 1
echo '{"agent":{"name":"a","fingerprint":"f"},"tools":[{"tool":"t"}],"messages":[]}' >"$work/wrong"
"$gramc" validate "$schema" "$work/wrong" >/dev/null 2>&1 && { echo "$schema accepts anything"; exit 1; }
echo "$seen bindings fit"
