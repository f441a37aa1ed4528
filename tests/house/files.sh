#!/bin/sh
# Every .c that git tracks is compiled by this build, and read by the style test: a glob that misses
# a folder would leave its files out without a word. No link is tracked: what it leads to is on one
# machine alone.
set -u
source=$1 build=$2
cd "$source" || exit 2
. "$(dirname "$0")/../support/need.sh"
# The folder may be somebody else's, who lets us read it.
tracked=$(git -c safe.directory="$source" ls-files '*.c') || lack "git does not know this tree"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
sh tests/house/style.sh . --list | sort >"$work/checked"
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$build/compile_commands.json" | sort -u >"$work/built"
bad=0 seen=0
for file in $tracked; do
    [ -e "$file" ] || continue
    seen=$((seen + 1))
    grep -qxF "$file" "$work/checked" || { echo "$file is not read by style.sh"; bad=1; }
    grep -qxF "$source/$file" "$work/built" || { echo "$file is not compiled"; bad=1; }
done
links=$(git -c safe.directory="$source" ls-files -s | sed -n 's/^120000 [^\t]*\t//p')
[ -z "$links" ] || { echo "links are tracked: $links"; bad=1; }
[ "$seen" -gt 300 ] || { echo "only $seen files are tracked"; bad=1; }
echo "$seen files are built and checked"
exit $bad
