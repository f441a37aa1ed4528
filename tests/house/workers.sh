#!/bin/bash
# Processes that share an experiment in PostgreSQL: who may join, what each says that it did, what
# becomes of a dead one's cases, of clocks that are wrong, of a database that is gone for a while or
# for good. Runs below tests/support/postgres.sh, which appends the folder of the server's socket.
set -u
root=$1 gramc=$2 skew=$3 server=${!#}
. "$(dirname "$0")/../support/expect.sh"
. "$(dirname "$0")/../support/odd_and_even.sh"
same=$(cd "$(dirname "$0")/../support" && pwd)/same_report.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir tmp
export TMPDIR=$work/tmp
mkdir .git

new_database() {
    createdb -h "$server" -U gramc "$1" || exit 1
    store="postgresql://gramc@/$1?host=$server"
}
ask() { psql -h "$server" -U gramc -d "$1" -Atc "$2"; }
calls() { if [ -e calls.log ]; then wc -l <calls.log; else echo 0; fi; }

cat >tool.sh <<'END'
printf '%s %s\n' "$GRAMC_CELL_ID" "$1" >>calls.log
[ -e slow ] && sleep "$(cat slow)"
case $1-$GRAMC_CELL_ID in odd-*-[13579]-0-?-?) echo "seen";; *) echo "seen well";; esac
END
write_cases
write_spec ''

# ## Who may join
new_database join
expect 2 "--store names the database" worker spec.gram --model mock
expect 2 "has no experiment try to join" worker spec.gram --model mock --store "$store"
expect 0 "regression: b is worse than a" experiment spec.gram run --model mock --store "$store"
expect 0 "nothing is open" worker spec.gram --model mock --store "$store"
expect 0 "all 25 cases are finished" worker spec.gram --model mock --store "$store" --id try
expect 2 "has no experiment other to join" worker spec.gram --model mock --store "$store" --id other
refused() { expect 2 "was begun with another plan; what differs: $1" "${@:2}"; }
join=(worker spec.gram --model mock --store "$store" --id try)
sed -i 's/Look 7"/Look at 7"/' cases.jsonl
refused "its cases" "${join[@]}"
sed -i 's/Look at 7"/Look 7"/' cases.jsonl
sed -i 's/"tool.sh", "odd"/"tool.sh", "strange"/' spec.gram
refused "the library of arm b" "${join[@]}"
write_spec ''
sed -i 's/instruction: "Ask"/instruction: "Ask again"/' spec.gram
refused "the agent of arm a, the agent of arm b" "${join[@]}"
write_spec ', metric: score'
refused "its settings" "${join[@]}"
write_spec ''
sed -i 's/contains: "well"/contains: "good"/' spec.gram
refused "its graders" "${join[@]}"
write_spec ''
echo '{"event":"header","format":"gramc-trace","version":2}' >model.jsonl
refused "the model of arm a, the model of arm b" "${join[@]}" --model script:model.jsonl

# ## Whole runs to compare with: all but times
expect 0 "regression" experiment spec.gram report --store "$store" --id try --report whole.json
# whole ID: what the store has of it now is what a run that nobody disturbed found.
whole() {
    expect 0 "regression" experiment spec.gram report --store "$store" --id "$1" --report "$1.json"
    python3 "$same" whole.json "$1.json" || complain "$1 tells something else than a whole run"
    local kept
    kept=$(ask join "SELECT count(*) FROM gramc.attempt WHERE experiment=(SELECT key FROM gramc.experiment WHERE id='$1')")
    [ "$kept" = 100 ] || complain "$kept attempts of $1 are kept, not 100"
}
told() { python3 -c 'import json,sys; e=json.load(open(sys.argv[1]))["experiments"][0]; print(e[sys.argv[2]][sys.argv[3]])' "$@"; }
run=(experiment spec.gram run --model mock --store "$store")
worker=(worker spec.gram --model mock --store "$store")

# ## Several at once
: >calls.log
"$gramc" "${run[@]}" --id shared --wait --concurrency 2 >run.out 2>&1 &
begins=$!
for i in $(seq 100); do [ "$(ask join "SELECT count(*) FROM gramc.experiment WHERE id='shared'")" = 1 ] && break; done
for i in 1 2 3; do
    "$gramc" "${worker[@]}" --id shared --format json --concurrency 2 >"work$i.json" 2>"work$i.err" &
    pids[i]=$!
done
for i in 1 2 3; do wait "${pids[i]}" || { cat "work$i.err"; complain "worker $i gave $?"; }; done
wait $begins || { cat run.out; complain "who began it gave $?"; }
grep -q "regression: b is worse" run.out || complain "who began it and waited prints no report"
[ "$(calls)" = 100 ] || complain "four processes made $(calls) calls, not 100"
for i in 1 2 3; do
    "$gramc" validate "$root/docs/formats/work.schema.json" "work$i.json" >out 2>&1 || { cat out "work$i.json"; complain "what worker $i says is not of its schema"; }
done
whole shared

