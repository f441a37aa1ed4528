#!/bin/sh
# `gramc` of the npm package: hands over to the program for this machine. A shell starts in a millisecond,
# node in forty.
here=$(readlink -f "$0") && here=${here%/*}
case $(uname -s)-$(uname -m) in
Linux-x86_64) machine=linux-x64 ;;
Linux-aarch64) machine=linux-arm64 ;;
*) machine=$(uname -s)-$(uname -m) ;;
esac
if [ ! -x "$here/$machine/gramc" ]; then
    echo "gramc: this package has no program for $machine" >&2
    exit 2
fi
exec "$here/$machine/gramc" "$@"
