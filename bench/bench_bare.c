/* What a run costs where nobody looks: the two requests of bench_agent's runs, with fixed bodies,
 * over libcurl's multi interface; the answers are thrown away. bench_agent is measured beside it.
 *
 *   bench_bare URL RUNS CONCURRENCY */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_AT_ONCE = 256 };

#define TOOLS                                                                                      \
    "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"description\":"    \
    "\"Get the weather forecast for a place\",\"parameters\":{\"type\":\"object\",\"properties\":" \
    "{\"location\":{\"type\":\"string\",\"description\":\"City and country\"},\"unit\":{\"type\":" \
    "\"string\",\"enum\":[\"celsius\",\"fahrenheit\"],\"default\":\"celsius\"},\"days\":{"         \
    "\"type\":\"integer\",\"minimum\":1,\"maximum\":14,\"default\":1}},\"required\":["             \
    "\"location\"]}}}]}"
#define QUESTION                                                                                   \
    "{\"model\":\"mock\",\"messages\":[{\"role\":\"system\",\"content\":\"You answer questions "   \
    "about the weather.\"},{\"role\":\"user\",\"content\":\"What will the weather be like in "     \
    "Paris?\"}"
#define CALL                                                                                       \
    ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_1\",\"type\":"       \
    "\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"{\\\"location\\\": "      \
    "\\\"Paris, France\\\", \\\"unit\\\": \\\"celsius\\\", \\\"days\\\": 3}\"}}]},{\"role\":"      \
    "\"tool\",\"tool_call_id\":\"call_1\",\"content\":\"21 degrees and sunny\"}"

static const char first_body[] = QUESTION "]," TOOLS;
static const char second_body[] = QUESTION CALL "]," TOOLS;

struct slot {
    CURL *easy;
    int second; /* the request under way is the second of its run */
};

struct bench {
    CURLM *multi;
    struct curl_slist *headers;
    struct slot slots[MOST_AT_ONCE];
    long to_start, done, failed;
};

static size_t discard(char *bytes, size_t size, size_t count, void *ctx) {
    (void)bytes;
    (void)ctx;
    return size * count;
}

static void ask(struct bench *bench, struct slot *slot) {
    const char *body = slot->second ? second_body : first_body;
    size_t size = slot->second ? sizeof second_body - 1 : sizeof first_body - 1;
    curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(slot->easy, CURLOPT_POSTFIELDSIZE, (long)size);
    curl_multi_add_handle(bench->multi, slot->easy);
}

static void answered(struct bench *bench, struct slot *slot, int failed) {
    curl_multi_remove_handle(bench->multi, slot->easy);
    slot->second = !slot->second;
    if (!slot->second) {
        bench->done++;
        if (bench->to_start-- <= 0) return;
    }
    bench->failed += failed;
    ask(bench, slot);
}

static void run_all(struct bench *bench) {
    int running = 1, left;
    while (running) {
        CURLMsg *message;
        curl_multi_perform(bench->multi, &running);
        while ((message = curl_multi_info_read(bench->multi, &left))) {
            char *slot = NULL;
            int failed = message->data.result != CURLE_OK;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &slot);
            answered(bench, (struct slot *)(void *)slot, failed);
            running = 1;
        }
        if (running) curl_multi_poll(bench->multi, NULL, 0, 1000, NULL);
    }
}

static int open_slot(struct bench *bench, struct slot *slot, const char *url) {
    slot->easy = curl_easy_init();
    if (!slot->easy) return 1;
    curl_easy_setopt(slot->easy, CURLOPT_URL, url);
    curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER, bench->headers);
    curl_easy_setopt(slot->easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(slot->easy, CURLOPT_PRIVATE, slot);
    curl_easy_setopt(slot->easy, CURLOPT_NOSIGNAL, 1L);
    return 0;
}

static double cpu_ms(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return 1e3 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char **argv) {
    static struct bench bench;
    char url[512];
    if (argc < 4) {
        fputs("bench_bare URL RUNS CONCURRENCY\n", stderr);
        return 2;
    }
    long runs = strtol(argv[2], NULL, 10), at_once = strtol(argv[3], NULL, 10);
    if (at_once < 1 || at_once > MOST_AT_ONCE || curl_global_init(CURL_GLOBAL_DEFAULT)) return 1;
    snprintf(url, sizeof url, "%s/chat/completions", argv[1]);
    bench.multi = curl_multi_init();
    bench.headers = curl_slist_append(NULL, "Content-Type: application/json");
    bench.headers = curl_slist_append(bench.headers, "Authorization: Bearer not-a-key");
    bench.to_start = runs - at_once;
    for (long i = 0; i < at_once; i++)
        if (open_slot(&bench, &bench.slots[i], url)) return 1;
    double before = cpu_ms();
    for (long i = 0; i < at_once; i++) ask(&bench, &bench.slots[i]);
    run_all(&bench);
    printf("%ld runs, %ld at once: %.4f ms CPU a run, %ld failed\n", bench.done, at_once,
           (cpu_ms() - before) / (double)bench.done, bench.failed);
    for (long i = 0; i < at_once; i++) curl_easy_cleanup(bench.slots[i].easy);
    curl_multi_cleanup(bench.multi);
    curl_slist_free_all(bench.headers);
    curl_global_cleanup();
    return bench.failed != 0;
}
