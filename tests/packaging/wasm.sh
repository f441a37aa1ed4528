#!/bin/bash
# The npm package for WebAssembly: built, installed offline from its tarball, and used where there is no gramc.
#     wasm.sh SOURCE
set -u
source=$1
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need npm "packs and installs packages"
need node "runs JavaScript"
need emcc "builds for WebAssembly"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
sh "$source/packaging/wasm.sh" out >log 2>&1 || { tail -20 log; complain "packaging/wasm.sh fails"; exit 1; }
[ "$(ls out | wc -l)" = 2 ] || complain "it makes other files: $(ls out)"
grep -q 'Content-Security-Policy' out/playground.html || complain "the playground may connect to somewhere"
mkdir user && cd user && echo '{"private": true}' >package.json
npm_config_cache=$work/cache npm_config_offline=true npm_config_update_notifier=false HOME=$work \
    npm install --no-audit --no-fund ../out/gramc-wasm-*.tgz >log 2>&1 || { cat log; complain "npm cannot install the package"; }
find node_modules/gramc-wasm -type f -printf '%P %m\n' | sort >files
diff - files <<F || complain "the package holds other files"
LICENSE 644
README.md 644
gramc.d.ts 644
gramc.js 644
gramc.wasm 644
package.json 644
F
cp "$source/specs/hello_world.gram" .
cat >use.mjs <<'J'
import assert from "node:assert";
import { readFileSync } from "node:fs";
import { load } from "gramc-wasm";
const gramc = await load();
const { status, output } = gramc.compile(readFileSync("hello_world.gram", "utf8"), "openai");
assert.equal(status, "ok");
assert.equal(JSON.parse(output)[0].type, "function");
assert.equal(gramc.check("[a:Agnt]").status, "findings");
assert.equal(gramc.version().version, JSON.parse(readFileSync("node_modules/gramc-wasm/package.json")).version);
J
env -i PATH=/usr/bin:/bin "$(command -v node)" use.mjs || complain "the functions do not do what they promise"
echo "built, installed offline, used: $(stat -c %s ../out/gramc-wasm-*.tgz) bytes"
exit $bad
