/* Reads the files that a library names beside itself, for `check`: toolboxes, recordings,
 * scripts. What is wrong inside a toolbox is told at its place there, in the words of
 * binding. Absolute paths are of this machine, and for binding to judge. */
#include "compiler/kinds.h"

#include <stdio.h>
#include <string.h>

#include "base/json/trace_read.h"
#include "base/text.h"
#include "toolbox/toolbox.h"

enum { WHY_MAX = 1024 };

static struct span place_of(uint32_t start, uint32_t end) {
    return (struct span){start, end};
}

/* ## Reading */

static gramc_text join(struct arena *arena, gramc_text folder, gramc_text name) {
    char *joined = arena_alloc(arena, folder.len + name.len + 1);
    if (!joined) return (gramc_text){NULL, 0};
    if (folder.len) memcpy(joined, folder.ptr, folder.len);
    memcpy(joined + folder.len, name.ptr, name.len);
    joined[folder.len + name.len] = '\0';
    return (gramc_text){joined, folder.len + name.len};
}

enum found { FOUND, MISSING, NOT_ASKED };

static enum found read_file(struct pass *pass, gramc_text folder, gramc_text name,
                            struct source *out) {
    gramc_reader reader = pass->compilation->reader;
    if (!reader.read || !name.len || name.ptr[0] == '/') return NOT_ASKED;
    out->name = join(pass->arena, folder, name);
    if (!out->name.ptr) return NOT_ASKED;
    int failure = reader.read(reader.ctx, out->name, &out->text);
    if (failure == GRAMC_NOMEM) pass->arena->oom = true;
    return failure == GRAMC_NOMEM ? NOT_ASKED : failure ? MISSING : FOUND;
}

/* ## Toolboxes */

/* Listed among the sources once something is found in it. Boxes of several libraries may name it:
 * its findings are told once. */
static struct source *list_source(gramc_compilation *compilation, const struct source *read,
                                  const struct source *of) {
    struct source *last = compilation->last_source;
    struct source *file = ARENA_NEW(&compilation->arena, struct source);
    if (!file) return NULL;
    *file = *read;
    file->config = of->config;
    file->strict = of->strict;
    file->order = last->order + 1;
    compilation->last_source = last->next = file;
    return file;
}

static bool is_listed(const gramc_compilation *compilation, gramc_text name) {
    const struct source *s = compilation->first_source;
    while (s && !text_eq(s->name, name)) s = s->next;
    return s != NULL;
}

static void tell_findings(struct pass *pass, const struct toolbox *toolbox,
                          const struct source *read, const struct source *of) {
    if (!toolbox->findings || is_listed(pass->compilation, read->name)) return;
    const struct source *file = list_source(pass->compilation, read, of);
    for (const struct toolbox_finding *f = toolbox->findings; f && file; f = f->next) {
        bool is_error = f->severity == GRAMC_ERROR;
        uint32_t at = toolbox_offset(file->text, f->line, f->column);
        struct finding *told = FIND(pass->findings, is_error ? D_BAD_TOOLBOX : D_DOUBTFUL_TOOLBOX,
                                    file, place_of(at, at), f->message);
        if (f->help.len) finding_help(pass->findings, told, "%.*s", TEXT_ARGS(f->help));
    }
}

static gramc_text who(struct pass *pass, const char *noun, gramc_text name) {
    char text[160];
    snprintf(text, sizeof text, "%s `%.*s`", noun, name.len < 128 ? (int)name.len : 128, name.ptr);
    return arena_text(pass->arena, text_of(text));
}

static gramc_text nearest_tool(struct pass *pass, const struct toolbox_upstream *upstream,
                               gramc_text name) {
    gramc_text *names = arena_array(pass->arena, upstream->tool_count + 1, sizeof *names);
    size_t count = 0;
    for (const struct toolbox_tool *t = upstream->tools; t && names; t = t->next)
        names[count++] = t->name;
    return names ? text_nearest(name, names, count) : (gramc_text){NULL, 0};
}

