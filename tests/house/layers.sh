#!/bin/sh
# The layers hold: base <- {jsonschema, jolt, toolbox, grammar} <- compiler <- runtime <- experiment
# <- serve <- cli, and lsp between compiler and cli. Reads every #include "..." of our
# own C, subfolders included, and fails on one that points the other way, or into runtime from
# gramc's own commands.
set -u
cd "$1" || exit 2
bad=0 seen=0

# headers_of FOLDER: the public and generated headers that its files may include
headers_of() {
    compiled="gramc/gramc.h gramc/schema.h gramc/jolt.h gramc/toolbox.h gramc/spec.h gramc/kinds.def gramc/providers.def gramc/compile.h gramc/diff.h"
    case $1 in
    base) echo "gramc/gramc.h" ;;
    jsonschema) echo "gramc/gramc.h gramc/schema.h metaschemas.h" ;;
    jolt) echo "gramc/gramc.h gramc/jolt.h jsonschema/regex.h" ;;
    toolbox) echo "gramc/gramc.h gramc/jolt.h gramc/toolbox.h" ;;
    grammar) echo "gramc/gramc.h parser.c parser.h" ;;
    compiler) echo "$compiled" ;;
    runtime) echo "$compiled gramc/event.h gramc/runtime.h gramc/plugin.h" ;;
    experiment) echo "$compiled gramc/event.h gramc/runtime.h gramc/experiment.h" ;;
    experiment/stat) echo "gramc/gramc.h" ;;
    serve) echo "$compiled gramc/event.h gramc/runtime.h page.h" ;;
    lsp) echo "$compiled parser.h" ;;
    cli | cli/generate | wasm) echo "$compiled" ;;
    cli/run) echo "$compiled gramc/event.h gramc/runtime.h gramc/experiment.h" ;;
    cli/host) echo "gramc/gramc.h gramc/plugin.h runtime/process/plugin.h runtime/process/report.h" ;;
    esac
}

# allowed FOLDER "LAYER...": folders that its files may include, besides the headers above
allowed() {
    folder=$1 layers=$2 headers=$(headers_of "$1") deep=
    [ "$folder" = cli ] && deep="-maxdepth 1"
    # shellcheck disable=SC2086
    for file in $(find "$folder" $deep \( -name '*.c' -o -name '*.h' -o -name '*.re' -o -name '*.y' \)); do
        for include in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"); do
            seen=$((seen + 1)) ok=no
            for header in $headers; do [ "$include" = "$header" ] && ok=yes; done
            for layer in $layers; do
                case $include in "$layer"/*) ok=yes ;; esac
            done
            [ $ok = yes ] || { echo "$file includes $include"; bad=1; }
        done
    done
}

allowed base "base"
allowed jsonschema "base jsonschema"
allowed jolt "base jolt"
allowed toolbox "base toolbox"
allowed grammar "base grammar"
allowed compiler "base jsonschema toolbox grammar compiler"
allowed runtime "base toolbox runtime"
allowed experiment "base runtime experiment"
[ -d experiment/stat ] && allowed experiment/stat "base experiment/stat"
allowed serve "base runtime experiment serve"
allowed lsp "base grammar compiler lsp"
allowed cli "base lsp cli"
allowed cli/run "base experiment serve cli"
allowed cli/generate "base cli"
allowed cli/host "base cli"
allowed wasm "base wasm"

others=$(grep -rl 'curl/curl.h' base jsonschema jolt toolbox grammar compiler runtime experiment serve lsp cli | grep -v '^runtime/net/http.c$')
[ -z "$others" ] || { echo "only runtime/net/http.c may include curl: $others"; bad=1; }
others=$(grep -rl '<sqlite3.h>' --include='*.[ch]' base jsonschema jolt toolbox grammar compiler runtime experiment serve lsp cli | grep -v '^runtime/sqlite.c$')
[ -z "$others" ] || { echo "only runtime/sqlite.c may include SQLite: $others"; bad=1; }
others=$(grep -rl '<histedit.h>' --include='*.[ch]' base jsonschema jolt toolbox grammar compiler runtime experiment serve lsp cli | grep -v '^cli/run/line.c$')
[ -z "$others" ] || { echo "only cli/run/line.c may include libedit: $others"; bad=1; }
others=$(grep -rl '<microhttpd.h>' --include='*.[ch]' base jsonschema jolt toolbox grammar compiler runtime experiment serve lsp cli | grep -v '^serve/link.h$')
[ -z "$others" ] || { echo "only serve/link.h may include libmicrohttpd: $others"; bad=1; }
[ "$seen" -gt 900 ] || { echo "only $seen includes were seen: the test looks at the wrong place"; bad=1; }
echo "$seen includes read"
exit $bad
