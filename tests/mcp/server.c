/* An MCP server for tests: reads lines from standard input and answers as its first argument says.
 * Finds what it needs of a line by searching, which is enough for what gramc sends. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode = "legacy";
static char line[4 << 20];
static unsigned calls;

static int is(const char *name) {
    return strcmp(mode, name) == 0;
}

static int asks(const char *method) {
    char wanted[128];
    snprintf(wanted, sizeof wanted, "\"method\":\"%s\"", method);
    return strstr(line, wanted) != NULL;
}

static long id_of(void) {
    const char *id = strstr(line, "\"id\":");
    return id ? strtol(id + 5, NULL, 10) : 0;
}

static void answer(long id, const char *result) {
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":%s}\n", id, result);
    fflush(stdout);
}

static void refuse(long id, int code, const char *message) {
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":%d,\"message\":\"%s\"}}\n", id,
           code, message);
    fflush(stdout);
}

static void say(const char *text) {
    puts(text);
    fflush(stdout);
}

#define TOOL(name)                                                                                 \
    "{\"name\":\"" name "\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}"

static void list_secret(long id) {
    const char *secret = getenv("DECLARED") ? getenv("DECLARED") : "-";
    char result[2048];
    snprintf(result, sizeof result,
             "{\"tools\":[{\"name\":\"echo\",\"title\":\"T %s\",\"description\":\"uses "
             "%s\",\"inputSchema\":{\"type\":\"object\",\"description\":\"%s\"},"
             "\"outputSchema\":{\"type\":\"object\",\"title\":\"%s\"}},"
             "{\"name\":\"%s\",\"inputSchema\":{\"type\":\"object\"}}]}",
             secret, secret, secret, secret, secret);
    answer(id, result);
}

static void on_list(long id) {
    if (is("pages") && !strstr(line, "\"cursor\""))
        answer(id, "{\"tools\":[" TOOL("one") "," TOOL("two") "],\"nextCursor\":\"p\\\"2\"}");
    else if (is("pages") && strstr(line, "\"cursor\":\"p\\\"2\""))
        answer(id, "{\"tools\":[],\"nextCursor\":\"\"}");
    else if (is("pages"))
        answer(id, "{\"tools\":[{\"name\":\"three\",\"title\":\"T\",\"inputSchema\":{\"type\":"
                   "\"object\"},\"outputSchema\":{\"type\":\"object\"},\"annotations\":{"
                   "\"readOnlyHint\":true}}]}");
    else if (is("page-loop")) answer(id, "{\"tools\":[],\"nextCursor\":\"again\"}");
    else if (is("bad-list"))
        answer(id,
               "{\"tools\":[{\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}," TOOL(
                   "echo") ",{\"name\":\"x\"},5]}");
    else if (is("no-list")) return;
    else if (is("names"))
        answer(id,
               "{\"tools\":[" TOOL("getName") "," TOOL("get_name") "," TOOL("get-name") "," TOOL(
                   "a.b/c d") "," TOOL("\xE5\x90\x8D\xE5\x89\x8D") "," TOOL("q\\\"\\\\") "]}");
    else if (is("hints"))
        answer(id, "{\"tools\":[{\"name\":\"drop\",\"description\":\"Drops it\",\"inputSchema\":"
                   "{\"type\":\"object\"},\"annotations\":{\"destructiveHint\":true,"
                   "\"title\":\"Drop\"}},{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"},"
                   "\"annotations\":{\"readOnlyHint\":true,\"destructiveHint\":false}}]}");
    else if (is("indiscreet")) list_secret(id);
    else if (is("list-error")) refuse(id, -32603, "no list today");
    else answer(id, "{\"tools\":[" TOOL("echo") "]}");
}

static void echo(long id) {
    const char *from = strstr(line, "\"arguments\":");
    const char *text = from ? strstr(from, "\"text\":\"") : NULL;
    const char *start = text ? text + 8 : "", *end = strchr(start, '"');
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
           "\"%.*s\"}]}}\n",
           id, end ? (int)(end - start) : 0, start);
    fflush(stdout);
}

static long held[3];

/* Three answers in the opposite order. */
static void answer_backwards(long id) {
    held[calls++ % 3] = id;
    if (calls % 3) return;
    for (int i = 2; i >= 0; i--) {
        char result[128];
        snprintf(result, sizeof result, "{\"content\":[{\"type\":\"text\",\"text\":\"%d\"}]}", i);
        answer(held[i], result);
    }
}

