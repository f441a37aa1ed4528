#!/bin/sh
# On a terminal C1 controls and bidirectional characters of an input are spelled as escapes, in JSON and
# in any other text, so that they are read and not obeyed; through a pipe the bytes stay as they are.
set -u
source=$1 gramc=$2
. "$(dirname "$0")/../support/need.sh"
need python3 "makes the terminal"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
bad=0 seen=0
csi=$(printf '\302\233') turn=$(printf '\342\200\256')
printf '{"a":"x%s2J%sy"}\n' "$csi" "$turn" >in.json
printf '[{"operation":"shift","spec":{"*":"&"}}]\n' >spec.json
printf '{"type":"object","properties":{"a":{"type":"integer"}}}\n' >schema.json
printf '[t:Tool {description: "x%s2J%sy"} | (a::Text)==>(::Text)]\n' "$csi" "$turn" >t.gram
printf '[t:Tool {description:"x%s2J%sy"}|(a::Text)==>(::Text)]\n' "$csi" "$turn" >u.gram
printf '[t:Tool {description: "x%s2J%sy"} | (a::Txet)==>(::Text)]\n' "$csi" "$turn" >m.gram
printf '[l:ToolLibrary | [t:ToolImpl {returns: "x%s2J%sy", description: "x%s2J%sy"}]]\n' "$csi" "$turn" "$csi" "$turn" >l.gram
printf '[a:Agent {description: "d", model: "OpenAI/x"} | [t:Tool {description: "d"} | (a::Text)==>(::Text)]]\n' >a.gram
cat a.gram l.gram >r.gram

# on_terminal WORDS...: standard output is a terminal of its own; what it shows goes to `shown`
on_terminal() {
    python3 -c 'import os, pty, subprocess, sys
ours, theirs = pty.openpty()
child = subprocess.Popen(sys.argv[1:], stdin=open("u.gram"), stdout=theirs)
os.close(theirs)
shown = b""
while True:
    try: data = os.read(ours, 65536)
    except OSError: break
    if not data: break
    shown += data
child.wait()
open("shown", "wb").write(shown)' "$gramc" "$@"
}

for words in "jolt spec.json in.json" "compile t.gram" "compile --pretty t.gram --target openai" \
    "validate --format verdict schema.json in.json" "validate --normalise spec2.json in.json" "tools l.gram --format json" \
    "parse t.gram" "parse --tree t.gram" "compile t.gram --target markdown" "fmt --diff u.gram" "fmt -" \
    "check --diff m.gram" "call l.gram t" "run r.gram --model mock --trace - hello"; do
    seen=$((seen + 1))
    echo '{}' >spec2.json
    # shellcheck disable=SC2086
    on_terminal $words
    grep -qE 'u009b|u\{9b\}|U\+009B' shown || { echo "no escape on a terminal: gramc $words"; cat shown; bad=1; }
    grep -qF -e "$csi" -e "$turn" shown && { echo "a terminal would obey: gramc $words"; bad=1; }
    # shellcheck disable=SC2086
    "$gramc" $words >piped 2>/dev/null <u.gram
    case $words in
    jolt* | compile\ t.gram | parse\ t.gram | fmt*) grep -qF "$csi" piped || { echo "bytes changed in a pipe: gramc $words"; bad=1; } ;;
    esac
done
[ "$seen" = 14 ] || bad=1
exit $bad
