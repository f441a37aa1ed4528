#!/bin/bash
# The container's root, entered as the Dockerfile says: its user, folder, PATH and entry point.    container.sh SOURCE [PACKAGES]
# PACKAGES is a folder in which they were built before.
set -u
source=$1
. "$(dirname "$0")/root.sh"
. "$(dirname "$0")/../support/expect.sh"
need mmdebstrap "makes the root"
[ "$(id -u)" = 0 ] || lack "files of several users are unpacked by root alone"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages=${2:-}
[ -z "$packages" ] || { packages=$(realpath "$packages") && ln -s "$packages" "$work/out"; }
cd "$work" || exit 1
[ -n "$packages" ] || sh "$source/packaging/container.sh" out >log 2>&1 || { tail -20 log; complain "packaging/container.sh fails"; exit 1; }
mkdir root && tar -xf out/container/root.tar -C root
word() { sed -n "s/^$1 //p" out/container/Dockerfile; }
[ "$(word FROM)" = scratch ] && [ "$(word ADD)" = 'root.tar /' ] || complain "the Dockerfile takes something else"
[ -d "root$(word WORKDIR)" ] || complain "there is no $(word WORKDIR)"
path=$(word ENV | sed 's/.*PATH=\([^ ]*\).*/\1/')
entry=$(word ENTRYPOINT | tr -d '[]"')
cp "$source/specs/hello_world.gram" "root$(word WORKDIR)/spec.gram"
# inside WORDS...: what `docker run IMAGE WORDS` runs
inside() {
    unshare -m -p -f bash -c 'mount -t proc proc root/proc && exec chroot --userspec="$1" root /usr/bin/env -i PATH="$2" sh -c "cd \"\$0\" && exec \"\$@\"" "${@:3}"' - \
        "$(word USER)" "$path" "$(word WORKDIR)" "$entry" "$@"
}
says() {
    local text=$1 got
    shift
    inside "$@" >said 2>&1 </dev/null
    got=$?
    [ $got = 0 ] && { [ -z "$text" ] || grep -qF -- "$text" said; } || { head -5 said; complain "gramc $* gave $got, or did not say: $text"; }
}
says '' check --strict spec.gram
says 'Examples:' --help
says 'Hello, world!' run spec.gram --library /opt/gramc/share/gramc/specs/libraries/friendly.gram --model mock Hello
[ -s root/etc/ssl/certs/ca-certificates.crt ] || complain "there are no certificates"
# The small one: the file that it copies, with nothing beside it.
mkdir alone
[ "$(sed -n 's/^COPY //p' out/container/Dockerfile.check)" = 'gramc /gramc' ] || complain "Dockerfile.check copies something else"
cp out/container/gramc "root$(word WORKDIR)/spec.gram" alone
entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]/\1/p' out/container/Dockerfile.check)
in_root alone "$entry" check --strict /spec.gram || complain "the small image does not check"
echo "$(stat -c %s out/container/root.tar) bytes, entered as the Dockerfile says"
exit $bad
