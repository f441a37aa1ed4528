#!/bin/sh
# Every package of a release, its bills of materials, and SHA256SUMS of all.
#     packaging/all.sh [OUT]     OUT is build/packages
set -eu
. "$(dirname "$0")/common.sh"
out=${1:-$source/build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
here=$source/packaging
# Unpacked once, for both that are cross-built.
export GRAMC_SYSROOT="$source/build/sysroot"
for arch in amd64 arm64; do
    sh "$here/static.sh" --arch $arch "$out"
    sh "$here/tarball.sh" --arch $arch "$out"
done
sh "$here/npm.sh" --program "amd64=$out/gramc-$version-linux-x86_64" --program "arm64=$out/gramc-$version-linux-aarch64" "$out"
sh "$here/vsix.sh" "$out"
sh "$here/wasm.sh" "$out"
sh "$here/deb.sh" "$out"
sh "$here/container.sh" --tarball "$out/gramc-$version-linux-$(uname -m).tar.gz" "$out"
sh "$here/sums.sh" "$out"
