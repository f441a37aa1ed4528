#!/bin/sh
# The main job in one minute, without a key and without network: compile a spec, run it with two
# tool libraries, see that the answers differ and the spec does not. Takes the
# gramc to use.
set -eu
gramc=$(realpath "$1")
cd "$(dirname "$0")/.."
spec=specs/hello_world.gram
traces=$(mktemp -d)
trap 'rm -rf "$traces"' EXIT

step() { printf '\n$ %s\n' "$*"; }

step cat $spec
cat $spec

step gramc check $spec
$gramc check $spec
echo "(nothing to say: it is fine)"

step gramc compile $spec --target openai --pretty
$gramc compile $spec --target openai --pretty

for library in friendly formal; do
    step gramc run $spec --library specs/libraries/$library.gram --model mock '"Hello, I am Ada"'
    $gramc run $spec --library specs/libraries/$library.gram --model mock \
        --trace "$traces/$library" "Hello, I am Ada" | tee "$traces/$library.out"
done

# The first event of a trace says who ran.
fingerprint() { sed -n "1s/.*\"$1\":{[^}]*\"fingerprint\":\"\\([0-9a-f]*\\)\".*/\\1/p" "$traces/$2"; }

echo
printf '%-10s %-18s %s\n' library "spec" "library's fingerprint"
for library in friendly formal; do
    printf '%-10s %-18.16s %.16s\n' $library "$(fingerprint spec $library)" "$(fingerprint library $library)"
done
echo
if cmp -s "$traces/friendly.out" "$traces/formal.out"; then
    echo "demo: the two libraries gave the same answer" >&2
    exit 1
fi
if [ -z "$(fingerprint spec friendly)" ] || [ "$(fingerprint spec friendly)" != "$(fingerprint spec formal)" ]; then
    echo "demo: the spec's fingerprint is not the same in both runs" >&2
    exit 1
fi
echo "Same spec, two libraries, two answers."
