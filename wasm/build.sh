#!/bin/sh
# Builds libgramc for WebAssembly with Debian's emscripten, and the npm module around it:
#     build.sh [OUT]
# leaves OUT/module and OUT/playground.html (OUT is build/wasm unless it is named). Nothing is fetched but the sources of PCRE2 and
# libyaml (libraries.sh); emscripten's own ports stay off.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$source/build/wasm}
mkdir -p "$out"
out=$(cd "$out" && pwd)

command -v emcc >/dev/null || { echo "build.sh: emscripten is needed: apt-get install emscripten" >&2; exit 2; }
root=$(em-config EMSCRIPTEN_ROOT)
[ -f "$out/libraries/lib/libyaml.a" ] || sh "$source/wasm/libraries.sh" "$out/libraries"
cmake -S "$source" -B "$out/objects" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$root/cmake/Modules/Platform/Emscripten.cmake" \
    -DGRAMC_RUNTIME=OFF -DGRAMC_BENCH=OFF -DBUILD_TESTING=OFF \
    -DLEMON_TEMPLATE=/usr/share/lemon/lempar.c \
    -DPCRE2_LIBRARY="$out/libraries/lib/libpcre2-8.a" -DPCRE2_INCLUDE="$out/libraries/include" \
    -DYAML_LIBRARY="$out/libraries/lib/libyaml.a" -DYAML_INCLUDE="$out/libraries/include"
cmake --build "$out/objects" -j "${JOBS:-$(nproc)}" --target gramc_wasm

version=$(sed -n 's/^project(gramc VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
rm -rf "$out/module"
mkdir "$out/module"
cp "$out/objects/gramc.wasm" "$source/wasm/gramc.js" "$source/wasm/gramc.d.ts" "$source/wasm/README.md" "$source/LICENSE" "$out/module"
cat >"$out/module/package.json" <<EOF
{
  "name": "gramc-wasm",
  "version": "$version",
  "description": "Checks and compiles agent specs in gram notation, in Node and in browsers",
  "license": "MIT",
  "type": "module",
  "exports": {".": {"types": "./gramc.d.ts", "default": "./gramc.js"}, "./gramc.wasm": "./gramc.wasm"},
  "types": "./gramc.d.ts",
  "engines": {"node": ">=18"},
  "files": ["gramc.wasm", "gramc.js", "gramc.d.ts"]
}
EOF
python3 "$source/wasm/page.py" "$out/module/gramc.wasm" "$out/playground.html"
