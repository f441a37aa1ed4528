#!/bin/sh
# i10-c13: whatever gramc writes (init, import, tools, check --fix) is laid out as `gramc fmt` does and
# keeps the rules of the configuration that `gramc init` writes.
set -u
source=$1 gramc=$2
collection=$source/../shared/data/tool_schemas.jsonl
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
bad=0
fail() { echo "$*"; bad=1; }

"$gramc" init . >/dev/null || fail "init failed"
"$gramc" check . >/dev/null || fail "what init writes does not pass its own rules"

# Schemas with every feature that there is contradict themselves here and there; only their layout counts.
mkdir odd
"$gramc" import "$source"/tests/data/import/*.jsonl -o odd/all.gram 2>/dev/null || fail "import failed"
if [ -f "$collection" ]; then
    "$gramc" import "$collection" -o collection.gram 2>/dev/null || fail "import failed"
fi
cat >api.json <<'END'
{"openapi": "3.0.3", "servers": [{"url": "http://127.0.0.1:8080"}], "paths": {"/find_pets": {"get": {
 "operationId": "find_pets", "summary": "Finds pets", "parameters": [
  {"name": "tag_names", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}}]}}}}
END
"$gramc" import api.json --agent pets -o api.gram --library api.library.gram || fail "import failed"

"$gramc" tools api.library.gram --format gram >tools.gram 2>/dev/null && [ -s tools.gram ] ||
    fail "tools wrote nothing"

# The layout stays that of fmt where a fix makes a line longer or a name shorter.
cat >fixed.gram <<'END'
[fixed:Agent {
  descriptio: "Knows everything that there is to know about the shop, and answers every call",
  temprature: 1
}]
[t:Tool {description: "d"} | (anothr::Txet {minLength: 1, maxLength: 2}) ==> (::Text)]
END
"$gramc" fmt fixed.gram 2>/dev/null
"$gramc" check --fix fixed.gram >/dev/null 2>&1

"$gramc" fmt --check . || fail "something is not laid out as gramc fmt does"
rm -r odd
"$gramc" check . >found 2>&1 || { tail -30 found; fail "something breaks the rules of init"; }
exit $bad
