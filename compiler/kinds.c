/* What each kind of implementation is made of, by its row of gramc/kinds.def: how its value is
 * read, what it needs and takes, what is said of it. What a property holds is library_impl.c's
 * matter; how a kind is bound and called, the runtime's. */
#include "compiler/kinds.h"

#include <string.h>

#include "base/text.h"
#include "compiler/data.h"

/* What the property that chooses a kind wants. */
enum wanted {
    WANTS_NAME,
    WANTS_FILE,
    WANTS_COMMAND,
    WANTS_DATA,
    WANTS_METHOD,
    WANTS_SERVER,
    WANTS_AGENT
};

static const struct {
    const char *word;
    enum wanted wants;
    const char *takes, *example;
} kinds[] = {
#define GRAMC_KIND(id, word, value, takes, example)                                                \
    [GRAMC_IMPL_##id] = {#word, WANTS_##value, takes, example},
#include "gramc/kinds.def"
};

/* ## Values */

static void read_name(struct pass *pass, struct impl *impl, const struct value *value,
                      const char *word) {
    impl->public.target = library_name(pass, value, word);
}

/* `exec: ["python3", "say_hello.py"]` */
static void read_command(struct pass *pass, struct impl *impl, const struct value *value,
                         const char *word) {
    impl->public.argv = library_list(pass, value, word, &impl->public.argc);
    if (impl->public.argc) impl->public.target = impl->public.argv[0];
}

/* A text is returned as it is, any other data as JSON. */
static void read_data(struct pass *pass, struct impl *impl, const struct value *value,
                      const char *word) {
    (void)word;
    if (value->kind == VALUE_SYMBOL) impl->public.target = value_name(value);
    else if (value->kind == VALUE_STRING) impl->public.target = value_text(pass, value);
    else impl->public.target = data_json(pass, value);
}

static void read_method(struct pass *pass, struct impl *impl, const struct value *value,
                        const char *word) {
    static const char *const methods[] = {"GET", "POST", "PUT", "DELETE", "HEAD", "PATCH"};
    gramc_text method = library_name(pass, value, word), names[6];
    impl->public.method = method;
    for (size_t i = 0; i < 6; i++) {
        names[i] = text_of(methods[i]);
        if (!method.ptr || text_eq(method, names[i])) return;
    }
    struct finding *f = FIND(pass->findings, D_UNKNOWN_WORD, pass->source, value->span, method,
                             text_of(word), TEXT("GET, POST, PUT, DELETE, HEAD, PATCH"));
    gramc_text near = text_nearest(method, names, 6);
    for (size_t i = 0; i < 6 && !near.len; i++)
        if (text_is_nocase(method, methods[i])) near = names[i];
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

static void read_server(struct pass *pass, struct impl *impl, const struct value *value,
                        const char *word) {
    impl->public.server = library_name(pass, value, word);
    impl->server_at = value->span;
}

/* Who it is is known when all names are (library_agent.c). */
static void read_agent(struct pass *pass, struct impl *impl, const struct value *value,
                       const char *word) {
    impl->public.target = library_name(pass, value, word);
    impl->agent_at = value->span;
}

enum { NEEDS_TARGET = 1, NEEDS_ARGV = 2, NEEDS_METHOD = 4, NEEDS_SERVER = 8, NEEDS_AGENT = 16 };
enum shown { SHOWS_TARGET, SHOWS_ARGV, SHOWS_NOTHING };

static const struct {
    void (*read)(struct pass *pass, struct impl *impl, const struct value *value, const char *word);
    unsigned needs;
    enum shown shown; /* after the word, in gramc_impl_print */
} wanted[] = {[WANTS_NAME] = {read_name, NEEDS_TARGET, SHOWS_TARGET},
              [WANTS_FILE] = {read_name, NEEDS_TARGET, SHOWS_TARGET},
              [WANTS_COMMAND] = {read_command, NEEDS_ARGV, SHOWS_ARGV},
              [WANTS_DATA] = {read_data, 0, SHOWS_NOTHING},
              [WANTS_METHOD] = {read_method, NEEDS_TARGET | NEEDS_METHOD, SHOWS_TARGET},
              [WANTS_SERVER] = {read_server, NEEDS_TARGET | NEEDS_SERVER, SHOWS_TARGET},
              [WANTS_AGENT] = {read_agent, NEEDS_TARGET | NEEDS_AGENT, SHOWS_TARGET}};

void kind_read(struct pass *pass, struct impl *impl, const struct value *value) {
    gramc_impl_kind kind = impl->public.kind;
    wanted[kinds[kind].wants].read(pass, impl, value, kinds[kind].word);
}

/* ## Needs */

static unsigned needs_of(gramc_impl_kind kind) {
    return wanted[kinds[kind].wants].needs;
}

bool impl_is_whole(const gramc_impl *impl) {
    if ((size_t)impl->kind >= KINDS) return false;
    unsigned given = (impl->target.len ? NEEDS_TARGET : 0U) | (impl->argc ? NEEDS_ARGV : 0U) |
                     (impl->method.len ? NEEDS_METHOD : 0U) |
                     (impl->server.len ? NEEDS_SERVER : 0U) | (impl->agent ? NEEDS_AGENT : 0U);
    return (needs_of(impl->kind) & ~given) == 0;
}

bool impl_names_server(const gramc_impl *impl) {
    return needs_of(impl->kind) & NEEDS_SERVER;
}

gramc_text command_script(const gramc_text *argv, size_t argc) {
    static const char *const ends[] = {".py", ".js", ".mjs", ".cjs", ".sh", ".rb", ".pl", ".php"};
    if (argc && text_starts(argv[0], "./")) return argv[0];
    gramc_text word = argc > 1 ? argv[1] : TEXT("");
    if (text_starts(word, "-") || text_starts(word, "http")) return TEXT("");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t len = strlen(ends[i]);
        if (word.len > len && text_is(text_slice(word, word.len - len, word.len), ends[i]))
            return word;
    }
    return TEXT("");
}

bool impl_names_file(const gramc_impl *impl) {
    return kinds[impl->kind].wants == WANTS_FILE;
}

/* ## Properties */

bool kind_takes(gramc_impl_kind kind, gramc_text property) {
    for (const char *at = kinds[kind].takes; *at;) {
        size_t len = strcspn(at, " ");
        if (text_eq(property, (gramc_text){at, len})) return true;
        at += len + (at[len] == ' ');
    }
    return false;
}

enum { WORDS_MAX = 1024 };

gramc_text kinds_that_take(struct arena *arena, gramc_text property) {
    struct buf words;
    size_t left = 0;
    buf_init(&words, &arena->allocator, WORDS_MAX);
    for (size_t i = 0; i < KINDS; i++) left += kind_takes((gramc_impl_kind)i, property);
    for (size_t i = 0; i < KINDS; i++) {
        if (!kind_takes((gramc_impl_kind)i, property)) continue;
        left--;
        if (words.len) buf_puts(&words, left ? ", " : " and ");
        buf_puts(&words, kinds[i].word);
    }
    return buf_to_arena(&words, arena);
}

gramc_text kinds_help(struct arena *arena) {
    struct buf help;
    buf_init(&help, &arena->allocator, WORDS_MAX);
    for (size_t i = 0; i < KINDS; i++)
        buf_printf(&help, "%s`%s: %s`", i ? ", " : "say one of ", kinds[i].word, kinds[i].example);
    return buf_to_arena(&help, arena);
}

/* ## Boxes */

static const struct {
    const char *label;
    gramc_impl_kind tools;
} boxes[] = {
#define GRAMC_BOX(id, label, tools) [GRAMC_BOX_##id] = {#label, GRAMC_IMPL_##tools},
#include "gramc/kinds.def"
};

gramc_impl_kind gramc_box_tool_kind(gramc_box_kind kind) {
    return boxes[kind].tools;
}

const char *kind_box_label(gramc_impl_kind kind) {
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (boxes[i].tools == kind) return boxes[i].label;
    return NULL;
}

/* ## Words */

const char *gramc_impl_kind_name(gramc_impl_kind kind) {
    return kinds[kind].word;
}

static int put(gramc_writer writer, const char *before, gramc_text text, const char *after) {
    int failed = writer.write(writer.ctx, before, strlen(before));
    if (!failed && text.len) failed = writer.write(writer.ctx, text.ptr, text.len);
    return failed ? failed : writer.write(writer.ctx, after, strlen(after));
}

gramc_status gramc_impl_print(const gramc_impl *impl, gramc_writer writer) {
    enum shown shown = wanted[kinds[impl->kind].wants].shown;
    int failed = put(writer, "", text_of(kinds[impl->kind].word), "");
    for (size_t i = 0; shown == SHOWS_ARGV && i < impl->argc && !failed; i++)
        failed = put(writer, " ", impl->argv[i], "");
    if (shown != SHOWS_TARGET || failed) return failed ? GRAMC_IO : GRAMC_OK;
    failed = put(writer, " ", impl->server, impl->server.len ? "." : "");
    if (!failed) failed = put(writer, "", impl->method, impl->method.len ? " " : "");
    if (!failed) failed = put(writer, "", impl->target, "");
    return failed ? GRAMC_IO : GRAMC_OK;
}
