#!/bin/sh
# House style that a compiler does not see: forbidden functions, printing in the library, opening
# comments, file and function lengths. `style.sh SOURCE --list` names the files that are looked at.
set -u
cd "$1" || exit 2
bad=0
complain() { echo "$*"; bad=1; }

libraries="base jsonschema jolt toolbox grammar compiler runtime experiment serve lsp wasm"
sources=$(find $libraries cli -name '*.c')
headers=$(find include $libraries cli -name '*.h')
others=$(find tests specs bench examples -name node_modules -prune -o \( -name '*.c' -o -name '*.h' \) -print)
[ "${2:-}" != --list ] || { printf '%s\n' $sources $others; exit 0; }

for word in sprintf strcpy strcat strtok gets atoi atol atof; do
    # shellcheck disable=SC2086
    grep -nE "(^|[^a-z_])$word *\(" $sources $headers $others && complain "$word is forbidden"
done
for word in 'printf *\(' 'puts *\(' 'exit *\(' 'abort *\(' 'getenv *\(' 'setlocale *\('; do
    # shellcheck disable=SC2086
    grep -rnE --include='*.c' --include='*.h' "(^|[^a-z_>.])$word" $libraries |
        grep -vE '^[^:]*:[0-9]*: *(/\*|\*|//)' && complain "the library must not call $word"
done
for file in $sources; do
    head -1 "$file" | grep -q '^/\*' || complain "$file does not open with what it is for"
    lines=$(wc -l <"$file")
    [ "$lines" -le 800 ] || complain "$file has $lines lines"
done
# A function runs from a line that ends in `{` in column 1 to the next `}` in column 1.
for file in $sources; do
    awk -v file="$file" '
        /^[a-z].*\) \{$/ || /^ +.*\) \{$/ && !start && prev ~ /^[a-z].*[,(]$/ { if (!start) start = NR }
        /^}/ { if (start && NR - start > 80) { print file ": " NR - start " lines from " start; bad = 1 } start = 0 }
        { prev = $0 }
        END { exit bad }' "$file" || bad=1
done
exit $bad
