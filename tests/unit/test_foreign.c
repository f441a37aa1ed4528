/* Issue 10, A3: a secret that servers, programs and providers repeat is never seen, however they
 * spell it and wherever a text is cut. A table of spellings, tried at each place where foreign
 * words are shown. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/foreign.h"
#include "runtime/secret_list.h"
#include "runtime/secret_match.h"
#include "tests/support/mock_server.h"

/* Every kind of character that some notation escapes. */
static const char secret[] = "p/Q+w rd&\"s<\xC3\xA4>7%\\y\xF0\x9F\x98\x80'k=9";
enum { SPELLED_MAX = 4096, SEEN = 5 /* bytes in a row that would give something away */ };

/* ## Spellings */

static gramc_text given(void) {
    return text_of(secret);
}

static void plain(struct buf *out, gramc_text text) {
    buf_text(out, text);
}

static void put_url(struct buf *out, gramc_text text, const char *kept, const char *form) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (strchr(kept, c)) buf_putc(out, (char)c);
        else if (form[2] == '+' && c == ' ') buf_putc(out, '+');
        else if (form[0] == 'x') buf_printf(out, "%%%02x", c);
        else buf_printf(out, "%%%02X", c);
    }
}
#define LETTERS "pQwrdsyk79"
static void url_upper(struct buf *out, gramc_text text) {
    put_url(out, text, LETTERS, "X  ");
}
static void url_lower(struct buf *out, gramc_text text) {
    put_url(out, text, LETTERS, "x  ");
}
static void url_form(struct buf *out, gramc_text text) {
    put_url(out, text, LETTERS, "X +");
}
static void url_all(struct buf *out, gramc_text text) {
    put_url(out, text, "\x01", "x  ");
}
static void url_slash(struct buf *out, gramc_text text) {
    put_url(out, text, LETTERS "+&<>=\"'\xC3\xA4\xF0\x9F\x98\x80 ", "x  ");
}

static void put_unit(struct buf *out, uint32_t c) {
    if (c > 0xFFFF)
        buf_printf(out, "\\u%04X\\u%04x", (unsigned)(0xD800 + ((c - 0x10000) >> 10)),
                   (unsigned)(0xDC00 + ((c - 0x10000) & 0x3FF)));
    else buf_printf(out, "\\u%04x", (unsigned)c);
}

static void json_units(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) put_unit(out, text_decode(text, &pos));
}

/* Some characters by their numbers, the others as they are where they may. */
static void json_mixed(struct buf *out, gramc_text text) {
    size_t count = 0;
    for (size_t pos = 0; pos < text.len; count++) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (count % 2 && c > '\\' && c < 0x80) put_unit(out, c);
        else if (c == '"' || c == '\\' || c == '/') buf_printf(out, "\\%c", (char)c);
        else if (c > 0xFFFF || c == '<' || c == '&') put_unit(out, c);
        else buf_put(out, text.ptr + start, pos - start);
    }
}

static void json_short(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\') buf_putc(out, '\\');
        buf_putc(out, text.ptr[i]);
    }
}

static void html_names(struct buf *out, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) switch (text.ptr[i]) {
        case '&': buf_puts(out, "&amp;"); break;
        case '<': buf_puts(out, "&lt;"); break;
        case '>': buf_puts(out, "&gt;"); break;
        case '"': buf_puts(out, "&quot;"); break;
        case '\'': buf_puts(out, "&#39;"); break;
        case '/': buf_puts(out, "&#x2F;"); break;
        default: buf_putc(out, text.ptr[i]);
        }
}

static void html_numbers(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;)
        buf_printf(out, "&#%u;", (unsigned)text_decode(text, &pos));
}

static void html_hex(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;)
        buf_printf(out, "&#x%x;", (unsigned)text_decode(text, &pos));
}

static void twice(struct buf *out, gramc_text text, void (*inner)(struct buf *, gramc_text),
                  void (*outer)(struct buf *, gramc_text)) {
    struct buf between;
    buf_init(&between, NULL, SPELLED_MAX);
    inner(&between, text);
    outer(out, buf_view(&between));
    buf_free(&between);
}
static void json_in_json(struct buf *out, gramc_text text) {
    twice(out, text, json_short, json_short);
}
static void units_in_json(struct buf *out, gramc_text text) {
    twice(out, text, json_units, json_short);
}
static void html_in_units(struct buf *out, gramc_text text) {
    twice(out, text, html_names, json_units);
}
static void url_in_url(struct buf *out, gramc_text text) {
    twice(out, text, url_upper, url_lower);
}

