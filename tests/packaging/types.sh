#!/bin/bash
# TypeScript, strict, takes what the npm package's types promise and refuses what they forbid,
# and takes what gramc stub writes; fetched from npm.
#     types.sh SOURCE GRAMC_ALONE
set -u
source=$1 alone=$2
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need npm "fetches TypeScript"
need dpkg "names the architecture"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$source"/tests/packaging/types/* "$work"
cd "$work" || exit 1
npm install --ignore-scripts --no-audit --no-fund --loglevel=error >log 2>&1 || { cat log; lack "npm cannot fetch TypeScript"; }
sh "$source/packaging/npm.sh" --program "$(dpkg --print-architecture)=$alone" out >log 2>&1 || { cat log; complain "packaging/npm.sh fails"; }
npm install --offline --ignore-scripts --no-audit --no-fund --loglevel=error --no-save ./out/gramc-*.tgz >log 2>&1 || { cat log; complain "npm cannot install the package"; }
judge() { node node_modules/typescript/bin/tsc --noEmit --strict --module nodenext --target es2022 "$1"; }
judge use.ts || complain "TypeScript refuses what callers may write"
sed 's/name: string = tools/name: number = tools/' use.ts >wrong.ts
judge wrong.ts >/dev/null && complain "TypeScript takes anything"
for kind in exec staying mcp; do
    "$alone" stub "$source/tests/data/stub/every.gram" --lang typescript --kind $kind >tools.ts || complain "no skeleton, $kind"
    judge tools.ts || complain "TypeScript refuses what gramc stub writes, $kind"
done
echo "compiled by TypeScript, strict"
exit $bad
