/* Asks a provider over HTTP, and again where that has a chance: the statuses, the waiting times and
 * the headers are those of the openai SDK, which servers are made for. Reading and writing of
 * bodies is the protocol's (llm_*.c), the connection net/http.c's. */
#include <string.h>

#include "base/limits.h"
#include "base/text.h"
#include "runtime/foreign.h"
#include "runtime/model_stream.h"
#include "base/options.h"
#include "runtime/run.h"
#include "runtime/watch_hide.h"

enum {
    DEFAULT_CONNECT_MS = 10000,
    DEFAULT_WAIT_MS = 500,
    LONGEST_BACKOFF_MS = 8000,
    URL_MAX = 4096,
    EXCERPT = 120 /* bytes of an answer that is none */
};

static gramc_text provider_url(gramc_text model) {
    const gramc_provider *provider = gramc_provider_of(model);
    return provider ? text_of(provider->base_url) : (gramc_text){NULL, 0};
}

static const struct protocol *choose_protocol(const gramc_endpoint_options *options) {
    const gramc_provider *provider = gramc_provider_of(options->model);
    if (options->protocol.len) return protocol_named(options->protocol);
    return provider ? protocol_named(text_of(provider->protocol)) : &protocol_chat;
}

/* A model's id may hold anything; a path may not. */
static void put_id(struct buf *url, gramc_text id) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    for (size_t i = 0; i < id.len; i++) {
        if (memchr(plain, id.ptr[i], sizeof(plain) - 1)) buf_putc(url, id.ptr[i]);
        else buf_printf(url, "%%%02X", (unsigned)(unsigned char)id.ptr[i]);
    }
}

void model_put_url(struct buf *url, const gramc_model *model, const char *path, gramc_text id) {
    buf_text(url, model->base);
    for (const char *c = path; *c; c++)
        if (*c == '*') put_id(url, id);
        else buf_putc(url, *c);
}

static gramc_status make_target(gramc_model *model, gramc_text base,
                                const gramc_endpoint_options *options) {
    struct buf url;
    buf_init(&url, &model->arena.allocator, URL_MAX);
    while (base.len && base.ptr[base.len - 1] == '/') base.len--;
    model->base = arena_text(&model->arena, base);
    model_put_url(&url, model, model->protocol->path, model->id);
    struct http_target_options target = {
        buf_view(&url),
        options->api_key,
        options->proxy,
        model->protocol->key,
        model->protocol->version,
        options->timeout_ms ? options->timeout_ms : MODEL_TIMEOUT_MS,
        options->connect_timeout_ms ? options->connect_timeout_ms : DEFAULT_CONNECT_MS};
    gramc_status status = model->arena.oom ? GRAMC_NOMEM : buf_status(&url);
    if (status == GRAMC_LIMIT) status = GRAMC_USAGE;
    if (!status) status = http_target_new(&model->target, &model->arena.allocator, &target);
    buf_free(&url);
    return status;
}

/* By the name that its provider has for it. */
static gramc_status keep_key(gramc_model *model, const gramc_endpoint_options *options) {
    const gramc_provider *provider = gramc_provider_of(options->model);
    const char *name = provider && provider->key ? provider->key : "API_KEY";
    const gramc_pair key = {text_of(name), options->api_key};
    return secrets_learn(&model->secrets, &model->arena.allocator, &key, 1);
}

gramc_status gramc_model_new_endpoint(gramc_model **out, const gramc_endpoint_options *given) {
    gramc_endpoint_options options = GRAMC_ENDPOINT_OPTIONS_INIT;
    OPTIONS_READ(options, given);
    *out = NULL;
    gramc_text base = options.base_url.len ? options.base_url : provider_url(options.model);
    if (!base.ptr) return GRAMC_NOT_FOUND;
    if (!choose_protocol(&options)) return GRAMC_USAGE;
    gramc_model *model = model_new(&model_endpoint, options.allocator);
    if (!model) return GRAMC_NOMEM;
    model->protocol = choose_protocol(&options);
    model->id = arena_text(&model->arena, model_id(options.model));
    model->has_key = options.api_key.len > 0;
    model->profile = provider_profile(options.model, options.base_url);
    model->max_retries = options.max_retries;
    model->retry_wait_ms = options.retry_wait_ms ? options.retry_wait_ms : DEFAULT_WAIT_MS;
    model->idle_timeout_ms = options.idle_timeout_ms ? options.idle_timeout_ms : STREAM_IDLE_MS;
    model->stream = options.stream;
    model->max_response = options.max_response ? options.max_response : MODEL_RESPONSE_MAX;
    model->limiter = limiter_name(base, options.api_key);
    model->rules = (struct limiter_rules){options.max_concurrent,
                                          {options.requests_per_minute, options.tokens_per_minute}};
    gramc_status status = keep_key(model, &options);
    if (!status) status = make_target(model, base, &options);
    if (!status && model->arena.oom) status = GRAMC_NOMEM;
    if (status) gramc_model_free(model);
    else *out = model;
    return status;
}

