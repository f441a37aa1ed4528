#!/bin/sh
# A trace is not written through a link that somebody else has made. Only root can make such a link,
# so for others this test is skipped, and ctest says so.
set -u
source=$1 gramc=$2
[ "$(id -u)" = 0 ] || { echo "skipped: only root can make a link for somebody else"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() { echo "$*"; bad=1; }
run() {
    "$gramc" run "$source/specs/hello_world.gram" --library "$source/specs/libraries/friendly.gram" \
        --model mock --trace "$1" hello >"$work/out" 2>"$work/err"
}

echo untouched >"$work/victim"
ln -s victim "$work/planted" && chown -h 12345:12345 "$work/planted"
run "$work/planted"
[ $? = 2 ] || complain "a link of somebody else was followed"
grep -q 'is not followed' "$work/err" || complain "nothing was said of it: $(cat "$work/err")"
[ "$(cat "$work/victim")" = untouched ] || complain "the file behind it was written"

# A link of one's own is followed, as ever.
ln -s own "$work/mine"
run "$work/mine" || complain "a link of one's own was refused: $(cat "$work/err")"
grep -q '"event":"outcome"' "$work/own" || complain "no trace behind a link of one's own"
exit $bad
