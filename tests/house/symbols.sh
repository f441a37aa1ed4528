#!/bin/sh
# The shared libraries and the archives define what the public headers declare, and no other name that a
# program could meet; gramc and gramc-host need libc and PCRE2 alone.
set -u
source=$1 build=$2
bad=0
complain() { echo "$*"; bad=1; }
brought=${GRAMC_SANITIZED:+'^_*\(odr_\)*asan[._]'}
brought=${brought:-^$}

# exports_of LIBRARY: the global names that it defines. AddressSanitizer brings names of its own.
exports_of() {
    case $1 in
    *.so) nm -D --defined-only "$1" | awk '$2 == "T" || $2 == "D" || $2 == "B" || $2 == "R" { print $3 }' | sed 's/@.*//' ;;
    *.a) nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | grep -v "$brought" ;;
    esac | sort -u
}

check_exports() {
    library=$1 header_list=$2
    exported=$(exports_of "$library")
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

headers=$(find "$source/include/gramc" -name '*.h' ! -name runtime.h ! -name event.h ! -name plugin.h ! -name toolbox.h)
for kind in so a; do
    check_exports "$build/libgramc.$kind" "$headers"
    [ ! -e "$build/libgramcrun.so" ] || check_exports "$build/libgramcrun.$kind" "$source/include/gramc/runtime.h $source/include/gramc/event.h $source/include/gramc/toolbox.h"
done

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