/* ## One question */

/* Servers like to quote a wrong key. It must not get into a message, and so not into a trace. */
static void put_foreign(struct buf *out, const struct ask *ask, gramc_text words, size_t longest) {
    const struct foreign how = {.secrets = ask->run->loop->secrets, .longest = longest};
    foreign_put(out, words, &how);
}

static gramc_text describe_failure(const struct ask *ask, struct buf *out, gramc_text detail) {
    const struct http_request *http = &ask->http;
    switch (http->failure) {
    case HTTP_FINE:
        buf_printf(out, "the model endpoint answered with status %ld", http->status);
        break;
    case HTTP_UNREACHABLE: buf_puts(out, "the model endpoint cannot be reached"); break;
    case HTTP_TIMED_OUT: buf_puts(out, "the model endpoint did not answer in time"); break;
    case HTTP_TOO_BIG:
        buf_printf(out, "the model's answer is longer than %zu bytes", http->max_response);
        return buf_view(out);
    case HTTP_REFUSED: buf_puts(out, "the model endpoint cannot be asked"); break;
    case HTTP_NOMEM: buf_puts(out, "out of memory"); break;
    }
    if (detail.len) {
        buf_puts(out, ": ");
        put_foreign(out, ask, detail, FOREIGN_WORDS);
    }
    return buf_view(out);
}

static bool is_worth_retrying(const struct http_request *http, gramc_text code) {
    if (http->failure == HTTP_UNREACHABLE) return true;
    if (http->failure != HTTP_FINE || http->must_not_retry) return false;
    if (http->may_retry) return true;
    if (text_is(code, "insufficient_quota")) return false;
    return http->status == 408 || http->status == 409 || http->status == 429 || http->status >= 500;
}

static double waiting_time(struct ask *ask) {
    const gramc_model *model = ask->run->model;
    if (ask->http.retry_after_ms >= 0) return ask->http.retry_after_ms;
    double wait = model->retry_wait_ms;
    for (uint32_t i = 0; i < ask->attempt && wait < LONGEST_BACKOFF_MS; i++) wait *= 2;
    if (wait > LONGEST_BACKOFF_MS) wait = LONGEST_BACKOFF_MS;
    return wait * (1 - 0.25 * loop_random(ask->run->loop));
}

/* ## Telling how an attempt ended */

static gramc_attempt_class class_of(const struct http_request *http, gramc_text code) {
    switch (http->failure) {
    case HTTP_UNREACHABLE: return GRAMC_ATTEMPT_UNREACHABLE;
    case HTTP_TIMED_OUT: return GRAMC_ATTEMPT_TIMEOUT;
    case HTTP_TOO_BIG: return GRAMC_ATTEMPT_TOO_LARGE;
    case HTTP_REFUSED:
    case HTTP_NOMEM: return GRAMC_ATTEMPT_LOCAL;
    case HTTP_FINE: break;
    }
    if (text_is(code, "insufficient_quota")) return GRAMC_ATTEMPT_QUOTA;
    if (http->status == 429) return GRAMC_ATTEMPT_RATE_LIMIT;
    if (http->status == 401 || http->status == 403) return GRAMC_ATTEMPT_DENIED;
    return http->status >= 500 ? GRAMC_ATTEMPT_SERVER : GRAMC_ATTEMPT_REFUSED;
}

static bool hide_cut(struct ask *ask, gramc_text *text, enum text_cut cut);

/* `last` has its class; the body is what came, without what nobody may see. */
static void tell_attempt(struct ask *ask, gramc_text reason, bool again, double wait) {
    struct watch *watch = &ask->run->watch;
    if (!watch_is_on(watch)) return;
    gramc_event_attempt told = ask->last;
    told.number = ask->attempt + 1;
    told.status = ask->http.status;
    ask->last = told;
    told.queued_ns = ask->limit.queued_ns;
    told.reason = reason;
    told.again = again;
    told.wait_ms = (uint64_t)wait;
    told.body = buf_view(&ask->http.response);
    if (hide_cut(ask, &told.body, attempt_cut(told.class_)))
        watch_attempt(watch, &told, ask->attempt_started);
}

