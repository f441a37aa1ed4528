#!/bin/sh
# The npm package `gramc`: the static program, functions for JavaScript, types made from docs/formats.
#     packaging/npm.sh [--program ARCH=FILE]... [OUT]     OUT/gramc-VERSION.tgz; OUT is build/packages
# Without --program, packaging/static.sh makes the one of this machine.
set -eu
. "$(dirname "$0")/common.sh"
need npm npm
need python3 python3
programs=
while [ "${1:-}" = --program ]; do
    programs="$programs ${2:?--program names no file}"
    shift 2
done
out=${1:-$source/build/packages}
mkdir -p "$out"
out=$(cd "$out" && pwd)
if [ -z "$programs" ]; then
    arch=$(host_arch)
    sh "$source/packaging/static.sh" "$out"
    programs=$arch=$out/gramc-$version-linux-$(machine_of "$arch")
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/package" "$work/package/bin"
cpus=
for program in $programs; do
    arch=${program%%=*}
    cpu=$(echo "$arch" | sed s/amd64/x64/)
    mkdir "$work/package/bin/linux-$cpu"
    install -m 755 "${program#*=}" "$work/package/bin/linux-$cpu/gramc"
    strip_file "$work/package/bin/linux-$cpu/gramc" "$arch"
    cpus="$cpus${cpus:+, }\"$cpu\""
done
cp "$source/LICENSE" "$source/packaging/npm/README.md" "$source/packaging/npm/index.js" \
    "$source/packaging/npm/index.d.ts" "$work/package"
install -m 755 "$source/packaging/npm/gramc.sh" "$work/package/bin/gramc"
python3 "$source/packaging/npm/typescript.py" "$source/docs/formats" >"$work/package/formats.d.ts"
cat >"$work/package/package.json" <<JSON
{
  "name": "gramc",
  "version": "$version",
  "description": "Checks and compiles agent specs in gram notation",
  "license": "MIT",
  "type": "module",
  "bin": {"gramc": "bin/gramc"},
  "exports": {".": {"types": "./index.d.ts", "default": "./index.js"}, "./formats": {"types": "./formats.d.ts"}},
  "types": "./index.d.ts",
  "os": ["linux"],
  "cpu": [$cpus],
  "engines": {"node": ">=18"},
  "files": ["bin", "index.js", "index.d.ts", "formats.d.ts"]
}
JSON
# npm gives every file the same time by itself.
(cd "$work/package" && npm pack --silent --ignore-scripts --pack-destination "$work" >/dev/null)
mv "$work/gramc-$version.tgz" "$out/gramc-$version.tgz"
say "$out/gramc-$version.tgz: $(stat -c %s "$out/gramc-$version.tgz") bytes"
