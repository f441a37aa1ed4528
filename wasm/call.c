/* Turns one request into one reply: reads the JSON object, holds it against what the operation
 * takes, calls that and closes the reply with its status. What the operations do is operations.c's.
 */
#include "wasm/call.h"

#include "base/text.h"

/* What may stand in a request. A flag is true or false. */
static const struct call_member_row {
    const char *name;
    enum json_kind kind;
} members[CALL_MEMBERS] = {
    [CALL_TEXT] = {"text", JSON_STRING},     [CALL_NAME] = {"name", JSON_STRING},
    [CALL_FILES] = {"files", JSON_OBJECT},   [CALL_CONFIGURATION] = {"configuration", JSON_STRING},
    [CALL_TARGET] = {"target", JSON_STRING}, [CALL_AGENT] = {"agent", JSON_STRING},
    [CALL_FORMAT] = {"format", JSON_STRING}, [CALL_KIND] = {"kind", JSON_STRING},
    [CALL_BEFORE] = {"before", JSON_STRING}, [CALL_AFTER] = {"after", JSON_STRING},
    [CALL_CODE] = {"code", JSON_STRING},     [CALL_STRICT] = {"strict", JSON_TRUE},
    [CALL_ADVICE] = {"advice", JSON_TRUE},
};

enum {
    ONE_SPEC = CALL_HAS(CALL_TEXT) | CALL_HAS(CALL_NAME) | CALL_HAS(CALL_FILES) |
               CALL_HAS(CALL_CONFIGURATION) | CALL_HAS(CALL_FORMAT) | CALL_HAS(CALL_STRICT) |
               CALL_HAS(CALL_ADVICE)
};

static const struct call_operation_row {
    const char *name;
    call_operation *run;
    unsigned needs, takes;
} operations[] = {
    {"check", call_check, CALL_HAS(CALL_TEXT), ONE_SPEC | CALL_HAS(CALL_TARGET)},
    {"compile", call_compile, CALL_HAS(CALL_TEXT) | CALL_HAS(CALL_TARGET),
     ONE_SPEC | CALL_HAS(CALL_TARGET) | CALL_HAS(CALL_AGENT)},
    {"import", call_import, CALL_HAS(CALL_TEXT),
     CALL_HAS(CALL_TEXT) | CALL_HAS(CALL_NAME) | CALL_HAS(CALL_KIND) | CALL_HAS(CALL_AGENT)},
    {"diff", call_diff, CALL_HAS(CALL_BEFORE) | CALL_HAS(CALL_AFTER),
     CALL_HAS(CALL_BEFORE) | CALL_HAS(CALL_AFTER) | CALL_HAS(CALL_FORMAT)},
    {"format", call_format, CALL_HAS(CALL_TEXT), ONE_SPEC},
    {"fix", call_fix, CALL_HAS(CALL_TEXT), ONE_SPEC},
    {"explain", call_explain, CALL_HAS(CALL_CODE), CALL_HAS(CALL_CODE)},
    {"version", call_version, 0, 0},
};

/* ## Reading */

gramc_text call_text(struct call *call, enum call_member member) {
    const struct json *value = call->members[member];
    return arena_text(&call->arena, value ? value->text : TEXT(""));
}

bool call_flag(const struct call *call, enum call_member member) {
    return json_is(call->members[member], JSON_TRUE);
}

static bool is_of_kind(const struct json *value, enum json_kind kind) {
    return value->kind == kind || (kind == JSON_TRUE && value->kind == JSON_FALSE);
}

/* Files are texts by name. */
static bool has_texts(const struct json *files) {
    const struct json *file = files ? files->first : NULL;
    while (json_is(file, JSON_STRING)) file = file->next;
    return !file;
}

static const char *take_member(struct call *call, const struct json *value, unsigned takes) {
    size_t i = 0;
    while (i < CALL_MEMBERS && !text_is(value->key, members[i].name)) i++;
    if (i == CALL_MEMBERS || !(takes & CALL_HAS(i)))
        return "the request says something that this operation does not take";
    if (!is_of_kind(value, members[i].kind)) return "a member of the request is of the wrong type";
    call->members[i] = value;
    return NULL;
}

/* NULL: all is well; else what is wrong. */
static const char *read_request(struct call *call, const struct call_operation_row *operation,
                                gramc_text text) {
    text = json_mended(&call->arena, text);
    const struct json *request = text.ptr ? json_parse(&call->arena, text, NULL) : NULL;
    if (!json_is(request, JSON_OBJECT)) return "the request is no JSON object";
    for (const struct json *value = request->first; value; value = value->next) {
        const char *why = take_member(call, value, operation->takes);
        if (why) return why;
    }
    for (size_t i = 0; i < CALL_MEMBERS; i++)
        if ((operation->needs & CALL_HAS(i)) && !call->members[i])
            return "the request lacks something that this operation needs";
    return has_texts(call->members[CALL_FILES]) ? NULL : "`files` holds something that is no text";
}

/* ## Answering */

static const struct call_operation_row *find_operation(gramc_text name) {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (text_is(name, operations[i].name)) return &operations[i];
    return NULL;
}

static const char *status_name(gramc_status status) {
    switch (status) {
    case GRAMC_OK: return "ok";
    case GRAMC_FINDINGS: return "findings";
    case GRAMC_LIMIT: return "limit";
    case GRAMC_NOT_FOUND: return "not-found";
    case GRAMC_AMBIGUOUS: return "ambiguous";
    case GRAMC_USAGE: return "usage";
    case GRAMC_NOMEM:
    case GRAMC_IO:
    case GRAMC_INTERNAL: break;
    }
    return "internal";
}

static gramc_status run(struct call *call, gramc_text name, gramc_text request) {
    const struct call_operation_row *operation = find_operation(name);
    call->why = operation ? read_request(call, operation, request) : "there is no such operation";
    if (call->arena.oom) return GRAMC_NOMEM;
    return call->why ? GRAMC_USAGE : operation->run(call);
}

gramc_status call_answer(const gramc_allocator *allocator, gramc_text operation, gramc_text request,
                         struct buf *out) {
    struct call call = {.out = out};
    arena_init(&call.arena, allocator);
    buf_puts(out, "{\"version\":");
    json_put_string(out, text_of(gramc_version()));
    gramc_status status = run(&call, operation, request);
    reply_text(out, "status", text_of(status_name(status)));
    if (call.why) reply_text(out, "message", text_of(call.why));
    buf_putc(out, '}');
    bool oom = call.arena.oom || status == GRAMC_NOMEM;
    arena_free(&call.arena);
    return oom ? GRAMC_NOMEM : buf_status(out);
}
