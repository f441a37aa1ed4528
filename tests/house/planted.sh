#!/bin/sh
# Nothing is written through a link that somebody else has made, wherever a command writes a file. Only
# root can make such a link, so for others this test is skipped, and ctest says so.
set -u
source=$1 gramc=$2
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make a link for somebody else"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() { echo "$*"; bad=1; }
library=$source/specs/libraries/friendly.gram
spec=$source/specs/hello_world.gram
trace() { "$gramc" run "$spec" --library "$library" --model mock --trace "$1" hello; }
compile() { "$gramc" compile "$spec" -o "$1"; }
save() { "$gramc" tools "$library" --save "$1"; }
baseline() { "$gramc" check "$spec" --write-baseline "$1"; }
import() { printf '{"name": "t", "description": "d", "parameters": {"type": "object"}}' | "$gramc" import - -o "$1"; }
ways="trace compile save baseline import"

# refused WAY PATH: exit 2, a message, and the victim as it was
refused() {
    "$1" "$2" >"$work/out" 2>"$work/err"
    [ $? = 2 ] || complain "$1: $2 was written"
    grep -qE 'is not (followed|written)' "$work/err" || complain "$1: nothing was said of $2: $(cat "$work/err")"
    [ "$(cat "$work/victim")" = untouched ] || { complain "$1: the file behind $2 was written"; echo untouched >"$work/victim"; }
}
# written WAY PATH REAL: the text stands in REAL
written() {
    "$1" "$2" >"$work/out" 2>"$work/err" || complain "$1: $2 was refused: $(cat "$work/err")"
    [ -s "$3" ] || complain "$1: there is nothing in $3"
}

echo untouched >"$work/victim"
mkdir -m 1777 "$work/shared"
ln -s "$work/victim" "$work/shared/planted"
ln -s ../victim "$work/planted"
ln -s "$work" "$work/shared/folder"
ln -s "$work/nothing" "$work/shared/dangling"
chown -h 12345:12345 "$work/shared/planted" "$work/planted" "$work/shared/folder" "$work/shared/dangling"
rm "$work/planted" && ln -s victim "$work/planted" && chown -h 12345:12345 "$work/planted"
ln -s "$work/shared/planted" "$work/by-way-of"
for way in $ways; do
    for path in planted shared/planted shared/folder/victim by-way-of; do refused $way "$work/$path"; done
done
refused trace "$work/shared/dangling"
[ ! -e "$work/nothing" ] || complain "a file came to be behind a link of somebody else"

# A file that others own, or that has another name elsewhere, is no place for a transcript.
echo mine >"$work/shared/theirs" && chown 12345 "$work/shared/theirs"
ln "$work/victim" "$work/shared/hard"
refused trace "$work/shared/theirs"
refused trace "$work/shared/hard"

# A link of one's own is followed, and so is one of the owner of the folder that it stands in.
mkdir "$work/home"
ln -s real "$work/home/theirs"
chown -h 12345:12345 "$work/home" "$work/home/theirs"
for way in $ways; do
    rm -f "$work/own" "$work/home/real"
    echo old >"$work/own" && echo old >"$work/home/real" && chmod 640 "$work/own"
    ln -sf own "$work/mine"
    written $way "$work/mine" "$work/own"
    written $way "$work/home/theirs" "$work/home/real"
    [ -L "$work/mine" ] || complain "$way: a link of one's own was replaced"
    ! grep -q old "$work/own" || complain "$way: $work/own is as it was"
done
baseline "$work/mine" >/dev/null && [ "$(stat -c %a "$work/own")" = 640 ] || complain "the mode was not kept"
rm "$work/own"
written trace "$work/mine" "$work/own"

# Streams stay what they are.
trace /dev/stdout 2>/dev/null | grep -q '"event":"outcome"' || complain "no trace on /dev/stdout"
compile /dev/stdout 2>/dev/null | grep -q sayHello || complain "nothing on /dev/stdout"
compile /dev/null || complain "/dev/null is refused"
[ -c /dev/null ] || complain "/dev/null was replaced"

# A link that takes the place of a file between looking and writing.
(
    while [ -e "$work/go" ] || [ ! -e "$work/gone" ]; do
        echo mine >"$work/shared/new" && mv -T "$work/shared/new" "$work/shared/race"
        ln -s "$work/victim" "$work/shared/new" && chown -h 12345 "$work/shared/new" &&
            mv -T "$work/shared/new" "$work/shared/race"
        touch "$work/gone"
    done
) &
flipper=$!
touch "$work/go"
for i in 1 2 3 4 5 6 7 8 9 10; do
    trace "$work/shared/race" >/dev/null 2>&1
    compile "$work/shared/race" >/dev/null 2>&1
done
rm "$work/go"
wait $flipper
[ "$(cat "$work/victim")" = untouched ] || complain "the file behind an exchanged link was written"
exit $bad
