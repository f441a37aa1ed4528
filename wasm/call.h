/* What JavaScript asks of libgramc: the name of an operation and a JSON object in, a JSON object
 * out. docs/playground.md says what each operation takes and gives. */
#ifndef WASM_CALL_H
#define WASM_CALL_H

#include "base/buf.h"
#include "base/json/json.h"
#include "gramc/compile.h"

/* What a request can say, whatever the operation. */
enum call_member {
    CALL_TEXT,
    CALL_NAME,
    CALL_FILES,
    CALL_CONFIGURATION,
    CALL_TARGET,
    CALL_AGENT,
    CALL_FORMAT,
    CALL_KIND,
    CALL_BEFORE,
    CALL_AFTER,
    CALL_CODE,
    CALL_STRICT,
    CALL_ADVICE,
    CALL_MEMBERS
};
#define CALL_HAS(member) (1u << (member))

struct call {
    struct arena arena;                       /* of the request, and of copies of its texts */
    const struct json *members[CALL_MEMBERS]; /* NULL: not said */
    struct buf *out;                          /* the reply, an object that is open */
    const char *why;                          /* for GRAMC_USAGE: what is wrong; a constant */
};

/* Answers one request. The reply is a JSON object whose `status` is "ok", "findings", or says why
 * it could not be done; "usage" comes with a `message`. GRAMC_NOMEM, GRAMC_LIMIT: there is none. */
gramc_status call_answer(const gramc_allocator *allocator, gramc_text operation, gramc_text request,
                         struct buf *out);

/* A text that the request says, with a NUL behind it; "" if it says none. No ptr without memory. */
gramc_text call_text(struct call *call, enum call_member member);
bool call_flag(const struct call *call, enum call_member member);

/* The operations (operations.c). Each writes members of the reply and returns its status. */
typedef gramc_status call_operation(struct call *call);
call_operation call_check, call_compile, call_import, call_diff, call_format, call_fix,
    call_explain, call_version;

/* Members of the reply (reply.c), each behind the comma that it needs. */
void reply_name(struct buf *out, const char *name);
void reply_text(struct buf *out, const char *name, gramc_text text);
void reply_number(struct buf *out, const char *name, uint64_t number);
/* `errors`, `warnings`, `notes`, and the `report` in the format that the request names, or
 * `otherwise`. GRAMC_FINDINGS if something fails. */
gramc_status reply_findings(struct call *call, const gramc_compilation *compilation,
                            gramc_text otherwise);
/* Tables of the library: targets, kinds of import, formats of reports. */
void reply_tables(struct buf *out);

#endif
