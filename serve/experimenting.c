/* Messages that an experiment answers: whose unit asks, by which arm it is answered, that this is
 * recorded before the run begins, and what users say of the answers. What is recorded, and how, is
 * experiment/online.h's matter. */
#include "serve/answering.h"

#include <math.h>

#include "base/number.h"
#include "base/text.h"

/* ## Whose unit it is */

static bool refuse(struct asked *asked, const char *words) {
    reply_error(asked, 400, "bad_request", "%s", words);
    return false;
}

/* A user's, or one of nobody else. */
static bool draw(struct asked *asked, gramc_text user, struct online_unit *out) {
    char id[SHA256_HEX + 1];
    if (!user.len && !web_random_id(id)) return false;
    online_assign(out, asked->service->options.online,
                  user.len ? user : (gramc_text){id, SHA256_HEX});
    mem_wipe(id, sizeof(id));
    return true;
}

/* A session is a unit from its first message on, or its user's. */
static bool assign_session(struct asked *asked, struct served_question *question) {
    struct online_unit *unit = web_session_unit(question->session), given;
    gramc_text key = question->user.len ? question->user : web_session_id(question->session);
    online_assign(&given, asked->service->options.online, key);
    if (!unit->name[0]) *unit = given;
    question->unit = *unit;
    if (!question->user.len || text_is(text_of(unit->name), given.name)) return true;
    reply_error(asked, 409, "other_user", "the session was begun by another user");
    return false;
}

/* With its NUL, where a header can carry it. */
static gramc_text shown_arm(struct asked *asked, gramc_text name) {
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] <= ' ' || name.ptr[i] > '~') return TEXT("");
    gramc_text copy = arena_text(&asked->arena, name);
    return copy;
}

bool experiment_assign(struct asked *asked, struct served_question *question) {
    const struct serve_options *options = &asked->service->options;
    if (!options->online) return true;
    if (question->user.len > SERVE_USER_MAX) {
        reply_error(asked, 400, "bad_request", "`user` is longer than %d bytes", SERVE_USER_MAX);
        return false;
    }
    if (question->session) {
        if (!assign_session(asked, question)) return false;
    } else if (!draw(asked, question->user, &question->unit)) {
        reply_error(asked, 500, "no_randomness", "the system gives no random numbers");
        return false;
    }
    question->agent = &options->agents[question->unit.arm];
    if (options->shows_arm)
        asked->arm =
            shown_arm(asked, online_experiment(options->online)->arms[question->unit.arm].name);
    return true;
}

/* ## Recording */

static bool read_covariate(struct asked *asked, const struct json *told, double *out) {
    *out = (double)NAN;
    if (!told || told->kind == JSON_NULL) return true;
    bool number = told->kind == JSON_NUMBER || told->kind == JSON_STRING;
    if (number && number_to_double(out, told->text) && isfinite(*out)) return true;
    return refuse(asked, "`covariate` is a number that was known of the user before");
}

bool experiment_expose(struct served_run *run, const struct served_question *question) {
    struct asked *asked = run->asked;
    struct online *online = asked->service->options.online;
    struct store_error error = {""};
    if (!online) return true;
    struct online_message message = {.unit = &question->unit,
                                     .messages = question->messages,
                                     .message_count = question->message_count,
                                     .inputs = question->inputs,
                                     .input_count = question->input_count};
    if (!read_covariate(asked, question->told_covariate, &message.covariate)) return false;
    gramc_status status = online_begin(&run->record, online, &message, &error);
    if (!status) {
        if (run->session) web_session_note_place(run->session, online_place(run->record));
        return true;
    }
    if (status == GRAMC_NOMEM) reply_nomem(asked);
    else
        reply_error(asked, 503, "not_recorded",
                    "the experiment cannot record this now, so nothing is answered");
    if (status != GRAMC_NOMEM) log_line(asked->service, "the store: %s", error.message);
    return false;
}

/* ## What users say */

static bool read_label(gramc_text label, double *out) {
    static const struct {
        const char *word;
        double value;
    } rows[] = {{"good", 1}, {"up", 1}, {"yes", 1}, {"bad", 0}, {"down", 0}, {"no", 0}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        if (!text_is(label, rows[i].word)) continue;
        *out = rows[i].value;
        return true;
    }
    return false;
}

static bool read_feedback(struct asked *asked, const struct json *root, double *out) {
    const struct json *score = json_get(root, "score"), *label = json_get(root, "label");
    if (!json_is(root, JSON_OBJECT)) return refuse(asked, "the body is no JSON object");
    if (!score == !label || root->count != 1)
        return refuse(asked, "say `score`, a number, or `label`, a word, and nothing else");
    if (label && json_is(label, JSON_STRING) && read_label(label->text, out)) return true;
    if (label) return refuse(asked, "`label` is good, up, yes, bad, down or no");
    if (json_is(score, JSON_NUMBER) && number_to_double(out, score->text) && *out >= 0 && *out <= 1)
        return true;
    return refuse(asked, "`score` is a number from 0 to 1");
}

/* Of the newest message of the session. */
void answer_feedback(struct asked *asked) {
    struct store_error error = {""};
    double value;
    uint32_t place;
    const struct json *root = json_parse(&asked->arena, buf_view(&asked->body), NULL);
    if (!read_feedback(asked, root, &value)) return;
    struct web_session *session = session_look(asked, asked->rest);
    if (!session) return;
    if (!web_session_place(session, &place)) {
        reply_error(asked, 409, "no_message", "nothing was answered in the session yet");
        return;
    }
    gramc_status status = online_feedback(asked->service->options.online, place, value, &error);
    if (!status) {
        reply_constant(asked, 200, "application/json", TEXT("{\"status\":\"recorded\"}"));
        return;
    }
    log_line(asked->service, "the store: %s", error.message);
    reply_error(asked, 503, "not_recorded", "the experiment cannot record this now");
}
