#!/bin/sh
# The layers hold: base <- grammar <- compiler <- runtime <- cli. Reads every #include "..." of our
# own C and fails on one that points the other way, or into runtime from gramc's own commands.
set -u
cd "$1" || exit 2
bad=0 seen=0

# allowed FOLDER "LAYER...": folders that its files may include, besides the public headers
allowed() {
    folder=$1 layers=$2
    for file in "$folder"/*.c "$folder"/*.h "$folder"/*.re "$folder"/*.y; do
        [ -e "$file" ] || continue
        for include in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"); do
            seen=$((seen + 1))
            case $include in
            gramc/gramc.h) continue ;;
            gramc/compile.h) case $folder in compiler | runtime | cli | cli/run | cli/generate) continue ;; esac ;;
            gramc/runtime.h) case $folder in runtime | cli/run) continue ;; esac ;;
            gramc/plugin.h | runtime/plugin.h) case $folder in runtime | cli/host) continue ;; esac ;;
            parser.c | parser.h) [ "$folder" = grammar ] && continue ;;
            metaschema*) [ "$folder" = compiler ] && continue ;;
            esac
            ok=no
            for layer in $layers; do
                case $include in "$layer"/*) ok=yes ;; esac
            done
            [ $ok = yes ] || { echo "$file includes $include"; bad=1; }
        done
    done
}

allowed base "base"
allowed grammar "base grammar"
allowed compiler "base grammar compiler"
allowed runtime "base runtime"
allowed cli "base cli"
allowed cli/run "base cli"
allowed cli/generate "base cli"
allowed cli/host "base cli"

others=$(grep -l 'curl/curl.h' runtime/*.c runtime/*.h cli/*.c cli/run/*.c base/*.c compiler/*.c 2>/dev/null | grep -v '^runtime/http.c$')
[ -z "$others" ] || { echo "only runtime/http.c may include curl: $others"; bad=1; }
[ "$seen" -gt 50 ] || { echo "only $seen includes were seen: the test looks at the wrong place"; bad=1; }
echo "$seen includes read"
exit $bad
