#!/bin/sh
# A run sends exactly the bytes that `gramc compile --target` prints for its wire: the array of
# tools in the first request of a trace is the printed one, line breaks between tools left out.
set -u
source=$1 gramc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 seen=0

cat >"$work/odd.gram" <<'GRAM'
[Tree:Object | (value::Int), (children::Array {items: Tree, optional: true})]
[Shape:OneOf | (::Text {pattern: "^a\\.b$"}), (::Double {above: 0})]
[odd:Agent {description: "Types of every sort", model: "OpenAI/gpt-4o-mini"} |
  [`files.read`:Tool {description: "A dotted name, \"quotes\" and é"} |
    (path::Text {minLength: 1, examples: ["a"]})==>(from::Long {default: 0})==>(::Text)],
  [grow:Tool {description: "Recursion"} | (tree::Tree)==>(shape::Shape {nullable: true})==>(::Any)],
  [raw:Tool {description: "A raw schema"} |
    (x::Any {schema: json`{"type": "string", "contentEncoding": "base64"}`})==>(::Null)],
  [bare:Tool {description: "Nothing"} | ()==>(::Int)]
]
GRAM
cat >"$work/fixed.gram" <<'GRAM'
[fixed:ToolLibrary |
  [`files.read`:ToolImpl {returns: "text"}], [grow:ToolImpl {returns: "1"}],
  [raw:ToolImpl {returns: ""}], [bare:ToolImpl {returns: "1"}]]
GRAM

# same SPEC LIBRARY WIRE TARGET MEMBER
same() {
    sed "s/model: \"OpenAI\/gpt-4o-mini\"/&, wire: $3/" "$1" >"$work/spec.gram"
    (cd "$work" && "$gramc" compile --no-config spec.gram --target "$4" 2>/dev/null | tr -d '\n' >printed) || bad=1
    (cd "$work" && "$gramc" run --no-config spec.gram --library "$2" --model mock --trace trace hello >/dev/null 2>&1)
    seen=$((seen + 1))
    [ "$(wc -c <"$work/printed")" -gt 60 ] || { echo "$1 for $4: hardly anything was printed"; bad=1; }
    grep -F '"event":"model.request"' "$work/trace" | head -1 | grep -qF "\"$5\":$(cat "$work/printed")" || {
        echo "$1 for $4: the request has other bytes"
        cat "$work/printed"; echo; grep -F '"event":"model.request"' "$work/trace" | head -1
        bad=1
    }
    rm -f "$work/trace"
}

hello=$source/specs/hello_world.gram libraries=$source/specs/libraries
same "$hello" "$libraries/friendly.gram" tools openai tools
same "$hello" "$libraries/friendly.gram" functions openai-functions functions
# It says `wire: functions` itself.
same "$source/specs/calculator.gram" "$libraries/arithmetic.gram" functions openai-functions functions
same "$work/odd.gram" "$work/fixed.gram" tools openai tools
same "$work/odd.gram" "$work/fixed.gram" functions openai-functions functions
[ "$seen" = 5 ] || { echo "only $seen requests were compared"; bad=1; }
exit $bad
