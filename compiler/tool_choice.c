/* Finds the tool that `toolChoice` names, for agents and tasks. What a box holds is known at
 * binding, so a name is no mistake where there is one. */
#include "compiler/tool_choice.h"

#include "base/text.h"
#include "compiler/tool.h"

static void report(struct pass *pass, gramc_text choice, gramc_text *names, size_t count,
                   struct span at) {
    static const char *const words[] = {"auto", "none", "required"};
    for (size_t i = 0; i < 3; i++) names[count + i] = text_of(words[i]);
    struct finding *f = FIND(pass->findings, D_TOOL_CHOICE, pass->source, at, choice);
    gramc_text near = text_nearest(choice, names, count + 3);
    if (text_is(choice, "required")) finding_help(pass->findings, f, "`required` needs a tool");
    else if (near.len) finding_help(pass->findings, f, "did you mean `%.*s`?", TEXT_ARGS(near));
}

void tool_choice_resolve(struct pass *pass, gramc_text *choice, const struct choice_scope *scope) {
    bool none = text_is(*choice, "none") || text_is(*choice, "auto");
    size_t room = scope->count[0] + scope->count[1], count = 0;
    if (!choice->len || none || scope->has_boxes) return;
    gramc_text *names = arena_array(pass->arena, room + 3, sizeof *names);
    for (size_t list = 0; names && list < 2; list++) {
        for (size_t i = 0; i < scope->count[list]; i++) {
            const struct tool *tool = scope->tools[list][i];
            names[count++] = tool->identifier;
            if (!text_eq(*choice, tool->identifier) && !text_eq(*choice, tool->public.name))
                continue;
            *choice = tool->public.name;
            return;
        }
    }
    if (!names || (text_is(*choice, "required") && count)) return;
    report(pass, *choice, names, count, scope->at);
}