static void put_base64(struct buf *out, gramc_text text, const char *before, const char *last) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    char all[256];
    int len = snprintf(all, sizeof all, "%s%.*s", before, TEXT_ARGS(text));
    for (int i = 0; i < len; i += 3) {
        unsigned group = 0;
        for (int j = 0; j < 3; j++)
            group = group << 8 | (i + j < len ? (unsigned char)all[i + j] : 0);
        for (int j = 0; j < 4; j++) {
            unsigned letter = group >> (18 - 6 * j) & 63;
            buf_putc(out, i + j > len ? '=' : letter < 62 ? letters[letter] : last[letter - 62]);
        }
    }
}
static void base64(struct buf *out, gramc_text text) {
    put_base64(out, text, "", "+/");
}
static void base64_of_pair(struct buf *out, gramc_text text) {
    put_base64(out, text, "user:", "+/");
}
static void base64_shifted(struct buf *out, gramc_text text) {
    put_base64(out, text, "u:", "-_");
}

#define SPELLING(name)                                                                             \
    { #name, name }
static const struct spelling {
    const char *name;
    void (*put)(struct buf *out, gramc_text text);
} spellings[] = {
    SPELLING(plain),        SPELLING(url_upper),      SPELLING(url_lower),     SPELLING(url_form),
    SPELLING(url_all),      SPELLING(url_slash),      SPELLING(json_units),    SPELLING(json_mixed),
    SPELLING(json_short),   SPELLING(html_names),     SPELLING(html_numbers),  SPELLING(html_hex),
    SPELLING(json_in_json), SPELLING(units_in_json),  SPELLING(html_in_units), SPELLING(url_in_url),
    SPELLING(base64),       SPELLING(base64_of_pair), SPELLING(base64_shifted)};
enum { SPELLINGS = sizeof spellings / sizeof *spellings };

static void spell(struct buf *out, const struct spelling *spelling) {
    buf_init(out, NULL, SPELLED_MAX);
    spelling->put(out, given());
    assert_int_equal(buf_status(out), GRAMC_OK);
}

/* No stretch of it, as the server wrote it, stands in the text. Of base64, the outer letters hold
 * little of it and are the neighbours' too. */
static void expect_unseen(const char *text, const struct spelling *spelling, const char *where) {
    struct buf spelled;
    spell(&spelled, spelling);
    size_t edge = strncmp(spelling->name, "base64", 6) == 0 ? 8 : 0;
    for (size_t i = edge; i + SEEN + edge <= spelled.len; i++) {
        char part[SEEN + 1] = "";
        memcpy(part, spelled.ptr + i, SEEN);
        if (strstr(text, part))
            fail_msg("%s: `%s` of a secret spelled %s is seen: %s", where, part, spelling->name,
                     text);
    }
    buf_free(&spelled);
}

/* ## The function itself */

static struct secrets *known(void) {
    const gramc_pair pair = {TEXT("T"), given()};
    gramc_allocator allocator = mem_default();
    struct secrets *secrets;
    assert_int_equal(secrets_new(&secrets, &allocator, &pair, 1), GRAMC_OK);
    return secrets;
}

static void test_every_spelling(void **state) {
    struct secrets *secrets = known();
    (void)state;
    for (size_t i = 0; i < SPELLINGS; i++) {
        struct buf text;
        spell(&text, &spellings[i]);
        secrets_hide(secrets, &text);
        assert_non_null(strstr(text.ptr, "${env:T}"));
        if (strncmp(spellings[i].name, "base64", 6) != 0) assert_string_equal(text.ptr, "${env:T}");
        expect_unseen(text.ptr, &spellings[i], "hidden");
        buf_free(&text);
    }
    secrets_free(secrets);
}

/* Wherever a text from outside was cut before we had it, and wherever we cut it. */
static void test_every_cut(void **state) {
    struct secrets *secrets = known();
    (void)state;
    for (size_t i = 0; i < SPELLINGS; i++) {
        struct buf spelled;
        spell(&spelled, &spellings[i]);
        for (size_t at = 1; at < spelled.len; at++) {
            const struct foreign begins = {secrets, 300, CUT_AT_END, false, false};
            const struct foreign ends = {secrets, 300, CUT_AT_START, true, false};
            const struct foreign cuts = {secrets, at, CUT_NOWHERE, false, false};
            struct buf out;
            buf_init(&out, NULL, SPELLED_MAX);
            foreign_put(&out, text_slice(buf_view(&spelled), 0, at), &begins);
            if (strncmp(spellings[i].name, "base64", 6) != 0) {
                buf_puts(&out, " ");
                foreign_put(&out, text_slice(buf_view(&spelled), at, spelled.len), &ends);
            }
            buf_puts(&out, " ");
            foreign_put(&out, buf_view(&spelled), &cuts);
            expect_unseen(out.ptr, &spellings[i], "cut");
            buf_free(&out);
        }
        buf_free(&spelled);
    }
    secrets_free(secrets);
}

static void test_one_line(void **state) {
    static const struct {
        const char *words, *shown;
        size_t longest;
    } rows[] = {
        {"", "", 10},
        {" a \t b\n\nc ", "a b c", 10},
        {"0123456789", "0123456789", 10},
        {"0123456789a", "0123456...", 10},
        {"\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4", "\xC3\xA4\xC3\xA4\xC3\xA4...", 10},
        {"a\x1b[2J\xE2\x80\xAE\xC2\x85z\xFF", "a\\u{1b}[2J\\u{202e}\\u{85}z\\xff", 99}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct foreign how = {.longest = rows[i].longest};
        struct buf out;
        buf_init(&out, NULL, SPELLED_MAX);
        foreign_put(&out, text_of(rows[i].words), &how);
        assert_string_equal(out.ptr ? out.ptr : "", rows[i].shown);
        buf_free(&out);
    }
}

/* Values and texts that could make a careless search go on for ever. */
static void test_in_time(void **state) {
    const gramc_pair pair = {TEXT("T"), TEXT("\\\\\\\\\\\\\\\\%25%25%25&amp;&amp;x")};
    gramc_allocator allocator = mem_default();
    struct secrets *secrets;
    (void)state;
    assert_int_equal(secrets_new(&secrets, &allocator, &pair, 1), GRAMC_OK);
    static const char *const units[] = {"\\", "%25", "&amp;", "...", "\\\\u005c"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct buf text;
        buf_init(&text, NULL, 1 << 20);
        while (text.len < 200000) buf_puts(&text, units[i]);
        secrets_hide(secrets, &text);
        assert_int_equal(buf_status(&text), GRAMC_OK);
        buf_free(&text);
    }
    secrets_free(secrets);
}

/* ## Beside the definition: every form at every place, in every spelling, no byte passed over */

static unsigned next_random(unsigned *seed) {
    *seed = *seed * 1103515245U + 12345U;
    return *seed >> 16;
}

static const struct secret_form *defined_at(const struct secrets *secrets, gramc_text text,
                                            size_t pos, size_t shortest, size_t *end) {
    for (size_t i = 0; i < secrets->form_count; i++) {
        const struct secret_form *form = &secrets->forms[i];
        size_t work = 0;
        if (form->value_len < shortest) continue;
        struct escaped_match match = match_behind(text, pos, form->text, 0, &work);
        *end = match.end;
        if (match.kind == MATCH_WHOLE) return form;
    }
    return NULL;
}

static void hide_as_defined(struct buf *out, const struct secrets *secrets, gramc_text text,
                            size_t shortest) {
    for (size_t pos = 0, end; pos < text.len;) {
        const struct secret_form *form = defined_at(secrets, text, pos, shortest, &end);
        if (!form) {
            buf_putc(out, text.ptr[pos++]);
            continue;
        }
        buf_puts(out, "${env:");
        buf_text(out, form->name);
        buf_putc(out, '}');
        pos = end;
    }
}

/* Bytes of the values, escapes of them, values and parts of values; no dots, which mark a cut. */
static void put_random(struct buf *out, unsigned *seed, const gramc_pair *pairs, size_t count) {
    static const char *const bits[] = {"%",       "\\",  "&",     "+",      "\\u00", "&#x", ";",
                                       "%25",     "%2",  "&amp;", "a",      "ab",    "\"",  "bc",
                                       "\\u0061", "%61", "&#97;", "&#x62;", "\\x63", "de",  "YW"};
    for (size_t pieces = 1 + next_random(seed) % 12; pieces; pieces--) {
        gramc_text value = pairs[next_random(seed) % count].value;
        size_t start = next_random(seed) % 3 ? 0 : next_random(seed) % value.len;
        size_t end = next_random(seed) % 3 ? value.len : next_random(seed) % (value.len + 1);
        if (next_random(seed) % 3)
            buf_puts(out, bits[next_random(seed) % (sizeof bits / sizeof *bits)]);
        else if (start < end) buf_text(out, text_slice(value, start, end));
    }
}

/* Spells every byte of a text once more, or leaves it. */
static void put_spelled(struct buf *out, unsigned *seed, gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        switch (next_random(seed) % 8) {
        case 0: buf_printf(out, "%%%02x", c); break;
        case 1: buf_printf(out, "\\u%04x", c); break;
        case 2: buf_printf(out, "&#%u;", c); break;
        default: buf_putc(out, (char)c);
        }
    }
}

