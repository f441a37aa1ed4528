#!/bin/sh
# A name means one thing: no two structs, enums or unions of the same tag in our folders, wherever they stand;
# no two enumerators of the same name in headers.
set -u
cd "$1" || exit 2
bad=0
folders="base jsonschema jolt toolbox grammar compiler runtime experiment serve lsp cli include"

# without_comments FILE...: the code alone, each line behind its file's name
without_comments() {
    awk '
        FNR == 1 { inside = 0 }
        {
            line = $0
            out = ""
            while (line != "") {
                if (inside) {
                    end = index(line, "*/")
                    if (!end) break
                    line = substr(line, end + 2)
                    inside = 0
                } else {
                    start = index(line, "/*")
                    if (!start) { out = out line; break }
                    out = out substr(line, 1, start - 1)
                    line = substr(line, start + 2)
                    inside = 1
                }
            }
            print FILENAME ": " out
        }' "$@"
}

# complain_twice WHAT: of lines "name file", those whose name stands there more than once
complain_twice() {
    awk -v what="$1" '
        { files[$1] = files[$1] " " $2; count[$1]++ }
        END {
            for (name in count) if (count[name] > 1) { print what " " name " is defined more than once:" files[name]; bad = 1 }
            exit bad
        }'
}

# shellcheck disable=SC2086
sources=$(find $folders -name '*.[chy]' -o -name '*.re')
# shellcheck disable=SC2086
tags=$(without_comments $sources |
    sed -nE 's/^([^:]*): (.*[^a-zA-Z_])?(struct|enum|union) +([a-zA-Z_0-9]+) *\{.*/\4 \1/p')
echo "$tags" | complain_twice tag || bad=1

# shellcheck disable=SC2086
headers=$(find $folders -name '*.h')
# Rows of tables (#define and what they hold) make enumerators of other names.
# shellcheck disable=SC2086
enumerators=$(without_comments $headers | awk '
    {
        file = $1
        sub(/:$/, "", file)
        sub(/^[^:]*: /, "")
        if ($0 ~ /^ *#/) next
        if (match($0, /(^|[^a-zA-Z_])enum( +[a-zA-Z_0-9]+)? *\{/)) { inside = 1; $0 = substr($0, RSTART + RLENGTH) }
        if (!inside) next
        end = index($0, "}")
        if (end) { $0 = substr($0, 1, end - 1); inside = 0 }
        count = split($0, names, ",")
        for (i = 1; i <= count; i++) {
            sub(/=.*/, "", names[i])
            gsub(/[ \t]/, "", names[i])
            if (names[i] ~ /^[a-zA-Z_][a-zA-Z_0-9]*$/) print names[i], file
        }
    }')
echo "$enumerators" | complain_twice enumerator || bad=1

tag_count=$(echo "$tags" | wc -l) enumerator_count=$(echo "$enumerators" | wc -l)
[ "$tag_count" -gt 400 ] || { echo "only $tag_count tags were seen: the test looks at the wrong place"; bad=1; }
[ "$enumerator_count" -gt 400 ] || { echo "only $enumerator_count enumerators were seen"; bad=1; }
echo "$tag_count tags, $enumerator_count enumerators in headers"
exit $bad
