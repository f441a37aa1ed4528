#!/bin/sh
# A hook of pre-commit: `gramc check` of the whole project, or `gramc fmt --check` of the staged files.
#     hook.sh check|fmt [--program=URL|PATH --sha256=SUM] [FILE...]
# Without --program the gramc on PATH is taken. With it, that file and no other, if its SHA256 is the one
# given. Nothing is ever compiled.
set -eu
fail() { echo "gramc: $*" >&2; exit 2; }
hook=${1:?check or fmt}
shift
program= sum= given=
while [ $# -gt 0 ]; do
    case $1 in
    --program=*) program=${1#--program=} given=1 ;;
    --sha256=*) sum=${1#--sha256=} given=1 ;;
    *) break ;;
    esac
    shift
done
gramc=gramc
if [ -n "$given" ]; then
    [ -n "$program" ] || fail "--sha256 is given without --program: nothing would be compared with it"
    gramc=${XDG_CACHE_HOME:-${HOME:?}/.cache}/gramc/${sum:-none}/gramc
    sh "$(dirname "$0")/fetch.sh" "$program" "$sum" "$gramc"
elif ! command -v gramc >/dev/null; then
    fail "there is no gramc here: install it, or name it: args: [--program=URL, --sha256=SUM]"
fi
case $hook in
check) exec "$gramc" check "$@" . ;;
fmt) exec "$gramc" fmt --check -- "$@" ;;
*) fail "there is no hook $hook" ;;
esac
