/* The four functions that every registry starts with; enough for the examples that agents are
 * introduced with. Each takes its arguments by kind, not by name ("the first text"), so that a
 * spec may call its parameters what it likes. */
#include "base/json/json.h"
#include "base/text.h"
#include "runtime/builtin.h"
#include "base/number.h"

#include <math.h>

enum { RESULT_MAX = 1 << 20 };

/* What a function works with: the arguments, read, and a place for the result. */
struct standard_call {
    struct arena arena;
    const struct json *arguments;
    struct buf out;
};

typedef int (*job_function)(struct standard_call *job);

static int fail(struct standard_call *job, const char *why) {
    buf_reset(&job->out);
    buf_puts(&job->out, why);
    return 1;
}

/* Not from the loop's allocator: a function has no access to it, and these jobs are small. */
static int run_job(job_function function, gramc_text arguments, gramc_writer result) {
    struct standard_call job;
    arena_init(&job.arena, NULL);
    buf_init(&job.out, NULL, RESULT_MAX);
    job.arguments = json_parse(&job.arena, arguments, NULL);
    int failed = json_is(job.arguments, JSON_OBJECT) ? function(&job)
                                                     : fail(&job, "the arguments are no object");
    gramc_status status = buf_send(&job.out, result);
    buf_free(&job.out);
    arena_free(&job.arena);
    return failed || status != GRAMC_OK;
}

static const struct json *first_of(const struct json *object, enum json_kind kind) {
    for (const struct json *member = object->first; member; member = member->next)
        if (json_is(member, kind)) return member;
    return NULL;
}

static int say_hello(struct standard_call *job) {
    const struct json *name = json_get(job->arguments, "personName");
    if (!json_is(name, JSON_STRING)) name = first_of(job->arguments, JSON_STRING);
    buf_puts(&job->out, "Hello, ");
    buf_text(&job->out, name ? name->text : TEXT("world"));
    buf_puts(&job->out, "! Nice to meet you.");
    return 0;
}

static int length(struct standard_call *job) {
    const struct json *text = first_of(job->arguments, JSON_STRING);
    if (!text) return fail(job, "there is no text to measure");
    buf_printf(&job->out, "%zu", text_length(text->text));
    return 0;
}

/* For tools whose arguments are the answer: the only argument as it is, several as one object. */
static int echo(struct standard_call *job) {
    const struct json *first = job->arguments->first;
    bool only = first && !first->next;
    if (only && first->kind == JSON_STRING) buf_text(&job->out, first->text);
    else json_put(&job->out, only ? first : job->arguments);
    return 0;
}

/* Exact as long as all numbers are integers of 64 bits, else in doubles. */
static int add(struct standard_call *job) {
    int64_t sum = 0;
    double total = 0;
    bool exact = true, overflow = false;
    for (const struct json *item = job->arguments->first; item; item = item->next) {
        int64_t integer;
        double number;
        if (!json_is(item, JSON_NUMBER)) continue;
        if (!number_to_double(&number, item->text)) return fail(job, "a number is out of range");
        total += number;
        if (!number_to_int(&integer, item->text)) exact = false;
        else if (!number_add(&sum, sum, integer)) overflow = true;
    }
    if (exact && overflow) return fail(job, "the sum does not fit into 64 bits");
    if (exact) buf_printf(&job->out, "%lld", (long long)sum);
    else if (!json_put_double(&job->out, total)) return fail(job, "the sum is out of range");
    return 0;
}

static int square_root(struct standard_call *job) {
    const struct json *number = first_of(job->arguments, JSON_NUMBER);
    double x;
    if (!number) return fail(job, "there is no number to take the root of");
    if (!number_to_double(&x, number->text)) return fail(job, "the number is out of range");
    if (x < 0) return fail(job, "a negative number has no real square root");
    json_put_double(&job->out, sqrt(x));
    return 0;
}

static int call_say_hello(void *ctx, gramc_text arguments, gramc_writer result) {
    (void)ctx;
    return run_job(say_hello, arguments, result);
}

static int call_length(void *ctx, gramc_text arguments, gramc_writer result) {
    (void)ctx;
    return run_job(length, arguments, result);
}

static int call_echo(void *ctx, gramc_text arguments, gramc_writer result) {
    (void)ctx;
    return run_job(echo, arguments, result);
}

static int call_add(void *ctx, gramc_text arguments, gramc_writer result) {
    (void)ctx;
    return run_job(add, arguments, result);
}

static int call_square_root(void *ctx, gramc_text arguments, gramc_writer result) {
    (void)ctx;
    return run_job(square_root, arguments, result);
}

#define NAMED(literal)                                                                             \
    { literal, sizeof(literal) - 1 }

static const gramc_builtin standard[] = {
    {NAMED("greeting.sayHello"), call_say_hello, NULL, false},
    {NAMED("text.length"), call_length, NULL, false},
    {NAMED("text.echo"), call_echo, NULL, false},
    {NAMED("math.add"), call_add, NULL, false},
    {NAMED("math.sqrt"), call_square_root, NULL, false},
};

const gramc_builtin *builtin_standard(size_t i) {
    return i < sizeof(standard) / sizeof(standard[0]) ? &standard[i] : NULL;
}
