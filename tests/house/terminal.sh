#!/bin/sh
# JSON on a terminal: C1 controls and bidirectional characters of an input are spelled as escapes,
# so that they are read and not obeyed; through a pipe the bytes stay as they are.
set -u
source=$1 gramc=$2
command -v python3 >/dev/null || { echo "skipped: python3 makes the terminal"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
bad=0 seen=0
csi=$(printf '\302\233') turn=$(printf '\342\200\256')
printf '{"a":"x%s2J%sy"}\n' "$csi" "$turn" >in.json
printf '[{"operation":"shift","spec":{"*":"&"}}]\n' >spec.json
printf '{"type":"object","properties":{"a":{"type":"integer"}}}\n' >schema.json
printf '[t:Tool {description: "x%s2J%sy"} | (a::Text)==>(::Text)]\n' "$csi" "$turn" >t.gram
printf '[l:ToolLibrary | [t:ToolImpl {returns: "1", description: "x%s2J%sy"}]]\n' "$csi" "$turn" >l.gram
printf '[a:Agent {description: "d", model: "OpenAI/x"} | [t:Tool {description: "d"} | (a::Text)==>(::Text)]]\n' >a.gram

# on_terminal WORDS...: standard output is a terminal of its own; what it shows goes to `shown`
on_terminal() {
    python3 -c 'import os, pty, sys
fd = os.open("shown", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
def read(terminal):
    data = os.read(terminal, 65536)
    os.write(fd, data)
    return data
pty.spawn(sys.argv[1:], read)' "$gramc" "$@" >/dev/null </dev/null
}

for words in "jolt spec.json in.json" "compile t.gram" "compile --pretty t.gram --target openai" \
    "validate --format verdict schema.json in.json" "validate --normalise spec2.json in.json" "tools l.gram --format json"; do
    seen=$((seen + 1))
    echo '{}' >spec2.json
    # shellcheck disable=SC2086
    on_terminal $words
    grep -q 'u009b' shown || { echo "no escape on a terminal: gramc $words"; cat shown; bad=1; }
    grep -qF -e "$csi" -e "$turn" shown && { echo "a terminal would obey: gramc $words"; bad=1; }
    # shellcheck disable=SC2086
    "$gramc" $words >piped 2>/dev/null
    case $words in
    jolt* | compile*) grep -qF "$csi" piped || { echo "bytes changed in a pipe: gramc $words"; bad=1; } ;;
    esac
done
[ "$seen" = 6 ] || bad=1
exit $bad
