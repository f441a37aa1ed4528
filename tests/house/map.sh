#!/bin/sh
# docs/architecture.md is a map of what is there: every folder with sources has its line, and every
# file that the page names exists.
set -u
cd "$1" || exit 2
page=docs/architecture.md
bad=0 seen=0
for folder in $(find base jsonschema jolt toolbox grammar compiler runtime experiment serve lsp cli wasm -name '*.c' -exec dirname {} + | sort -u); do
    seen=$((seen + 1))
    grep -qF "\`$folder/\`" $page || { echo "$page does not name $folder/"; bad=1; }
done
# A name stands for a file if some tracked path ends in it.
paths=$(find . -type f -not -path './build/*' -not -path '*/node_modules/*' -not -path './.git/*')
for name in $(grep -oE '`[a-z_/]+\*?\.(c|h|re|y|def|tsv|sh|mjs|md)`' $page | tr -d '`' | sort -u); do
    seen=$((seen + 1))
    pattern=$(printf '%s' "$name" | sed 's/\./\\./g; s/\*/[a-z_]*/g')
    printf '%s\n' "$paths" | grep -qE "/$pattern\$" || { echo "$page names $name, which is not there"; bad=1; }
done
[ "$seen" -gt 80 ] || { echo "only $seen names were looked at"; bad=1; }
echo "$seen folders and files are where $page says"
exit $bad
