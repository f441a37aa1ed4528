/* Finds the ${names} in an agent's instruction and prompts: they are what a run of it must be
 * given. Filling them in is done here as well, so that there is one reading of them. */
#include "compiler/inputs.h"

#include "base/placeholder.h"
#include "base/text.h"
#include "compiler/properties.h"
#include "compiler/task.h"

#include <string.h>

struct input_search {
    struct pass *pass;
    struct map seen;
    gramc_text *names;
    size_t count;
    struct span at; /* of the text that is read */
};

static size_t count_marks(gramc_text text) {
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) count += text.ptr[i] == '$';
    return count;
}

static void report_bad(const struct input_search *search, gramc_text what, const char *why) {
    const struct pass *pass = search->pass;
    struct finding *f = FIND(pass->findings, D_BAD_PLACEHOLDER, pass->source, search->at,
                             text_slice(what, 0, what.len < 40 ? what.len : 40), text_of(why));
    finding_help(pass->findings, f, "write ${name}; a literal ${ is written $${");
}

/* A slip of the one name that always has a value would ask for an input instead. */
static void check_slip(const struct input_search *search, gramc_text name) {
    static const gramc_text message = {"message", 7};
    if (!text_nearest(name, &message, 1).len) return;
    struct finding *f =
        FIND(search->pass->findings, D_MESSAGE_SLIP, search->pass->source, search->at, name);
    finding_help(search->pass->findings, f,
                 "${message} is the user's message; another name is an input of the run");
}

static void note(struct input_search *search, gramc_text name) {
    gramc_text *place = &search->names[search->count];
    if (text_is(name, "message")) return;
    *place = name;
    if (map_put(&search->seen, name, place) != place) return;
    search->count++;
    check_slip(search, name);
}

static void look(struct input_search *search, gramc_text text, struct span at) {
    struct placeholder part;
    if (at.end) search->at = at;
    for (size_t pos = 0; placeholder_next(text, &pos, &part);) {
        switch (part.kind) {
        case PLACEHOLDER_TEXT: break;
        case PLACEHOLDER_NAME: note(search, part.text); break;
        case PLACEHOLDER_OPEN: report_bad(search, part.text, "it is never closed"); break;
        case PLACEHOLDER_BAD:
            report_bad(search, part.text,
                       part.text.len ? "this is no name" : "there is no name in it");
            break;
        }
    }
}

void inputs_find(struct pass *pass, struct agent *agent) {
    struct input_search search = {.pass = pass};
    size_t room = count_marks(agent->public.instruction);
    for (const struct task *t = agent->first_task; t; t = t->next)
        room += count_marks(t->public->prompt);
    if (!room) return;
    map_init(&search.seen, pass->arena);
    search.names = arena_array(pass->arena, room, sizeof *search.names);
    if (!search.names) return;
    look(&search, agent->public.instruction, agent->instruction_at);
    for (const struct task *t = agent->first_task; t; t = t->next)
        look(&search, t->public->prompt, t->prompt_at);
    agent->public.inputs = search.names;
    agent->public.input_count = search.count;
}

/* ## Filling in */

static const gramc_input *find(const gramc_input *inputs, size_t count, gramc_text name) {
    for (size_t i = 0; i < count; i++)
        if (text_eq(inputs[i].name, name)) return &inputs[i];
    return NULL;
}

static gramc_status evaluate(gramc_text prompt, const gramc_input *inputs, size_t count) {
    struct placeholder part;
    for (size_t pos = 0; placeholder_next(prompt, &pos, &part);) {
        if (part.kind == PLACEHOLDER_OPEN || part.kind == PLACEHOLDER_BAD) return GRAMC_FINDINGS;
        if (part.kind == PLACEHOLDER_NAME && !find(inputs, count, part.text))
            return GRAMC_NOT_FOUND;
    }
    return GRAMC_OK;
}

gramc_status gramc_prompt_fill(gramc_text prompt, const gramc_input *inputs, size_t count,
                               gramc_writer writer) {
    struct placeholder part;
    gramc_status status = evaluate(prompt, inputs, count);
    if (status != GRAMC_OK) return status;
    for (size_t pos = 0; placeholder_next(prompt, &pos, &part);) {
        gramc_text text = part.text;
        if (part.kind == PLACEHOLDER_NAME) text = find(inputs, count, text)->value;
        if (text.len && writer.write(writer.ctx, text.ptr, text.len)) return GRAMC_IO;
    }
    return GRAMC_OK;
}
