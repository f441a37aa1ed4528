#!/bin/sh
# What a type calls secret reaches the tool, and stands in nothing that is written about the run: not in
# traces, spans, documents, logs, cassettes or the store of an experiment.
set -u
gramc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
bad=0
complain() { echo "$*"; bad=1; }
cat >a.gram <<'END'
[Password:Text {secret: true, minLength: 6}]
[door:Agent {model: "Ollama/llama3.1:8b", instruction: "Log in."} |
  [login:Tool {description: "Logs in"} |
    (user::Text)==>(password::Password)==>(card::Object {fields: {pin: {type: Text, secret: true}}})
    ==>(::Object {fields: {session: {type: Text, secret: true}, user: Text}})]]
[l:ToolLibrary | [login:ToolImpl {exec: ["sh", "login.sh"]}]]
[e:Experiment {cases: "cases.jsonl"} | [one:Arm {agent: door, library: l}], [two:Arm {agent: door, library: m}]]
[m:ToolLibrary | [login:ToolImpl {exec: ["sh", "login.sh"], timeout: 20s}]]
END
echo '{"id": "c", "message": "Log in", "expect": "Done"}' >cases.jsonl
cat >login.sh <<'END'
cat >sent.json
echo '{"session": "planted-session-77", "user": "bob"}'
END
cat >script.jsonl <<'END'
{"event":"header","format":"gramc-trace","version":1,"protocol":"ollama","model":"llama3.1:8b"}
{"event":"model.response","content":"","calls":[{"name":"login","arguments":"{\"user\":\"bob\",\"password\":\"q8z\",\"card\":{\"pin\":\"4z1\"}}"}]}
{"event":"model.response","content":"","calls":[{"name":"login","arguments":"{\"user\":\"bob\",\"password\":\"planted \\\"word\\\"\",\"card\":{\"pin\":\"4z1\"}}"}]}
{"event":"model.response","content":"Done: planted \"word\" gave planted-session-77."}
END
# clean PLACE...: files that must be there and hold none of them, however they are written
clean() {
    for file; do
        [ -s "$file" ] || { complain "there is nothing in $file"; continue; }
        for word in 'planted' 'q8z' '4z1' 'cGxhbnRlZC'; do
            ! grep -aq -- "$word" "$file" || complain "$file holds $word: $(grep -ao ".\{40\}$word.\{20\}" "$file" | head -n 1)"
        done
    done
}
model=script:script.jsonl
"$gramc" run a.gram --agent door --library l --model "$model" --trace trace.jsonl --format json "Log in" \
    >document.json 2>log.txt || complain "the run failed: $(cat log.txt)"
[ "$(cat sent.json)" = '{"user":"bob","password":"planted \"word\"","card":{"pin":"4z1"}}' ] ||
    complain "the tool was sent $(cat sent.json)"
"$gramc" run a.gram --agent door --library l --model "$model" -v -v "Log in" 2>log2.txt >/dev/null
clean trace.jsonl document.json log.txt log2.txt
grep -q '${secret:password}' trace.jsonl || complain "the trace does not say that something is hidden"
"$gramc" experiment a.gram run --model "$model" --store store.db --record tapes >out.txt 2>&1 ||
    complain "the experiment failed: $(cat out.txt)"
clean store.db out.txt $(find tapes -type f)
"$gramc" experiment a.gram report --store store.db --format json >report.json 2>&1 && clean report.json

# Nor do messages quote one.
cat >s.json <<'END'
{"type": "object", "properties": {"p": {"type": "string", "format": "password", "pattern": "^x"}}}
END
echo '{"p": "planted"}' >v.json
"$gramc" validate s.json v.json --format concise >told.txt 2>&1
clean told.txt
exit $bad
