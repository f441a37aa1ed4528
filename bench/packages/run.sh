#!/bin/sh
# The npm package of gramc beside those of buf and ruff: bytes installed, and the time until `--version` has ended.
#     bench/packages/run.sh PACKAGE.tgz [RUNS]     PACKAGE from packaging/npm.sh
# Needs npm and a network once, for the others; no test depends on it.
set -eu
package=$(realpath "$1") runs=${2:-41}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/package.json" "$work"
cd "$work"
npm install --ignore-scripts --no-audit --no-fund --loglevel=error >&2
npm install --ignore-scripts --no-audit --no-fund --loglevel=error --no-save "$package" >&2
# ruff has no command in its package for node: loading it and asking for its version is the least.
cat >ruff.cjs <<'J'
const { Workspace } = require("@astral-sh/ruff-wasm-nodejs");
console.log(Workspace.version());
J
python3 - "$runs" <<'P'
import pathlib, statistics, subprocess, sys, time
programs = {
    "gramc": (["node_modules/.bin/gramc", "--version"], ["gramc"]),
    "buf": (["node_modules/.bin/buf", "--version"], ["@bufbuild/buf", "@bufbuild/buf-linux-x64"]),
    "ruff, WebAssembly": (["node", "ruff.cjs"], ["@astral-sh/ruff-wasm-nodejs"]),
    "node -e 0": (["node", "-e", "0"], []),
}
times = {name: [] for name in programs}
for turn in range(int(sys.argv[1])):
    for name, (words, _) in programs.items():
        start = time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        times[name].append((time.perf_counter() - start) * 1000)
print("| package | installed | --version, median | least |\n|---|---|---|---|")
for name, (_, folders) in programs.items():
    files = [path for folder in folders for path in pathlib.Path("node_modules", folder).rglob("*") if path.is_file()]
    size = f"{sum(path.stat().st_size for path in files) / 1e6:.1f} MB" if files else ""
    print(f"| {name} | {size} | {statistics.median(times[name]):.1f} ms | {min(times[name]):.1f} ms |")
P
