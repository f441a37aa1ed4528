/* Words what sandbox.c refuses as findings of a binding. */
#include "runtime/bind_sandbox.h"

#include "base/text.h"

/* A server is looked at for each of its tools, and told once. */
static bool is_told(const gramc_bound *bound, const struct bind_place *place, enum diag_id id) {
    const struct bind_note *note = bound->first;
    while (note && !(note->message.start == place->start && note->message.end == place->end &&
                     text_is(note->message.code, diag_row(id)->code) &&
                     text_eq(note->message.file, place->file)))
        note = note->next;
    return note != NULL;
}

bool bind_sandbox(struct sandboxed *out, gramc_bound *bound, const gramc_impl *program,
                  gramc_text who) {
    const struct bind_place place = {program->file, program->start, program->end};
    const gramc_sandbox *of_library = bound->library ? bound->library->sandbox : NULL;
    if (!sandbox_decide(out, &bound->arena, bound->sandboxes, of_library, program)) return false;
    enum diag_id id = out->verdict == SANDBOX_WIDER ? D_SANDBOX_WIDER : D_SANDBOX_NOT_HELD;
    if (out->verdict != SANDBOX_FINE && !is_told(bound, &place, id))
        BOUND_TELL(bound, id, &place, out->help, who, out->why);
    return !bound->arena.oom;
}