/* ## Asking again */

/* Of all runs: whoever asked now would get the same answer. */
static bool asks_for_quiet(const struct ask *ask) {
    bool said = ask->http.retry_after_ms >= 0;
    return ask->last.class_ == GRAMC_ATTEMPT_RATE_LIMIT ||
           (said && ask->http.failure == HTTP_FINE && ask->http.status == 503);
}

static void try_again(uv_timer_t *timer);

static void note_retry(struct ask *ask, gramc_text why, double wait) {
    gramc_run *run = ask->run;
    struct buf line;
    run->result.retries++;
    if (!run->handler.note) return;
    buf_init(&line, &run->loop->allocator, 2048);
    buf_text(&line, why);
    buf_printf(&line, "; trying again in %u ms", (unsigned)wait);
    run->handler.note(run->handler.ctx, buf_view(&line));
    buf_free(&line);
}

/* Takes the buffer. */
static void fail_with(struct ask *ask, struct buf *why) {
    gramc_text line = arena_text(&ask->arena, buf_view(why));
    bool nomem = buf_status(why) == GRAMC_NOMEM || !line.ptr;
    buf_free(why);
    if (nomem) ask_fail_nomem(ask);
    else ask_fail(ask, "%.*s", TEXT_ARGS(line));
}

static void give_up_or_retry(struct ask *ask) {
    struct http_request *http = &ask->http;
    struct buf why;
    gramc_text code = {NULL, 0};
    gramc_text detail = text_of(http->error);
    if (http->failure == HTTP_FINE)
        detail = protocol_error(&ask->arena, buf_view(&http->response), &code);
    buf_init(&why, &ask->run->loop->allocator, 1024);
    gramc_text line = describe_failure(ask, &why, detail);
    double wait = waiting_time(ask);
    bool again = ask->attempt < ask->run->model->max_retries && is_worth_retrying(http, code) &&
                 !ask->delta_told; /* nobody can be made to forget what was said */
    if (http->failure == HTTP_NOMEM || buf_status(&why) == GRAMC_NOMEM) {
        buf_free(&why);
        ask_fail_nomem(ask);
        return;
    }
    ask->last.class_ = class_of(http, code);
    if (asks_for_quiet(ask)) limiter_pause(ask, wait);
    if (again && wait <= MODEL_WAIT_MAX_MS) {
        tell_attempt(ask, line, true, wait);
        note_retry(ask, line, wait);
        ask->attempt++;
        ask_wait(ask, try_again, wait);
        buf_free(&why);
        return;
    }
    if (again) buf_printf(&why, "; it asks to wait %.0f s", wait / 1000);
    tell_attempt(ask, buf_view(&why), false, 0);
    fail_with(ask, &why);
}

/* What came instead of an answer: of which type, and how it begins. */
static void put_what_came(struct buf *out, const struct ask *ask) {
    gramc_text type = http_kept(&ask->http, "Content-Type"),
               body = text_trim(buf_view(&ask->http.response));
    if (type.len) {
        buf_puts(out, " (");
        put_foreign(out, ask, type, EXCERPT);
        buf_putc(out, ')');
    }
    buf_puts(out, body.len ? ": " : ": it is empty");
    if (body.len) put_foreign(out, ask, body, EXCERPT);
}

static void fail_reading(struct ask *ask, gramc_text words) {
    struct buf why;
    buf_init(&why, &ask->run->loop->allocator, 1024);
    buf_puts(&why, "the model endpoint: ");
    put_foreign(&why, ask, words, FOREIGN_WORDS);
    if (text_is(words, protocol_no_object)) put_what_came(&why, ask);
    ask->last.class_ = GRAMC_ATTEMPT_MALFORMED;
    tell_attempt(ask, buf_view(&why), false, 0);
    fail_with(ask, &why);
}

/* ## Answers */

static bool hide_cut(struct ask *ask, gramc_text *text, enum text_cut cut) {
    const struct secrets *secrets = ask->run->loop->secrets;
    struct buf copy;
    if (!text->len || (!cut && !secrets_may_stand_in(secrets, *text, SECRET_SURE))) return true;
    buf_init(&copy, &ask->arena.allocator, 2 * ask->run->model->max_response + 1024);
    buf_text(&copy, *text);
    if (cut) secrets_hide_cut(secrets, &copy, cut);
    else secrets_hide_from(secrets, &copy, SECRET_SURE);
    bool good = buf_status(&copy) == GRAMC_OK;
    if (good && !text_eq(*text, buf_view(&copy))) *text = arena_text(&ask->arena, buf_view(&copy));
    buf_free(&copy);
    return good && text->ptr;
}

