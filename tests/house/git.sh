#!/bin/sh
# gramc diff reads old specs out of a git repository: files, folders, imports at the same revision,
# from a folder below the top. Exits 77 (skipped) where there is no git.
set -eu
gramc=$1
command -v git >/dev/null || { echo "skipped: git is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }

git init -q repo
cd repo
git config user.email test@example.com
git config user.name test
mkdir specs
echo '[t:Tool {description: "d"} | (age::Int)==>(::Text)]' >specs/tools.gram
echo '{imports: ["tools.gram"]} [a:Agent {description: "x"} | t]' >specs/agent.gram
git add -A
git commit -qm one

"$gramc" diff git:HEAD:specs specs | grep -qx 'no changes' || fail "a folder against itself"
"$gramc" diff git:HEAD:specs/agent.gram specs/agent.gram | grep -qx 'no changes' || fail "an import"
echo '[t:Tool {description: "d"} | (age::Int {min: 0})==>(::Text)]' >specs/tools.gram
(cd specs && "$gramc" diff git:HEAD:agent.gram agent.gram --format concise >../out) && fail "exit 0"
grep -q '^tools.gram:1:31: breaking\[D209\]' out || { cat out; fail "no D209"; }
"$gramc" diff git:HEAD:specs specs --fail-on none >out
grep -q -- '--> specs/tools.gram:1:31' out && grep -q '::: git:HEAD:./specs/tools.gram:1:31' out || { cat out; fail "places"; }
git commit -qam two
"$gramc" diff git:HEAD~1:./specs git:HEAD:specs/. --fail-on none | grep -q D209 || fail "two revisions"
mkdir specs/inner
echo '{imports: ["../tools.gram"]} [b:Agent {description: "x"} | t]' >specs/inner/up.gram
git add -A
git commit -qm three
(cd specs/inner && "$gramc" diff git:HEAD:up.gram up.gram) | grep -qx 'no changes' || fail "an import from above"
(cd specs/inner && "$gramc" diff git:HEAD:../agent.gram ../agent.gram) | grep -qx 'no changes' || fail "a file above"
git branch a/b
(cd specs/inner && "$gramc" diff git:a/b:up.gram up.gram) | grep -qx 'no changes' || fail "a branch with a slash"

status=0
"$gramc" diff git:HEAD:nowhere.gram specs 2>err || status=$?
[ $status = 2 ] && grep -q 'git cannot show it' err || fail "a missing file"
for bad in git:HEAD git::x git:--output=y:specs git:-p:specs; do
    status=0
    "$gramc" diff "$bad" specs 2>err || status=$?
    [ $status = 2 ] && grep -q 'write git:REV:path' err || fail "$bad was taken"
done
[ ! -e y ] || fail "git was given an option"
echo "read from git"