# ## A dead one's cases
: >calls.log
echo 0.2 >slow
"$gramc" "${run[@]}" --id dead --lease 6s >out 2>&1 &
runner=$!
sleep 1.1
kill -9 $runner
wait $runner 2>/dev/null
rm slow
held=$(ask join "SELECT count(*) FROM gramc.item JOIN gramc.experiment ON key=experiment WHERE id='dead' AND state='leased'")
[ "$held" -gt 0 ] || complain "the dead process had claimed nothing"
sleep 0.3
before=$(calls)
committed=$(ask join "SELECT place||'-'||repeat||'-'||arm FROM gramc.attempt WHERE experiment=(SELECT key FROM gramc.experiment WHERE id='dead')")
expect 0 "$held of 25 cases are left to other processes" "${worker[@]}" --id dead --lease 6s
expect 0 "all 25 cases are finished" "${worker[@]}" --id dead --lease 6s --wait
for cell in $committed; do
    tail -n +$((before + 1)) calls.log | grep -q -- "-$cell-1 " && complain "$cell was committed and is called again"
done
whole dead

# ## One that was stopped, lost its cases, and comes back
echo 0.05 >slow
"$gramc" "${run[@]}" --id late --lease 500ms --quiet >late.out 2>&1 &
runner=$!
sleep 0.6
stopped=$(pgrep -P $runner || true)
kill -STOP $runner
sleep 0.8
rm slow
expect 0 "all 25 cases are finished" "${worker[@]}" --id late --lease 500ms --wait
kill -CONT $runner
wait $runner || { cat late.out; complain "who came back gave $?"; }
grep -q "ended too late and .* not kept" late.out || { cat late.out; complain "who came back does not say what it lost"; }
whole late

# ## Clocks that are an hour wrong, to either side
: >calls.log
echo 0.03 >slow
skewed() { LD_PRELOAD=$skew GRAMC_TEST_SKEW=$1 "$gramc" "${@:2}"; }
skewed 3600 "${run[@]}" --id clocks --lease 3s --wait >run.out 2>&1 &
begins=$!
for i in $(seq 100); do [ "$(ask join "SELECT count(*) FROM gramc.experiment WHERE id='clocks'")" = 1 ] && break; done
skewed -3600 "${worker[@]}" --id clocks --lease 3s --format json >work.json 2>work.err ||
    { cat work.err; complain "a worker whose clock is slow gave $?"; }
wait $begins || { cat run.out; complain "a process whose clock is fast gave $?"; }
rm slow
apart=$(ask join "SELECT (max(started_ms)-min(started_ms))/1000>7000 FROM gramc.attempt WHERE experiment=(SELECT key FROM gramc.experiment WHERE id='clocks')")
[ "$apart" = t ] || complain "the clocks were not two hours apart"
[ "$(calls)" = 100 ] || complain "two clocks made $(calls) calls, not 100"
[ "$(told work.json runs too_late)" = 0 ] || complain "a clock lost a case"
whole clocks

# ## A database that is gone for ten seconds, and one that is gone for good
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
postgres() { (cd / && as pg_ctl -D "$server/data" -l "$server/data/log" -w -m immediate "$@" >/dev/null 2>&1); }
postgres_on() { postgres start -o "-c listen_addresses= -c fsync=off -c unix_socket_directories=$server" || complain "the server does not start again"; }
: >calls.log
echo 0.1 >slow
"$gramc" "${run[@]}" --id away --lease 30s --wait >run.out 2>&1 &
begins=$!
sleep 1
postgres stop
sleep 10
postgres_on
wait $begins || { cat run.out; complain "who waited for the database gave $?"; }
[ "$(calls)" = 100 ] || complain "an outage made $(calls) calls, not 100"
whole away
# While it is gone, the first signal lets what is queued be written if it comes back; the second one
# does not wait.
"$gramc" "${run[@]}" --id hurry --lease 5s >run.out 2>&1 &
begins=$!
sleep 1
postgres stop
kill -INT $begins
sleep 0.7
kill -INT $begins || complain "one SIGINT ended a run that has something to write"
begun=$(date +%s%N)
wait $begins
got=$?
took=$((($(date +%s%N) - begun) / 1000000))
[ $got = 130 ] || { cat run.out; complain "two SIGINT gave $got, not 130"; }
[ $took -lt 1000 ] || complain "the second SIGINT took $took ms"
postgres_on
expect 0 "regression" experiment spec.gram resume --model mock --store "$store" --id hurry --lease 5s --wait
whole hurry
"$gramc" "${run[@]}" --id gone --lease 1s >run.out 2>&1 &
begins=$!
sleep 1
postgres stop
wait $begins
got=$?
[ $got = 3 ] || { cat run.out; complain "a database that is gone for good gave $got, not 3"; }
grep -q "PostgreSQL: .*resume. goes on" run.out || { cat run.out; complain "it does not say why it ended"; }
grep -q "$server" run.out && ! grep -q 'socket "' run.out && complain "it tells the address"
rm slow
expect 3 "PostgreSQL" worker spec.gram --model mock --store "$store" --id gone
postgres_on
expect 0 "regression" experiment spec.gram resume --model mock --store "$store" --id gone --lease 1s --wait
whole gone

exit $bad
