/* Binds one HTTP tool and calls it, as the loop of a run would do. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "runtime/bound.h"
#include "runtime/loop.h"
#include "tests/support/caller.h"

void caller_init(struct caller *caller, const char *path, const char *parameters,
                 const struct mock_answer *answers, size_t count) {
    const gramc_bind_options defaults = GRAMC_BIND_OPTIONS_INIT;
    memset(caller, 0, sizeof *caller);
    caller->options = defaults;
    caller->server = mock_start(answers, count);
    snprintf(caller->url, sizeof caller->url, "%s%s", mock_url(caller->server), path);
    test_agent_init(&caller->agent);
    test_tool(&caller->agent, "tool", parameters, "{\"type\":\"string\"}", GRAMC_RESULT_TEXT);
    caller->impl = test_http(&caller->agent, "tool", caller->url);
    buf_init(&caller->result, NULL, 1 << 24);
}

void caller_bind(struct caller *caller) {
    gramc_bind_message message;
    gramc_status status =
        gramc_bind(&caller->bound, &caller->agent.agent, &caller->agent.library, &caller->options);
    if (status == GRAMC_FINDINGS && gramc_bound_message(caller->bound, 0, &message))
        fail_msg("%.*s", TEXT_ARGS(message.message));
    assert_int_equal(status, GRAMC_OK);
    assert_int_equal(gramc_loop_new(&caller->loop, NULL), GRAMC_OK);
}

static void on_done(void *ctx, struct tool_call *call) {
    struct caller *caller = ctx;
    caller->done = true;
    caller->outcome = call->outcome;
    buf_reset(&caller->result);
    buf_text(&caller->result, buf_view(&call->result));
    buf_putc(&caller->result, '\0');
    tool_release(call);
}

void caller_call(struct caller *caller, gramc_text arguments) {
    caller->done = false;
    assert_non_null(tool_start(caller->loop, &caller->bound->tools[0], arguments, on_done, caller));
    while (!caller->done || caller->loop->calls) uv_run(&caller->loop->uv, UV_RUN_ONCE);
}

void caller_expect(const struct caller *caller, enum tool_outcome outcome, const char *result) {
    if (caller->outcome != outcome || strcmp(caller->result.ptr, result) != 0)
        fail_msg("outcome %d: %s", (int)caller->outcome, caller->result.ptr);
}

void caller_free(struct caller *caller) {
    gramc_loop_free(caller->loop);
    gramc_bound_free(caller->bound);
    test_agent_free(&caller->agent);
    mock_stop(caller->server);
    buf_free(&caller->result);
}
