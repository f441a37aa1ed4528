#!/bin/sh
# Documentation that cannot rot: every ```gram block of the README and of docs/ is checked, and so is
# every file in specs/ and docs/tutorial/. A block may be broken on purpose only as ```gram-broken, and must be then.
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

# What a page shows of a file is checked as that file, beside what it imports.
is_of_specs() {
    for spec in $(find "$source/specs" "$source/docs/tutorial" -name '*.gram'); do cmp -s "$spec" "$1" && return; done
    return 1
}

for page in "$source/README.md" "$source"/docs/*.md "$source"/docs/*/*.md; do
    [ -e "$page" ] || continue
    before=$blocks
    blocks=$(extract "$page")
    i=$before
    while [ "$i" -lt "$blocks" ]; do
        i=$((i + 1))
        if [ -e "$work/$i.good.gram" ]; then
            is_of_specs "$work/$i.good.gram" || "$gramc" check "$work/$i.good.gram" || { echo "$page: block $((i - before))"; bad=1; }
        else
            "$gramc" check "$work/$i.broken.gram" >/dev/null && { echo "$page: block $((i - before)) is not broken"; bad=1; }
        fi
    done
done
for spec in $(find "$source/specs" "$source/docs/tutorial" -name '*.gram' | sort); do
    "$gramc" check --strict "$spec" || { echo "$spec"; bad=1; }
done
"$gramc" fmt --check "$source/specs" "$source/docs/tutorial" || { echo "these specs are not formatted: gramc fmt"; bad=1; }
# What pages show of files is what the files say: a block behind a line that ends with `specs/FILE`:
# is that file, and a console block that names one is run, command by command, and compared.
shown=0 commands=0
mkdir "$work/pages"
awk -v work="$work/pages" '
    !open && /`specs\/[^`]*`:$/ { path = $0; sub(/`:$/, "", path); sub(/.*`/, "", path); next }
    !open && /^```+gram$/ && path != "" { open = 1; fence = $0; sub(/gram$/, "", fence); out = work "/" ++n ".shown"; print path > (work "/" n ".path"); printf "" > out; next }
    !open && /^```console$/ { open = 2; fence = "```"; out = work "/" ++n ".console"; printf "" > out; next }
    open && $0 == fence { open = 0; path = ""; close(out); next }
    open { print > out; next }
    /./ { path = "" }' "$source/README.md" "$source"/docs/*.md "$source"/docs/*/*.md
for block in "$work"/pages/*.shown; do
    [ -e "$block" ] || continue
    path=$(cat "${block%.shown}.path")
    diff "$source/$path" "$block" || { echo "a page shows another $path"; bad=1; }
    shown=$((shown + 1))
done
# compare COMMAND WANTED
compare() {
    case $1 in *specs/*) ;; *) return ;; esac
    case $1 in gramc\ run\ *|gramc\ bind\ *|gramc\ experiment\ *) "$gramc" --help | grep -q '^  run ' && [ -x "$(dirname "$gramc")/../libexec/gramc/gramc-run" ] || return ;; esac
    commands=$((commands + 1))
    (cd "$source" && PATH=$(dirname "$gramc"):$PATH sh -c "$1" 2>&1) </dev/null >"$work/got"
    diff "$2" "$work/got" || { echo "a page shows another output of: $1"; bad=1; }
}
for block in "$work"/pages/*.console; do
    [ -e "$block" ] || continue
    command=
    : >"$work/wanted"
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '$ '*) [ -z "$command" ] || compare "$command" "$work/wanted"; command=${line#'$ '}; : >"$work/wanted" ;;
        *) printf '%s\n' "$line" >>"$work/wanted" ;;
        esac
    done <"$block"
    [ -z "$command" ] || compare "$command" "$work/wanted"
done
[ "$shown" -gt 0 ] || { echo "no page shows a file of specs/"; bad=1; }
[ "$commands" -gt 0 ] || { echo "no console block names a file of specs/"; bad=1; }
[ "$blocks" -gt 4 ] || { echo "only $blocks blocks found"; bad=1; }
echo "$blocks blocks, $shown files, $commands commands and all specs checked"
exit $bad
