#!/usr/bin/env python3
"""Writes FILE.spdx.json, a bill of materials (SPDX 2.3): the file, its SHA256, and each Debian package that is in it,
from lines of name, version and source package on standard input.
    sbom.py FILE VERSION ARCH EPOCH <PACKAGES"""

import datetime
import hashlib
import json
import pathlib
import re
import sys

# What one may do with it stands in Debian's copyright files; here only what is sure.
LICENCES = {"gramc": "MIT"}


def package(name, version, purl, **more):
    identity = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
    return {"SPDXID": identity, "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
            "licenseConcluded": LICENCES.get(name, "NOASSERTION"), "licenseDeclared": LICENCES.get(name, "NOASSERTION"),
            "copyrightText": "NOASSERTION",
            "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
            **more}


def main():
    file, version, arch, epoch = sys.argv[1:]
    content = pathlib.Path(file).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    name = pathlib.Path(file).name
    parts = [line.rstrip("\n").split("\t") for line in sys.stdin]
    assert parts and all(len(part) == 3 for part in parts), "no packages on standard input"
    own = package("gramc", version, f"pkg:generic/gramc@{version}", packageFileName=name,
                  checksums=[{"algorithm": "SHA256", "checksumValue": digest}], primaryPackagePurpose="APPLICATION")
    inside = [package(part, number, f"pkg:deb/debian/{part}@{number.replace('+', '%2B').replace(':', '%3A')}?arch={arch}",
                      sourceInfo=f"built from the Debian source package {origin}", supplier="Organization: Debian")
              for part, number, origin in parts]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": own["SPDXID"]}]
    relations += [{"spdxElementId": own["SPDXID"], "relationshipType": "CONTAINS", "relatedSpdxElement": part["SPDXID"]}
                  for part in inside]
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    bill = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
            "creationInfo": {"created": created, "creators": [f"Tool: gramc-{version}"]},
            "packages": [own, *inside], "relationships": relations}
    pathlib.Path(file + ".spdx.json").write_text(json.dumps(bill, indent=1) + "\n")


main()
