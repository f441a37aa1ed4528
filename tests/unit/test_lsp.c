/* The language server in this process: an allocation that fails, each one of a whole conversation,
 * ends in an error or in the end of the server, and everything is given back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/failing.h"
#include "tests/unit/lsp_host.h"

#define DOCUMENT "\"textDocument\":{\"uri\":\"file:///project/a.gram\"}"
#define AT(line, column) DOCUMENT ",\"position\":{\"line\":" #line ",\"character\":" #column "}"
#define WHOLE                                                                                      \
    DOCUMENT ",\"range\":{\"start\":{\"line\":0,\"character\":0},\"end\":{\"line\":99,"            \
             "\"character\":0}}"
#define ASK(method, params)                                                                        \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" method "\",\"params\":{" params "}}"
#define TELL(method, params)                                                                       \
    "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":{" params "}}"

static const char *const conversation[] = {
    ASK("initialize",
        "\"rootUri\":\"file:///project\",\"capabilities\":{\"textDocument\":{"
        "\"completion\":{\"completionItem\":{\"snippetSupport\":true}}},\"workspace\":"
        "{\"workspaceEdit\":{\"documentChanges\":true}}}"),
    TELL(
        "textDocument/didOpen",
        "\"textDocument\":{\"uri\":\"file:///project/a.gram\",\"languageId\":\"gram\",\"version\":"
        "1,\"text\":\"{imports: [\\\"other.gram\\\"]}\\n[a:Agent {model: \\\"OpenAI/x\\\"} | "
        "[t:Tool {description: \\\"d\\\"} | (k::Kind {default: \\\"a\\\"})==>(n::Txt)==>(::Text)], "
        "u]\\n\"}"),
    ASK("textDocument/completion", AT(1, 66)),
    ASK("textDocument/hover", AT(1, 32)),
    ASK("textDocument/definition", AT(1, 66)),
    ASK("textDocument/references", AT(1, 32) ",\"context\":{\"includeDeclaration\":true}"),
    ASK("textDocument/rename", AT(1, 32) ",\"newName\":\"new one\""),
    ASK("textDocument/documentSymbol", DOCUMENT),
    ASK("workspace/symbol", "\"query\":\"k\""),
    ASK("textDocument/formatting", DOCUMENT),
    ASK("textDocument/codeAction", WHOLE),
    ASK("textDocument/inlayHint", WHOLE),
    ASK("textDocument/semanticTokens/full", DOCUMENT),
    ASK("textDocument/codeLens", DOCUMENT),
    TELL("textDocument/didChange",
         "\"textDocument\":{\"uri\":\"file:///project/a.gram\",\"version\":2},\"contentChanges\":[{"
         "\"range\":{\"start\":{\"line\":1,\"character\":0},\"end\":{\"line\":1,\"character\":3}},"
         "\"text\":\"[much longer than before:\"}]"),
    ASK("textDocument/completion", AT(1, 30)),
    TELL("textDocument/didClose", DOCUMENT),
    ASK("shutdown", ""),
    TELL("exit", ""),
};

/* True if the server went through the whole conversation. */
static bool converse(struct failing *state, struct lsp_peer *peer) {
    struct lsp_host host = peer_host(peer, test_failing(state));
    struct lsp *lsp;
    if (lsp_new(&lsp, &host) != GRAMC_OK) return false;
    for (size_t i = 0; i < sizeof conversation / sizeof *conversation && !lsp_is_over(lsp); i++)
        peer_feed(lsp, conversation[i], strlen(conversation[i]));
    bool whole = lsp_is_over(lsp) && lsp_exit_code(lsp) == 0;
    lsp_free(lsp);
    return whole;
}

static void test_every_allocation(void **unused) {
    (void)unused;
    struct lsp_peer peer;
    struct failing state = {0};
    assert_true(converse(&state, &peer));
    assert_int_equal(state.live, 0);
    long all = state.count;
    print_message("%ld allocations, %zu bytes\n", all, peer.written);
    assert_true(all > 150 && peer.written > 3000);
    for (int persistent = 0; persistent < 2; persistent++)
        for (long i = 1; i <= all; i++) {
            state = (struct failing){.fail_at = i, .persistent = persistent != 0};
            converse(&state, &peer);
            if (state.live) print_error("allocation %ld of %ld\n", i, all);
            assert_int_equal(state.live, 0);
        }
}

/* Bytes may come one by one. */
static void test_cut_anywhere(void **unused) {
    (void)unused;
    struct lsp_peer peer;
    struct lsp_host host = peer_host(&peer, mem_default());
    struct lsp *lsp;
    assert_int_equal(lsp_new(&lsp, &host), GRAMC_OK);
    for (size_t i = 0; i < sizeof conversation / sizeof *conversation; i++) {
        char whole[2048];
        int len = snprintf(whole, sizeof whole, "Content-Length: %zu\r\n\r\n%s",
                           strlen(conversation[i]), conversation[i]);
        for (int k = 0; k < len; k++) {
            lsp_feed(lsp, whole + k, 1);
            while (lsp_step(lsp)) continue;
        }
    }
    assert_true(lsp_is_over(lsp));
    assert_int_equal(lsp_exit_code(lsp), 0);
    lsp_free(lsp);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation),
                                       cmocka_unit_test(test_cut_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