static void check_named(struct pass *pass, const gramc_box *box, const struct source *source,
                        const struct toolbox_upstream *upstream, gramc_text name) {
    for (const struct toolbox_tool *t = upstream->tools; t; t = t->next)
        if (text_eq(t->name, name)) return;
    struct finding *f = FIND(pass->findings, D_NOT_OFFERED, source, place_of(box->start, box->end),
                             box->name, name);
    gramc_text near = nearest_tool(pass, upstream, name);
    if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

/* What the library says of the box must be true of its file. */
static void check_upstream(struct pass *pass, const gramc_box *box, const struct source *source,
                           const struct toolbox *toolbox) {
    const struct span at = place_of(box->start, box->end);
    const char *why = NULL;
    const struct toolbox_upstream *upstream = toolbox_choose(toolbox, box->name, &why);
    if (upstream && !box->url.len && !box->url_argc && !upstream->url.len)
        why = "neither the library nor the file says its url";
    if (why)
        FIND(pass->findings, D_BAD_HTTP_CALL, source, at, who(pass, "box", box->name),
             text_of(why));
    for (size_t i = 0; upstream && i < box->tool_count; i++)
        check_named(pass, box, source, upstream, box->tools[i]);
    for (size_t i = 0; upstream && i < box->rename_count && box->all_tools; i++)
        check_named(pass, box, source, upstream, box->renames[i].name);
}

static void missing(struct pass *pass, const struct source *source, struct span at, gramc_text name,
                    gramc_text file) {
    FIND(pass->findings, D_MISSING_FILE, source, at, name, file);
}

static void check_toolbox(struct pass *pass, const gramc_box *box, const struct source *source) {
    struct source read = {.strict = false};
    struct toolbox *toolbox;
    enum found found = read_file(pass, box->folder, box->file_named, &read);
    if (found == MISSING)
        missing(pass, source, place_of(box->start, box->end), box->name, box->file_named);
    if (found != FOUND) return;
    gramc_status status =
        toolbox_read(&toolbox, &pass->arena->allocator, read.name, read.text, box->literal);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    if (!toolbox) return;
    tell_findings(pass, toolbox, &read, source);
    if (status == GRAMC_OK) check_upstream(pass, box, source, toolbox);
    toolbox_free(toolbox);
}

/* ## Recordings */

/* Event by event: a recording may be larger than what it is worth keeping. */
static gramc_status read_recording(struct pass *pass, gramc_text text, gramc_json_error *error) {
    const struct json *event;
    gramc_status status;
    struct arena scratch;
    struct trace_reader reader = {.arena = &scratch, .text = text, .error = error};
    do {
        arena_init(&scratch, &pass->arena->allocator);
        status = trace_next(&reader, &event);
        arena_free(&scratch);
    } while (!status && event);
    return status;
}

static void check_recording(struct pass *pass, const struct impl *impl, gramc_text text) {
    gramc_json_error error;
    char why[WHY_MAX];
    gramc_status status = read_recording(pass, text, &error);
    if (status == GRAMC_NOMEM) pass->arena->oom = true;
    if (status != GRAMC_FINDINGS) return;
    gramc_text file = impl->public.target;
    snprintf(why, sizeof why, "the trace `%.*s`: %.200s", file.len < 200 ? (int)file.len : 200,
             file.ptr, error.message);
    FIND(pass->findings, D_IMPL_CANNOT_WORK, impl->source,
         place_of(impl->public.start, impl->public.end), impl->public.name, text_of(why));
}

/* ## All of them */

static void check_impl(struct pass *pass, const struct impl *impl) {
    const gramc_impl *public = &impl->public;
    struct source read;
    bool is_trace = public->kind == GRAMC_IMPL_REPLAY; /* a plugin is built later */
    gramc_text file = is_trace ? public->target : command_script(public->argv, public->argc);
    enum found found = read_file(pass, public->folder, file, &read);
    if (found == MISSING)
        missing(pass, impl->source, place_of(public->start, public->end), public->name, file);
    if (found == FOUND && is_trace) check_recording(pass, impl, read.text);
}

static void check_guard(struct pass *pass, const gramc_guard_program *guard, gramc_text name,
                        const struct source *source) {
    struct source read;
    gramc_text file = command_script(guard->argv, guard->argc);
    if (read_file(pass, guard->folder, file, &read) == MISSING)
        missing(pass, source, place_of(guard->start, guard->end), name, file);
}

static void check_script(struct pass *pass, const gramc_box *box, const struct source *source) {
    struct source read;
    gramc_text file = command_script(box->argv, box->argc);
    if (read_file(pass, box->folder, file, &read) == MISSING)
        missing(pass, source, place_of(box->start, box->end), box->name, file);
}

void library_check_files(struct pass *pass, const struct library *library) {
    for (size_t i = 0; i < library->box_count && !pass->arena->oom; i++) {
        check_script(pass, &library->boxes[i], library->source);
        if (!library->boxes[i].stored.len) check_toolbox(pass, &library->boxes[i], library->source);
    }
    check_guard(pass, &library->public.before, library->public.name, library->source);
    check_guard(pass, &library->public.after, library->public.name, library->source);
    for (size_t i = 0; i < library->impl_count && !pass->arena->oom; i++) {
        const struct impl *impl = &library->impls[i];
        check_impl(pass, impl);
        check_guard(pass, &impl->public.before, impl->public.name, impl->source);
        check_guard(pass, &impl->public.after, impl->public.name, impl->source);
    }
}
