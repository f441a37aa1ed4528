#!/bin/sh
# The gramc of a release, or nothing: copied from a path or fetched, kept only if its bytes have the SHA256 that the
# caller knows. Whatever is wrong ends with 2.
#     packaging/fetch.sh URL|PATH SHA256 FILE
# FILE is taken as it is if it has that SHA256 already.
set -eu
LARGEST=20000000
fail() { echo "gramc: $*" >&2; exit 2; }
[ $# = 3 ] || fail "fetch.sh takes a URL or path, a SHA256 and a file"
from=$1 file=$3
wanted=$(printf %s "$2" | tr A-F a-f)
[ -n "$from" ] || fail "no program is named"
[ -n "$wanted" ] || fail "$from has no SHA256 beside it: only a program that is known is run"
[ "${#wanted}" = 64 ] && [ -z "$(printf %s "$wanted" | tr -d 0-9a-f)" ] || fail "$2 is no SHA256"

sum_of() {
    if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -c1-64
}
if [ -f "$file" ] && [ "$(sum_of "$file")" = "$wanted" ]; then exit 0; fi

mkdir -p "$(dirname -- "$file")" || fail "the folder of $file cannot be made"
new=$(mktemp "$file.XXXXXX") || fail "nothing can be written beside $file"
trap 'rm -f "$new"' EXIT
case $from in
file://*) cp -- "${from#file://}" "$new" || fail "$from cannot be read" ;;
http://* | https://*)
    if command -v curl >/dev/null; then
        curl -fsSL --proto '=http,https' --retry 3 --max-time 300 --max-filesize "$LARGEST" -o "$new" -- "$from" || fail "$from cannot be fetched"
    elif command -v wget >/dev/null; then wget -q -T 300 -O "$new" -- "$from" || fail "$from cannot be fetched"
    else fail "curl or wget is needed to fetch $from"; fi ;;
*://*) fail "$from: only https, http and file URLs, and paths" ;;
*) cp -- "$from" "$new" || fail "$from cannot be read" ;;
esac
got=$(sum_of "$new")
[ "$got" = "$wanted" ] || fail "$from has the SHA256 $got, not $wanted"
chmod 755 "$new"
mv -f -- "$new" "$file"
