/* Knows what people call things who come from JSON Schema, Python, TypeScript or another tool for
 * agents, and what the same is called here. Changes nothing but the help of a finding. */
#include "compiler/meant.h"

#include "base/text.h"

enum { SHORTEST_CUT = 3, SHORTEST_ROOT = 4 };

/* ## Properties */

/* owner NULL: of anything. Which of the names are there decides, so that one word may stand for
 * several. */
static const struct {
    const char *owner, *words, *meant;
} synonyms[] = {
    {NULL, "doc docs docstring summary about comment help info", "description"},
    {NULL, "label heading caption", "title"},
    {"agents", "prompt system systemPrompt systemMessage role persona rules", "instruction"},
    {"agents", "llm engine provider", "model"},
    {"agents", "maxTurns maxSteps recursionLimit loops", "maxIterations"},
    {"agents", "responseFormat outputSchema response returns result", "output"},
    {"agents", "budget price", "maxCost"},
    {"agents", "timeout deadline", "maxDuration"},
    {"agents", "history context window", "memory"},
    {"tasks", "text message instruction description task", "prompt"},
    {"tools", "sample samples calls", "examples"},
    {"types", "choices options allowed literal literals members oneof", "enum"},
    {"types", "regex regexp match matches", "pattern"},
    {"types", "gt greaterThan exclusiveMin moreThan", "above"},
    {"types", "lt lessThan exclusiveMax", "below"},
    {"types", "ge gte atLeast minValue lower from", "min"},
    {"types", "le lte atMost maxValue upper to", "max"},
    {"types", "between bounds interval", "range"},
    {"types", "step divisibleBy", "multipleOf"},
    {"types", "minSize minCount", "minItems"},
    {"types", "maxSize maxCount", "maxItems"},
    {"types", "element elements itemType of arrayOf", "items"},
    {"types", "extra additional closed strict", "open"},
    {"types", "null allowNull isNullable canBeNull", "nullable"},
    {"types", "mandatory", "required"},
    {"types", "omittable", "optional"},
    {"types", "fallback initial value otherwise", "default"},
    {"types", "sample samples", "examples"},
    {"types", "distinct set", "unique"},
    {"types", "keys members attributes", "fields"},
    {"headers", "import include includes require requires use uses using files", "imports"},
    {"headers", "version gram syntax", "language"},
    {"implementations", "command cmd run program script shell argv", "exec"},
    {"implementations", "endpoint uri address href", "url"},
    {"implementations", "method verb get post", "http"},
    {"implementations", "value return result answer constant", "returns"},
    {"implementations", "so dll library native", "plugin"},
    {"implementations", "server mcpServer", "mcp"},
    {"implementations", "function internal", "builtin"},
    {"tools", "approval confirm confirmation requiresApproval ask", "approve"},
    {"implementations", "approval confirm confirmation requiresApproval ask", "approve"},
    {"MCP servers", "approval confirm confirmation requiresApproval ask", "approve"},
    {"HTTP toolboxes", "approval confirm confirmation requiresApproval ask", "approve"},
    {"implementations", "contain jail isolate permissions", "sandbox"},
    {"MCP servers", "contain jail isolate permissions", "sandbox"},
    {"libraries", "contain jail isolate permissions", "sandbox"},
    {"sandboxes", "readable reads readOnly", "read"},
    {"sandboxes", "writable writes readWrite", "write"},
    {"sandboxes", "net internet connect", "network"},
    {"sandboxes", "environment variables allowEnv", "env"},
    {"implementations", "guard guards beforeCall preCall", "before"},
    {"implementations", "afterCall postCall", "after"},
    {"libraries", "guard guards beforeCall preCall", "before"},
    {"libraries", "afterCall postCall", "after"},
    {"MCP servers", "cmd run exec program argv", "command"},
    {"MCP servers", "endpoint uri address", "url"},
    {"HTTP toolboxes", "yaml path openapi", "file"},
    {"HTTP toolboxes", "endpoint uri baseUrl server", "url"},
    {"experiments", "data dataset tests inputs", "cases"},
    {"experiments", "runs trials repetitions epochs", "repeats"},
    {"experiments", "setup before", "reset"},
    {"graders", "contain includes include substring", "contains"},
    {"graders", "equal exact is expected", "equals"},
    {"graders", "pattern regex regexp match", "matches"},
    {"graders", "call tool tools called", "calls"},
    {"graders", "schema", "type"},
    {"graders", "command run script program check", "exec"},
    {"graders", "judge llm criteria criterion", "rubric"},
    {"graders", "pairwise compare", "prefer"},
};

