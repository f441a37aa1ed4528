#!/bin/sh
# Debian packages: gramc (the programs), libgramc0, libgramcrun0 (the shared libraries), libgramc-dev (headers, archives,
# pkg-config, the CMake package).   packaging/deb.sh [OUT]    OUT/*_VERSION_ARCH.deb; OUT is build/packages
set -eu
. "$(dirname "$0")/common.sh"
need dpkg-shlibdeps dpkg-dev
out=${1:-$source/build/packages}
arch=$(host_arch)
triplet=$(machine_of "$arch")-linux-gnu
dir=$source/build/deb-$arch
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

configure "$dir" "$arch" -DGRAMC_STATIC=OFF -DGRAMC_RUNTIME=ON -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR="lib/$triplet" -DCMAKE_SKIP_INSTALL_RPATH=ON
build "$dir" all
# tree PACKAGE COMPONENT: its files, stripped, with what every package has
tree() {
    tree=$work/$1
    mkdir -p "$tree/DEBIAN" "$tree/usr/share/doc/$1"
    DESTDIR=$tree cmake --install "$dir" --component "$2" >/dev/null
    cp "$source/LICENSE" "$tree/usr/share/doc/$1/copyright"
    find "$tree/usr" -type f \( -name '*.so.*' -o -name gramc -o -name 'gramc-*' \) -exec sh -c \
        'for f; do readelf -h "$f" >/dev/null 2>&1 && strip --strip-unneeded "$f" || :; done' - {} +
    find "$tree/usr/share/man" -type f -exec gzip -9n {} + 2>/dev/null || :
}
tree gramc program
tree libgramc0 libgramc
tree libgramcrun0 libgramcrun
tree libgramc-dev dev

# What they need of Debian, by their symbols. dpkg-shlibdeps reads a source tree's debian/control.
mkdir -p "$work/debian"
printf 'Source: gramc\n\nPackage: gramc\nArchitecture: any\n' >"$work/debian/control"
for pair in libgramc:libgramc0 libgramcrun:libgramcrun0; do
    printf '%s 0 %s (>= %s)\n' "${pair%:*}" "${pair#*:}" "$version" >"$work/${pair#*:}/DEBIAN/shlibs"
    echo "activate-noawait ldconfig" >"$work/${pair#*:}/DEBIAN/triggers"
done
# needs FILE...
needs() {
    (cd "$work" && dpkg-shlibdeps -O -Slibgramc0 -Slibgramcrun0 -l"$work/libgramc0/usr/lib/$triplet" "$@") | sed 's/^shlibs:Depends=//'
}
# pack PACKAGE SECTION DEPENDS MORE ABOUT
pack() {
    package=$1 section=$2 depends=$3 more=$4 about=$5
    size=$(du -sk --apparent-size "$work/$package/usr" | cut -f1)
    {
        printf 'Package: %s\nSource: gramc\nVersion: %s\nArchitecture: %s\n' "$package" "$version" "$arch"
        printf 'Maintainer: gramc <gramc@localhost>\nInstalled-Size: %s\nSection: %s\nPriority: optional\n' "$size" "$section"
        printf 'Depends: %s\n' "$depends"
        [ -z "$more" ] || printf '%s\n' "$more"
        printf 'Description: %s\n' "$about"
    } >"$work/$package/DEBIAN/control"
    (cd "$work/$package" && find usr -type f | sort | xargs -d '\n' md5sum >DEBIAN/md5sums)
    find "$work/$package" -exec touch -h -d "@$epoch" {} +
    chmod -R u+rwX,go+rX,go-w "$work/$package"
    file=$out/${package}_${version}_$arch.deb
    dpkg-deb --root-owner-group -Zxz --build "$work/$package" "$file" >/dev/null
    say "$file: $(stat -c %s "$file") bytes"
}
program_needs=$(needs gramc/usr/bin/gramc gramc/usr/libexec/gramc/gramc-run gramc/usr/libexec/gramc/gramc-host)
# Opened by name, so that no symbol tells: the HTTP server, and PostgreSQL for who keeps stores there.
pack gramc devel "$program_needs, libmicrohttpd12" "Recommends: ca-certificates
Suggests: libpq5" "compiles agent specs in gram notation and runs them"
pack libgramc0 libs "$(needs libgramc0/usr/lib/$triplet/libgramc.so.0)" "Multi-Arch: same" "compiler of agent specs in gram notation, as a library"
pack libgramcrun0 libs "$(needs libgramcrun0/usr/lib/$triplet/libgramcrun.so.0)" "Multi-Arch: same" "runtime of agent specs in gram notation, as a library"
pack libgramc-dev libdevel "libgramc0 (= $version), libgramcrun0 (= $version), libpcre2-dev, libyaml-dev, libuv1-dev, libcurl4-openssl-dev | libcurl4-gnutls-dev, libsqlite3-dev" \
    "" "headers, archives, pkg-config and CMake package of libgramc and libgramcrun"