static bool hide(struct ask *ask, gramc_text *text) {
    return hide_cut(ask, text, CUT_NOWHERE);
}

/* A secret of digits alone may stand there as a number: what is left is no JSON then, and the rest
 * of the reply says enough. */
static bool hide_opaque(struct ask *ask) {
    gramc_text *opaque = &ask->reply.opaque, before = *opaque;
    if (!hide(ask, opaque)) return false;
    if (opaque->ptr != before.ptr && !json_parse(&ask->arena, *opaque, NULL)) *opaque = TEXT("");
    return !ask->arena.oom;
}

/* What was sent to the endpoint it may repeat, for users and traces to see. */
static bool hide_reply(struct ask *ask) {
    struct reply *reply = &ask->reply;
    bool good = hide(ask, &reply->content) && hide(ask, &reply->refusal) &&
                hide(ask, &reply->finish_reason) && hide_opaque(ask) && hide(ask, &reply->id) &&
                hide(ask, &reply->model) && hide(ask, &reply->system_fingerprint);
    for (size_t i = 0; good && i < reply->call_count; i++)
        good = hide(ask, &reply->calls[i].name) && hide(ask, &reply->calls[i].arguments);
    return good;
}

static void on_answer(struct http_request *http) {
    struct ask *ask = http->ctx;
    limiter_leave(ask);
    /* What the server asks for in so many words counts before its bookkeeping. */
    if (ask->http.retry_after_ms < 0) limiter_heed(ask);
    gramc_text why = streamed_end(ask);
    if (http->failure != HTTP_FINE || http->status < 200 || http->status > 299) {
        give_up_or_retry(ask);
        return;
    }
    ask->size = http->response.len;
    if (why.len) {
        fail_reading(ask, why);
        return;
    }
    switch (ask->run->model->protocol->reply(&ask->reply, &ask->arena, buf_view(&http->response),
                                             &why)) {
    case GRAMC_OK:
        ask->last.class_ = GRAMC_ATTEMPT_ANSWERED;
        if (!ask_learn(ask)) {
            ask_fail_nomem(ask);
            break;
        }
        tell_attempt(ask, TEXT(""), false, 0);
        if (hide_reply(ask)) ask_answer(ask);
        else ask_fail_nomem(ask);
        break;
    case GRAMC_NOMEM: ask_fail_nomem(ask); break;
    default: fail_reading(ask, why);
    }
}

/* The target's own, unless the path holds the id of a model that only the agent names. */
static bool set_url(struct ask *ask) {
    const gramc_model *model = ask->run->model;
    struct buf url;
    const char *streaming = ask->run->stream ? model->protocol->stream_path : NULL;
    const char *path = streaming ? streaming : model->protocol->path;
    ask->http.url = NULL;
    if (!streaming && (model->id.len || !strchr(path, '*'))) return true;
    buf_init(&url, &ask->arena.allocator, URL_MAX);
    model_put_url(&url, model, path, run_model_id(ask->run));
    buf_putc(&url, '\0');
    ask->http.url = buf_to_arena(&url, &ask->arena).ptr;
    return ask->http.url;
}

/* An attempt takes as long as it is under way. */
static void on_begun(struct http_request *http) {
    struct ask *ask = http->ctx;
    ask->attempt_started = watch_now(&ask->run->watch);
}

static void send_request(struct ask *ask) {
    const gramc_model *model = ask->run->model;
    ask->http.target = model->target;
    ask->attempt_started = watch_stamp(&ask->run->watch);
    if (!set_url(ask)) {
        ask_fail_nomem(ask);
        return;
    }
    ask->http.keep = limiter_headers(model->protocol);
    ask->http.body = buf_view(&ask->run->body);
    ask->http.max_response = model->max_response;
    ask->http.done = on_answer;
    ask->http.begun = on_begun;
    ask->http.ctx = ask;
    if (!streamed_begin(ask) || http_start(ask->run->loop->http, &ask->http)) ask_fail_nomem(ask);
}

static void begin(struct ask *ask) {
    if (!limiter_enter(ask, send_request, false)) ask_fail_nomem(ask);
}

static void try_again(uv_timer_t *timer) {
    struct ask *ask = timer->data;
    if (!limiter_enter(ask, send_request, true)) ask_fail_nomem(ask);
}

static void cancel(struct ask *ask) {
    if (ask->timer_open) uv_timer_stop(&ask->timer);
    http_cancel(&ask->http);
    limiter_leave(ask);
}

const struct model_kind model_endpoint = {"openai", begin, cancel};
