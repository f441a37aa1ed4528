#!/bin/bash
# The extension for VS Code: packaged twice it is the same, it holds what it should and its code can be read; fetches from npm.
#     vsix.sh SOURCE
set -u
source=$1
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need npm "fetches vsce and esbuild"
need node "reads the code"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export SOURCE_DATE_EPOCH=1700000000
for time in once again; do
    sh "$source/packaging/vsix.sh" "$time" >log 2>&1 || { cat log; complain "packaging/vsix.sh fails"; }
done
cmp once/gramc-*.vsix again/gramc-*.vsix || complain "packaged twice, the extension is not the same"
python3 -m zipfile -e once/gramc-*.vsix tree
(cd tree && find . -type f -printf '%P\n' | LC_ALL=C sort) >files
diff - files <<F || complain "the extension holds other files"
[Content_Types].xml
extension.vsixmanifest
extension/LICENSE.txt
extension/language-configuration.json
extension/out/extension.js
extension/package.json
extension/readme.md
extension/snippets/gram.json
extension/syntaxes/gram.tmLanguage.json
F
node --check tree/extension/out/extension.js || complain "node cannot read the bundled code"
# Each file that the manifest names is there.
for file in $(grep -o '"\./[^"]*"' tree/extension/package.json | tr -d '"'); do
    [ -e "tree/extension/$file" ] || complain "package.json names $file, which is not there"
done
echo "packaged twice, $(stat -c %s once/gramc-*.vsix) bytes"
exit $bad
