/* Whole grammars: of a tool's arguments, and of a call of any tool. What is lost on the way is told
 * at the parameter in which it is lost. */
#include "compiler/emit/grammar.h"

#include "base/text.h"

enum { LONGEST_PLACE = 400 };

/* ## What is told */

size_t grammar_enter(struct grammar *g, const char *step, gramc_text name) {
    size_t len = g->place.len;
    if (name.len && len) buf_putc(&g->place, '.');
    buf_text(&g->place, name);
    buf_puts(&g->place, step);
    return len;
}

void grammar_leave(struct grammar *g, size_t len) {
    if (g->place.state == BUF_TOO_BIG) g->place.state = BUF_FINE;
    if (g->place.len > len) g->place.len = len;
}

/* Where the name of the parameter ends in the place. */
static size_t parameter_end(const struct grammar *g) {
    gramc_text place = buf_view(&g->place);
    size_t end = 0;
    while (end < place.len && place.ptr[end] != '.' && place.ptr[end] != '[') end++;
    return end;
}

static struct span place_at(const struct grammar *g) {
    gramc_text name = text_slice(buf_view(&g->place), 0, parameter_end(g));
    const struct field *f = g->tool->signature->parameters;
    while (f && !text_eq(f->name, name)) f = f->next;
    return f ? f->span : g->tool->name_at;
}

/* Once, however many ways lead there. */
static bool is_new(struct grammar *g, gramc_text place, const char *what) {
    struct buf key;
    buf_init(&key, &g->arena->allocator, SOURCE_MAX);
    buf_text(&key, g->tool->public.name);
    buf_putc(&key, '\n');
    buf_text(&key, place);
    buf_putc(&key, '\n');
    buf_puts(&key, what);
    gramc_text text = buf_to_arena(&key, g->arena);
    if (!text.ptr || map_get(&g->told, text)) return false;
    map_put(&g->told, text, g);
    return true;
}

static void tell(struct grammar *g, enum diag_id id, gramc_text place, const char *what) {
    if (!g->e->findings || !is_new(g, place, what)) return;
    FIND(g->e->findings, id, g->tool->source, place_at(g), place.len ? place : g->tool->public.name,
         text_of(what), text_of(g->e->target->name));
}

void grammar_narrowed(struct grammar *g, const char *what) {
    tell(g, D_NARROWED, buf_view(&g->place), what);
}

const struct grammar_piece *grammar_refused(struct grammar *g, const char *what) {
    tell(g, D_NARROWED, buf_view(&g->place), what);
    return &piece_never;
}

void grammar_may_repeat(struct grammar *g, const char *what) {
    tell(g, D_MAY_REPEAT, text_slice(buf_view(&g->place), 0, parameter_end(g)), what);
}

static void tell_no_grammar(struct grammar *g, const struct tool *tool, const char *why) {
    if (g->e->findings)
        FIND(g->e->findings, D_NO_GRAMMAR, tool->source, tool->name_at, tool->public.name,
             text_of(why), text_of(g->e->target->name));
}

/* ## One tool */

static void take_document(struct grammar *g, const struct json *document) {
    struct compat *compat = g->compat;
    subsume_evaluate_free(&compat->a);
    subsume_evaluate_free(&compat->b);
    compat->a = (struct subsume_side){.root = document, .defs = json_get(document, "$defs")};
    compat->b = (struct subsume_side){.root = compat->a.root, .defs = compat->a.defs};
    compat->evaluate_count = 0;
}

/* Names of rules begin with the tool's. */
static void take_tool(struct grammar *g, const struct tool *tool) {
    g->tool = tool;
    g->place.len = g->prefix.len = 0;
    buf_text(&g->prefix, tool->public.name);
    buf_putc(&g->prefix, '-');
}

/* By the schema by which calls are judged. */
static const struct grammar_piece *
arguments_of(struct grammar *g, const struct signature *signature, const struct json *document) {
    struct meet meet = {.choice_count = 0};
    take_document(g, document);
    meet_add(g, &meet, document);
    meet.is_call = true;
    meet.is_sealed = signature_is_closed(signature);
    return grammar_meet(g, &meet);
}

