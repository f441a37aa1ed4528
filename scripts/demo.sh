#!/bin/sh
# The main job in one minute, without a key and without network, in five screens: a mistake and its
# message; one spec with two tool libraries; a library that does not fit; a tool that fails; which of
# two libraries is better. Checks what it shows, and fails when one of them is not so. Takes the
# gramc to use.
set -eu
gramc=$(realpath "$1")
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
demo=specs/demo spec=specs/demo/greeter.gram
model="--model script:$demo/ada.jsonl"

screen() { printf '\n=== %s\n' "$*"; }
shell() { printf '\n$ %s\n' "$*"; }
broken() { echo "demo: $*" >&2; exit 1; }
# fails WORDS...: shows a command that must exit 1
fails() {
    code=0
    "$@" >"$work/out" 2>&1 || code=$?
    cat "$work/out"
    [ "$code" = 1 ] || broken "exit $code instead of 1"
}

screen "1. A spec says what a tool takes. A mistake in it is told at once, with a way out"
sed 's/personName::Text/personName::Txt/' $spec >"$work/greeter.gram"
shell gramc check greeter.gram
(cd "$work" && fails "$gramc" check --no-config greeter.gram)
shell "gramc compile $spec --target openai --pretty     # mended"
$gramc compile $spec --target openai --pretty

screen "2. It never says how. A tool library does: the same spec, two libraries"
for library in warm formal; do
    shell "gramc run $spec --library $demo/$library.gram $model \"Hello, I am Ada\""
    # shellcheck disable=SC2086
    $gramc run $spec --library $demo/$library.gram $model --trace "$work/$library" "Hello, I am Ada" |
        tee "$work/$library.out"
    grep -q Ada "$work/$library.out" || broken "nobody greeted Ada"
done
cmp -s "$work/warm.out" "$work/formal.out" && broken "the two libraries gave the same answer"

# The first event of a trace says who ran.
fingerprint() { sed -n "1s/.*\"$1\":{[^}]*\"fingerprint\":\"\\([0-9a-f]*\\)\".*/\\1/p" "$work/$2"; }
[ -n "$(fingerprint spec warm)" ] && [ "$(fingerprint spec warm)" = "$(fingerprint spec formal)" ] ||
    broken "the spec's fingerprint is not the same in both runs"
printf '\n%-10s %-18s %s\n' library "spec" "library's fingerprint"
for library in warm formal; do
    printf '%-10s %-18.16s %.16s\n' $library "$(fingerprint spec $library)" "$(fingerprint library $library)"
done
echo "Equal specs, different libraries: only the library can be what made the difference."

screen "3. A library that does not fit is refused before the first paid call, with a call that shows it"
shell gramc bind $spec --library $demo/short_names.gram
fails "$gramc" bind $spec --library $demo/short_names.gram
grep -q G0443 "$work/out" || broken "it was not refused for its arguments"

screen "4. A tool that fails ends no run: the model is told, and the trace keeps what it was told"
shell "gramc run $spec --library $demo/closed.gram $model \"Hello, I am Ada\""
# shellcheck disable=SC2086
$gramc run $spec --library $demo/closed.gram $model --trace "$work/closed" "Hello, I am Ada"
shell "grep tool.response trace.jsonl"
sed -n 's/.*"event":"tool.response".*"outcome":"\([^"]*\)","result":"\(.*\)","size".*/outcome: \1\nthe model was told: \2/p' \
    "$work/closed" | tee "$work/told"
grep -q 'closed until 9:00' "$work/told" || broken "the model was not told why"

screen "5. Which library is better, and how sure is that? The same cases for both, recorded before"
shop=specs/experiments/shop
shell "gramc experiment $shop/shop.gram run --replay $shop/cassettes"
"$gramc" experiment $shop/shop.gram run --replay $shop/cassettes | tee "$work/verdict"
grep -q 'regression: quick is worse than exact' "$work/verdict" || broken "the verdict is another one"

printf '\nNext: docs/language/README.md, or `gramc init` in a folder of your own.\n'
