# What the scripts beside this have in common: sourced by them, from anywhere.
#     $source $version $epoch   the tree, its version, the second that all files get
#     say WORDS, fail WORDS     on standard error; fail ends with 2
#     need PROGRAM PACKAGE      fails if it is not installed
#     configure DIR ARCH WORD.. a release build for ARCH in DIR, whose bytes do not depend on where
#     archive FOLDER FILE       FOLDER as FILE.tar.gz, equal bytes for equal files
#     owners ARCH FILE...       the Debian packages that these files are of
#     bill ARCH FILE PACKAGE... FILE.spdx.json: what is in FILE, with Debian's versions
source=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
version=$(sed -n 's/^project(gramc VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")

say() { printf '%s\n' "$*" >&2; }
fail() { say "$(basename "$0"): $*"; exit 2; }
need() { command -v "$1" >/dev/null || fail "$1 is needed: apt-get install $2"; }

[ -n "$version" ] || fail "CMakeLists.txt names no version"
# The commit's time; a tree that git does not know has that of the oldest ZIP file.
epoch=${SOURCE_DATE_EPOCH:-$(git -c safe.directory="$source" -C "$source" log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH="$epoch" LC_ALL=C TZ=UTC
umask 022

host_arch() {
    case $(uname -m) in
    x86_64) echo amd64 ;;
    aarch64) echo arm64 ;;
    *) fail "there are no packages for $(uname -m)" ;;
    esac
}
# The same, as tarballs and `uname -m` call it.
machine_of() { case $1 in amd64) echo x86_64 ;; arm64) echo aarch64 ;; *) fail "there are no packages for $1" ;; esac; }

# Another architecture is cross-built, against Debian's own files for it.
configure() {
    dir=$1 arch=$2
    shift 2
    need cmake cmake
    need ninja ninja-build
    if [ "$arch" != "$(host_arch)" ]; then
        need "$(machine_of "$arch")-linux-gnu-gcc" "gcc-$(machine_of "$arch" | tr _ -)-linux-gnu"
        sysroot=${GRAMC_SYSROOT:-$dir.sysroot}
        [ -e "$sysroot/usr/include/pcre2.h" ] || sh "$source/packaging/sysroot.sh" "$arch" "$sysroot" || exit
        set -- "$@" -DCMAKE_TOOLCHAIN_FILE="$source/cmake/cross.cmake" -DCROSS_MACHINE="$(machine_of "$arch")" \
            -DCROSS_SYSROOT="$sysroot"
    fi
    mkdir -p "$dir"
    dir=$(cd "$dir" && pwd)
    cmake -S "$source" -B "$dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DGRAMC_BENCH=OFF \
        -DGRAMC_STATIC=ON -DCMAKE_C_FLAGS="-ffile-prefix-map=$source/= -ffile-prefix-map=$dir/=build/" \
        "$@" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log" >&2; fail "it cannot be configured"; }
}

# build DIR TARGET...
build() {
    dir=$1
    shift
    cmake --build "$dir" -j "${JOBS:-$(nproc)}" --target "$@" >"$dir/build.log" 2>&1 ||
        { tail -n 40 "$dir/build.log" >&2; fail "it cannot be built"; }
}

archive() {
    tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --format=gnu \
        -C "$(dirname "$1")" -cf - "$(basename "$1")" | gzip -9n >"$2"
}

# The program for machine code, or the one of the architecture that is built for.
strip_file() {
    tool=strip
    [ "$2" = "$(host_arch)" ] || tool=$(machine_of "$2")-linux-gnu-strip
    "$tool" "$1"
}

# Of this machine's files dpkg knows the owners, of another one's sysroot.sh has written them down.
owners() {
    arch=$1
    shift
    for file in "$@"; do
        if [ "$arch" = "$(host_arch)" ]; then
            { dpkg -S "$file" || dpkg -S "${file#/usr}" || fail "no package has $file"; } 2>/dev/null | sed 's/[:,].*//; q'
        else
            file=$(realpath "$file")
            file=${file#"$(realpath "$sysroot")"}
            awk -F'\t' -v file="${file#/usr}" '$2 == file || $2 == "/usr" file { print $1; exit }' "$sysroot/FILES"
        fi
    done | sort -u
}

bill() {
    arch=$1 file=$2
    shift 2
    need python3 python3
    for package in "$@"; do
        if [ "$arch" = "$(host_arch)" ]; then dpkg-query -W -f='${Package}\t${Version}\t${source:Package}\n' "$package:$arch"
        else awk -F'\t' -v name="$package" '$1 == name' "$sysroot/PACKAGES"; fi
    done | sort -u | python3 "$source/packaging/sbom.py" "$file" "$version" "$arch" "$epoch"
}
