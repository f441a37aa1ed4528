#!/bin/sh
# Documentation that cannot rot: every ```gram block of the README and of docs/ is checked, and so is
# every file in specs/. A block may be broken on purpose only as ```gram-broken, and must be then.
set -u
source=$1 gramc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 blocks=0

# Writes the blocks of a file to $work/N.KIND.gram. A longer fence may hold a shorter one.
extract() {
    awk -v work="$work" -v start="$blocks" '
        BEGIN { n = start }
        !open && /^```+gram(-broken)?$/ { open = 1; fence = $0; sub(/gram.*/, "", fence); kind = ($0 ~ /broken/) ? "broken" : "good"; n++; file = work "/" n "." kind ".gram"; printf "" > file; next }
        open && $0 == fence { open = 0; close(file); next }
        open { print > file }
        END { print n }' "$1"
}

for page in "$source/README.md" "$source"/docs/*.md "$source"/docs/*/*.md; do
    [ -e "$page" ] || continue
    before=$blocks
    blocks=$(extract "$page")
    i=$before
    while [ "$i" -lt "$blocks" ]; do
        i=$((i + 1))
        if [ -e "$work/$i.good.gram" ]; then
            "$gramc" check "$work/$i.good.gram" || { echo "$page: block $((i - before))"; bad=1; }
        else
            "$gramc" check "$work/$i.broken.gram" >/dev/null && { echo "$page: block $((i - before)) is not broken"; bad=1; }
        fi
    done
done
for spec in $(find "$source/specs" -name '*.gram' | sort); do
    "$gramc" check --strict "$spec" || { echo "$spec"; bad=1; }
done
"$gramc" fmt --check "$source/specs" || { echo "these specs are not formatted: gramc fmt specs"; bad=1; }
[ "$blocks" -gt 4 ] || { echo "only $blocks blocks found"; bad=1; }
echo "$blocks blocks and all specs checked"
exit $bad
