#!/bin/sh
# The npm package `gramc-wasm`, libgramc as WebAssembly for Node and browsers; and the playground, one page.
#     packaging/wasm.sh [OUT]     OUT/gramc-wasm-VERSION.tgz and OUT/playground.html; OUT is build/packages
set -eu
. "$(dirname "$0")/common.sh"
need npm npm
need emcc emscripten
out=${1:-$source/build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
built=$source/build/wasm
sh "$source/wasm/build.sh" "$built" >"$out/wasm.log" 2>&1 || { tail -n 40 "$out/wasm.log" >&2; fail "it cannot be built"; }
rm "$out/wasm.log"
# npm gives every file the same time by itself; the same rights they get here.
chmod 644 "$built"/module/*
(cd "$built/module" && npm pack --silent --ignore-scripts --pack-destination "$out" >/dev/null)
cp "$built/playground.html" "$out"
for file in "$out/gramc-wasm-$version.tgz" "$out/playground.html"; do say "$file: $(stat -c %s "$file") bytes"; done
