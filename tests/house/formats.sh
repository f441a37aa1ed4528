#!/bin/sh
# Each machine format before a consumer of its kind: JSON and SARIF against their schemas, with our
# validator; JUnit against an XML Schema, with xmllint; workflow commands line by line. Sources are
# every golden case's files, so each finding that there is, and each hostile text, passes by here.
# tests/peers/formats.mjs asks readers that others wrote.
set -u
source=$1 gramc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 seen=0 others=0 cases=0 every=1
# Sanitizers make each start slow, and what is printed is the same there (golden says so).
[ "${GRAMC_SANITIZED:-} ${GRAMC_LONG:-}" = "1 " ] && every=4
complain() { echo "$*"; bad=1; }
command -v xmllint >/dev/null || { echo "xmllint is needed: apt-get install libxml2-utils"; exit 1; }

# Writes the gram files of a golden case below $work/case, whatever they are called.
unpack() {
    rm -rf "$work/case"
    mkdir "$work/case"
    awk -v folder="$work/case" '
        /^--- file .*\.gram$/ { name = substr($0, 10); gsub("/", "_", name); file = folder "/" name; printf "" > file; next }
        /^--- / { if (file) close(file); file = ""; next }
        file { print > file }' "$1"
}

check() { (cd "$work/case" && "$gramc" check --no-config --format "$1" .); }

for case in "$source"/tests/golden/cases/*.test; do
    cases=$((cases + 1))
    [ $((cases % every)) = 0 ] || continue
    unpack "$case"
    [ -n "$(ls "$work/case")" ] || continue
    seen=$((seen + 1))
    for format in json sarif junit github gitlab; do check $format >"$work/$seen.$format"; done
    printf '%s\n' "$case" >"$work/$seen.name"
done

# The other commands: what their golden cases say that they print.
for case in "$source"/tests/golden/cases/diff-*.test "$source"/tests/golden/cases/fmt-*.test "$source"/tests/golden/cases/validate-*.test; do
    format=$(LC_ALL=C sed -n '1s/^command:.* --format \(json\|sarif\|junit\|github\|gitlab\)\( .*\)*$/\1/p' "$case")
    [ "$format" ] || continue
    others=$((others + 1))
    LC_ALL=C sed '1,/^--- stdout$/d; /^--- /,$d' "$case" >"$work/golden-$others.$format"
done
[ "$others" -ge 12 ] || complain "only $others golden cases of other commands were read"

# One call each for all files: fast enough for every test run.
for pair in json:docs/formats/diagnostics.schema.json gitlab:docs/formats/codequality.schema.json sarif:tests/data/sarif-subset.schema.json; do
    format=${pair%%:*} schema=$source/${pair#*:}
    "$gramc" validate --assert-formats "$schema" "$work"/*."$format" >"$work/verdict" 2>&1 ||
        { grep -v ': valid' "$work/verdict" | head -20; complain "$format does not fit $schema"; }
    # The schema tells right from wrong at all.
    sed 's/"version":"2.1.0"/"version":"2.0.0"/; s/"schema_version":1/"schema_version":"1"/; s/"severity":"m/"severity":"n/; s/^\[\]$/[1]/' "$work/1.$format" >"$work/wrong"
    "$gramc" validate "$schema" "$work/wrong" >/dev/null 2>&1 && complain "$schema accepts a wrong version"
done

xmllint --noout --schema "$source/tests/data/junit.xsd" "$work"/*.junit >"$work/verdict" 2>&1 ||
    { grep -v validates "$work/verdict" | head -20; complain "junit does not fit junit.xsd"; }
for file in "$work"/*.junit; do
    right=$(xmllint --xpath '/testsuites/@tests = count(//testcase) and /testsuites/@failures = count(//failure)' "$file")
    [ "$right" = true ] || complain "$file does not hold what its totals say"
done

# The reports of an experiment: unit/test_report holds that they are printed so.
reports=$source/tests/data/report
"$gramc" validate "$source/docs/formats/experiment.schema.json" "$reports"/*.json >"$work/verdict" 2>&1 ||
    { cat "$work/verdict"; complain "a report does not fit experiment.schema.json"; }
sed 's/"verdict":"inconclusive"/"verdict":"splendid"/' "$reports/trial.json" >"$work/wrong"
"$gramc" validate "$source/docs/formats/experiment.schema.json" "$work/wrong" >/dev/null 2>&1 && complain "experiment.schema.json accepts any verdict"
# The plan of an experiment, with and without prices.
for case in "$source"/tests/golden/run/experiment-plan-*.test; do
    grep -q '^{"format":"gramc-plan"' "$case" || continue
    grep '^{"format":"gramc-plan"' "$case" >"$work/plan.json"
    "$gramc" validate "$source/docs/formats/plan.schema.json" "$work/plan.json" >"$work/verdict" 2>&1 ||
        { cat "$work/verdict"; complain "$case does not fit plan.schema.json"; }
done
sed 's/"basis":"prompts"/"basis":"hopes"/' "$work/plan.json" >"$work/wrong"
"$gramc" validate "$source/docs/formats/plan.schema.json" "$work/wrong" >/dev/null 2>&1 && complain "plan.schema.json accepts any basis"

# What a folder of cassettes holds.
for case in "$source"/tests/golden/run/cassette-*-json.test; do
    grep '^{"format":"gramc-cassette-folder"' "$case" >"$work/folder.json" || complain "$case has no JSON"
    "$gramc" validate "$source/docs/formats/cassette-folder.schema.json" "$work/folder.json" >"$work/verdict" 2>&1 ||
        { cat "$work/verdict"; complain "$case does not fit cassette-folder.schema.json"; }
done
sed 's/"layers"/"lawyers"/' "$work/folder.json" >"$work/wrong"
"$gramc" validate "$source/docs/formats/cassette-folder.schema.json" "$work/wrong" >/dev/null 2>&1 && complain "cassette-folder.schema.json accepts anything"

# What gramc grade prints: every golden case of it.
graded=0
for case in "$source"/tests/golden/run/*.test; do
    grep -q '^{"format":"gramc-grades"' "$case" || continue
    graded=$((graded + 1))
    sed '1,/^--- stdout$/d; /^--- /,$d' "$case" >"$work/grades-$graded.json"
    "$gramc" validate "$source/docs/formats/grades.schema.json" "$work/grades-$graded.json" >"$work/verdict" 2>&1 ||
        { cat "$work/verdict"; complain "$case does not fit grades.schema.json"; }
done
[ "$graded" -ge 6 ] || complain "only $graded golden cases of grades were read"
for wrong in 's/"missing":[0-9][0-9]*/"missing":-1/' 's/"version":1/"version":2/' 's/"pass":true/"pass":"true"/'; do
    sed "$wrong" "$work/grades-1.json" >"$work/wrong"
    "$gramc" validate "$source/docs/formats/grades.schema.json" "$work/wrong" >/dev/null 2>&1 && complain "grades.schema.json accepts $wrong"
