#!/bin/sh
# The extension for VS Code, as the .vsix that `code --install-extension` takes. It starts the gramc of the machine.
#     packaging/vsix.sh [OUT]     OUT/gramc-VERSION.vsix; OUT is build/packages
# What it is made with comes from npm, as editors/vscode/package-lock.json pins it.
set -eu
. "$(dirname "$0")/common.sh"
need npm npm
need python3 python3
out=${1:-$source/build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
# Beside it may lie what somebody built there.
(cd "$source/editors/vscode" && tar -cf - --exclude ./node_modules --exclude ./out --exclude '*.vsix' .) | tar -xf - -C "$work/tree"
cd "$work/tree"
grep -q "\"version\": \"$version\"" package.json || fail "editors/vscode/package.json has another version than CMakeLists.txt, $version"
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
# esbuild's own program comes with its package for this machine; nothing else has a script that matters.
npm run --silent build >&2
npx --no-install vsce package --no-dependencies --allow-missing-repository --out ../made.vsix >../vsce.log 2>&1 || { cat ../vsce.log >&2; fail "vsce cannot package it"; }
# Packed again: in the order of names, each file with the commit's time.
python3 - ../made.vsix "$out/gramc-$version.vsix" "$epoch" <<'PYTHON'
import sys, time, zipfile
made, out, when = zipfile.ZipFile(sys.argv[1]), sys.argv[2], time.gmtime(max(int(sys.argv[3]), 315532800))[:6]
with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
    for name in sorted(made.namelist()):
        entry = zipfile.ZipInfo(name, when)
        entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
        packed.writestr(entry, made.read(name))
PYTHON
say "$out/gramc-$version.vsix: $(stat -c %s "$out/gramc-$version.vsix") bytes"
