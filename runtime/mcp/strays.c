/* Takes note of what a server says that is no message of the protocol: how many lines, and how one
 * of them begins, so that whoever waits for an answer hears why there is none. Tells greetings,
 * which are passed over, from answers that cannot be read; what becomes of those is client.c's. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "runtime/foreign.h"
#include "runtime/mcp/client.h"

static const char byte_order_mark[] = "\xEF\xBB\xBF";

/* ## Telling them apart */

static gramc_text find(gramc_text line, const char *word) {
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= line.len; i++)
        if (memcmp(line.ptr + i, word, len) == 0) return text_slice(line, i + len, line.len);
    return (gramc_text){NULL, 0};
}

/* The first line of one that is printed over several, or one that names the protocol where a
 * message would. */
static bool looks_like_answer(gramc_text line) {
    if (text_starts(line, byte_order_mark)) line = text_trim(text_slice(line, 3, line.len));
    bool is_object = text_starts(line, "{");
    bool is_list = text_starts(line, "[");
    gramc_text inside = is_list ? text_trim(text_slice(line, 1, line.len)) : line;
    if ((is_object && line.len == 1) || (is_list && inside.len == 0)) return true;
    bool begins = is_object || text_starts(line, "\"jsonrpc\"") || text_starts(inside, "{");
    return begins && find(line, "\"jsonrpc\"").ptr;
}

static uint64_t id_in(gramc_text line) {
    gramc_text rest = text_trim(find(line, "\"id\""));
    size_t digits = 0;
    int64_t id;
    if (!text_starts(rest, ":")) return 0;
    rest = text_trim(text_slice(rest, 1, rest.len));
    while (digits < rest.len && rest.ptr[digits] >= '0' && rest.ptr[digits] <= '9') digits++;
    return number_to_int(&id, text_slice(rest, 0, digits)) ? (uint64_t)id : 0;
}

/* ## Taking note */

static const char *problem_of(gramc_text line, const struct json_error *error) {
    if (line.len == 1) return "a message stands on one line";
    if (text_starts(line, byte_order_mark)) return "it begins with a byte order mark";
    if (text_starts(line, "[") && !error->message) return "messages come one by one, not in a list";
    return error->message;
}

/* Without memory there is nothing to show, but what is wrong is still told. */
static void show(struct mcp_client *client, gramc_text line) {
    const struct foreign how = {.secrets = mcp_client_secrets(client), .longest = STRAY_SHOWN};
    struct buf out;
    buf_init(&out, &client->allocator, STRAY_SHOWN + 3);
    foreign_put(&out, line, &how);
    memcpy(client->strays.shown, buf_view(&out).ptr, out.len + 1);
    buf_free(&out);
}

bool mcp_stray_take(struct mcp_client *client, gramc_text line, const struct json_error *error) {
    struct mcp_strays *strays = &client->strays;
    line = text_trim(line);
    bool is_answer = looks_like_answer(line);
    if (strays->count++ == 0 || (is_answer && !strays->is_answer)) {
        show(client, line);
        strays->problem = is_answer ? problem_of(line, error) : NULL;
    }
    if (is_answer || strays->is_answer) strays->id = strays->id ? strays->id : id_in(line);
    strays->is_answer = strays->is_answer || is_answer;
    return is_answer;
}

void mcp_strays_tell(char *out, size_t size, const char *why, const struct mcp_strays *strays) {
    if (strays->count == 0) {
        snprintf(out, size, "%s", why);
        return;
    }
    snprintf(out, size, "%s: %u line%s no message%s%s%s: %s", why, strays->count,
             strays->count == 1 ? " was" : "s were", strays->problem ? " (" : "",
             strays->problem ? strays->problem : "", strays->problem ? ")" : "", strays->shown);
}
