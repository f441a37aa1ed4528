#!/bin/sh
# Where `-o` writes: a new file, over an old one with its mode, through a link, and into a pipe, which
# stays a pipe (a file in the place of a device would be there for everybody).
set -eu
gramc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "$*"; exit 1; }

echo '[t:Tool {description: "d"} | (age::Int)==>(::Text)]' >t.gram
"$gramc" compile t.gram -o new.json
grep -q '"age"' new.json || fail "nothing was written"

echo old >kept.json
chmod 640 kept.json
ln -s kept.json link.json
"$gramc" compile t.gram -o link.json
[ -h link.json ] || fail "the link is gone"
cmp -s new.json kept.json || fail "what the link leads to was not written"
[ "$(stat -c %a kept.json)" = 640 ] || fail "the mode changed"

mkfifo pipe
timeout 20 cat pipe >read.json &
timeout 20 "$gramc" compile t.gram -o pipe
wait
[ -p pipe ] || fail "the pipe was replaced"
cmp -s new.json read.json || fail "the reader of the pipe got something else"

code=0
"$gramc" compile t.gram -o missing/new.json 2>said || code=$?
[ "$code" = 2 ] || fail "a folder that is not there gives exit status $code"
grep -q missing/new.json said || fail "the message does not name the file"
[ "$(ls | wc -l)" = 7 ] || fail "something was left behind: $(ls)"
