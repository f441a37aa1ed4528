# For tests of experiments: sourced by them.
#     write_spec MORE   two libraries of one tool, whose program tool.sh is the test's own, and an
#                       experiment between them with MORE properties, in spec.gram
#     write_cases       its 25 cases, in cases.jsonl
write_spec() {
    cat >spec.gram <<END
[asker:Agent {instruction: "Ask"} | [look:Tool {description: "Looks"} | ()==>(::Text)]]
[even:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "even"]}]]
[odd:ToolLibrary | [look:ToolImpl {exec: ["sh", "tool.sh", "odd"]}]]
[try:Experiment {cases: "cases.jsonl", repeats: 2, seed: 3 $1} |
  [a:Arm {agent: asker, library: even}], [b:Arm {agent: asker, library: odd}],
  [well:Grader {contains: "well"}]]
END
}
write_cases() { for i in $(seq 25); do echo "{\"id\": \"case$i\", \"message\": \"Look $i\"}"; done >cases.jsonl; }
