# For tests that cannot do without a program: sourced by them.
#     lack WHY            ends the test as skipped (77), or as failed with CI=true: CI lacks nothing
#     need PROGRAM WHY    the same, where there is no such program
lack() {
    echo "skipped: $1"
    [ "${CI:-}" = true ] && exit 1
    exit 77
}
need() { command -v "$1" >/dev/null || lack "$1 $2"; }
