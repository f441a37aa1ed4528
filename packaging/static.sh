#!/bin/sh
# One file with all of gramc that needs no runtime (check, compile, diff, fmt, import, validate, ...), libc inside.
#     packaging/static.sh [--arch amd64|arm64] [OUT]      OUT/gramc-VERSION-linux-MACHINE; OUT is build/packages
set -eu
. "$(dirname "$0")/common.sh"
arch=$(host_arch)
if [ "${1:-}" = --arch ]; then
    arch=${2:?--arch names no architecture}
    shift 2
fi
out=${1:-$source/build/packages}
file=$out/gramc-$version-linux-$(machine_of "$arch")
LARGEST=4000000

mkdir -p "$out"
configure "$source/build/static-$arch" "$arch" -DGRAMC_RUNTIME=OFF
build "$source/build/static-$arch" gramc
cp "$source/build/static-$arch/bin/gramc" "$file.new"
strip_file "$file.new" "$arch"
size=$(stat -c %s "$file.new")
[ "$size" -lt $LARGEST ] || fail "it has $size bytes, $LARGEST are too many"
mv "$file.new" "$file"
bill "$arch" "$file" libc6-dev libpcre2-dev libyaml-dev
say "$file: $size bytes"
