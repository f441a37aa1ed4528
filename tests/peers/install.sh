#!/bin/sh
# Fetches the peers that package-lock.json pins into node_modules beside it, unless they are there
# already; and what peers/reach imports, which has a lock of its own, and one for its --long run (with
# GRAMC_LONG=1). `./dev test` calls this before the tests; the tests themselves use no network.
# Without npm or a registry it fails when CI=true and says so otherwise: the tests are skipped then.
set -u
cd "$(dirname "$0")" || exit 1

# Its arguments: a folder with a lock.
install() (
    cd "$1" || exit 1
    stamp=node_modules/.installed
    cmp -s package-lock.json "$stamp" && exit 0
    problem=
    if ! command -v npm >/dev/null; then
        problem="npm is not installed"
    elif ! npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2; then
        problem="npm ci failed"
    else
        cp package-lock.json "$stamp"
        exit 0
    fi
    [ "${CI:-}" = true ] && { echo "tests/peers: $problem" >&2; exit 1; }
    echo "tests/peers: $problem; tests against peers will be skipped" >&2
)

install . && install reach && { [ "${GRAMC_LONG:-}" != 1 ] || install reach/long; }