done

xmllint --noout --schema "$source/tests/data/junit.xsd" "$reports"/*.junit >"$work/verdict" 2>&1 ||
    { cat "$work/verdict"; complain "a report does not fit junit.xsd"; }
for file in "$reports"/*.junit; do
    right=$(xmllint --xpath '/testsuites/@tests = count(//testcase) and /testsuites/@failures = count(//failure)' "$file")
    [ "$right" = true ] || complain "$file does not hold what its totals say"
done
LC_ALL=C grep -l "$(printf '[\001-\010\013\014\016-\037\177]')" "$reports"/* && complain "control characters in a report"

LC_ALL=C grep -hvE '^::(error|warning|notice) file=([^%:,]|%25|%3A|%2C)+,line=[0-9]+,endLine=[0-9]+(,col=[0-9]+,endColumn=[0-9]+)?,title=([GD][0-9]+ [a-z0-9-]+|[a-zA-Z]+)::([^%]|%25|%0A)+$' "$work"/*.github &&
    complain "these are no workflow commands"
# No control character, nowhere (line ends aside).
for format in json sarif junit github gitlab; do
    LC_ALL=C grep -l "$(printf '[\001-\011\013-\037\177]')" "$work"/*.$format && complain "control characters in $format"
done

# What is written as a baseline fits its schema, and knows everything that it was written from.
printf '[n:Thing]\n[t:Tool | (x::Int)==>(::Text)]\n' >"$work/in.gram"
(cd "$work" && "$gramc" check --write-baseline known.json in.gram) || complain "a written baseline is not known"
"$gramc" validate "$source/docs/formats/baseline.schema.json" "$work/known.json" >/dev/null || complain "the baseline does not fit its schema"
(cd "$work" && "$gramc" check --strict --baseline known.json in.gram) || complain "the baseline is not known"
[ "$seen" -gt 100 ] || complain "only $seen cases were read"
echo "$seen cases in five formats, $others of other commands"
exit $bad
