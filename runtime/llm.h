/* Conversations, and what a provider makes of them. A protocol is pure: it builds a request from a
 * conversation and reads an answer, both bytes; it connects nowhere. */
#ifndef RUNTIME_LLM_H
#define RUNTIME_LLM_H

#include "base/map.h"
#include "base/buf.h"
#include "gramc/runtime.h"

enum role { ROLE_USER, ROLE_ASSISTANT, ROLE_TOOL };

struct protocol;

/* A group is what must not be torn apart: a user's message, or an assistant's message with all
 * results of its calls. */
struct message {
    struct message *next;
    enum role role;
    uint32_t turn, group;
    gramc_text content;
    bool has_content; /* false: null on the wire */
    bool legacy;      /* function_call and role function, not tool_calls and role tool */
    bool failed;      /* of a result: the call went wrong */
    const gramc_model_call *calls; /* of an assistant */
    size_t call_count;
    const gramc_model_call *call; /* of a result */
    gramc_text opaque;            /* as in struct reply */
    gramc_text json;              /* on the wire */
};

struct conversation {
    const struct protocol *protocol; /* that messages are encoded for */
    struct message *first, *last;
    size_t count;
    uint32_t turn, group;
    uint32_t ids;        /* that were made up */
    struct map ids_sent; /* of all calls; no arena: none yet */
};

/* All texts borrowed from the answer or the arena that it was read into. */
enum finish {
    FINISH_STOP, /* or anything that we do not know */
    FINISH_LENGTH,
    FINISH_FILTER,
    FINISH_BROKEN /* what came is no answer */
};

struct usage {
    uint64_t prompt, completion, total;
    uint64_t cached; /* of the prompt */
};

struct reply {
    gramc_text content, refusal;
    bool has_content, legacy;
    gramc_model_call *calls;
    size_t call_count;
    enum finish finish;
    gramc_text finish_reason; /* as the model said */
    gramc_text opaque;        /* JSON: the answer as its provider wants it back, with parts that
                               * nobody else understands; empty: as the rest of this says it */
    struct usage usage;
    gramc_text id, model, system_fingerprint; /* as the provider said; may be empty */
    const char *odd; /* a member of the wrong type, which the rest may depend on; NULL: none */
};

/* What some servers of one protocol want said in another way than others. */
enum profile {
    PROFILE_COMPLETION_TOKENS = 1, /* max_completion_tokens, not max_tokens */
    PROFILE_SAYS_PARALLEL = 2      /* one call at a time, unless parallel_tool_calls is said */
};

struct request {
    const gramc_agent *agent;
    gramc_text model;
    gramc_text tools; /* block of the step for this wire; empty: no tools */
    gramc_wire wire;  /* TOOLS or FUNCTIONS */
    const struct conversation *talk;
    gramc_text tool_choice;   /* as the agent says, unless the tool is not offered; may be empty */
    gramc_text answer_format; /* of a structured answer; empty: a text */
    gramc_text instruction;   /* with its inputs filled in; empty: no system message */
    unsigned profile;         /* enum profile, of the server */
    bool stream;              /* the answer is wanted in pieces */
    gramc_text seed;          /* of sampling; empty: none */
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
                         const struct message *assistant, size_t call, gramc_text result,
                         bool failed);
/* An id that no call of the conversation has: the wanted one, or one that is made up. It is taken
 * then. No ptr without memory. */
gramc_text conversation_id(struct conversation *talk, struct arena *arena, gramc_text wanted);
/* Makes *out what the first `count` messages of the other one are, to be continued in its own way;
 * texts are shared. False without memory. */
bool conversation_branch(struct conversation *out, const struct conversation *talk,
                         struct arena *arena, size_t count);
/* Drops whole turns from the front, then whole groups of the current one, never its first message
 * nor its newest group, until at most `max` messages are left or nothing more may go. */
void conversation_trim(struct conversation *talk, size_t max);

/* ## Model ids */
/* The text behind the first `/`, or all of it. */
gramc_text model_id(gramc_text spec);
/* The text before the first `/`, or an empty one. */
gramc_text model_provider(gramc_text spec);

/* ## Servers (provider.c) */
/* enum profile of the model's provider, asked at that URL; empty: its own. */
unsigned provider_profile(gramc_text model, gramc_text base_url);

#endif
