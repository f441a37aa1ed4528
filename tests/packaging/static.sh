#!/bin/bash
# The static gramc in a root that holds it and two specs, and nothing else: no libc, no shell, no /proc.
#     static.sh SOURCE GRAMC_ALONE
set -u
source=$1 alone=$2
. "$(dirname "$0")/root.sh"
. "$(dirname "$0")/../support/expect.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir root
strip -o root/gramc "$alone"
cp "$source/specs/hello_world.gram" root/spec.gram
sed 's/personName::Text {default: "world", /personName::Int {/' root/spec.gram >root/new.gram
printf '[a:Agnt]\n' >root/bad.gram
printf '  [a:Tool{description:"d"}|()==>(::Text)]\n' >root/ugly.gram
in_root root /gramc --version >/dev/null 2>err || { grep -qi 'not permitted' err && lack "no root for programs here: $(cat err)"; }

# wants CODE TEXT WORD...
wants() {
    local code=$1 text=$2
    shift 2
    (in_root root /gramc "$@") >out 2>&1 </dev/null
    got=$?
    [ $got = "$code" ] && { [ -z "$text" ] || grep -qF -- "$text" out; } || { head -5 out; complain "gramc $* gave $got, not $code, or did not say: $text"; }
}
wants 0 'gramc 0.' --version
wants 0 '' check --strict /spec.gram
wants 1 'error[G' check /bad.gram
wants 0 '"personName":{"type":"string"' compile /spec.gram --target openai
wants 0 "" fmt /ugly.gram
grep -qxF '[a:Tool {description: "d"} | ()==>(::Text)]' root/ugly.gram || complain "fmt did not write its file"
wants 1 'personName' diff /spec.gram /new.gram
wants 0 'G0203' explain G0203
wants 2 'without its runtime' run /spec.gram
in_root root /gramc compile /spec.gram --target openai >root/tools.json
wants 0 'sayHello' import /tools.json
printf '{"type":"integer"}' >root/s.json
printf '"x"' >root/v.json
wants 1 'integer' validate /s.json /v.json

size=$(stat -c %s root/gramc)
[ "$size" -lt 4000000 ] || complain "gramc has $size bytes"
readelf -l root/gramc | grep -q INTERP && complain "gramc asks for a loader"
readelf -d root/gramc 2>/dev/null | grep -q NEEDED && complain "gramc asks for libraries"
grep -qaF "$source" root/gramc && complain "gramc holds the path that it was built in"
[ "$(ls root | wc -l)" = 8 ] || complain "the root holds more than was put there: $(ls root)"
echo "$size bytes, alone in a root"
exit $bad
