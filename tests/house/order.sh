#!/bin/sh
# Without an agent, tools stand in the order of their files' paths, and as written in each. The order
# of operands, of imports and of what a folder lists changes no byte of what is printed.
set -eu
gramc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir inner
tool() { echo "[$1:Tool {description: \"Does $1\"} | (x::Int)==>(::$2)]"; }
{ tool late Text; tool early Int; tool shared Int; } >a.gram
{ tool middle Int; tool shared Int; } >z.gram
tool inside Text >inner/k.gram
failed=0
count=0

# same NAME COMMAND...: prints what the command before it of that name printed
same() {
    name=$1
    shift
    "$@" >out 2>said || { echo "order: $* fails:" && cat said && failed=1; }
    [ -s out ] || { echo "order: $* prints nothing" && failed=1; }
    [ -e "expected.$name" ] || cp out "expected.$name"
    cmp -s out "expected.$name" || {
        echo "order: $* prints something else:"
        diff "expected.$name" out || true
        failed=1
    }
    count=$((count + 1))
}

permuted() {
    for files in "a.gram z.gram inner/k.gram" "a.gram inner/k.gram z.gram" \
        "z.gram a.gram inner/k.gram" "z.gram inner/k.gram a.gram" \
        "inner/k.gram a.gram z.gram" "inner/k.gram z.gram a.gram" \
        "inner ./z.gram a.gram" "./inner a.gram ./z.gram"; do
        for target in json-schema openai anthropic gemini mcp markdown; do
            # shellcheck disable=SC2086
            same "$target" "$gramc" compile --target "$target" $files
        done
        # shellcheck disable=SC2086
        same composed "$gramc" tools --compose $files
        # shellcheck disable=SC2086
        same composed.json "$gramc" tools --compose --format json $files
    done
}
permuted
same folder "$gramc" compile a.gram z.gram inner/k.gram
same folder "$gramc" compile .
grep -o '"name":"[a-z]*"' expected.json-schema | tr -d '\n' >names
echo '"name":"late""name":"early""name":"shared""name":"inside""name":"middle"' | tr -d '\n' |
    cmp -s - names || { echo "order: not by path: $(cat names)" && failed=1; }

# Imports in any order, and one file that the others import as well.
mkdir old new
for side in old new; do
    mkdir $side/inner
    cp a.gram z.gram $side
    cp inner/k.gram $side/inner
done
sed -i 's/Does early/Does it early/' new/a.gram
sed -i 's/(x::Int)/(x::Int {min: 0})/' new/z.gram new/inner/k.gram
sed -i 's/shared:Tool.*/shared:Tool {description: "Does shared"} | (x::Int)==>(::Int)]/' new/z.gram
for imports in '"a.gram", "z.gram", "inner/k.gram"' '"z.gram", "inner/k.gram", "a.gram"' \
    '"inner/k.gram", "a.gram", "z.gram"'; do
    for side in old new; do
        { echo "{imports: [$imports]}" && tool root Int; } >$side/m.gram
    done
    same imported "$gramc" compile old/m.gram
    same imported "$gramc" compile old
    same changed "$gramc" diff --fail-on none old new
    same changed.file "$gramc" diff --fail-on none old/m.gram new/m.gram
    same changed.json "$gramc" diff --fail-on none --format json old new
    same compose "$gramc" tools --compose old/m.gram
done
[ $count -ge 80 ] || { echo "order: only $count outputs were compared" && failed=1; }
exit $failed