/* What is said elsewhere. */
#define SIGNATURE_WORDS                                                                            \
    "parameters params args arguments input inputs inputSchema properties required returns "       \
    "return "                                                                                      \
    "result output outputSchema type types signature"

static const struct {
    const char *owner, *words, *help;
} places[] = {
    {"agents", "tools tool functions toolbox",
     "tools stand behind the bar: `[name:Agent {...} | firstTool, secondTool]`"},
    {"agents", "tasks steps",
     "tasks stand behind the bar: `[name:Agent {...} | [first:Task {...}]]`"},
    {"agents", "name id", "the name stands in front of the label: `[name:Agent {...}]`"},
    {"agents", "library libraries",
     "a run names the library: `gramc run spec.gram --library FILE`"},
    {"tools", SIGNATURE_WORDS,
     "what goes in and what comes back is the signature, behind the bar: `[name:Tool {...} | "
     "(first::Text)==>(::Text)]`"},
    {"tools", "exec command cmd url http mcp builtin plugin handler function code script impl",
     "how a tool is done stands in a tool library: `[library:ToolLibrary | [name:ToolImpl {exec: "
     "[\"program\"]}]]`"},
    {"tools", "id", "the name stands in front of the label: `[name:Tool {...} | ...]`"},
    {"types", "length size len", "say minLength and maxLength, or minItems and maxItems"},
    {"types", "ref dollarRef", "a named type is the label: `(home::Address)`"},
    {"headers", "name description tools agents parameters functions model type",
     "the record at the top of a file is its header; an agent or a tool stands in brackets: "
     "`[name:Tool {description: \"...\"} | (first::Text)==>(::Text)]`"},
    {"MCP servers", "args arguments",
     "all words stand in one list: `command: [\"npx\", \"-y\", \"server\"]`"},
    {"MCP servers", "transport type", "`command` starts a server, `url` reaches one that runs"},
    {"experiments", "graders grader scorers metrics assertions asserts",
     "graders stand beside the arms: `[polite:Grader {contains: \"please\"}]`"},
    {"libraries", "tools implementations servers mcpServers",
     "implementations and boxes stand behind the bar: `[name:ToolLibrary | [first:ToolImpl "
     "{...}]]`"},
};

bool meant_same(gramc_text a, gramc_text b) {
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.len && (a.ptr[i] == '_' || a.ptr[i] == '-')) i++;
        while (j < b.len && (b.ptr[j] == '_' || b.ptr[j] == '-')) j++;
        if (i == a.len || j == b.len) return i == a.len && j == b.len && i && j;
        if (!text_eq_nocase(text_slice(a, i, i + 1), text_slice(b, j, j + 1))) return false;
        i++, j++;
    }
}

/* Is it one of these words, which are parted by blanks? */
static bool is_among(const char *words, gramc_text word) {
    gramc_text rest = text_of(words);
    for (size_t start = 0, i = 0; i <= rest.len; i++) {
        if (i < rest.len && rest.ptr[i] != ' ') continue;
        gramc_text other = text_slice(rest, start, i);
        bool slip = other.len > SHORTEST_ROOT && text_distance(word, other, 1) <= 1;
        if (slip || meant_same(other, word)) return true;
        start = i + 1;
    }
    return false;
}

