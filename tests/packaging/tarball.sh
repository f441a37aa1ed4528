#!/bin/bash
# The tarball of this machine in the root of another release of Debian with glibc and nothing else, and through the
# tutorial; that of arm64, and its one file, by qemu.    tarball.sh SOURCE [PACKAGES]
# PACKAGES is a folder in which they were built before.
set -u
source=$1
. "$(dirname "$0")/root.sh"
. "$(dirname "$0")/../support/expect.sh"
need qemu-aarch64-static "runs programs of arm64"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${2:-}
[ -z "$packages" ] || { packages=$(realpath "$packages") && ln -s "$packages" "$work/out"; }
cd "$work" || exit 1
make_package() { [ -n "$packages" ] || sh "$source/packaging/$1" "${@:2}" out >log 2>&1 || { tail -20 log; complain "packaging/$1 fails"; exit 1; }; }

# says TEXT COMMAND...: it ends with 0 and says so.
says() {
    local text=$1 got
    shift
    "$@" >said 2>&1 </dev/null
    got=$?
    [ $got = 0 ] && { [ -z "$text" ] || grep -qF -- "$text" said; } || { head -5 said; complain "$* gave $got, or did not say: $text"; }
}

make_package tarball.sh
name=$(basename out/*-x86_64.tar.gz .tar.gz)
tar -xzf "out/$name.tar.gz"
bare_root root trixie libc6 >log 2>&1 || { cat log; lack "Debian 13 cannot be unpacked"; }
mkdir -p root/opt root/tmp
mv "$name" root/opt/gramc
gramc=/opt/gramc/bin/gramc specs=/opt/gramc/share/gramc/specs
says '' in_system root $gramc check --strict $specs/hello_world.gram
says '"sayHello"' in_system root $gramc compile $specs/hello_world.gram --target openai
says 'Hello, world!' in_system root $gramc run $specs/hello_world.gram --library $specs/libraries/friendly.gram --model mock Hello
says 'sayHello' in_system root $gramc tools $specs/libraries/friendly.gram
says 'gramc ' in_system root /opt/gramc/bin/gram-agent --version
# serve opens its HTTP library by name.
timeout 60 bash -c '. "$0"; in_system "$@"' "$here/root.sh" root $gramc serve $specs/hello_world.gram \
    --library $specs/libraries/friendly.gram --model mock --listen 127.0.0.1:0 >served 2>&1 </dev/null &
server=$!
for _ in $(seq 100); do grep -q 'http://' served 2>/dev/null && break; sleep 0.1; done
grep -q 'http://127.0.0.1:' served || { cat served; complain "gramc serve does not start"; }
kill $server 2>/dev/null
wait $server 2>/dev/null
for library in $(readelf -d root/opt/gramc/libexec/gramc/gramc-run | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
    case $library in libc.so.6 | libm.so.6 | ld-*) ;; *) [ -e "root/opt/gramc/lib/gramc/$library" ] || complain "$library is not bundled" ;; esac
done
glibc=$(sed -n 's/.*need glibc \([0-9.]*\) or.*/\1/p' root/opt/gramc/README)
for file in root/opt/gramc/libexec/gramc/* root/opt/gramc/lib/gramc/*; do
    newest=$(readelf -V "$file" | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -1)
    [ "$(printf '%s\nGLIBC_%s\n' "$newest" "$glibc" | sort -V | tail -1)" = "GLIBC_$glibc" ] || complain "$file needs $newest, README says $glibc"
done
[ "$(ls root/opt/gramc/share/doc/gramc/licences | wc -l)" -ge 30 ] || complain "licences are missing"
says '' python3 "$source/tests/house/tutorial.py" "$source" "$work/root/opt/gramc/bin/gramc"

# ## arm64
export GRAMC_SYSROOT=${GRAMC_SYSROOT:-$work/sysroot}
make_package static.sh --arch arm64
make_package tarball.sh --arch arm64
says 'gramc ' qemu-aarch64-static out/gramc-*-linux-aarch64 --version
says '' qemu-aarch64-static out/gramc-*-linux-aarch64 check --strict "$source/specs/hello_world.gram"
qemu-aarch64-static out/gramc-*-linux-aarch64 compile "$source/specs/calculator.gram" --target openai >arm.json
root/opt/gramc/bin/gramc compile "$source/specs/calculator.gram" --target openai | cmp - arm.json || complain "arm64 compiles to something else"
name=$(basename out/*-aarch64.tar.gz .tar.gz)
tar -xzf "out/$name.tar.gz"
# The loader of arm64 comes from the sysroot, as the system's would.
says 'Hello, world!' qemu-aarch64-static -L "$GRAMC_SYSROOT" "$name/libexec/gramc/gramc-run" run "$source/specs/hello_world.gram" \
    --library "$source/specs/libraries/friendly.gram" --model mock Hello
for bill in out/*.spdx.json; do
    root/opt/gramc/bin/gramc validate --assert-formats "$source/tests/data/spdx-subset.schema.json" "$bill" >said || { cat said; complain "$bill is no SPDX"; }
done
echo "unpacked under glibc of Debian 13, and run by qemu"
exit $bad
