#!/bin/sh
# Compiles PCRE2 (without JIT) and libyaml for WebAssembly out of Debian's source packages:
#     libraries.sh OUT
# leaves OUT/include and OUT/lib there. The archives of the sources come from GRAMC_WASM_SOURCES, a
# folder, or else from Debian's archive through apt-get, which is asked for the sources of this
# release without any change to the lists of the machine. Each is held against its SHA256.
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
pcre2=pcre2_10.42.orig.tar.gz
pcre2_sum=c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f
yaml=libyaml_0.2.5.orig.tar.gz
yaml_sum=fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e

fail() { echo "libraries.sh: $*" >&2; exit 2; }

# has SUM FILE
has() { [ -f "$2" ] && echo "$1  $2" | sha256sum -c --status; }

# Brings both archives to $out/sources.
fetch() {
    mkdir -p "$out/sources" "$out/apt/lists/partial"
    cat >"$out/apt/sources.sources" <<EOF
Types: deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
EOF
    set -- -qq -o "Dir::Etc::sourcelist=$out/apt/sources.sources" -o Dir::Etc::sourceparts=/dev/null \
        -o "Dir::State::lists=$out/apt/lists"
    apt-get "$@" update || fail "the list of Debian's sources cannot be read; set GRAMC_WASM_SOURCES to a folder with $pcre2 and $yaml"
    (cd "$out/sources" && apt-get "$@" source --download-only pcre2=10.42-1 libyaml=0.2.5-1) || fail "Debian's sources cannot be fetched"
}

sources=${GRAMC_WASM_SOURCES:-$out/sources}
if ! has $pcre2_sum "$sources/$pcre2" || ! has $yaml_sum "$sources/$yaml"; then
    [ -z "${GRAMC_WASM_SOURCES:-}" ] || fail "$sources does not hold $pcre2 and $yaml as they should be"
    fetch
fi
has $pcre2_sum "$sources/$pcre2" || fail "$pcre2 is not what it should be"
has $yaml_sum "$sources/$yaml" || fail "$yaml is not what it should be"

rm -rf "$out/work" "$out/include" "$out/lib"
mkdir -p "$out/work" "$out/include" "$out/lib"
tar xzf "$sources/$pcre2" -C "$out/work"
tar xzf "$sources/$yaml" -C "$out/work"

# archive NAME FLAGS...: each .c of the current folder that $files names, into lib/NAME.a
archive() {
    name=$1
    shift
    objects=
    for file in $files; do
        emcc -O2 -w "$@" -c "$file" -o "${file%.c}.o"
        objects="$objects ${file%.c}.o"
    done
    # shellcheck disable=SC2086
    emar rcs "$out/lib/$name.a" $objects
}

cd "$out/work/pcre2-10.42/src"
cp config.h.generic config.h
cp pcre2.h.generic pcre2.h
cp pcre2_chartables.c.dist pcre2_chartables.c
# Not the programs, not what others include, not what belongs to JIT alone.
files=$(ls pcre2_*.c | grep -vE 'dftables|fuzzsupport|_jit_(match|misc|test)|printint|ucptables|posix' | tr '\n' ' ')
archive libpcre2-8 -DHAVE_CONFIG_H -DPCRE2_CODE_UNIT_WIDTH=8 -DSUPPORT_UNICODE=1 -DSUPPORT_PCRE2_8=1 -DPCRE2_STATIC -I.
cp pcre2.h "$out/include"

cd "$out/work/libyaml-0.2.5/src"
files=$(echo *.c)
archive libyaml -I../include -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 '-DYAML_VERSION_STRING="0.2.5"' -DYAML_DECLARE_STATIC
cp ../include/yaml.h "$out/include"
rm -rf "$out/work"
