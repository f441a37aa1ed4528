#!/bin/sh
# Every finding of base/diag/diag.def and every change of compiler/diff/change.def comes out of some golden case:
# a code that no command ever printed is a promise that nobody has seen kept.
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# What the commands of the cases print, files and commands left out.
for case in "$source"/tests/golden/cases/*.test "$source"/tests/golden/run/*.test; do
    LC_ALL=C awk '/^--- / { printed = /^--- std(out|err)/ } printed' "$case"
done >"$work/printed"
LC_ALL=C grep -oE '\[[GD][0-9]+\]|"(code|ruleId)":"[GD][0-9]+"|title=[GD][0-9]+ ' "$work/printed" |
    grep -oE '[GD][0-9]+' | sort -u >"$work/seen"

{ sed -n 's/^DIAG(\(G[0-9]*\),.*/\1/p' "$source/base/diag/diag.def"
  sed -n 's/^CHANGE(\(D[0-9]*\),.*/\1/p' "$source/compiler/diff/change.def"; } | sort -u >"$work/codes"
[ "$(wc -l <"$work/codes")" -gt 150 ] || { echo "only a few codes were found in the tables"; bad=1; }

for code in $(comm -23 "$work/codes" "$work/seen"); do
    echo "$code: no golden case prints it"
    bad=1
done
echo "$(wc -l <"$work/codes") codes"
exit $bad
