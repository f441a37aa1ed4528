/* What a model wrote, taken for the JSON that it means (base/json/tolerant.h), where a schema says
 * which of several values can be meant. */
#ifndef RUNTIME_READING_H
#define RUNTIME_READING_H

#include "base/json/tolerant.h"
#include "gramc/event.h"

/* How JSON of the model becomes what the schema speaks of: its names are mapped, a wrapper is taken
 * off. The text is borrowed, or in the arena. */
struct reading_view {
    const gramc_schema *schema;
    unsigned kinds; /* of JSON, as in struct json_wish; 0: nothing is mended */
    unsigned flags; /* of gramc_schema_check */
    gramc_text (*seen)(void *ctx, struct arena *arena, gramc_text json);
    void *ctx;
};

struct taken {
    struct arena arena; /* of what the verdict borrows */
    const char *repairs[JSON_REPAIR_COUNT];
    size_t repair_count;    /* 0: nothing was mended */
    gramc_json_error limit; /* of GRAMC_LIMIT: which one, and where */
};

/* The flags of gramc_schema_check for what an agent's `coerce` says; 0 without it. */
unsigned reading_coercion(const gramc_agent *agent);

void reading_init(struct taken *reading, const gramc_allocator *allocator);
void reading_free(struct taken *reading);
/* The verdict on what a model wrote, as the schema sees it, borrowed by the verdict: mended, if
 * that is what it takes. GRAMC_LIMIT, GRAMC_NOMEM: there is none. */
gramc_status reading_take(struct taken *reading, gramc_verdict **verdict, gramc_text text,
                          const struct reading_view *view);
/* Why something has no verdict, in words: "evaluating it takes too much work, at /items/3". */
enum { READING_WORDS_MAX = sizeof(gramc_json_error) };
void reading_limit_words(char words[READING_WORDS_MAX], const gramc_json_error *limit);
/* What is told of it. */
gramc_event_reading reading_told(const struct taken *reading, const gramc_verdict *verdict);
/* The kinds of values that a schema names at its root; those that hold others where it names none.
 */
unsigned reading_kinds(const struct json *schema);

#endif
