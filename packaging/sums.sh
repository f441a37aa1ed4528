#!/bin/sh
# OUT/SHA256SUMS of every file below OUT, as `sha256sum -c` reads it.   packaging/sums.sh OUT
set -eu
cd "${1:?a folder}"
find . -type f ! -name SHA256SUMS ! -name '*.new' -printf '%P\n' | LC_ALL=C sort | xargs -r -d '\n' sha256sum >SHA256SUMS.new
[ -s SHA256SUMS.new ] || { echo "sums.sh: nothing is there" >&2; exit 2; }
mv SHA256SUMS.new SHA256SUMS
