#!/bin/bash
# The npm package: packed, installed offline from its tarball, used on the command line and from JavaScript.
#     npm.sh SOURCE GRAMC_ALONE GRAMC
set -u
source=$1 alone=$2 gramc=$3
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need npm "packs and installs packages"
need node "runs JavaScript"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export npm_config_cache=$work/cache npm_config_offline=true npm_config_update_notifier=false HOME=$work
arch=$(dpkg --print-architecture 2>/dev/null || uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')

SOURCE_DATE_EPOCH=1700000000 sh "$source/packaging/npm.sh" --program "$arch=$alone" out >log 2>&1 || { cat log; exit 1; }
SOURCE_DATE_EPOCH=1700000000 sh "$source/packaging/npm.sh" --program "$arch=$alone" again >log 2>&1
cmp out/gramc-*.tgz again/gramc-*.tgz || complain "packed twice, the package is not the same"
mkdir user && cd user && echo '{"private": true}' >package.json
npm install --no-audit --no-fund ../out/gramc-*.tgz >log 2>&1 || { cat log; complain "npm cannot install the package"; }
[ "$(ls node_modules)" = gramc ] || complain "the package brought others: $(ls node_modules)"
find node_modules/gramc -type f -printf '%P %m\n' | sort >files
diff - files <<F || complain "the package holds other files"
LICENSE 644
README.md 644
bin/gramc 755
bin/linux-$(node -p process.arch)/gramc 755
formats.d.ts 644
index.d.ts 644
index.js 644
package.json 644
F

# The command, with its exit status.
cp "$source/specs/hello_world.gram" good.gram
printf '[a:Agnt]\n' >bad.gram
npx gramc check --strict good.gram || complain "npx gramc check fails on a good spec"
npx gramc check bad.gram >out 2>&1
[ $? = 1 ] && grep -q 'error\[G0201\]' out || { cat out; complain "npx gramc check does not say what is wrong"; }
npx gramc compile good.gram --target openai >tools.json || complain "npx gramc compile fails"
"$gramc" compile good.gram --target openai | cmp - tools.json || complain "it compiles to something else"
sed -i s/x86_64/x86-64/ node_modules/gramc/bin/gramc
sed -i s/aarch64/arm/ node_modules/gramc/bin/gramc
npx gramc --version >out 2>&1
[ $? = 2 ] && grep -q 'no program for Linux' out || complain "a machine without a program is not told"

# The functions.
cat >use.mjs <<'J'
import assert from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";
import * as gramc from "gramc";
const { check, compile, format, run, GramcError } = gramc;
const text = readFileSync("good.gram", "utf8");
assert.deepEqual(await compile(text, { target: "openai" }), JSON.parse(readFileSync("tools.json", "utf8")));
assert.match(await compile(text, { target: "markdown" }), /^# /);
assert.deepEqual((await check(text)).files[0].diagnostics, []);
const report = await check("[a:Agnt]");
writeFileSync("report.json", JSON.stringify(report));
assert.equal(report.files[0].diagnostics[0].code, "G0201");
await assert.rejects(compile("[a:Agnt]", { target: "openai" }), (e) => e instanceof GramcError && e.code === 1
    && e.report.files[0].diagnostics[0].code === "G0201" && /Agnt/.test(e.message));
await assert.rejects(compile(text, { target: "nowhere" }), (e) => e.code === 2 && /there is no target nowhere/.test(e.message));
await assert.rejects(compile(text, { target: "--help" }), (e) => e.code === 2);
assert.equal(await format('  [t:Tool{description:"d"}|()==>(::Text)]\n'), '[t:Tool {description: "d"} | ()==>(::Text)]\n');
assert.match((await run(["--version"])).stdout, /^gramc /);
await assert.rejects(check(text, { signal: AbortSignal.abort() }), { name: "AbortError" });
const many = Array.from({ length: 3000 }, (_, i) => `[t${i}:Tool {description: "d"} | (a::Int)==>(::Text)]`).join("\n");
assert.equal((await compile(many, { target: "openai" })).length, 3000);
await Promise.all(Array.from({ length: 20 }, () => check(text)));
J
node use.mjs || complain "the functions do not do what they promise"
"$gramc" validate "$source/docs/formats/diagnostics.schema.json" report.json >/dev/null || complain "check() gives something else than its schema says"

# The types name each declared function, and each schema has its type.
for name in $(node -p 'import("gramc").then(m => console.log(Object.keys(m).join(" "))), ""'); do
    grep -qE "declare (function|const|class) $name\b" node_modules/gramc/index.d.ts || complain "index.d.ts knows no $name"
done
[ "$(grep -c '^export type' node_modules/gramc/formats.d.ts)" -ge "$(ls "$source"/docs/formats/*.schema.json | wc -l)" ] || complain "a format has no type"
echo "packed, installed offline, used"
exit $bad
