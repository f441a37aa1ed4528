/* Counts what a provider counts, and compares: how deep a strict schema nests, how many properties,
 * enum values and characters it has, how many tools there are. The older limit is a warning, since
 * it still holds for some models and servers; the newer one is an error. */
#include "compiler/emit/target.h"

#include "base/text.h"

#include <stdio.h>

enum counted { DEPTH, PROPERTIES, VALUES, CHARACTERS, COUNTED };

struct limit_counts {
    uint32_t of[COUNTED];
};

struct target_limit {
    const char *what;
    uint32_t old, new; /* new 0: no error */
};

/* OpenAI's guide to structured outputs, before and since 2025. Objects and lists count as levels,
 * the parameters themselves being the first. */
static const struct target_limit limits[COUNTED] = {
    [DEPTH] = {"levels of nesting", 5, 10},
    [PROPERTIES] = {"properties", 100, 5000},
    [VALUES] = {"enum values", 500, 1000},
    [CHARACTERS] = {"characters in names and values", 15000, 120000},
};

static void count_values(struct limit_counts *counts, const struct json *list) {
    if (!json_is(list, JSON_ARRAY)) return;
    counts->of[VALUES] += list->count;
    for (const struct json *v = list->first; v; v = v->next)
        counts->of[CHARACTERS] += (uint32_t)text_length(v->text);
}

/* Recursion is bounded by LOWER_MAX_DEPTH: the document has been lowered. */
static void count_schema(struct limit_counts *counts, const struct json *schema, uint32_t level) {
    const struct json *properties = json_get(schema, "properties"),
                      *any = json_get(schema, "anyOf");
    const struct json *items = json_get(schema, "items"), *constant = json_get(schema, "const");
    bool nests = properties || items;
    if (nests) level++;
    if (level > counts->of[DEPTH]) counts->of[DEPTH] = level;
    count_values(counts, json_get(schema, "enum"));
    if (constant) counts->of[CHARACTERS] += (uint32_t)text_length(constant->text);
    for (const struct json *p = properties ? properties->first : NULL; p; p = p->next) {
        counts->of[PROPERTIES]++;
        counts->of[CHARACTERS] += (uint32_t)text_length(p->key);
        count_schema(counts, p, level);
    }
    for (const struct json *m = any ? any->first : NULL; m; m = m->next)
        count_schema(counts, m, level);
    if (items) count_schema(counts, items, level);
}

struct subject_at {
    const struct source *source;
    struct span at;
    gramc_text name;
};

static void compare(struct emission *e, struct subject_at subject, uint32_t count,
                    const struct target_limit *limit) {
    char has[80], most[120];
    bool too_many = limit->new &&count > limit->new;
    if (count <= limit->old) return;
    snprintf(has, sizeof has, "%u %s", (unsigned)count, limit->what);
    snprintf(most, sizeof most, too_many ? "%s takes %u" : "some models of %s take only %u",
             e->target->name, (unsigned)(too_many ? limit->new : limit->old));
    FIND(e->findings, too_many ? D_NEW_LIMIT : D_OLD_LIMIT, subject.source, subject.at,
         subject.name, text_of(has), text_of(most));
}

void limits_check(struct emission *e, const struct tool *tool, const struct json *document) {
    struct subject_at subject = {tool->source, tool->name_at, tool->public.name};
    struct limit_counts counts = {{0}};
    const struct json *defs = json_get(document, "$defs");
    count_schema(&counts, document, 0);
    for (const struct json *d = defs ? defs->first : NULL; d; d = d->next)
        count_schema(&counts, d, 0);
    for (int i = 0; i < COUNTED; i++) compare(e, subject, counts.of[i], &limits[i]);
}

void limits_check_words(struct emission *e, const struct tool *tool) {
    static const struct target_limit limit = {"characters in its description", 1024, 0};
    struct subject_at subject = {tool->source, tool->name_at, tool->public.name};
    if (!e->findings || !(e->target->flags & SHORT_WORDS)) return;
    compare(e, subject, (uint32_t)text_length(tool->public.description), &limit);
}

void limits_check_tools(struct emission *e, const struct agent *agent) {
    bool refused = e->target->flags & FEW_TOOLS_REFUSED;
    const struct target_limit limit = {"tools", MANY_TOOLS, refused ? MANY_TOOLS : 0};
    const struct tool *first = e->count ? e->tools[0] : NULL;
    if (!(e->target->flags & (FEW_TOOLS | FEW_TOOLS_REFUSED)) || !first) return;
    struct subject_at subject = {first->source, first->name_at, TEXT("the spec")};
    if (agent) subject = (struct subject_at){agent->source, agent->name_at, agent->public.name};
    compare(e, subject, (uint32_t)e->count, &limit);
}
