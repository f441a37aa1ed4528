#!/bin/bash
# Programs of others find the installed libraries: by pkg-config (shared, and static as a whole) and by
# CMake's find_package, from a prefix that was moved.   consumer.sh SOURCE BUILD CC
set -u
source=$1 build=$2 cc=$3
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need pkg-config "finds the libraries"
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null || exit 1
mv "$work/first" "$work/moved"
cd "$work" || exit 1
cp "$here"/consumer/* .
lib=$(dirname "$(find moved -name libgramc.a)")
export PKG_CONFIG_PATH=$work/$lib/pkgconfig LD_LIBRARY_PATH=$work/$lib

# by_pkg_config PACKAGE PROGRAM: its own flags are enough, and what it says is the library's.
by_pkg_config() {
    $cc -std=c99 -Wall -Wextra -Werror "$2.c" $(pkg-config --cflags --libs "$1") -o "$2" && [ "$("./$2")" = "$2 works" ] ||
        complain "pkg-config $1: the program does not work"
}
by_pkg_config gramc compiles
readelf -d compiles | grep -q 'NEEDED.*libgramc.so.0' || complain "the program does not ask for libgramc.so.0"
$cc -static -std=c99 compiles.c $(pkg-config --static --cflags --libs gramc) -o alone && [ "$(./alone)" = "compiles works" ] ||
    complain "pkg-config --static gramc: the program does not work"
with_run=
if [ -e "$lib/libgramcrun.so" ]; then
    with_run=ON
    by_pkg_config gramcrun runs
fi
[ "$(pkg-config --modversion gramc)" = "$(sed -n 's/^project(gramc VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")" ] ||
    complain "pkg-config names another version"

unset LD_LIBRARY_PATH
cmake -S . -B by-cmake -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_C_COMPILER="$cc" -DWITH_RUN=$with_run >out 2>&1 &&
    cmake --build by-cmake >>out 2>&1 || { tail -20 out; complain "find_package(gramc) does not build"; }
for program in compiles compiles-static ${with_run:+runs runs-static}; do
    [ "$("by-cmake/$program")" = "${program%-static} works" ] || complain "by find_package: $program does not work"
done
cmake -S . -B too-new -DCMAKE_PREFIX_PATH="$work/moved" -DCMAKE_C_COMPILER="$cc" -DWANTED=0.99 >out 2>&1 &&
    complain "find_package(gramc 0.99) takes this version"
grep -q 'requested version "0.99"' out || complain "find_package does not say which version is here"
echo "found by pkg-config and find_package"
exit $bad
