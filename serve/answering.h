/* The run that answers a request (answering.c). */
#ifndef SERVE_ANSWERING_H
#define SERVE_ANSWERING_H

#include "serve/document.h"
#include "experiment/online.h"
#include "serve/service.h"

struct served_run;

/* How a run becomes an answer; one for each endpoint, whole or streamed. */
struct reply_form {
    void (*event)(struct served_run *run, const gramc_event *event);
    void (*done)(struct served_run *run, const gramc_run_result *result);
    bool streams;
};

struct served_run {
    struct asked *asked;
    const struct served_agent *agent;
    const struct reply_form *form;
    gramc_run *run;
    struct document document;
    struct web_session *session;        /* NULL: none */
    gramc_session *history;             /* its own; NULL: none */
    bool wants_usage;                   /* of the last chunk: OpenAI's stream_options */
    uint64_t created;                   /* seconds since 1970 */
    struct online_run *record;          /* of an experiment; NULL: none, or it is written */
    uint32_t said_turn, said_iteration; /* of the newest piece: 0: there was none */
};

/* What is asked of an agent. Texts live as long as the request. */
struct served_question {
    const struct served_agent *agent;
    const gramc_text *messages;
    size_t message_count;
    const gramc_input *inputs;
    size_t input_count;
    struct web_session *session; /* ours now, as is `history`, whatever comes of it */
    gramc_session *history;
    gramc_text user; /* whose unit it is; empty: the session's, or one of its own */
    const struct json *told_covariate; /* of the unit; NULL: none */
    struct online_unit unit;           /* of an experiment */
    bool wants_usage;
    gramc_text more_instruction; /* of the client; empty: nothing */
};

/* Starts it. Refuses (busy, no such input, ...) where it cannot. */
void answering_start(struct asked *asked, struct served_question *question,
                     const struct reply_form *form);
void answering_cancel(struct served_run *run);
/* The status of HTTP that goes with how a run has ended. */
unsigned answering_status(gramc_outcome outcome);

/* ## Finding the agent (agents.c) */
/* Library empty: the first. NULL: there is none of the name. */
const struct served_agent *find_agent(const struct service *service, gramc_text name,
                                      gramc_text library);
/* By the name of a model: AGENT or AGENT@LIBRARY. NULL after a refusal. */
const struct served_agent *find_model(struct asked *asked, gramc_text name);
/* Of the first agent of its name. */
bool is_first_of_name(const struct service *service, size_t i);
/* A text with its %-escapes replaced, in the arena. False: it is ill-formed, holds a NUL or is no
 * UTF-8. */
bool unescape(struct arena *arena, gramc_text text, bool form, gramc_text *out);

/* ## Sessions (sessions.c) */
/* A new one, or that of the id, for one run. NULL after a refusal. */
struct web_session *session_begin(struct asked *asked);
struct web_session *session_find(struct asked *asked, gramc_text id);
/* The same, but it stays whose it is. */
struct web_session *session_look(struct asked *asked, gramc_text id);
void web_session_release(struct service *service, struct web_session *session);
gramc_session *web_session_get(const struct web_session *session);
gramc_text web_session_id(const struct web_session *session);
/* An id that nobody can guess. */
bool web_random_id(char id[SHA256_HEX + 1]);
/* Of an experiment; the name is empty as long as it has none. */
struct online_unit *web_session_unit(struct web_session *session);
/* Its newest message is the one at that place of the experiment's store. */
void web_session_note_place(struct web_session *session, uint32_t place);
bool web_session_place(const struct web_session *session, uint32_t *place);

/* ## Experiments (experimenting.c) */
/* Whose unit asks, and which arm answers it. False after a refusal. */
bool experiment_assign(struct asked *asked, struct served_question *question);
/* Records that the run is about to begin. False after a refusal. */
bool experiment_expose(struct served_run *run, const struct served_question *question);
void sessions_free(struct service *service);

/* ## Endpoints */
void answer_agents(struct asked *asked);
void answer_messages(struct asked *asked);
void answer_get(struct asked *asked);
void answer_models(struct asked *asked);
void answer_model(struct asked *asked);
void answer_completions(struct asked *asked);
void answer_feedback(struct asked *asked);
void answer_page(struct asked *asked);

#endif
