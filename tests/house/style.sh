#!/bin/sh
# House style that a compiler does not see: forbidden functions, printing in the library, opening
# comments, file and function lengths.
set -u
cd "$1" || exit 2
bad=0
complain() { echo "$*"; bad=1; }

sources=$(ls base/*.c grammar/*.c compiler/*.c runtime/*.c cli/*.c cli/run/*.c cli/generate/*.c cli/host/*.c 2>/dev/null)
headers=$(ls include/gramc/*.h base/*.h grammar/*.h compiler/*.h runtime/*.h cli/*.h 2>/dev/null)

others=$(ls tests/*/*.c tests/*/*.h specs/*/*.c bench/*.c bench/*.h bench/*/*.c 2>/dev/null)
for word in sprintf strcpy strcat strtok gets atoi atol atof; do
    # shellcheck disable=SC2086
    grep -nE "(^|[^a-z_])$word *\(" $sources $headers $others && complain "$word is forbidden"
done
for word in 'printf *\(' 'puts *\(' 'exit *\(' 'abort *\(' 'getenv *\(' 'setlocale *\('; do
    grep -nE "(^|[^a-z_>.])$word" base/*.c grammar/*.c compiler/*.c runtime/*.c |
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