static void big_answer(long id) {
    printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
           "\"ok\"}],\"_meta\":{\"x\":\"",
           id);
    for (long i = 0; i < 5 << 20; i++) putchar('x');
    say("\"}}}");
}

static void huge_line(void) {
    for (long i = 0; i < 20 << 20; i++) putchar('x');
    say("");
}

/* Asks and asks, and reads nothing. */
static void flood(void) {
    for (;;) puts("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"roots/list\"}");
}

static void on_call(long id) {
    if (is("flood")) flood();
    else if (is("half-emoji"))
        answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"half \\ud83d \\\\ud83d\"}]}");
    else if (is("bad-utf8")) answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"\xFF\"}]}");
    else if (is("mark")) printf("\xEF\xBB\xBF"), answer(id, "{\"content\":[]}");
    else if (is("pretty"))
        printf("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": %ld,\n  \"result\": {\n    \"content\": []\n"
               "  }\n}\n",
               id),
            fflush(stdout);
    else if (is("batch") || is("batch-taken"))
        printf("[{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\","
               "\"text\":\"of a list\"}]}}]\n",
               id),
            fflush(stdout);
    else if (is("backwards")) answer_backwards(id);
    else if (is("crash") || (is("crash-once") && access(getenv("MARK"), F_OK) != 0)) {
        FILE *mark = is("crash-once") ? fopen(getenv("MARK"), "w") : NULL;
        if (mark) fclose(mark);
        fputs("out of luck\n", stderr);
        exit(7);
    } else if (is("kill")) {
        raise(SIGKILL);
    } else if (is("close")) {
        fclose(stdout);
        for (;;) pause();
    } else if (is("names")) {
        const char *from = strstr(line, "\"name\":\""), *name = from ? from + 8 : "";
        const char *end = strstr(name, "\",\"arguments\"");
        char result[256];
        snprintf(result, sizeof result, "{\"content\":[{\"type\":\"text\",\"text\":\"%.*s\"}]}",
                 end ? (int)(end - name) : 0, name);
        answer(id, result);
    } else if (is("count")) {
        char result[128];
        snprintf(result, sizeof result, "{\"content\":[{\"type\":\"text\",\"text\":\"%d\"}]}",
                 ++calls);
        answer(id, result);
    } else if (is("never")) {
        return;
    } else if (is("late")) {
        if (calls++)
            echo(id), answer(id - 1, "{\"content\":[{\"type\":\"text\",\"text\":\"late\"}]}");
    } else if (is("big")) {
        big_answer(id);
    } else if (is("huge")) {
        huge_line();
    } else if (is("long-result")) {
        printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"result\":{\"content\":[{\"type\":\"text\","
               "\"text\":\"",
               id);
        for (long i = 0; i < 2 << 20; i++) putchar('x');
        say("\"}]}}");
    } else if (is("garbage")) {
        say("Welcome!");
        say("{\"jsonrpc\":");
        say("[1,2]");
        say("{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}");
        say("{\"jsonrpc\":\"2.0\",\"id\":99999,\"result\":{}}");
        say("{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}");
        say("");
        echo(id);
        echo(id);
    } else if (is("asking")) {
        say("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"roots/list\"}");
        say("{\"jsonrpc\":\"2.0\",\"id\":\"s\",\"method\":\"ping\"}");
        held[0] = id;
    } else if (is("error")) {
        refuse(id, -32602, "Unknown tool: x");
    } else if (is("result")) {
        answer(id, getenv("RESULT"));
    } else if (is("environment")) {
        char result[1024];
        snprintf(result, sizeof result, "{\"content\":[{\"type\":\"text\",\"text\":\"%s %s\"}]}",
                 getenv("DECLARED") ? getenv("DECLARED") : "-",
                 getenv("SECRET") ? getenv("SECRET") : "-");
        answer(id, result);
    } else if (is("what")) {
        answer(id, strstr(line, "io.modelcontextprotocol/protocolVersion")
                       ? "{\"resultType\":\"complete\",\"content\":[{\"type\":\"text\",\"text\":"
                         "\"with meta\"}]}"
                       : "{\"content\":[]}");
    } else {
        echo(id);
    }
}

