/* Conversations, and what a provider makes of them. A provider is pure: it builds a request from a
 * conversation and reads an answer, both bytes; it connects nowhere. */
#ifndef RUNTIME_LLM_H
#define RUNTIME_LLM_H

#include "base/buf.h"
#include "gramc/runtime.h"

/* One call of a tool, as the model wrote it. */
struct call {
    gramc_text id;        /* empty in the functions wire */
    gramc_text name;      /* may be any text */
    gramc_text arguments; /* byte for byte; may be no JSON at all */
};

enum role { ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL };

/* A group is what must not be torn apart: a user's message, or an assistant's message with all
 * results of its calls. */
struct message {
    struct message *next;
    enum role role;
    uint32_t turn, group;
    gramc_text content;
    bool has_content;         /* false: null on the wire */
    bool legacy;              /* function_call and role function, not tool_calls and role tool */
    const struct call *calls; /* of an assistant */
    size_t call_count;
    gramc_text call_id, name; /* of a result */
    gramc_text json;          /* on the wire */
};

struct conversation {
    struct message *first, *last;
    size_t count;
    uint32_t turn, group;
    uint32_t ids; /* that were made up */
};

/* All texts borrowed from the answer or the arena that it was read into. */
enum finish {
    FINISH_STOP, /* or anything that we do not know */
    FINISH_LENGTH,
    FINISH_FILTER
};

struct usage {
    uint64_t prompt, completion, total;
};

struct reply {
    gramc_text content, refusal;
    bool has_content, legacy;
    struct call *calls;
    size_t call_count;
    enum finish finish;
    gramc_text finish_reason; /* as the model said */
    struct usage usage;
};

struct request {
    const gramc_agent *agent;
    gramc_text model;
    gramc_text tools; /* block of provider_tools for this wire; empty: no tools */
    gramc_wire wire;  /* TOOLS or FUNCTIONS */
    const struct conversation *talk;
    gramc_text tool_choice; /* as the agent says, unless the tool is not offered; may be empty */
    gramc_text response_format; /* of a structured answer; empty: a text */
    gramc_text instruction;     /* with its inputs filled in; empty: no system message */
};

/* ## Conversations (conversation.c) */
/* Takes over the message (from `arena`), encodes it and puts it at the end. False without memory.
 */
bool conversation_add(struct conversation *talk, struct arena *arena, struct message *message);
bool conversation_user(struct conversation *talk, struct arena *arena, gramc_text text);
/* The same in the middle of a turn: a word to the model that the user did not say. */
bool conversation_remark(struct conversation *talk, struct arena *arena, gramc_text text);
/* A copy of what the model said; its calls get ids where they need one. */
const struct message *conversation_assistant(struct conversation *talk, struct arena *arena,
                                             const struct reply *reply);
bool conversation_result(struct conversation *talk, struct arena *arena,
                         const struct message *assistant, size_t call, gramc_text result);
/* Drops whole turns from the front, then whole groups of the current one, never its first message
 * nor its newest group, until at most `max` messages are left or nothing more may go. */
void conversation_trim(struct conversation *talk, size_t max);

/* ## OpenAI chat completions (llm_openai.c) */
/* `,"tools":[...]` or `,"functions":[...]` of all tools, each as the compiler prints it for the
 * target; empty without any. GRAMC_FINDINGS: the parameters of tool *bad are no JSON. */
struct offered_tools {
    const gramc_tool *const *list; /* by the names that the provider knows */
    size_t count;
    gramc_text target;
};
gramc_status openai_tools(struct buf *out, const struct offered_tools *tools, gramc_wire wire,
                          size_t *bad);
void openai_message(struct buf *out, const struct message *message);
void openai_request(struct buf *out, const struct request *request);
/* What openai_reply says where there is no answer to read at all. */
extern const char openai_no_object[];
/* GRAMC_FINDINGS: not such an answer; *why then says so, borrowed from the arena or constant. */
gramc_status openai_reply(struct reply *out, struct arena *arena, gramc_text body, gramc_text *why);
/* What an error body says, in any of the five shapes that servers use; its own beginning if it has
 * none of them. *code may be empty. */
gramc_text openai_error(struct arena *arena, gramc_text body, gramc_text *code);

/* ## Model ids */
/* The text behind the first `/`, or all of it. */
gramc_text model_id(gramc_text spec);
/* The text before the first `/`, or an empty one. */
gramc_text model_provider(gramc_text spec);

#endif
