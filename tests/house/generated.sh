#!/bin/sh
# The pages of limits and findings are what the code says. The man page and the completions: every command and option stands in each, shells and man can read
# them, and bash completes what it should.
set -u
source=$1 build=$2
pages=$build/pages bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
complain() { echo "$*"; bad=1; }

names=$(sed -n 's/^OPTION([A-Z_]*, "\([a-z-]*\)".*/\1/p' "$source/cli/options.def")
[ "$(echo "$names" | wc -l)" -gt 15 ] || complain "only a few options were found in options.def"
# An option of a command that this build lacks is in none of the pages.
commands=$("$build/bin/gramc" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
helps=$(for command in $commands; do "$build/bin/gramc" "$command" --help 2>/dev/null; done)
for name in $names; do
    echo "$helps" | grep -qE -- "--$name( |$)" || continue
    grep -qF -- "--$name" "$pages/gramc.bash" || complain "--$name is not in the bash completion"
    grep -qF -- "--$name" "$pages/_gramc" || complain "--$name is not in the zsh completion"
    grep -qE -- "-l $name( |$)" "$pages/gramc.fish" || complain "--$name is not in the fish completion"
    sed 's/\\-/-/g' "$pages"/gramc.1 "$pages"/man1/*.1 | grep -qE "^\.B .*--$name(\\\\| |\$)" || complain "--$name is in no man page"
done
for command in $commands; do
    for page in gramc.1 gramc.bash _gramc gramc.fish; do
        grep -qw -- "$command" "$pages/$page" || complain "$command is not in $page"
    done
    # Its page has each option that its help has, and says what it is about.
    page=$pages/man1/gramc-$command.1
    [ -s "$page" ] || { complain "there is no $page"; continue; }
    sed 's/\\-/-/g' "$page" >"$work/page"
    for name in $("$build/bin/gramc" "$command" --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}--\([a-z-]*\).*/\2/p'); do
        case $name in color | help | version) continue ;; esac
        grep -qE "^\.B .*--$name(\\\\| |\$)" "$work/page" || complain "--$name is not in gramc-$command(1)"
    done
    grep -q "^gramc-$command - ..." "$work/page" || complain "gramc-$command(1) has no name"
done
[ "$(ls "$pages/man1" | wc -l)" = "$(echo "$commands" | wc -w)" ] || complain "there are man pages of other commands than $commands"

# The small command knows all that the large one does, in the same words; each form that has a version
# is named with it.
run=$build/libexec/gramc/gramc-run
if [ -x "$run" ]; then
    "$run" --help >"$build/help-of-run"
    "$build/bin/gramc" --help | diff "$build/help-of-run" - || complain "gramc --help and gramc-run --help differ"
    rm -f "$build/help-of-run"
fi
for form in $(sed -n 's/^    VERSION_\([A-Z]*\) = .*/\1/p' "$source/base/version.h" | tr A-Z a-z); do
    number=$("$build/bin/gramc" --version | sed -n "s/.*[( ]$form \([0-9]*\).*/\1/p")
    [ "$number" ] || complain "gramc --version does not name $form"
    grep -qE "^\| $form \| $number( |\()" "$source/docs/versioning.md" || complain "docs/versioning.md does not say $form $number"
done
"$build/bin/gramc" --version | grep -q "^gramc $(sed -n 's/^project(gramc VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt") " || complain "gramc --version is not CMakeLists.txt's"
sed -n 's/^## \[\(.*\)\].*/\1/p' "$source/CHANGELOG.md" | head -n 1 | grep -qE '^(Unreleased|[0-9]+\.[0-9]+\.[0-9]+)$' || complain "CHANGELOG.md does not begin with a version"

# Bare `gramc explain` lists every finding, one a line; as JSON by its schema, with every code, which
# refuses a severity that there is not.
"$build/bin/gramc" explain --format json >"$work/explained.json" || complain "gramc explain --format json fails"
"$build/bin/gramc" validate "$source/docs/formats/explanations.schema.json" "$work/explained.json" || complain "gramc explain --format json does not fit explanations.schema.json"
sed 's/"severity":"error"/"severity":"grave"/' "$work/explained.json" >"$work/wrong.json"
"$build/bin/gramc" validate "$source/docs/formats/explanations.schema.json" "$work/wrong.json" >/dev/null && complain "explanations.schema.json accepts any severity"
"$build/bin/gramc" explain --format json g0203 | grep -c '"code"' | grep -qx 1 || complain "gramc explain --format json CODE is not one finding"
for code in $(sed -n 's/^DIAG(\(G[0-9]*\),.*/\1/p' "$source/base/diag/diag.def"); do
    "$build/bin/gramc" explain | grep -q "^$code " || complain "gramc explain does not list $code"
    grep -q "\"code\":\"$code\"" "$work/explained.json" || complain "gramc explain --format json does not list $code"
    grep -q "^### $code " "$source/docs/findings.md" || complain "docs/findings.md has no $code"
