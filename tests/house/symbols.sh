#!/bin/sh
# Only what is meant for users is exported, gramc needs libc and PCRE2 alone, and every public
# function of the headers exists.
set -u
source=$1 build=$2
bad=0
complain() { echo "$*"; bad=1; }

check_exports() {
    library=$1 header_list=$2
    exported=$(nm -D --defined-only "$library" | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { print $3 }' | sed 's/@.*//' | sort -u)
    # shellcheck disable=SC2086
    declared=$(cat $header_list | tr '\n' ' ' | grep -oE 'GRAMC_API[^;]*' | grep -oE 'gramc_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u)
    [ -n "$declared" ] || complain "no GRAMC_API was found in $header_list"
    for symbol in $exported; do
        echo "$declared" | grep -qx "$symbol" || complain "$(basename "$library") exports $symbol"
    done
    for symbol in $declared; do
        echo "$exported" | grep -qx "$symbol" || complain "$(basename "$library") lacks $symbol"
    done
    echo "$(basename "$library"): $(echo "$declared" | wc -l) public functions"
}

check_exports "$build/libgramc.so" "$source/include/gramc/gramc.h $source/include/gramc/compile.h"
[ -e "$build/libgramcrun.so" ] && check_exports "$build/libgramcrun.so" "$source/include/gramc/runtime.h"

for needed in $(readelf -d "$build/bin/gramc" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $needed in
    libc.so.* | libpcre2-8.so.* | ld-linux*) ;;
    libasan* | libubsan* | libclang_rt* | libm.so* | libgcc_s* | libresolv* | libpthread* | libdl* | librt*)
        # Sanitizer builds bring these; a plain build must not.
        [ "${GRAMC_SANITIZED:-}" ] || complain "gramc needs $needed" ;;
    *) complain "gramc needs $needed" ;;
    esac
done
exit $bad