static void expect_as_defined(const struct secrets *secrets, gramc_text text, size_t shortest) {
    struct buf fast, defined;
    buf_init(&fast, NULL, SPELLED_MAX);
    buf_init(&defined, NULL, SPELLED_MAX);
    buf_text(&fast, text);
    secrets_hide_from(secrets, &fast, shortest);
    hide_as_defined(&defined, secrets, text, shortest);
    assert_int_equal(buf_status(&defined), GRAMC_OK);
    if (!text_eq(buf_view(&fast), buf_view(&defined)))
        fail_msg("%.*s\nis hidden as %.*s\nand not as %.*s", TEXT_ARGS(text),
                 TEXT_ARGS(buf_view(&fast)), TEXT_ARGS(buf_view(&defined)));
    assert_int_equal(secrets_may_stand_in(secrets, text, shortest),
                     !text_eq(text, buf_view(&defined)));
    buf_free(&fast);
    buf_free(&defined);
}

static void test_as_defined(void **state) {
    const gramc_pair pairs[] = {{TEXT("A"), TEXT("abcd")},
                                {TEXT("B"), TEXT("abcabcab")},
                                {TEXT("C"), TEXT("%25ab&a\\u0061")},
                                {TEXT("D"), TEXT("a+b c\"d+ef")}};
    enum { PAIRS = sizeof pairs / sizeof *pairs, TEXTS = 2000 };
    gramc_allocator allocator = mem_default();
    struct secrets *secrets;
    unsigned seed = 20261122, found = 0;
    (void)state;
    assert_int_equal(secrets_new(&secrets, &allocator, pairs, PAIRS), GRAMC_OK);
    for (size_t i = 0; i < TEXTS; i++) {
        struct buf text, spelled;
        buf_init(&text, NULL, SPELLED_MAX);
        buf_init(&spelled, NULL, SPELLED_MAX);
        put_random(&text, &seed, pairs, PAIRS);
        put_spelled(&spelled, &seed, buf_view(&text));
        expect_as_defined(secrets, buf_view(&text), SECRET_SHORTEST);
        expect_as_defined(secrets, buf_view(&spelled), SECRET_SHORTEST);
        expect_as_defined(secrets, buf_view(&spelled), SECRET_SURE);
        found += secrets_may_stand_in(secrets, buf_view(&spelled), SECRET_SHORTEST);
        buf_free(&text);
        buf_free(&spelled);
    }
    assert_in_range(found, TEXTS / 10, TEXTS - TEXTS / 10);
    secrets_free(secrets);
}

