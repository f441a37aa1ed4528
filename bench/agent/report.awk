# Tables and verdicts of run.sh's figures: key, name, runs/s, CPU and user ms a run, MB (instructions: at
# the end). The best of each.
{
    at = $1 " " $2
    if (!(at in cpu) || $4 < cpu[at]) cpu[at] = $4
    if (!(at in user) || $5 < user[at]) user[at] = $5
    if (!(at in mb) || $6 < mb[at]) mb[at] = $6
    if (!(at in speed) || $3 > speed[at]) speed[at] = $3
    count[at] = $7
}
function row(title, at) {
    if (at in cpu)
        printf "%-34s %-8s %9.0f runs/s  %8.4f ms CPU a run (%.4f user)  %6.1f MB\n", title, substr(at, index(at, " ") + 1), \
            speed[at], cpu[at], user[at], mb[at]
}
function rows(title, key) {
    row(title, key " bare")
    row(title, key " gramc")
    row(title, key " openai")
    row(title, key " ai")
}
# most: at most so much is wanted; else at least.
function verdict(what, value, unit, most, wanted) {
    printf "%-62s %8.2f%s  wanted: at %s %g%s: %s\n", what, value, unit, most ? "most" : "least", wanted, unit, \
        (most ? value <= wanted : value >= wanted) ? "holds" : "MISSED"
}
function ratio(what, above, below, most, wanted) {
    if (above > 0 && below > 0) verdict(what, above / below, " times", most, wanted)
    else printf "%-62s not measured\n", what
}
END {
    print "# agent loops: two requests to a model with a tool call between them"
    rows("1 at once, no delay", "c1")
    rows("64 at once, no delay", "c64")
    rows("1,000 at once, no delay", "c1000")
    rows("1,000 at once, 5 ms", "flight")
    rows("10,000 at once, 3 s", "many")
    row("1,000 texts at once, whole", "text gramc")
    row("1,000 texts at once, 200 deltas", "stream gramc")
    row("1,000 texts at once, whole", "bare-text bare")
    row("1,000 texts at once, 200 deltas", "bare-stream bare")
    rows("1,000 texts, a delta each 40 ms", "drip")
    print ""
    if (count["instructions bare"]) {
        printf "instructions a run, 64 at once: bare %d, gramc %d\n", count["instructions bare"], count["instructions gramc"]
        ratio("instructions a run, 64 at once, to the bare loop", count["instructions gramc"], count["instructions bare"], 1, 1.25)
    } else print "instructions: not measured (there is no valgrind)"
    split("1 64 1000", at_once)
    for (i = 1; i <= 3; i++) {
        c = "c" at_once[i]
        ratio("CPU a run, " at_once[i] " at once, to the bare loop", cpu[c " gramc"], cpu[c " bare"], 1, 1.25)
        ratio("CPU a run, " at_once[i] " at once, openai SDK to gramc", cpu[c " openai"], cpu[c " gramc"], 0, 20)
        ratio("CPU a run, " at_once[i] " at once, ai SDK to gramc", cpu[c " ai"], cpu[c " gramc"], 0, 20)
    }
    ratio("runs/s, 1,000 at once, 5 ms, to the bare loop", speed["flight gramc"], speed["flight bare"], 0, 0.8)
    verdict("memory, 1,000 at once, 5 ms", mb["flight gramc"], " MB", 1, 40)
    verdict("memory, 10,000 at once", mb["many gramc"], " MB", 1, 300)
    verdict("requests that waited at once, at most", speed["most waiting"], "", 0, 10000)
    ratio("CPU of 200 deltas that come together, to the same text", cpu["stream gramc"], cpu["text gramc"], 1, 2)
    ratio("  the same, bare", cpu["bare-stream bare"], cpu["bare-text bare"], 1, 2)
    ratio("CPU of 200 deltas that come one by one, to the bare loop", cpu["drip gramc"], cpu["drip bare"], 1, 1.25)
}
