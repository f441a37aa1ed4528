#!/bin/sh
# A bundle that is imported compiles to the same bundle: bundles.sh GRAMC FILE.gram...
set -eu
gramc=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
count=0
for file in "$@"; do
    for agent in $(sed -n 's/^\[\([A-Za-z_0-9-]*\):Agent.*/\1/p' "$file"); do
        "$gramc" compile "$file" --agent "$agent" --target bundle >"$tmp/before.json"
        grep -q '"experiments"' "$tmp/before.json" && continue
        "$gramc" import "$tmp/before.json" -o "$tmp/again.gram" 2>"$tmp/findings"
        [ ! -s "$tmp/findings" ] || { echo "$file, $agent: findings"; cat "$tmp/findings"; exit 1; }
        "$gramc" compile "$tmp/again.gram" --target bundle >"$tmp/after.json"
        cmp "$tmp/before.json" "$tmp/after.json" || { echo "$file: $agent differs"; exit 1; }
        count=$((count + 1))
    done
done
echo "$count bundles came back as they were"
[ "$count" -gt 2 ]
