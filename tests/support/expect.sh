# For tests that run gramc as a shell does: sourced by them, with the program in $gramc.
#     complain WORDS           says what is wrong; the test ends with $bad
#     expect CODE TEXT WORD... runs gramc with that end, and that text on either output (left in out)
bad=0
complain() { echo "$*"; bad=1; }

expect() {
    local wanted=$1 text=$2 got
    shift 2
    timeout 120 "$gramc" "$@" >out 2>&1 </dev/null
    got=$?
    if [ $got != "$wanted" ] || ! grep -qF -- "$text" out; then
        head -20 out
        complain "gramc $* gave $got, not $wanted, or did not say: $text"
    fi
}
