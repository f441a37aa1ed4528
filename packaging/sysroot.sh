#!/bin/sh
# What a build for another architecture is compiled and linked against: Debian 12's own files, unpacked, never run.
# FOLDER/PACKAGES says whose they are (name, version, source), FOLDER/FILES which file is whose.
#     packaging/sysroot.sh amd64|arm64 FOLDER
set -eu
. "$(dirname "$0")/common.sh"
[ $# = 2 ] || fail "an architecture and a folder, please"
arch=$1 folder=$2
triplet=$(machine_of "$arch")-linux-gnu
packages=libc6-dev,linux-libc-dev,libpcre2-dev,libyaml-dev,libuv1-dev,libcurl4-openssl-dev,libsqlite3-dev,libedit-dev,libmicrohttpd-dev,libpq5
need mmdebstrap mmdebstrap
rm -rf "$folder.new"
# Who is not root is root of a namespace of his own: what is only unpacked asks for no other users.
as_root=
[ "$(id -u)" = 0 ] || as_root='unshare -r'
$as_root mmdebstrap --quiet --mode=root --arch="$arch" --variant=extract --skip=essential/unlink,cleanup/apt/cache --include="$packages" bookworm "$folder.new" \
    ${GRAMC_MIRROR:+"$GRAMC_MIRROR"} >&2 || fail "mmdebstrap did not unpack Debian's files for $arch"
for deb in "$folder.new"/var/cache/apt/archives/*.deb; do
    dpkg-deb -W --showformat='${Package}\t${Version}\t${source:Package}\n' "$deb" >>"$folder.new/PACKAGES"
    name=$(dpkg-deb -f "$deb" Package)
    dpkg-deb --fsys-tarfile "$deb" | tar -tf - | sed "s|^\./|$name	/|" >>"$folder.new/FILES"
    rm "$deb"
done
# A link to /lib would lead out of the folder.
find "$folder.new/usr/lib/$triplet" "$folder.new/lib/$triplet" -type l -lname '/*' -printf '%p %l\n' |
    while read -r link to; do ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$folder.new$to")" "$link"; done
mv "$folder.new" "$folder"
