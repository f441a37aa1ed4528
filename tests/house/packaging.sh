#!/bin/bash
# What is shipped for CI is run: the scripts of the GitHub action, the shell blocks of docs/ci.md, the
# pre-commit entry, and gramc init's starter. gramc is on PATH here; tests/packaging/ci.sh fetches it.
set -u
source=$1 gramc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
complain() { echo "$*"; bad=1; }
PATH=$(dirname "$gramc"):$PATH

# action_script STEP prints the script under the step's `run: |`.
action_script() {
    awk -v step="- name: $1" '
        index($0, step) { inside = 1 }
        inside && /^ *run: \|$/ { taking = 1; match($0, /^ */); depth = RLENGTH; next }
        taking { match($0, /^ */); if (NF && RLENGTH <= depth) exit; print substr($0, depth + 3) }' "$source/packaging/action/action.yml"
}
for step in Get Check Compare; do
    action_script $step >"$work/$step.sh"
    [ -s "$work/$step.sh" ] || complain "the action has no step $step"
    bash -n "$work/$step.sh" || complain "bash cannot read the step $step"
    grep -q '\${{' "$work/$step.sh" && complain "the step $step has an expression in its script"
done

cp -r "$source/specs" "$work/specs"
cd "$work" || exit 1
git init -q . 2>/dev/null || mkdir -p .git
# run_check WANTED: runs the action's check with its inputs, as the runner does (-e -o pipefail).
run_check() {
    bash --noprofile --norc -e -o pipefail Check.sh >out 2>err
    got=$?
    [ $got = "$1" ] || { cat out err; complain "the action's check gave $got, not $1: $2"; }
}
PROGRAM='' SHA256='' BUILD=false PREFIX=$work/prefix GITHUB_PATH=$work/path bash --noprofile --norc -e -o pipefail Get.sh || complain "the action does not take the gramc that is there"
export PATHS STRICT BASELINE SARIF
PATHS=specs STRICT=true BASELINE='' SARIF='' run_check 0 "good specs"
printf '[a:Agnt]\n' >'bad one.gram'
PATHS=$'specs\nbad one.gram\n' STRICT=false BASELINE='' SARIF=out.sarif run_check 1 "a bad spec"
grep -q '^::error file=bad one.gram,line=1,' out || complain "no annotation came out"
gramc validate "$source/tests/data/sarif-subset.schema.json" out.sarif >/dev/null || complain "the SARIF file is none"
gramc check --write-baseline known.json 'bad one.gram'
PATHS=$'bad one.gram' STRICT=true BASELINE=known.json SARIF='' run_check 0 "a known finding"
PATHS='$(touch injected); `touch injected`' STRICT=true BASELINE='' SARIF='' run_check 2 "hostile input"
[ -e injected ] && complain "an input ran as a command"
PATHS='--help' STRICT=false BASELINE='' SARIF='' run_check 2 "an input that looks like an option"

# run_compare WANTED: the same for the step that compares.
run_compare() {
    bash --noprofile --norc -e -o pipefail Compare.sh >out 2>err
    got=$?
    [ $got = "$1" ] || { cat out err; complain "the action's comparison gave $got, not $1: $2"; }
}
if command -v git >/dev/null; then
    commit() { git add -A && git -c user.name=t -c user.email=t@example.com commit -qm "$1"; }
    mkdir repo && cd repo && git init -q . && cp ../Compare.sh . && mkdir tools
    printf '[t:Tool {description: "d"} | (a::Int)==>(::Text)]\n' >tools/t.gram
    commit one
    export FORMAT AGAINST ACCEPTED=''
    PATHS=tools FORMAT=true AGAINST=HEAD run_compare 0 "nothing changed"
    mkdir new && cp tools/t.gram new
    PATHS=$'tools\nnew\n' FORMAT=false AGAINST=HEAD run_compare 0 "a path that is new"
    grep -q '^new is new since HEAD' out || complain "nobody says that a path is new"
    # i10-b4: what cannot be compared is not fine.
    PATHS=tools FORMAT=false AGAINST=origin/nowhere run_compare 2 "i10-b4: a revision that does not resolve"
    grep -q 'there is no revision origin/nowhere' err || complain "i10-b4: nobody says which revision is missing"
    PATHS=toolz FORMAT=false AGAINST=HEAD run_compare 2 "i10-b4: a path that is nowhere"
    rm -r new
    printf '[t:Tool {description: "d"} |   (a::Int {min: 3})==>(::Text)]\n' >tools/t.gram
    PATHS=tools FORMAT=false AGAINST=HEAD run_compare 1 "a breaking change"
    grep -q '^::error file=tools/t.gram,line=1,.*title=D209' out || complain "no annotation of the change"
    gramc diff git:HEAD:tools tools --write-baseline ../accepted.json >/dev/null
    PATHS=tools FORMAT=false AGAINST=HEAD ACCEPTED=../accepted.json run_compare 0 "i10-c14: an accepted change"
    grep -q '^::notice title=gramc diff::1 accepted' out || complain "i10-c14: nobody says that a change was accepted"
    PATHS=tools FORMAT=true AGAINST='' run_compare 1 "a file that is not formatted"
    grep -q '^::error file=tools/t.gram,line=1,.*title=G0709' out || complain "no annotation of the format"
    PATHS=tools FORMAT=false AGAINST='--output=x' run_compare 2 "an option for a revision"
    [ -e x ] && complain "git was given an option"
    cd ..
