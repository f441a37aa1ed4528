/* What a run costs where nobody looks: the requests of bench_agent's runs, with fixed bodies, over
 * libcurl's multi interface and epoll; the answers are thrown away. bench_agent is measured beside
 * it.
 *
 *   bench_bare URL RUNS AT_ONCE [agent|text|stream] */
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "measure.h"

#define TOOLS                                                                                      \
    "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"description\":"    \
    "\"Get the weather forecast for a place\",\"parameters\":{\"type\":\"object\",\"properties\":" \
    "{\"location\":{\"type\":\"string\",\"description\":\"City and country\"},\"unit\":{\"type\":" \
    "\"string\",\"enum\":[\"celsius\",\"fahrenheit\"],\"default\":\"celsius\"},\"days\":{"         \
    "\"type\":\"integer\",\"minimum\":1,\"maximum\":14,\"default\":1}},\"required\":["             \
    "\"location\"]}}}]"
#define QUESTION                                                                                   \
    "{\"model\":\"mock\",\"messages\":[{\"role\":\"system\",\"content\":\"You answer questions "   \
    "about the weather.\"},{\"role\":\"user\",\"content\":\"What will the weather be like in "     \
    "Paris?\"}"
#define CALL                                                                                       \
    ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":"       \
    "\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"location\\\": "      \
    "\\\"Paris, France\\\", \\\"unit\\\": \\\"celsius\\\", \\\"days\\\": 3}\"}}]},{\"role\":"      \
    "\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"21 degrees and sunny\"}"
#define STREAMED "\"stream\":true,\"stream_options\":{\"include_usage\":true}"

/* The requests of a run; one, or two. */
struct kind {
    const char *name, *bodies[2];
};

static const struct kind kinds[] = {
    {"agent", {QUESTION "]," TOOLS "}", QUESTION CALL "]," TOOLS "}"}},
    {"text", {QUESTION "]}", NULL}},
    {"stream", {QUESTION "]," STREAMED "}", NULL}}};

struct slot {
    CURL *easy;
    size_t body; /* of the request under way */
};

struct bench {
    CURLM *multi;
    int epoll;
    long timeout_ms; /* until curl wants to be called; negative: it does not */
    struct curl_slist *headers;
    const struct kind *kind;
    struct slot *slots;
    long to_start, under_way, failed;
};

/* ## What curl asks for */

static size_t discard(char *bytes, size_t size, size_t count, void *ctx) {
    (void)bytes;
    (void)ctx;
    return size * count;
}

static int socket_wanted(CURL *easy, curl_socket_t socket, int what, void *ctx, void *known) {
    struct bench *bench = ctx;
    struct epoll_event event = {.data = {.fd = socket}};
    (void)easy;
    if (what == CURL_POLL_REMOVE) return epoll_ctl(bench->epoll, EPOLL_CTL_DEL, socket, NULL), 0;
    event.events = (what != CURL_POLL_OUT ? (unsigned)EPOLLIN : 0) |
                   (what != CURL_POLL_IN ? (unsigned)EPOLLOUT : 0);
    epoll_ctl(bench->epoll, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    curl_multi_assign(bench->multi, socket, bench);
    return 0;
}

static int timer_wanted(CURLM *multi, long timeout_ms, void *ctx) {
    (void)multi;
    ((struct bench *)ctx)->timeout_ms = timeout_ms;
    return 0;
}

/* ## Runs */

static void ask(struct bench *bench, struct slot *slot) {
    const char *body = bench->kind->bodies[slot->body];
    curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
    curl_multi_add_handle(bench->multi, slot->easy);
}

static void start(struct bench *bench, struct slot *slot) {
    if (bench->to_start-- <= 0) return;
    bench->under_way++;
    slot->body = 0;
    ask(bench, slot);
}

static void answered(struct bench *bench, struct slot *slot, bool failed) {
    curl_multi_remove_handle(bench->multi, slot->easy);
    bench->failed += failed;
    if (slot->body == 0 && bench->kind->bodies[1]) {
        slot->body = 1;
        ask(bench, slot);
        return;
    }
    bench->under_way--;
    start(bench, slot);
}

static void read_messages(struct bench *bench) {
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(bench->multi, &left))) {
        char *slot = NULL;
        long status = 0;
        bool failed = message->data.result != CURLE_OK;
        curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
        answered(bench, (struct slot *)(void *)slot, failed || status != 200);
    }
}

static void turn(struct bench *bench) {
    struct epoll_event events[256];
    int running, count = epoll_wait(bench->epoll, events, 256, (int)bench->timeout_ms);
    for (int i = 0; i < count; i++) {
        int what = (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? CURL_CSELECT_IN : 0) |
                   (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0);
        curl_multi_socket_action(bench->multi, events[i].data.fd, what, &running);
    }
    if (count == 0 || bench->timeout_ms == 0) {
        bench->timeout_ms = -1;
        curl_multi_socket_action(bench->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    read_messages(bench);
}

static void run_all(void *ctx, long runs, long at_once) {
    struct bench *bench = ctx;
    bench->to_start = runs;
    for (long i = 0; i < at_once; i++) start(bench, &bench->slots[i]);
    while (bench->under_way) turn(bench);
}

/* ## Making and freeing */

static bool open_slot(struct bench *bench, struct slot *slot, const char *url) {
    slot->easy = curl_easy_init();
    if (!slot->easy) return false;
    curl_easy_setopt(slot->easy, CURLOPT_URL, url);
    curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, bench->headers);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
    return true;
}

static bool open_all(struct bench *bench, const char *base, long at_once) {
    char url[512];
    snprintf(url, sizeof url, "%s/chat/completions", base);
    bench->epoll = epoll_create1(EPOLL_CLOEXEC);
    bench->timeout_ms = -1;
    bench->multi = curl_multi_init();
    bench->slots = calloc((size_t)at_once, sizeof *bench->slots);
    if (bench->epoll < 0 || !bench->multi || !bench->slots) return false;
    curl_multi_setopt(bench->multi, CURLMOPT_SOCKETFUNCTION, socket_wanted);
    curl_multi_setopt(bench->multi, CURLMOPT_SOCKETDATA, bench);
    curl_multi_setopt(bench->multi, CURLMOPT_TIMERFUNCTION, timer_wanted);
    curl_multi_setopt(bench->multi, CURLMOPT_TIMERDATA, bench);
    bench->headers = curl_slist_append(NULL, "Content-Type: application/json");
    bench->headers = curl_slist_append(bench->headers, "Authorization: Bearer not-a-key");
    for (long i = 0; i < at_once; i++)
        if (!open_slot(bench, &bench->slots[i], url)) return false;
    return true;
}

static const struct kind *kind_named(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

int main(int argc, char **argv) {
    static struct bench bench;
    long at_once = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    bench.kind = kind_named(argc > 4 ? argv[4] : "agent");
    if (at_once < 1 || !bench.kind) {
        fputs("bench_bare URL RUNS AT_ONCE [agent|text|stream]\n", stderr);
        return 2;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) || !open_all(&bench, argv[1], at_once)) return 1;
    measure(run_all, &bench, strtol(argv[2], NULL, 10), at_once);
    if (bench.failed) fprintf(stderr, "%ld requests failed\n", bench.failed);
    for (long i = 0; i < at_once; i++) curl_easy_cleanup(bench.slots[i].easy);
    curl_multi_cleanup(bench.multi);
    curl_slist_free_all(bench.headers);
    curl_global_cleanup();
    free(bench.slots);
    return bench.failed != 0;
}