/* What the client said to our two questions, and then the answer that waited for it. */
static void on_reply(void) {
    static int refused, pinged;
    refused = refused || (strstr(line, "\"id\":0,") && strstr(line, "-32601"));
    pinged = pinged || (strstr(line, "\"id\":\"s\"") && strstr(line, "\"result\":{}"));
    if (refused && pinged)
        answer(held[0], "{\"content\":[{\"type\":\"text\",\"text\":\"both answered\"}]}");
}

static int is_modern(void) {
    return is("modern") || is("what") || is("modern-slow") || is("other-version");
}

static void on_discover(long id) {
    if (is("silent-probe")) return;
    if (is("dies-of-probe")) exit(3);
    if (is("modern-slow")) {
        held[1] = id;
        return;
    }
    if (is("other-version"))
        printf("{\"jsonrpc\":\"2.0\",\"id\":%ld,\"error\":{\"code\":-32022,\"message\":\"no\","
               "\"data\":{\"supported\":[\"2031-01-01\"]}}}\n",
               id),
            fflush(stdout);
    else if (is_modern())
        answer(id, "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
                   "\"capabilities\":{\"tools\":{}}}");
    else refuse(id, -32601, "Method not found");
}

static void on_initialize(long id) {
    if (is("modern-slow")) {
        refuse(id, -32022, "only stateless");
        answer(held[1], "{\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{}}");
        return;
    }
    if (is("no-handshake")) return;
    if (is("pretty-handshake")) {
        printf("Hello\n{\n  \"jsonrpc\": \"2.0\",\n  \"id\": %ld,\n  \"result\": {}\n}\n", id);
        fflush(stdout);
        return;
    }
    if (is("refuses")) {
        refuse(id, -32602, "a licence is missing");
        return;
    }
    if (is("batch-taken")) {
        answer(id, "{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{\"tools\":{}}}");
        return;
    }
    if (is("old"))
        answer(id, "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{}}}");
    else if (is("strange")) answer(id, "{\"protocolVersion\":\"1999-01-01\",\"capabilities\":{}}");
    else {
        say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}");
        answer(id, "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                   "\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}");
    }
}

int main(int argc, char **argv) {
    if (argc > 1) mode = argv[1];
    if (is("exits")) return 5;
    if (is("deaf")) {
        signal(SIGTERM, SIG_IGN);
        for (;;) pause();
    }
    fprintf(stderr, "%s starts\n", mode);
    while (fgets(line, sizeof line, stdin)) {
        long id = id_of();
        if (asks("server/discover")) on_discover(id);
        else if (asks("initialize")) on_initialize(id);
        else if (asks("notifications/cancelled")) fputs("canceled\n", stderr);
        else if (asks("tools/list")) on_list(id);
        else if (asks("tools/call")) on_call(id);
        else if (!asks("notifications/initialized")) on_reply();
    }
    if (is("stays")) {
        signal(SIGTERM, SIG_IGN);
        for (;;) pause();
    }
    return 0;
}