done

bash -n "$pages/gramc.bash" || complain "bash cannot read its completion"
for shell in zsh:_gramc fish:gramc.fish; do
    program=${shell%%:*} page=$pages/${shell#*:}
    if command -v "$program" >/dev/null; then "$program" -n "$page" || complain "$program cannot read $page"
    else echo "$program is not installed: its completion was not read by it"; fi
done

# complete WORD... prints what bash offers for the last of them.
complete_words() {
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gramc; printf "%s\n" "${COMPREPLY[@]}"' bash "$pages/gramc.bash" "$@"
}
[ "$(complete_words gramc comp)" = compile ] || complain "bash does not complete comp to compile"
[ "$(complete_words gramc run --wire f)" = functions ] || [ "$("$build/bin/gramc" run --help 2>/dev/null | wc -l)" -lt 5 ] || complain "bash does not complete --wire f to functions"
[ "$(complete_words gramc diff --fail-on ad)" = additive ] || complain "bash does not complete --fail-on ad to additive"
[ "$(complete_words gramc import --from mc)" = mcp ] || complain "bash does not complete --from mc to mcp"
[ "$(complete_words gramc explain G0203)" = G0203 ] || complain "bash does not complete codes"
[ "$(complete_words gramc check --format sa)" = sarif ] || complain "bash does not complete --format sa to sarif"
[ "$(complete_words gramc compile --tar)" = --target ] || complain "bash does not complete --tar to --target"
[ -z "$(complete_words gramc parse --baseli)" ] || complain "bash offers --baseline to parse"

# mandoc finds nothing in a page, not even a long line; without mandoc our own look must do.
if command -v mandoc >/dev/null; then
    # They have the version instead of a date, which would be that of the build.
    mandoc -Tlint "$pages"/gramc.1 "$pages"/man1/*.1 | grep -v 'WARNING: missing date' >"$work/lint"
    [ ! -s "$work/lint" ] || { cat "$work/lint"; complain "mandoc finds something in the man pages"; }
elif [ "${CI:-}" = true ]; then complain "mandoc is needed: apt-get install mandoc"
else echo "mandoc is not installed: the man pages were not read by it"; fi
# man: known requests only, none by accident, fonts closed on their line.
LC_ALL=C awk '/^[.\047]/ && !/^\.(TH|SH|SS|TP|PP|B|BR|I|nf|fi|br)( |$)/ { print FILENAME ": " $0; bad = 1 }
    { line = $0; gsub(/\\(\[[a-z]*\]|[-e&]|f[BIR])/, "", line); if (line ~ /\\/) { print "stray backslash: " $0; bad = 1 } }
    END { exit bad }' "$pages"/gramc.1 "$pages"/man1/*.1 || complain "a man page has a line that man would misread"
if command -v groff >/dev/null; then
    warnings=$(groff -man -Tutf8 -ww -z "$pages"/gramc.1 "$pages"/man1/*.1 2>&1)
    [ -z "$warnings" ] || complain "groff says: $warnings"
else echo "groff is not installed: the man pages were not set by it"; fi
cmp "$pages/findings.md" "$source/docs/findings.md" || complain "docs/findings.md is not what diag.def and change.def say: copy build/*/pages/findings.md over it"
cmp "$pages/limits.md" "$source/docs/limits.md" || complain "docs/limits.md is not what base/limits.def says: copy build/*/pages/limits.md over it"

# Each limit has a test that knows its number and shows what happens at it and beyond (tests/stated.h).
limits=$(sed -n 's/^LIMIT(\([A-Z_]*\),.*/\1/p' "$source/base/limits.def")
[ "$(echo "$limits" | wc -l)" -gt 50 ] || complain "only a few limits were found in limits.def"
for limit in $limits; do
    grep -qE "^ *STATED\($limit, [0-9]" "$source"/tests/unit/test_*.c || complain "no test of tests/unit/ states $limit (tests/stated.h)"
done
exit $bad