else
    echo "git is not installed: the step Compare was not run"
fi

# Each block of the page, in order, in one folder.
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/ci.md" >page.sh
[ "$(wc -l <page.sh)" -ge 6 ] || complain "docs/ci.md has lost its shell blocks"
bash -e page.sh >out 2>&1 || { cat out; complain "a command of docs/ci.md fails"; }
[ -s gramc-report.xml ] && [ -s gramc.sarif ] && [ -s generated/hello_world.json ] || complain "docs/ci.md's commands left a file out"
sed -n 's/^    - \(gramc .*\)/\1/p' "$source/docs/ci.md" >gitlab.sh
[ -s gitlab.sh ] && bash -e gitlab.sh || complain "the GitLab example fails"

# The hook's entry, as pre-commit calls it: in the project's root, without the names of the files.
grep -q '^  pass_filenames: false$' "$source/.pre-commit-hooks.yaml" || complain "i10-b4: the hook looks at the staged files alone"
entry=$(sed -n 's/^  entry: //p' "$source/.pre-commit-hooks.yaml" | head -1)
pattern=$(sed -n 's/^  files: //p' "$source/.pre-commit-hooks.yaml" | head -1)
entry=$source/$entry
[ -x "${entry%% *}" ] && [ -n "$pattern" ] || complain "the hook has no entry or no files"
find specs -type f | grep -qE "$pattern" || complain "the hook's pattern takes no spec"
# shellcheck disable=SC2086
(cd specs && $entry >../out) || { cat out; complain "the hook fails on good specs"; }
# shellcheck disable=SC2086
$entry >/dev/null && complain "the hook lets a bad spec pass"

# pre-commit itself, with a repository that holds the hooks.
if command -v pre-commit >/dev/null && command -v git >/dev/null; then
    mkdir hooks user
    cp "$source/.pre-commit-hooks.yaml" hooks
    cp -r "$source/packaging" hooks
    (cd hooks && git init -q . && commit hooks)
    cd user && git init -q . && printf '[shared:Tool {description: "d"} | ()==>(::Text)]\n' >good.gram
    printf '{imports: "good.gram"}\n[user:Agent {description: "Uses it"} | shared]\n' >user.gram && git add .
    export PRE_COMMIT_HOME=$work/pre-commit
    for hook in gramc-check gramc-fmt; do
        pre-commit try-repo ../hooks $hook --all-files >out 2>&1 || { cat out; complain "pre-commit: $hook fails on a good file"; }
        grep -q 'Passed' out || { cat out; complain "pre-commit did not run $hook"; }
    done
    # i10-b4: the file that changed is fine; the one that uses it is not.
    commit user && sed -i s/shared/renamed/ good.gram && git add good.gram
    pre-commit try-repo ../hooks gramc-check >out 2>&1 && { cat out; complain "i10-b4: pre-commit lets a rename pass that breaks another file"; }
    printf '[ a:Agnt ]\n' >bad.gram && git add .
    for hook in gramc-check gramc-fmt; do
        pre-commit try-repo ../hooks $hook --all-files >out 2>&1 && complain "pre-commit: $hook lets a bad file pass"
    done
    cd ..
    pre-commit validate-manifest "$source/.pre-commit-hooks.yaml" || complain "pre-commit refuses the manifest"
else
    echo "pre-commit is not installed: it did not run the hooks"
fi

# gramc init: what it writes is good, and it overwrites nothing.
gramc init starter >out || complain "gramc init fails"
[ "$(grep -c written out)" = 3 ] || complain "gramc init did not write three files"
gramc check --strict starter || complain "the starter has findings"
(cd starter && gramc check --strict . && gramc compile hello.gram >tools.json) || complain "the starter does not compile"
grep -q '"type":"function"' starter/tools.json || complain "the starter's configuration is not in force"
echo mine >starter/hello.gram
gramc init starter >out
[ "$(cat starter/hello.gram)" = mine ] || complain "gramc init overwrote a file"
[ "$(grep -c stays out)" = 3 ] || complain "gramc init does not say what stays"
exit $bad
