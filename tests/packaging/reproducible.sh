#!/bin/bash
# Two builds from two folders give equal bytes: the one file, the npm package, the whole program, WebAssembly, the Debian packages.
#     reproducible.sh SOURCE [SCRIPT...]    all five, or these
set -u
source=$1
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need npm "packs packages"
need dpkg-shlibdeps "finds what packages need"
shift
[ $# -gt 0 ] || set -- static.sh npm.sh tarball.sh wasm.sh deb.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export SOURCE_DATE_EPOCH=1700000000
git -c safe.directory="$source" -C "$source" ls-files -z >files || lack "git does not know this tree"
for folder in one a/much/longer/name; do
    mkdir -p "$folder"
    tar -C "$source" --null -T files -cf - | tar -xf - -C "$folder"
    for script; do
        sh "$folder/packaging/$script" "$folder/out" >log 2>&1 || { tail -20 log; complain "packaging/$script fails in $folder"; exit 1; }
    done
    # So that nothing is found where the first build was.
    rm -rf "$folder/build"
done
seen=0
for file in one/out/*; do
    seen=$((seen + 1))
    cmp "$file" "a/much/longer/name/out/$(basename "$file")" || complain "$(basename "$file") depends on where it is built"
done
[ $seen -gt $# ] || complain "only $seen files were compared"
echo "$seen files are the same, built in two folders"
exit $bad
