#!/bin/bash
# What CI runs takes exactly the program whose SHA256 it was given: the action, the hook of pre-commit and
# the template for GitLab, from a path, a file URL and an HTTP server; with another sum, without one, without a file and
# without a program they end with 2 and neither run nor compile anything.    ci.sh SOURCE GRAMC_ALONE
set -u
source=$1 alone=$2
. "$(dirname "$0")/../support/need.sh"
. "$(dirname "$0")/../support/expect.sh"
need python3 "serves files"
need curl "fetches them"
work=$(mktemp -d)
trap '[ -z "${server:-}" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir files specs
strip -o files/gramc "$alone"
sum=$(sha256sum files/gramc | cut -c1-64)
wrong=$(echo "$sum" | tr 0-9a-f 1-9a-f0)
cp "$source/specs/hello_world.gram" specs

python3 -u - >port <<'P' &
import functools, http.server
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory="files")
handler.func.log_message = lambda *words: None
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()
P
server=$!
for _ in $(seq 100); do [ -s port ] && break; sleep 0.1; done
http=http://127.0.0.1:$(cat port)
[ -s port ] || complain "the server does not start"

# A PATH without gramc, on which compiling would be seen.
mkdir tools
for tool in bash sh cat cp mv rm mkdir chmod cut tr sha256sum curl mktemp dirname readlink env git; do ln -s "$(command -v $tool)" tools/; done
for tool in cmake ninja gcc cc sudo apt-get; do printf '#!/bin/sh\necho "%s $*" >>%s/compiled\nexit 1\n' $tool "$work" >tools/$tool && chmod +x tools/$tool; done
plain() { env -i HOME="$work/home" PATH="$work/tools" "$@"; }

# ends WANTED TEXT WORDS...: the command ends so and says that.
ends() {
    local wanted=$1 text=$2 got
    shift 2
    "$@" >out 2>&1 </dev/null
    got=$?
    [ $got = "$wanted" ] && { [ -z "$text" ] || grep -qF -- "$text" out; } || { head -5 out; complain "$* gave $got, not $wanted, or did not say: $text"; }
}

# ## The action's step
awk '/- name: Get gramc/ { inside = 1 } inside && /^ *run: \|$/ { taking = 1; match($0, /^ */); depth = RLENGTH; next }
     taking { match($0, /^ */); if (NF && RLENGTH <= depth) exit; print substr($0, depth + 3) }' "$source/packaging/action/action.yml" >Get.sh
[ -s Get.sh ] || complain "the action has no step that gets gramc"
# action PROGRAM SHA256 BUILD
action() {
    rm -rf prefix path
    plain SOURCE="$source" PREFIX="$work/prefix" GITHUB_PATH="$work/path" PROGRAM="$1" SHA256="$2" BUILD="$3" \
        bash --noprofile --norc -e -o pipefail Get.sh
}
for from in "$work/files/gramc" "file://$work/files/gramc" "$http/gramc"; do
    ends 0 '' action "$from" "$sum" false
    [ "$(cat path)" = "$work/prefix/bin" ] && cmp -s files/gramc prefix/bin/gramc || complain "the action did not take $from"
    for build in false true; do
        ends 2 "has the SHA256 $sum, not $wrong" action "$from" "$wrong" $build
        ends 2 'has no SHA256 beside it' action "$from" '' $build
        ends 2 'is no SHA256' action "$from" "${sum%?}" $build
        ends 2 "$from-not" action "$from-not" "$sum" $build
        [ -e prefix/bin/gramc ] || [ -e path ] && complain "the action kept what it must not run"
    done
done
ends 2 'only https, http and file' action "ftp://127.0.0.1/gramc" "$sum" false
ends 2 'there is no gramc here' action '' '' false
ends 2 'without program' action '' "$sum" true
[ -z "$(find prefix -name 'gramc.*' 2>/dev/null)" ] || complain "something half-fetched stays"
[ -e compiled ] && { cat compiled; complain "something was compiled without a word"; }
ends 1 '' action '' '' true
grep -q '^sudo apt-get' compiled || complain "build: true does not compile"
rm -f compiled

# ## The hook
hook() { plain sh "$source/packaging/hook.sh" "$@"; }
cd specs || exit 1
mkdir ../home
for from in "$work/files/gramc" "$http/gramc"; do
    ends 0 '' hook check --program="$from" --sha256="$sum"
    ends 0 '' hook fmt --program="$from" --sha256="$sum" hello_world.gram
    rm -rf ../home/.cache
    ends 2 "not $wrong" hook check --program="$from" --sha256="$wrong"
    ends 2 'has no SHA256' hook check --program="$from"
done
ends 2 'without --program' hook check --sha256="$sum"
ends 2 'there is no gramc here' hook check
# What was kept is looked at again each time.
ends 0 '' hook check --program="$work/files/gramc" --sha256="$sum"
kept=$(find ../home/.cache -name gramc -type f)
printf '#!/bin/sh\ntouch %s/ran\n' "$work" >"$kept"
ends 2 'cannot be' hook check --program="$work/nowhere" --sha256="$sum"
ends 0 '' hook check --program="$work/files/gramc" --sha256="$sum"
[ -e ../ran ] && complain "a changed program in the cache was run"
printf '[a:Agnt]\n' >bad.gram
ends 1 'G0201' hook check --program="$work/files/gramc" --sha256="$sum"
rm -f bad.gram out
cd ..

# ## GitLab
awk '/^    - \|$/ { taking = 1; next } taking { if (!/^      /) exit; print substr($0, 7) }' "$source/packaging/gitlab/gramc.yml" >gitlab.sh
[ -s gitlab.sh ] || complain "the template for GitLab has no script"
# gitlab PROGRAM SHA256 PATHS
gitlab() {
    rm -rf .gramc ./*-report.*
    plain GRAMC_PROGRAM="$1" GRAMC_SHA256="$2" GRAMC_PATHS="$3" GRAMC_OPTIONS=--strict bash -eo pipefail gitlab.sh
}
printf '[a:Agnt]\n' >bad.gram
for from in "$work/files/gramc" "file://$work/files/gramc" "$http/gramc"; do
    ends 0 '' gitlab "$from" "$sum" specs
    ends 1 'G0201' gitlab "$from" "$sum" 'specs bad.gram'
    files/gramc validate "$source/docs/formats/codequality.schema.json" gl-code-quality-report.json >/dev/null || complain "this is no report of code quality"
    grep -q '"path":"bad.gram"' gl-code-quality-report.json && grep -q '<failure' gramc-report.xml || complain "the reports do not say what is wrong"
    ends 2 'another SHA256' gitlab "$from" "$wrong" specs
    ends 2 '' gitlab "$from" '' specs
    ends 2 '' gitlab "$from-not" "$sum" specs
    [ -e .gramc/gramc ] && [ -x .gramc/gramc ] && complain "the job kept what it must not run"
done
ends 2 'there is no gramc here' gitlab '' '' specs
ends 2 '' gitlab '' "$sum" specs
[ -e compiled ] && complain "something was compiled without a word"
echo "taken by its sum, or not at all"
exit $bad
