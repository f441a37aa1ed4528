#!/bin/sh
# Only what is meant for users is exported, gramc and gramc-host need libc and PCRE2 alone, and every public
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

headers=$(find "$source/include/gramc" -name '*.h' ! -name runtime.h ! -name plugin.h)
check_exports "$build/libgramc.so" "$headers"
[ -e "$build/libgramcrun.so" ] && check_exports "$build/libgramcrun.so" "$source/include/gramc/runtime.h"

# check_needs PROGRAM: libc and PCRE2 alone
check_needs() {
    for needed in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        case $needed in
        libc.so.* | libpcre2-8.so.* | ld-linux*) ;;
        libasan* | libubsan* | libclang_rt* | libm.so* | libgcc_s* | libresolv* | libpthread* | libdl* | librt*)
            # Sanitizer builds bring these; a plain build must not.
            [ "${GRAMC_SANITIZED:-}" ] || complain "$(basename "$1") needs $needed" ;;
        *) complain "$(basename "$1") needs $needed" ;;
        esac
    done
}
check_needs "$build/bin/gramc"
[ -e "$build/libexec/gramc/gramc-host" ] && check_needs "$build/libexec/gramc/gramc-host"
exit $bad
