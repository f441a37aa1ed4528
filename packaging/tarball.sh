#!/bin/sh
# The whole program with the libraries that it needs, for any Linux whose glibc is not older than Debian 12's: unpack it
# anywhere.   packaging/tarball.sh [--arch amd64|arm64] [OUT]    OUT/gramc-VERSION-linux-MACHINE.tar.gz
set -eu
. "$(dirname "$0")/common.sh"
arch=$(host_arch)
if [ "${1:-}" = --arch ]; then
    arch=${2:?--arch names no architecture}
    shift 2
fi
out=${1:-$source/build/packages}
machine=$(machine_of "$arch")
name=gramc-$version-linux-$machine
dir=$source/build/whole-$arch
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure "$dir" "$arch" -DGRAMC_RUNTIME=ON -DGRAMC_BUNDLED=ON
build "$dir" gramc gramc-run gramc-host pages
DESTDIR=$work cmake --install "$dir" --prefix "/$name" --component program >/dev/null
tree=$work/$name
for program in bin/gramc libexec/gramc/gramc-run libexec/gramc/gramc-host; do strip_file "$tree/$program" "$arch"; done

# ## Libraries: all that is needed but libc, which is the system's
root=
[ "$arch" = "$(host_arch)" ] || root=$sysroot
of_libc='^(lib(c|m|dl|rt|pthread|resolv|util|anl)\.so\.[0-9]+|ld-linux.*)$'
needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'; }
# find_library NAME: where it is, on this machine or below the root of the other one
find_library() {
    for folder in "$root/lib/$machine-linux-gnu" "$root/usr/lib/$machine-linux-gnu" "$root/usr/lib64" "$root/lib64"; do
        [ ! -e "$folder/$1" ] || { echo "$folder/$1"; return; }
    done
}
bundle="$tree/lib/gramc"
mkdir -p "$bundle"
# take NAME: copies it with all that it needs
take() {
    if [ -e "$bundle/$1" ] || echo "$1" | grep -qE "$of_libc"; then return; fi
    found=$(find_library "$1")
    [ -n "$found" ] || fail "$1 is needed and is nowhere"
    cp -L "$found" "$bundle/$1"
    chmod 644 "$bundle/$1"
    realpath "$found" >>"$work/taken"
    for other in $(needed "$bundle/$1"); do take "$other"; done
}
# The last two are opened when they are needed: by `gramc serve`, and by stores in PostgreSQL.
for library in $(needed "$tree/libexec/gramc/gramc-run") libmicrohttpd.so.12 libpq.so.5; do take "$library"; done

# ## Licences: those of the packages that they come from
# shellcheck disable=SC2046
packages=$(owners "$arch" $(cat "$work/taken"))
mkdir -p "$tree/share/doc/gramc/licences"
for package in $packages; do cp -L "$root/usr/share/doc/$package/copyright" "$tree/share/doc/gramc/licences/$package"; done
cp "$source/LICENSE" "$tree/share/doc/gramc/LICENSE"
glibc=$(for file in "$tree"/libexec/gramc/* "$bundle"/*; do readelf -V "$file"; done | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -1 | sed 's/GLIBC_//')
cat >"$tree/README" <<R
gramc $version for Linux on $machine: the whole program. Unpack it anywhere and call bin/gramc.

bin/gramc needs nothing. gramc run, serve and experiment need glibc $glibc or newer; every other library is in
lib/gramc, its licences in share/doc/gramc/licences. HTTPS asks for the system's certificates: where these are not in
/etc/ssl/certs/ca-certificates.crt, name the file: SSL_CERT_FILE=/etc/pki/tls/certs/ca-bundle.crt.
R
archive "$tree" "$out/$name.tar.gz"
# shellcheck disable=SC2086
bill "$arch" "$out/$name.tar.gz" libc6-dev libpcre2-dev libyaml-dev $packages
say "$out/$name.tar.gz: $(stat -c %s "$out/$name.tar.gz") bytes, $(ls "$bundle" | wc -l) libraries, glibc $glibc"
