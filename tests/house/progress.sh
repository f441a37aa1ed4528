#!/bin/sh
# What an experiment shows on a terminal while it runs: how far, how fast, what it has cost, and an
# estimate only where one may look at it before the end. Nothing of it through a pipe or with -q.
set -u
gramc=$1
. "$(dirname "$0")/../support/need.sh"
need python3 "makes the terminal"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
bad=0
complain() { echo "$*"; bad=1; }

printf 'sleep 0.03; [ "$1" = odd ] && case $GRAMC_CELL_ID in *-[02468]-0-?-?) echo bad; exit;; esac; echo well\n' >tool.sh
i=0
while [ $i -lt 60 ]; do
    i=$((i + 1))
    echo "{\"id\": \"c$i\", \"message\": \"Look $i\"}"
done >cases.jsonl
# write_spec PROPERTIES: of the experiment
write_spec() {
    cat >spec.gram <<END2
[asker:Agent {instruction: "Ask", model: "OpenAI/m"} | [look:Tool {description: "Looks"} | ()==>(::Text)]]
[even:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "even"]}]]
[odd:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "odd"]}]]
[try:Experiment {cases: "cases.jsonl", seed: 3 $1} |
  [a:Arm {agent: asker, library: even}], [b:Arm {agent: asker, library: odd}],
  [well:Grader {contains: "well"}]]
END2
}

# on_terminal COLUMNS WORDS...: standard error is a terminal of its own; what it shows goes to `shown`,
# a line each time that it is written over
on_terminal() {
    python3 -c 'import fcntl, os, pty, struct, subprocess, sys, termios
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 25, int(sys.argv[1]), 0, 0))
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=open("out", "w"), stderr=theirs)
os.close(theirs)
shown = b""
while True:
    try: data = os.read(ours, 65536)
    except OSError: break
    if not data: break
    shown += data
child.wait()
lines = shown.decode().replace("\r\n", "\n").split("\r\x1b[K")
open("shown", "w").write("\n".join(lines) + "\n")
sys.exit(max(map(len, lines)) >= int(sys.argv[1]))' "$@" || complain "a line is as wide as the terminal"
}

# A confidence sequence may be looked at whenever one likes.
write_spec ', stop: sequential, metric: well'
on_terminal 160 "$gramc" experiment spec.gram run --model mock --concurrency 2
grep -q '^0 of 120 runs; no estimate yet$' shown || complain "nothing is shown at the beginning"
grep -qE '^[0-9]+ of 120 runs, [0-9.]+/s, about [0-9]+ s left; well after [0-9]+: b [+-][0-9.]+ pp \([+-][0-9.]+ to [+-][0-9.]+\)$' shown ||
    { cat shown; complain "no line says how far, how fast and what may be said by now"; }
on_terminal 60 "$gramc" experiment spec.gram run --model mock --concurrency 2 --id narrow
grep -qE '^[0-9]+ of 120 runs, about [0-9]+ s left; well after' shown || { cat shown; complain "a narrow terminal gets no shorter line"; }

# The interval of a fixed number of cases may not.
write_spec ''
on_terminal 160 "$gramc" experiment spec.gram run --model mock --id fixed
grep -qE '^[0-9]+ of 120 runs.*; no estimate before the end$' shown || { cat shown; complain "it does not say that there is no estimate"; }
grep -q ' pp ' shown && complain "a fixed experiment shows an estimate before its end"
write_spec ', stop: sequential, metric: cost'
"$gramc" experiment spec.gram run --model mock --id unbounded >out 2>&1 && complain "a metric without bounds is run sequentially"

# Nobody looks.
write_spec ''
"$gramc" experiment spec.gram run --model mock --id piped >out 2>shown </dev/null
[ -s shown ] && { cat shown; complain "progress is shown through a pipe"; }
on_terminal 160 "$gramc" experiment spec.gram run -q --model mock --id quiet
grep -q 'of 120 runs' shown && complain "-q shows progress"
exit $bad