const struct grammar_piece *grammar_arguments(struct grammar *g, const struct tool *tool) {
    const struct json *document =
        schema_document(g->arena, &tool->signature->arguments, SCHEMA_CHECKED);
    take_tool(g, tool);
    const char *obstacle = document ? subsume_obstacle(document) : "it is nested too deeply";
    const struct grammar_piece *piece = &piece_never;
    if (!obstacle) piece = arguments_of(g, tool->signature, document);
    if (g->too_large) obstacle = "it is too large";
    if (piece_is_never(piece) && !g->arena->oom)
        tell_no_grammar(g, tool, obstacle ? obstacle : "no arguments are left that it could take");
    return piece;
}

/* ## Calls */

static const struct grammar_piece *call_of(struct grammar *g, size_t i) {
    struct buf name;
    const struct grammar_piece *arguments = grammar_arguments(g, g->e->tools[i]);
    g->place.len = 0;
    arguments = grammar_part(g, "arguments", arguments);
    buf_init(&name, &g->arena->allocator, SOURCE_MAX);
    json_put_string(&name, g->e->names[i]);
    const struct grammar_piece *piece = piece_row(
        g, PIECES(piece_text(g, "{\"name\""), grammar_colon(g), piece_bytes(g, buf_view(&name)),
                  grammar_comma(g), piece_text(g, "\"arguments\""), grammar_colon(g), arguments,
                  piece_text(g, "}")));
    if (name.state == BUF_NOMEM) g->arena->oom = true;
    buf_free(&name);
    return piece;
}

const struct grammar_piece *grammar_calls(struct grammar *g) {
    struct piece_list calls = {.g = g};
    for (size_t i = 0; i < g->e->count && !g->arena->oom; i++)
        if (g->e->tools[i]->signature) piece_list_add(&calls, call_of(g, i));
    return g->arena->oom ? &piece_never : piece_choice(g, calls.parts, calls.count);
}

/* ## Printing */

static void print(struct grammar *g, const struct grammar_piece *root, grammar_printer *printer,
                  struct buf *out) {
    root = grammar_prune(g, root);
    if (!piece_is_never(root) && !g->arena->oom) printer(out, g, root);
    if (out->state != BUF_TOO_BIG || !g->tool) return;
    tell_no_grammar(g, g->tool, "it is too large");
}

void grammar_emit(struct emission *e, const struct tool *tool, bool flat, grammar_printer *printer,
                  struct buf *out) {
    struct compat compat = {.same_defs = true, .only_proves = true};
    struct grammar g = {.compat = &compat, .arena = &compat.arena, .e = e, .flat = flat};
    arena_init(&compat.arena, &e->out->allocator);
    buf_init(&g.place, &e->out->allocator, LONGEST_PLACE);
    buf_init(&g.prefix, &e->out->allocator, SOURCE_MAX);
    g.end = &g.first;
    map_init(&g.names, g.arena);
    map_init(&g.told, g.arena);
    map_init(&g.shared, g.arena);
    map_put(&g.names, TEXT("root"), &g);
    print(&g, tool ? grammar_arguments(&g, tool) : grammar_calls(&g), printer, out);
    bool no_memory = g.arena->oom || g.place.state == BUF_NOMEM || g.prefix.state == BUF_NOMEM;
    if (no_memory) e->out->state = BUF_NOMEM;
    subsume_evaluate_free(&compat.a);
    subsume_evaluate_free(&compat.b);
    buf_free(&g.place);
    buf_free(&g.prefix);
    arena_free(&compat.arena);
}

void grammar_put_tool(struct emission *e, const struct tool *tool, const char *member, bool flat,
                      size_t max, grammar_printer *printer) {
    struct buf text;
    buf_init(&text, &e->out->allocator, max);
    grammar_emit(e, tool, flat, printer, &text);
    json_object_begin(&e->json);
    json_member_text(&e->json, "name", emission_name(e));
    json_member_text(&e->json, member, buf_view(&text));
    json_object_end(&e->json);
    if (text.state == BUF_NOMEM) e->out->state = BUF_NOMEM;
    buf_free(&text);
}

void grammar_put_calls(struct emission *e, bool flat, size_t max, grammar_printer *printer) {
    struct buf text;
    buf_init(&text, &e->out->allocator, max);
    grammar_emit(e, NULL, flat, printer, &text);
    if (e->agent && e->count == 0 && e->findings)
        FIND(e->findings, D_NO_GRAMMAR, e->agent->source, e->agent->name_at, e->agent->public.name,
             TEXT("it has no tools"), text_of(e->target->name));
    buf_text(e->out, buf_view(&text));
    if (text.state == BUF_NOMEM) e->out->state = BUF_NOMEM;
    buf_free(&text);
}
