#!/bin/bash
# Bills of materials are SPDX 2.3 and true: by a schema, by the file's sum, by dpkg's versions. SHA256SUMS names every
# file, and sha256sum reads it.    bill.sh SOURCE GRAMC_ALONE GRAMC
set -u
source=$1 alone=$2 gramc=$3
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need dpkg-query "knows which packages are here"
need python3 "writes the bill"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir -p out/sub
cp "$alone" out/gramc
arch=$(dpkg --print-architecture)
# judge FILE: its bill fits the schema, has this sum, and refers to nothing that is not there
judge() {
    "$gramc" validate --assert-formats "$source/tests/data/spdx-subset.schema.json" "$1.spdx.json" >verdict || { cat verdict; complain "$1.spdx.json is no SPDX"; }
    python3 - "$1" <<'P' || complain "the bill of $1 is not true"
import hashlib, json, pathlib, sys
bill = json.loads(pathlib.Path(sys.argv[1] + ".spdx.json").read_text())
own, *inside = bill["packages"]
assert own["checksums"] == [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(pathlib.Path(sys.argv[1]).read_bytes()).hexdigest()}]
known = [part["SPDXID"] for part in bill["packages"]]
assert len(set(known)) == len(known) and inside, known
for relation in bill["relationships"]:
    assert relation["relatedSpdxElement"] in known and relation["spdxElementId"] in known + ["SPDXRef-DOCUMENT"], relation
assert {r["relatedSpdxElement"] for r in bill["relationships"]} == set(known), "a package stands alone"
P
}
# As the scripts call it, for what is linked into the program.
mkdir packaging
cp "$source/packaging/common.sh" "$source/packaging/sbom.py" packaging
cp "$source/CMakeLists.txt" .
printf '. packaging/common.sh\nbill "$@"\n' >packaging/bill.sh
SOURCE_DATE_EPOCH=1700000000 sh packaging/bill.sh "$arch" out/gramc libc6-dev libpcre2-dev libyaml-dev || complain "no bill was written"
judge out/gramc
for package in libpcre2-dev libyaml-dev libc6-dev; do
    version=$(dpkg-query -W -f='${Version}' "$package:$arch")
    python3 - "$package" "$version" <<'P' || complain "the bill names another $package"
import json, sys
parts = {p["name"]: p for p in json.load(open("out/gramc.spdx.json"))["packages"]}
assert parts[sys.argv[1]]["versionInfo"] == sys.argv[2]
P
done
grep -q '"created": "2023-11-14T22:13:20Z"' out/gramc.spdx.json || complain "the bill has another time than SOURCE_DATE_EPOCH"
sed 's/SPDX-2.3/SPDX-1.0/' out/gramc.spdx.json >wrong.json
"$gramc" validate "$source/tests/data/spdx-subset.schema.json" wrong.json >/dev/null && complain "the schema takes any version"
: | python3 "$source/packaging/sbom.py" out/gramc 1 "$arch" 0 2>/dev/null && complain "a bill without packages was written"

echo two >'out/sub/a file'
sh "$source/packaging/sums.sh" out && (cd out && sha256sum --quiet -c SHA256SUMS) || complain "SHA256SUMS is not true"
[ "$(wc -l <out/SHA256SUMS)" = 3 ] || complain "SHA256SUMS leaves files out"
echo three >'out/sub/a file'
(cd out && sha256sum --status -c SHA256SUMS) && complain "SHA256SUMS takes other bytes"
mkdir empty
sh "$source/packaging/sums.sh" empty 2>/dev/null && complain "sums of nothing are fine"
echo "a bill that is true, and sums"
exit $bad
