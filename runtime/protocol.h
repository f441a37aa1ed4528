/* Protocols: how a provider wants to be asked and how it answers. One vtable, a file each
 * (llm_*.c); which server speaks which is provider.c's table. */
#ifndef RUNTIME_PROTOCOL_H
#define RUNTIME_PROTOCOL_H

#include "base/json/writer.h"
#include "runtime/llm.h"
#include "runtime/stream.h"

/* Settings of agents that not every provider has. */
enum unsent {
    SETTING_PRESENCE = 1,
    SETTING_FREQUENCY = 2,
    SETTING_SEED = 4,
    SETTING_CHOICE = 8, /* toolChoice */
    SETTING_PARALLEL = 16,
    SETTING_CONTEXT = 32,            /* numCtx */
    SETTING_KEEP_ALIVE = 64,         /* keepAlive */
    SETTING_FORMAT_WITH_TOOLS = 128, /* JSON of a schema, in a request with tools */
    SETTINGS_OF_OLLAMA = SETTING_CONTEXT | SETTING_KEEP_ALIVE
};

struct protocol {
    const char *name;
    const char *target;  /* of gramc_emit: as that prints them, tools are sent */
    const char *path;    /* behind the base URL; `*` stands for the model's id */
    const char *key;     /* the header that a key goes into, as far as it is ours */
    const char *version; /* a header that is always sent; NULL: none */
    unsigned lacks;      /* enum unsent: what it cannot be told */
    bool has_functions;  /* GRAMC_WIRE_FUNCTIONS too */
    bool by_id;          /* results are looked up by the ids of their calls, and by nothing else */
    /* One message, or the part of one, as requests hold it. */
    void (*message)(struct buf *out, const struct message *message);
    void (*request)(struct buf *out, const struct request *request);
    /* GRAMC_FINDINGS: not such an answer; *why then says so, borrowed from the arena or constant.
     */
    gramc_status (*reply)(struct reply *out, struct arena *arena, gramc_text body, gramc_text *why);
    const char *stream_path; /* instead of path; NULL: the same */
    const struct stream_protocol *stream;
    size_t most_tools; /* of one request; 0: nobody counts */
};

extern const struct protocol protocol_chat, protocol_responses, protocol_messages, protocol_gemini,
    protocol_ollama;

/* The protocol of that name; NULL: there is none. */
const struct protocol *protocol_named(gramc_text name);
/* The one that sends tools as that target has them; chat completions if none has it its own. */
const struct protocol *protocol_of_target(gramc_text target);

/* ## For protocols (protocol.c) */
/* What is said where there is no answer to read at all. */
extern const char protocol_no_object[];
/* The body as JSON; NULL with a reason if it is no object, or an error of the server. */
const struct json *protocol_body(struct arena *arena, gramc_text *body, gramc_text *why);
/* Is it an error, in one of the shapes that have a mark? */
bool protocol_is_error(const struct json *object);
/* What an error body says, in any of the shapes that servers use; its own beginning if it has none
 * of them. *code may be empty. */
gramc_text protocol_error(struct arena *arena, gramc_text body, gramc_text *code);
/* The member if it is a string. */
gramc_text protocol_text(const struct json *object, const char *key);
/* The member if it is a number of things. */
uint64_t protocol_count(const struct json *object, const char *key);
/* Members that what an answer means depends on: left out or null there is none; one of another type
 * is no reason to guess, and *odd then names it. */
const struct json *heeded(const char **odd, const struct json *object, const char *key,
                          enum json_kind kind);
gramc_text heeded_text(const char **odd, const struct json *object, const char *key);
/* It has to be there, too. */
gramc_text needed_text(const char **odd, const struct json *object, const char *key);
/* Its `index`; false: there is none, or it is no count. */
bool heeded_index(const char **odd, const struct json *object, uint64_t *index);
/* The item of the list of that name; NULL if it is no object, which all of them have to be. */
const struct json *heeded_item(const char **odd, const struct json *item, const char *key);
/* Is this part of a Gemini answer one that the model thought aloud? (llm_gemini.c) */
bool gemini_thought(const char **odd, const struct json *part);
/* What the reason for the end of an answer means: no two providers use a word differently. */
enum finish protocol_finish(gramc_text reason);
/* The end of reading: GRAMC_FINDINGS with a reason if a member was odd, the finish is
 * FINISH_BROKEN, or if the answer says that it ends for calls and has none. */
gramc_status protocol_end(const struct reply *out, struct arena *arena, gramc_text *why);
/* A value on one line; an empty text without memory (arena->oom). */
gramc_text protocol_print(struct arena *arena, const struct json *value);
/* The text of a member of each of the list, joined. False without memory. */
bool protocol_join(gramc_text *out, struct arena *arena, const struct json *list, const char *key);
/* One call more, of at most `most`: its name is a member of `function`, its arguments are the
 * member of that key. False without memory. */
bool protocol_call(struct reply *out, struct arena *arena, size_t most, gramc_text id,
                   const struct json *function, const char *arguments);
/* What the agent does not say is not sent. */
void protocol_setting(struct json_writer *w, const char *key, gramc_text value);
/* An object of settings under that key, without those that are not said; none, and no key. */
struct protocol_option {
    const char *key;
    gramc_text value;
};
void protocol_options(struct json_writer *w, const char *key, const struct protocol_option *options,
                      size_t count);
/* The arguments as an object: what the model wrote, or an empty one if that is none. */
void protocol_arguments(struct json_writer *w, const char *key, const gramc_model_call *call);
/* The member of an answer that the rest of it is read from; NULL, with `missing` as the reason, if
 * it is of another kind. `body` may be NULL, which has its reason. */
const struct json *protocol_part(const struct json *body, const char *key, enum json_kind kind,
                                 const char *missing, gramc_text *why);
/* `messages`: the instruction, as one of the system, and the conversation. */
void protocol_messages_of(struct json_writer *w, const struct request *request);
/* The conversation under that key, where all results of one answer are `parts` of one message of
 * the user. */
void protocol_turns(struct json_writer *w, const char *key, const struct conversation *talk,
                    const char *parts);
/* What holds for this request: a forced choice holds until the first results are there. */
gramc_text protocol_choice(const struct request *request);

#endif
