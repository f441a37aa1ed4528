#!/bin/sh
# A folder that `docker build` or `podman build` takes: the Dockerfile and its root, which mmdebstrap makes of Debian's
# essential packages, the certificates and the tarball's program. No daemon is needed for it.
# Dockerfile.check is an image of the one file that checks and compiles, and of nothing else.
#     packaging/container.sh [--tarball FILE] [OUT]     OUT/container; OUT is build/packages
set -eu
. "$(dirname "$0")/common.sh"
need mmdebstrap mmdebstrap
tarball=
if [ "${1:-}" = --tarball ]; then
    tarball=${2:?--tarball names no file}
    shift 2
fi
out=${1:-$source/build/packages}
mkdir -p "$out/container"
out=$(cd "$out" && pwd)
if [ -z "$tarball" ]; then
    sh "$source/packaging/tarball.sh" "$out"
    tarball=$out/gramc-$version-linux-$(uname -m).tar.gz
fi
tarball=$(realpath "$tarball")
# Pages and lists of packages are of no use in a container.
mmdebstrap --quiet --variant=essential --include=ca-certificates --format=tar \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --customize-hook='mkdir -p "$1/opt/gramc" "$1/work"' \
    --customize-hook="tar -xzf '$tarball' --strip-components=1 --no-same-owner -C \"\$1/opt/gramc\"" \
    --customize-hook='rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/*' \
    bookworm "$out/container/root.tar" ${GRAMC_MIRROR:+"$GRAMC_MIRROR"} >&2 || fail "mmdebstrap did not make the root"
cp "$source/packaging/container/Dockerfile" "$source/packaging/container/Dockerfile.check" "$out/container"
# The tarball's bin/gramc is the one file.
tar -xzOf "$tarball" --wildcards '*/bin/gramc' >"$out/container/gramc"
chmod 755 "$out/container/gramc"
say "$out/container/root.tar: $(stat -c %s "$out/container/root.tar") bytes"