bool meant_signature(gramc_text word) {
    return is_among(SIGNATURE_WORDS, word);
}

static bool is_of(const char *row_owner, const char *owner) {
    return !row_owner || text_is(text_of(row_owner), owner);
}

static gramc_text by_meaning(const char *owner, gramc_text word, const gramc_text *names,
                             size_t count) {
    for (size_t s = 0; s < sizeof synonyms / sizeof *synonyms; s++) {
        if (!is_of(synonyms[s].owner, owner) || !is_among(synonyms[s].words, word)) continue;
        for (size_t i = 0; i < count; i++)
            if (text_is(names[i], synonyms[s].meant)) return names[i];
    }
    return (gramc_text){NULL, 0};
}

static bool begins_with(gramc_text a, gramc_text start) {
    return a.len >= start.len && text_eq_nocase(text_slice(a, 0, start.len), start);
}

/* `desc`, `minLen`: the only name that goes on so; `timeoutMs`: the longest that it goes on from.
 */
static gramc_text by_cut(gramc_text word, const gramc_text *names, size_t count) {
    gramc_text longer = {NULL, 0}, shorter = {NULL, 0};
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (word.len >= SHORTEST_CUT && begins_with(names[i], word)) longer = names[i], found++;
        if (names[i].len >= SHORTEST_ROOT && names[i].len > shorter.len &&
            begins_with(word, names[i]))
            shorter = names[i];
    }
    return found == 1 ? longer : found ? (gramc_text){NULL, 0} : shorter;
}

static const char *place_of(const char *owner, gramc_text word) {
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (is_of(places[i].owner, owner) && is_among(places[i].words, word)) return places[i].help;
    return NULL;
}

gramc_text meant_property(const char *owner, gramc_text word, const gramc_text *names,
                          size_t count) {
    gramc_text near = {NULL, 0};
    for (size_t i = 0; i < count; i++)
        if (meant_same(names[i], word)) return names[i];
    if (place_of(owner, word)) return near;
    near = by_meaning(owner, word, names, count);
    if (!near.len) near = text_nearest(word, names, count);
    return near.len ? near : by_cut(word, names, count);
}

void meant_help_property(struct pass *pass, struct finding *finding, const char *owner,
                         gramc_text word, gramc_text near) {
    const char *place = place_of(owner, word);
    if (near.len) finding_help(pass->findings, finding, "did you mean `%.*s`?", TEXT_ARGS(near));
    else if (place) finding_help(pass->findings, finding, "%s", place);
}

/* ## Types */

static const struct {
    const char *words, *written;
} types[] = {
    {"str char* varchar", "Text"},
    {"char", "Character"},
    {"i32 i64 u32 u64 int32 int64 bigint", "Int"},
    {"numeric decimal real f32 f64 double64", "Double"},
    {"list vec vector sequence slice iterable", "Array {items: Text}"},
    {"set frozenset", "Array {items: Text, unique: true}"},
    {"dict dictionary hash hashmap record mapping", "Map {values: Text}"},
    {"struct class interface model schema", "Object {fields: {name: Text}}"},
    {"enum literal choice", "Text {enum: [\"a\", \"b\"]}"},
    {"optional maybe", "Text {optional: true}"},
    {"nullable", "Text {nullable: true}"},
    {"union either", "AnyOf {of: [Text, Int]}"},
    {"intersection", "AllOf {of: [Text, Email]}"},
    {"none nil void undefined unit nothing never", "Null"},
    {"unknown json dynamic mixed variant", "Any"},
    {"timestamp instant", "DateTime"},
    {"url link href", "Uri"},
    {"guid", "Uuid"},
    {"mail", "Email"},
    {"host domain", "Hostname"},
    {"ip ipaddress", "Ipv4"},
    {"timedelta", "Duration"},
    {"positiveInt", "Int {above: 0}"},
};

const char *meant_type(gramc_text label) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is_among(types[i].words, label)) return types[i].written;
    return NULL;
}
