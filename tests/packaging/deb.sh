#!/bin/bash
# The Debian packages in a bare Debian 12: installed with what they depend on, used, and the libraries by a program that
# is compiled there.    deb.sh SOURCE [PACKAGES]
# PACKAGES is a folder in which they were built before.
set -u
source=$1
. "$(dirname "$0")/root.sh"
. "$(dirname "$0")/../support/expect.sh"
need mmdebstrap "makes a bare Debian"
[ "$(id -u)" = 0 ] || lack "a whole Debian has files of several users, which root alone unpacks"
need dpkg-shlibdeps "finds what packages need"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${2:-}
[ -z "$packages" ] || { packages=$(realpath "$packages") && ln -s "$packages" "$work/out"; }
cd "$work" || exit 1
[ -n "$packages" ] || sh "$source/packaging/deb.sh" out >log 2>&1 || { tail -20 log; complain "packaging/deb.sh fails"; exit 1; }

# What our packages depend on comes with the root, so that dpkg -i alone must do.
wanted=$(for deb in out/*.deb; do dpkg-deb -f "$deb" Depends; done | tr ',' '\n' | sed 's/|.*//; s/(.*//; s/ //g' | grep -v '^libgramc' | sort -u | paste -sd,)
mmdebstrap --quiet --variant=minbase --include="$wanted,gcc,libc6-dev,pkg-config,python3" bookworm root ${GRAMC_MIRROR:+"$GRAMC_MIRROR"} >log 2>&1 ||
    { tail log; lack "a bare Debian cannot be made"; }
mkdir root/debs && cp out/*.deb root/debs
in_system root sh -c 'dpkg -i /debs/*.deb' >log 2>&1 || { tail -20 log; complain "dpkg -i fails"; }
says() {
    local text=$1 got
    shift
    in_system root "$@" >said 2>&1 </dev/null
    got=$?
    [ $got = 0 ] && { [ -z "$text" ] || grep -qF -- "$text" said; } || { head -5 said; complain "$* gave $got, or did not say: $text"; }
}
specs=/usr/share/gramc/specs
says '' gramc check --strict $specs/hello_world.gram
says 'Hello, world!' gramc run $specs/hello_world.gram --library $specs/libraries/friendly.gram --model mock Hello
says 'Good day' gramc run $specs/hello_world.gram --library $specs/libraries/formal.gram --model mock --trust Hello
cp "$here"/consumer/*.c root/tmp
says 'compiles works' sh -c 'cd /tmp && gcc compiles.c $(pkg-config --cflags --libs gramc) -o compiles && ./compiles'
says 'runs works' sh -c 'cd /tmp && gcc runs.c $(pkg-config --cflags --libs gramcrun) -o runs && ./runs'
says '' sh -c 'cd /tmp && gcc -static compiles.c $(pkg-config --static --cflags --libs gramc) -o alone && ./alone'
# The tutorial, with Debian's Python and this gramc.
mkdir -p root/src/tests/house root/src/docs
cp -r "$source/docs/tutorial" root/src/docs
cp "$source/tests/house/tutorial.py" root/src/tests/house
says '' python3 /src/tests/house/tutorial.py /src /usr/bin/gramc
says '' dpkg -V gramc libgramc0 libgramcrun0 libgramc-dev
[ -s said ] && { cat said; complain "installed files are not those of the packages"; }
says '' dpkg -r libgramc-dev libgramcrun0 libgramc0 gramc
[ -z "$(find root/usr -path root/usr/share/doc -prune -o -name '*gramc*' -print)" ] || complain "files stay behind: $(find root/usr -name '*gramc*' | head -3)"
echo "installed in a bare Debian, used, removed"
exit $bad