/* ## Where it is shown */

static char folder[] = "/tmp/gramc-foreign-XXXXXX";
static char program[1024];

static void write_bytes(const char *name, gramc_text text) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(text.ptr, 1, text.len, file);
    fclose(file);
}

static void write_file(const char *name, const char *text) {
    write_bytes(name, text_of(text));
}

static char *read_file(const char *name) {
    static char text[1 << 16];
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* An MCP server whose errors, results and lists are files. */
static const char server[] =
    "answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\\n' \"$id\" \"$1\"; }\n"
    "while read -r line; do\n"
    "  id=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n"
    "  case $line in\n"
    "  *server/discover*) answer '\"error\":{\"code\":-32601,\"message\":\"no\"}' ;;\n"
    "  *'\"initialize\"'*) answer '\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
    "{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}' ;;\n"
    "  *tools/list*) answer \"$(cat list)\" ;;\n"
    "  *tools/call*) answer \"$(cat call)\" ;;\n"
    "  esac\n"
    "done\n";

static int set_up(void **state) {
    (void)state;
    snprintf(program, sizeof program, "%s/libexec/gramc/gramc-run", getenv("GRAMC_BUILD_DIR"));
    if (!mkdtemp(folder)) return 1;
    setenv("T", secret, 1);
    setenv("OPENAI_API_KEY", secret, 1);
    setenv("no_proxy", "*", 1);
    write_file("spec.gram", "[helper:Agent {description: \"Helps\", model: \"OpenAI/m\"} |\n"
                            "  [look:Tool {description: \"Looks\"} | ()==>(::Text)]]\n");
    write_file("exec.gram", "[l:ToolLibrary {description: \"L\"} |\n"
                            "  [look:ToolImpl {exec: [\"sh\", \"-c\", \"cat said >&2; exit 1\"], "
                            "env: {T: \"${env:T}\"}} | ()==>(::Text)]]\n");
    write_file("mcp.gram", "[l:ToolLibrary {description: \"L\"} |\n"
                           "  [box:McpServer {command: [\"sh\", \"server.sh\"], env: {T: "
                           "\"${env:T}\"}}]]\n");
    write_file("server.sh", server);
    return 0;
}

static int tear_down(void **state) {
    char command[1200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* What it says at all, and its trace. */
static const char *said(const char *arguments, const char *hidden) {
    char command[4096];
    write_file("trace", "");
    snprintf(command, sizeof command, "cd %s && %s %s >out 2>&1; cat trace >>out", folder, program,
             arguments);
    assert_int_not_equal(system(command), -1);
    const char *text = read_file("out");
    if (!strstr(text, hidden)) fail_msg("there is no %s in: %s", hidden, text);
    return text;
}

/* Long enough in front that our own cuts go through it. */
static void make_said(struct buf *out, const struct spelling *spelling, size_t padding,
                      const char *before, const char *behind, bool in_json) {
    struct buf spelled;
    spell(&spelled, spelling);
    buf_init(out, NULL, 1 << 16);
    buf_puts(out, before);
    for (size_t i = 0; i < padding; i++) buf_putc(out, 'o');
    buf_puts(out, " (");
    if (in_json) json_short(out, buf_view(&spelled));
    else buf_text(out, buf_view(&spelled));
    buf_puts(out, ") ");
    buf_puts(out, behind);
    buf_free(&spelled);
}

static void test_program_errors(void **state) {
    (void)state;
    for (size_t i = 0; i < SPELLINGS; i++) {
        struct buf text;
        make_said(&text, &spellings[i], 10, "", "", false);
        for (size_t j = 0; j < 300 + 9 * i; j++)
            buf_putc(&text, 'e'); /* behind: the end is shown */
        write_bytes("said", buf_view(&text));
        expect_unseen(said("call exec.gram look --allow-env T", "exit status 1"), &spellings[i],
                      "stderr");
        buf_free(&text);
    }
}

static void test_mcp_words(void **state) {
    static const struct {
        const char *before, *behind;
        size_t padding;
    } places[] = {
        {"\"error\":{\"code\":-32000,\"message\":\"", "\"}", 380},
        {"\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"", "\"}]}", 380},
        {"\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"", "\"}]}", 380},
        {"\"result\":{\"content\":[{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"", "\"}]}", 85},
        {"\"result\":{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"\","
         "\"uri\":\"",
         "\"}}]}", 485}};
    (void)state;
    write_file(
        "list",
        "\"result\":{\"tools\":[{\"name\":\"look\",\"inputSchema\":{\"type\":\"object\"}}]}");
    for (size_t place = 0; place < sizeof places / sizeof *places; place++)
        for (size_t i = 0; i < SPELLINGS; i++) {
            struct buf text;
            make_said(&text, &spellings[i], places[place].padding, places[place].before,
                      places[place].behind, true);
            write_bytes("call", buf_view(&text));
            expect_unseen(said("call mcp.gram look --allow-env T", "ooooo"), &spellings[i],
                          places[place].before);
            buf_free(&text);
        }
}

static void test_binding_messages(void **state) {
    (void)state;
    for (size_t i = 0; i < SPELLINGS; i++) {
        struct buf text;
        make_said(&text, &spellings[i], 385, "\"error\":{\"code\":-32000,\"message\":\"", "\"}",
                  true);
        write_bytes("list", buf_view(&text));
        expect_unseen(said("tools mcp.gram --allow-env T", "ooooo"), &spellings[i], "binding");
        expect_unseen(said("tools mcp.gram --format json --allow-env T", "ooooo"), &spellings[i],
                      "binding, json");
        buf_free(&text);
    }
}

static void test_provider_errors(void **state) {
    (void)state;
    for (size_t i = 0; i < SPELLINGS; i++) {
        struct buf text;
        char arguments[600];
        make_said(&text, &spellings[i], 385, "{\"error\":{\"message\":\"", "\"}}", true);
        const struct mock_answer answer = {.status = 401, .body = text.ptr};
        struct mock_server *mock = mock_start(&answer, 1);
        snprintf(arguments, sizeof arguments,
                 "run spec.gram -l exec.gram --allow-env T --base-url %s --trace trace hello",
                 mock_url(mock));
        expect_unseen(said(arguments, "status 401"), &spellings[i], "provider");
        mock_stop(mock);
        buf_free(&text);
    }
}

/* The key, in what the model seems to say; and no JSON at all. */
static void test_provider_answers(void **state) {
    static const char *const before[] = {"{\"choices\":[{\"message\":{\"content\":\"", "ooooo "};
    static const char *const behind[] = {"\"}}]}", ""};
    (void)state;
    for (size_t i = 0; i < 2 * SPELLINGS; i++) {
        struct buf text;
        char arguments[600];
        make_said(&text, &spellings[i / 2], 10, before[i % 2], behind[i % 2], true);
        const struct mock_answer answer = {.status = i % 2 ? 400 : 200, .body = text.ptr};
        struct mock_server *mock = mock_start(&answer, 1);
        snprintf(arguments, sizeof arguments,
                 "run spec.gram -l exec.gram --allow-env T --base-url %s --trace trace hello",
                 mock_url(mock));
        expect_unseen(said(arguments, "ooooo"), &spellings[i / 2], "answer");
        mock_stop(mock);
        buf_free(&text);
    }
}

static void test_http_tools(void **state) {
    static const struct {
        int status;
        size_t padding;
    } places[] = {{200, 40}, {500, 40}, {500, 7985}};
    (void)state;
    for (size_t i = 0; i < 3 * SPELLINGS; i++) {
        const struct spelling *spelling = &spellings[i / 3];
        struct buf text;
        char library[600];
        make_said(&text, spelling, places[i % 3].padding, "", "and more of it", false);
        const struct mock_answer answer = {.status = places[i % 3].status, .body = text.ptr};
        struct mock_server *mock = mock_start(&answer, 1);
        snprintf(library, sizeof library,
                 "[l:ToolLibrary {description: \"L\"} |\n  [look:ToolImpl {http: \"GET\", url: "
                 "\"%s/x\", "
                 "headers: {A: \"${env:T}\"}} | ()==>(::Text)]]\n",
                 mock_url(mock));
        write_file("http.gram", library);
        expect_unseen(said("call http.gram look --allow-env T", "ooooo"), spelling, "http");
        mock_stop(mock);
        buf_free(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_spelling),  cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_one_line),        cmocka_unit_test(test_in_time),
        cmocka_unit_test(test_as_defined),      cmocka_unit_test(test_program_errors),
        cmocka_unit_test(test_mcp_words),       cmocka_unit_test(test_binding_messages),
        cmocka_unit_test(test_provider_errors), cmocka_unit_test(test_provider_answers),
        cmocka_unit_test(test_http_tools),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
