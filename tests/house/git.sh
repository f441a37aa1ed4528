#!/bin/sh
# gramc diff reads old specs out of a git repository: files, folders, imports at the same revision,
# from a folder below the top. Exits 77 (skipped) where there is no git.
set -eu
gramc=$1
. "$(dirname "$0")/../support/need.sh"
need git "keeps the old specs"
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
[ $status = 2 ] && grep -q 'git cannot show it; path' err || fail "a missing file"
for bad in git:HEAD git::x git:--output=y:specs git:-p:specs; do
    status=0
    "$gramc" diff "$bad" specs 2>err || status=$?
    [ $status = 2 ] && grep -q 'write git:REV:path' err || fail "$bad was taken"
done
[ ! -e y ] || fail "git was given an option"

# i10-c14: a folder of a revision is read as a folder is: without what is excluded, ignored, hidden, linked.
mkdir -p kept/inner kept/out kept/ignored kept/.hidden
tool() { echo "[$1:Tool {description: \"d\"} | (age::Int)==>(::Text)]"; }
tool a >kept/a.gram; tool b >kept/inner/b.gram
for name in out/c ignored/d .hidden/e inner/left; do tool x >kept/$name.gram; done
ln -s a.gram kept/link.gram
printf '{kind: "configuration", exclude: ["out/"]}\n' >kept/gramc.gram
printf '{kind: "configuration", exclude: ["left.gram"]}\n' >kept/inner/gramc.gram
echo 'ignored/' >kept/.gitignore
git add -A -f
git commit -qm four
"$gramc" diff git:HEAD:kept kept | grep -qx 'no changes' || fail "i10-c14: what is passed over in a folder is not at a revision"
(cd kept && "$gramc" diff git:HEAD:. . ) | grep -qx 'no changes' || fail "i10-c14: the current folder"
(cd kept/inner && "$gramc" diff git:HEAD:. . ) | grep -qx 'no changes' || fail "i10-c14: a folder below"
(cd kept/inner && "$gramc" diff git:HEAD:.. .. ) | grep -qx 'no changes' || fail "i10-c14: a folder above"
"$gramc" diff git:HEAD:. . | grep -qx 'no changes' || fail "i10-c14: the repository's root"
"$gramc" diff git:HEAD:kept/out/c.gram kept/out/c.gram | grep -qx 'no changes' || fail "i10-c14: a file that is named"

# i10-c14: what git cannot show is said in git's words, and exits with 2.
# refused WANTED OLD NEW [FOLDER]
refused() {
    status=0
    (cd "${4:-.}" && "$gramc" diff "$2" "$3") >out 2>err || status=$?
    [ $status = 2 ] && grep -q "$1" err || { cat out err; fail "i10-c14: $2 gave $status, not 2, or not: $1"; }
}
refused "there is no revision nowhere here" git:nowhere:kept kept
refused "there is no revision 0123456789012345678901234567890123456789 here" git:0123456789012345678901234567890123456789:kept kept
refused "is outside repository" git:HEAD:../../kept kept
refused "path 'kept/new.gram' does not exist in 'HEAD'" git:HEAD:kept/new.gram kept
tool new >kept/new.gram
refused "exists on disk, but not in 'HEAD'" git:HEAD:kept/new.gram kept/new.gram
"$gramc" diff git:HEAD:kept kept | grep -q 'additive\[D101\]: tool `new` is new' || fail "i10-c14: a new file"
rm kept/new.gram
git mv kept/a.gram kept/renamed.gram
"$gramc" diff git:HEAD:kept kept | grep -qx 'no changes' || fail "i10-c14: a file that was renamed"
refused "kept/a.gram: No such file" git:HEAD:kept/a.gram kept/a.gram
rm kept/renamed.gram
status=0
"$gramc" diff git:HEAD:kept kept >out || status=$?
[ $status = 1 ] && grep -q 'breaking\[D102\]: tool `a` is gone' out || fail "i10-c14: a deleted file"
git checkout -q HEAD -- kept && git rm -q --cached kept/renamed.gram
mkdir ../bare
refused "not a git repository" git:HEAD:x.gram repo/kept ..

# i10-c14: a submodule is told, whose files belong to another repository.
git init -q ../other
(cd ../other && tool s >s.gram && git add -A && git -c user.name=t -c user.email=t@example.com commit -qm one)
git -c protocol.file.allow=always submodule --quiet add ../other kept/module
git commit -qam five
"$gramc" diff git:HEAD:kept kept >out 2>err
grep -q 'module is a submodule' err || { cat out err; fail "i10-c14: nobody tells the submodule"; }
refused "git cannot show it" git:HEAD:kept/module/s.gram kept/module/s.gram

# i10-c14: a shallow clone says that it is one.
git clone -q --depth 1 "file://$work/repo" ../shallow
refused "this clone is shallow" git:HEAD~1:kept kept ../shallow
(cd ../shallow && "$gramc" diff git:HEAD:kept kept) | grep -qx 'no changes' || fail "i10-c14: the revision that a shallow clone has"

# i10-c14: what was wrong with the old side fails nothing, as long as something can be compared.
echo '[shop {name: "x"}]' >kept/odd.gram
git add -A && git commit -qm six && rm kept/odd.gram
"$gramc" diff git:HEAD:kept kept >out 2>err || { cat out err; fail "i10-c14: an old file that means nothing fails"; }
grep -q 'odd.gram.*G0254' err && grep -q 'does not count here' err || { cat err; fail "i10-c14: the old finding is not said"; }
# i10-b2.9: what git tracks is read, even where a .gitignore names it; what it ignores there is not.
tracks() {
    git init -q $1 ../tracked && cd ../tracked
    mkdir -p out/deep/er out/none
    for name in out/kept out/left out/deep/er/kept out/none/left kept.tmp left.tmp; do
        echo '[a:Agnt]' >$name.gram
    done
    printf 'out/\n*.tmp.gram\n' >.gitignore
    git add -f out/kept.gram out/deep/er/kept.gram kept.tmp.gram .gitignore
    [ -z "$2" ] || git update-index --index-version "$2"
    "$gramc" check . --format concise >../found && fail "i10-b2.9: nothing of what is tracked was read"
    sed 's/:.*//' ../found >../names
    printf '%s\n' ./kept.tmp.gram ./out/deep/er/kept.gram ./out/kept.gram | cmp -s - ../names ||
        { cat ../found; fail "i10-b2.9: other files than those that are tracked (git init $1, index $2)"; }
    git -c user.name=t -c user.email=t@example.com commit -qm one
    git worktree add -q ../beside && (cd ../beside && "$gramc" check . --format concise >../found) &&
        fail "i10-b2.9: nothing of what is tracked was read in a worktree"
    [ "$(wc -l <../found)" = 3 ] || fail "i10-b2.9: a worktree"
    cd .. && rm -rf tracked beside && cd repo
}
tracks "" ""
tracks "" 3
tracks "" 4
git init -q --object-format=sha256 ../long 2>../err && tracks --object-format=sha256 ""
echo "read from git"
