/* gramc run with HTTP tools, as a process: which variables a library gets, where a secret may be
 * seen, and that what `gramc import` makes of an OpenAPI document runs. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/mock_server.h"

#define PLANTED "s3cr3t-Pl4nted"
#define HEADER "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"

static char folder[] = "/tmp/gramc-http-XXXXXX";
static char program[1024];

/* ## Files and processes */

static void write_file(const char *name, const char *text) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char *read_file(const char *name) {
    static char text[65536];
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static int set_up(void **state) {
    (void)state;
    snprintf(program, sizeof program, "%s/bin/gramc", getenv("GRAMC_BUILD_DIR"));
    setenv("TOKEN", PLANTED, 1);
    setenv("OPENAI_API_KEY", PLANTED "-key", 1);
    unsetenv("http_proxy");
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
    char command[1200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* The exit status; standard output and error are in `out` and `err`. */
static int gramc(const char *arguments) {
    char command[4096];
    snprintf(command, sizeof command, "cd %s && exec %s %s >out 2>err", folder, program, arguments);
    int status = system(command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect_code(int code, int expected) {
    if (code != expected) fail_msg("exit status %d: %s", code, read_file("err"));
}

static void expect_in(const char *name, const char *text) {
    const char *whole = read_file(name);
    if (!strstr(whole, text)) fail_msg("no `%s` in %s:\n%s", text, name, whole);
}

static void expect_not_in(const char *name, const char *text) {
    const char *whole = read_file(name);
    if (strstr(whole, text)) fail_msg("`%s` in %s:\n%s", text, name, whole);
}

/* ## One tool, one secret */

static void write_library(const char *path, const char *url, const char *variable) {
    char text[1024];
    snprintf(text, sizeof text,
             "[crm:ToolLibrary | [find:ToolImpl {\n"
             "  http: \"GET\", url: \"%s/people/${name}\",\n"
             "  headers: {Authorization: \"Bearer ${env:%s}\"}\n"
             "}]]\n",
             url, variable);
    write_file(path, text);
}

static struct mock_server *prepare(const char *variable) {
    static const struct mock_answer answers[] = {{.mode = MOCK_ECHO}};
    struct mock_server *server = mock_start(answers, 1);
    write_file("spec.gram",
               "[clerk:Agent {description: \"Finds people\", model: \"OpenAI/x\"} |\n"
               "  [find:Tool {description: \"Finds one\"} | (name::Text)==>(::Text)]]\n");
    write_file("script.jsonl",
               HEADER "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"x\","
                      "\"name\":\"find\",\"arguments\":\"{\\\"name\\\":\\\"Ann Lee\\\"}\"}]}\n"
                      "{\"event\":\"model.response\",\"content\":\"Found.\"}\n");
    write_library("crm.gram", mock_url(server), variable);
    return server;
}

#define RUN "run spec.gram --library crm.gram --model script:script.jsonl --trace trace.jsonl "

static void expect_secret_on_wire_only(struct mock_server *server) {
    assert_int_equal(mock_count(server), 1);
    assert_non_null(strstr(mock_head(server, 0), "GET /v1/people/Ann%20Lee HTTP/1.1\r\n"));
    assert_non_null(strstr(mock_head(server, 0), "\r\nAuthorization: Bearer " PLANTED "\r\n"));
    expect_not_in("out", PLANTED);
    expect_not_in("err", PLANTED);
    expect_not_in("trace.jsonl", PLANTED);
    expect_in("trace.jsonl", "Bearer ${env:TOKEN}");
}

static void allowed_by_option(void **state) {
    struct mock_server *server = prepare("TOKEN");
    (void)state;
    expect_code(gramc(RUN "--allow-env TOKEN 'Find Ann'"), 0);
    assert_string_equal(read_file("out"), "Found.\n");
    expect_secret_on_wire_only(server);
    mock_stop(server);
}

static void allowed_by_configuration(void **state) {
    struct mock_server *server = prepare("TOKEN");
    (void)state;
    write_file("gramc.gram", "{kind: \"configuration\", allowEnv: [\"OTHER\", \"TOKEN\"]}\n");
    expect_code(gramc(RUN "'Find Ann'"), 0);
    expect_secret_on_wire_only(server);
    write_file("gramc.gram", "{kind: \"configuration\"}\n");
    mock_stop(server);
}

static void not_allowed(void **state) {
    struct mock_server *server = prepare("TOKEN");
    (void)state;
    expect_code(gramc(RUN "'Find Ann'"), 1);
    expect_in("err", "crm.gram:1:20: error[G0461]: tool `find`: in its header `Authorization`, the "
                     "environment variable `TOKEN` may not be read\n");
    expect_in("err", "  help: list it under `allowEnv` in gramc.gram, or say --allow-env TOKEN\n");
    expect_not_in("err", PLANTED);
    assert_int_equal(mock_count(server), 0);
    mock_stop(server);
}

/* Whoever wrote a library does not say what it may read. */
static void not_allowed_by_the_library(void **state) {
    struct mock_server *server = prepare("TOKEN");
    char path[1100];
    (void)state;
    snprintf(path, sizeof path, "%s/theirs", folder);
    mkdir(path, 0700);
    write_library("theirs/crm.gram", mock_url(server), "TOKEN");
    write_file("theirs/gramc.gram", "{kind: \"configuration\", allowEnv: [\"TOKEN\"]}\n");
    expect_code(gramc("run spec.gram --library theirs/crm.gram --model script:script.jsonl 'Find'"),
                1);
    expect_in("err", "may not be read");
    assert_int_equal(mock_count(server), 0);
    mock_stop(server);
}

static void never_a_providers_key(void **state) {
    struct mock_server *server = prepare("OPENAI_API_KEY");
    (void)state;
    expect_code(gramc(RUN "--allow-env OPENAI_API_KEY 'Find Ann'"), 1);
    expect_in("err", "`OPENAI_API_KEY` is the key of a model's provider, which no tool may read");
    expect_not_in("err", PLANTED);
    assert_int_equal(mock_count(server), 0);
    mock_stop(server);
}

static void not_set(void **state) {
    struct mock_server *server = prepare("UNSET_TOKEN");
    (void)state;
    expect_code(gramc(RUN "--allow-env UNSET_TOKEN 'Find Ann'"), 1);
    expect_in("err", "the environment variable `UNSET_TOKEN` is not set");
    expect_code(gramc(RUN "--allow-env 'A=b' 'Find Ann'"), 2);
    expect_in("err", "--allow-env takes the name of one variable, not A=b");
    mock_stop(server);
}

/* ## A toolbox */

static void toolbox(void **state) {
    static const struct mock_answer answers[] = {{.body = "{\"hits\": [{\"n\": 7}]}"},
                                                 {.status = 404, .body = "nobody"}};
    struct mock_server *server = mock_start(answers, 2);
    char library[512];
    (void)state;
    snprintf(library, sizeof library,
             "[lib:ToolLibrary | [crm:HttpToolBox {\n"
             "  file: \"crm.yaml\", url: \"%s/\", rename: {findOne: \"lookUp\"},\n"
             "  headers: {\"X-Token\": \"${env:TOKEN}\", \"x-from\": \"library\"}\n"
             "}]]\n",
             mock_url(server));
    write_file("box.gram", library);
    write_file(
        "crm.yaml",
        "crm:\n  url: http://127.0.0.1:1\n  tools:\n"
        "  - metadata:\n      name: findOne\n      description: Finds one\n"
        "      parameters: {name: {description: Whom, type: STRING}}\n"
        "    definition:\n      method: PUT\n"
        "      path: {type: TEXT_SUBSTITUTOR, content: \"/people/${name}\"}\n"
        "      headers:\n        X-From: [{type: TEXT, content: file}]\n"
        "        X-Auth: [{type: TEXT_SUBSTITUTOR, content: 'key ${env:TOKEN}'}]\n"
        "      body: {type: TEXT_SUBSTITUTOR, content: '{\"n\": \"${name}\"}'}\n"
        "    transformer:\n      type: JOLT\n"
        "      config: '[{\"operation\":\"shift\",\"spec\":{\"hits\":{\"0\":\"first\"}}}]'\n");
    write_file("boxed.gram", "[clerk:Agent {description: \"Finds people\", model: \"OpenAI/x\"} |\n"
                             "  [crm:ToolBox {tools: [\"lookUp\"]}]]\n");
    write_file("boxed.jsonl",
               HEADER "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"x\","
                      "\"name\":\"lookUp\",\"arguments\":\"{\\\"name\\\":\\\"Ann\\\"}\"},"
                      "{\"id\":\"y\",\"name\":\"lookUp\",\"arguments\":\"{\\\"name\\\":"
                      "\\\"Bob\\\"}\"}]}\n"
                      "{\"event\":\"model.response\",\"content\":\"Found.\"}\n");
    expect_code(gramc("run boxed.gram --library box.gram --model script:boxed.jsonl --allow-env "
                      "TOKEN --trace trace.jsonl 'Find Ann'"),
                0);
    assert_int_equal(mock_count(server), 2);
    for (size_t i = 0; i < 2; i++) {
        const char *head = mock_head(server, i);
        bool ann = strstr(head, "PUT /v1/people/Ann HTTP/1.1\r\n") != NULL;
        assert_true(ann || strstr(head, "PUT /v1/people/Bob HTTP/1.1\r\n"));
        assert_non_null(strstr(head, "\r\nX-Token: " PLANTED "\r\n"));
        assert_non_null(strstr(head, "\r\nX-Auth: key " PLANTED "\r\n"));
        assert_non_null(strstr(head, "\r\nx-from: library\r\n"));
        assert_null(strstr(head, "X-From"));
        assert_string_equal(mock_body(server, i), ann ? "{\"n\": \"Ann\"}" : "{\"n\": \"Bob\"}");
    }
    expect_in("trace.jsonl", "\"{\\\"first\\\":{\\\"n\\\":7}}\"");
    expect_in("trace.jsonl", "HTTP 404 Not Found");
    expect_not_in("trace.jsonl", PLANTED);
    expect_not_in("err", PLANTED);
    mock_stop(server);
}

/* ## OpenAPI */

static const char pets[] =
    "{\"openapi\": \"3.1.0\", \"servers\": [{\"url\": \"%s\"}], \"paths\": {\n"
    " \"/ping\": {\"get\": {\"operationId\": \"ping\", \"responses\": {\"200\": {\"content\": "
    "{\"text/plain; charset=utf-8\": {\"schema\": {\"type\": \"string\"}}}}}}},\n"
    " \"/pets/{id}\": {\"get\": {\"operationId\": \"getPet\", \"summary\": \"Gets a pet\",\n"
    "   \"parameters\": [{\"name\": \"id\", \"in\": \"path\", \"required\": true, \"schema\": "
    "{\"type\": \"string\"}}, {\"name\": \"view\", \"in\": \"query\", \"required\": true, "
    "\"schema\": {\"type\": \"string\"}}],\n"
    "   \"responses\": {\"200\": {\"content\": {\"application/json\": {\"schema\": {\"type\": "
    "\"object\", \"required\": [\"name\"], \"properties\": {\"name\": {\"type\": "
    "\"string\"}}}}}}}},"
    "\n"
    "  \"patch\": {\"operationId\": \"renamePet\", \"summary\": \"Renames a pet\",\n"
    "   \"parameters\": [{\"name\": \"id\", \"in\": \"path\", \"required\": true, \"schema\": "
    "{\"type\": \"string\"}}],\n"
    "   \"requestBody\": {\"required\": true, \"content\": {\"application/json\": {\"schema\": "
    "{\"type\": \"object\", \"required\": [\"name\", \"tags\"], \"properties\": {\"name\": "
    "{\"type\": \"string\"}, \"age\": {\"type\": \"integer\"}, \"tags\": {\"type\": \"array\", "
    "\"items\": {\"type\": "
    "\"string\"}}}}}}},\n"
    "   \"responses\": {\"204\": {\"description\": \"done\"}}}}}}\n";

static void openapi(void **state) {
    static const struct mock_answer answers[] = {
        {.body = "{\"name\": \"Rex\"}"}, {.status = 204, .body = ""}, {.body = "pong, not JSON"}};
    struct mock_server *server = mock_start(answers, 3);
    char document[4096];
    (void)state;
    snprintf(document, sizeof document, pets, mock_url(server));
    write_file("pets.json", document);
    expect_code(gramc("import pets.json --agent zoo -o zoo.gram --library zoo-http.gram"), 0);
    expect_code(gramc("check zoo.gram zoo-http.gram"), 0);
    write_file(
        "pets.jsonl", HEADER
        "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"a\",\"name\":"
        "\"getPet\",\"arguments\":\"{\\\"id\\\":\\\"a/1\\\",\\\"view\\\":\\\"x&y\\\"}\"}]}\n"
        "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"b\",\"name\":"
        "\"renamePet\",\"arguments\":\"{\\\"id\\\":\\\"1\\\",\\\"name\\\":\\\"\\\\\\\"Max\\\""
        ",\\\"tags\\\":[\\\"a\\\"]}\"}]}\n"
        "{\"event\":\"model.response\",\"content\":null,\"calls\":[{\"id\":\"c\",\"name\":"
        "\"ping\",\"arguments\":\"{}\"}]}\n"
        "{\"event\":\"model.response\",\"content\":\"Renamed.\"}\n");
    expect_code(gramc("run zoo.gram --library zoo-http.gram --model script:pets.jsonl "
                      "--trace trace.jsonl 'Rename Rex'"),
                0);
    assert_string_equal(read_file("out"), "Renamed.\n");
    assert_int_equal(mock_count(server), 3);
    expect_in("trace.jsonl", "pong, not JSON");
    assert_non_null(strstr(mock_head(server, 0), "GET /v1/pets/a%2F1?view=x%26y HTTP/1.1\r\n"));
    assert_non_null(strstr(mock_head(server, 1), "PATCH /v1/pets/1 HTTP/1.1\r\n"));
    assert_string_equal(mock_body(server, 1), "{\"name\":\"\\\"Max\",\"tags\":[\"a\"]}");
    expect_not_in("trace.jsonl", "\"outcome\":\"tool-error\"");
    expect_not_in("trace.jsonl", "\"outcome\":\"result-error\"");
    mock_stop(server);
}

/* i10-c12: what an OpenAPI or Swagger document says of lists and objects is what goes over the
 * wire. */
#define STRINGS "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"
static const char styled[] =
    "{\"openapi\": \"3.0.3\", \"servers\": [{\"url\": \"%s\"}], \"paths\": {\n"
    "\"/s/{ids}/t{m}\": {\"post\": {\"operationId\": \"send\", \"summary\": \"d\", \"parameters\": "
    "[\n"
    "{\"name\": \"ids\", \"in\": \"path\", \"required\": true, \"schema\": " STRINGS "},\n"
    "{\"name\": \"m\", \"in\": \"query\", \"explode\": false, \"schema\": " STRINGS "},\n"
    "{\"name\": \"m\", \"in\": \"path\", \"required\": true, \"style\": \"matrix\", \"explode\": "
    "true, "
    "\"schema\": " STRINGS "},\n"
    "{\"name\": \"tags\", \"in\": \"query\", \"schema\": " STRINGS "},\n"
    "{\"name\": \"deep\", \"in\": \"query\", \"style\": \"deepObject\", \"explode\": true, "
    "\"schema\": "
    "{\"type\": \"object\"}},\n"
    "{\"name\": \"raw\", \"in\": \"query\", \"content\": {\"application/json\": {\"schema\": "
    "{}}}},\n"
    "{\"name\": \"X-L\", \"in\": \"header\", \"schema\": " STRINGS "},\n"
    "{\"name\": \"c\", \"in\": \"cookie\", \"explode\": false, \"schema\": " STRINGS "}],\n"
    "\"requestBody\": {\"required\": true, \"content\": {\"application/x-www-form-urlencoded\": "
    "{\"schema\": {\"type\": \"object\", \"properties\": {\"list\": " STRINGS ", \"o\": {\"type\": "
    "\"object\"}}}, \"encoding\": {\"list\": {\"style\": \"pipeDelimited\"}}}}}}}}}\n";

static void write_styled(const struct mock_server *server) {
    char document[4096];
    snprintf(document, sizeof document, styled, mock_url(server));
    write_file("styled.json", document);
    expect_code(gramc("import styled.json -o styled.gram --library styled-http.gram"), 0);
    expect_code(gramc("check --strict styled.gram"), 0);
    expect_code(gramc("check styled-http.gram"), 0);
    expect_code(gramc("fmt --check styled-http.gram"), 0);
}

static void imported_styles(void **state) {
    static const struct mock_answer answers[] = {{.body = "1"}, {.body = "2"}};
    struct mock_server *server = mock_start(answers, 2);
    (void)state;
    write_styled(server);
    expect_code(
        gramc("call styled-http.gram send '{\"ids\": [\"1\", \"a/b\"], \"m_path\": [\"x\", "
              "\"y\"], \"m\": [\"p\", \"q\"], \"tags\": [\"t 1\", \"t&2\"], \"deep\": {\"k\": 1, "
              "\"l\": true}, \"raw\": {\"a\": [1]}, \"X-L\": [\"h\", \"i\"], \"c\": [\"1\", "
              "\"2\"], \"list\": [\"a\", \"b\"], \"o\": {\"z\": []}}'"),
        0);
    expect_code(
        gramc("call styled-http.gram send '{\"ids\": [\"1\"], \"m_path\": [\"x\"], \"m\": [], "
              "\"tags\": [], \"deep\": {}, \"X-L\": [], \"c\": [], \"list\": []}'"),
        0);
    expect_code(gramc("call styled-http.gram send '{\"ids\": [], \"m_path\": [\"x\"]}'"), 3);
    assert_int_equal(mock_count(server), 2);
    assert_non_null(strstr(mock_head(server, 0),
                           "POST /v1/s/1,a%2Fb/t;m=x;m=y?m=p,q&tags=t%201&tags=t%262&"
                           "deep%5Bk%5D=1&deep%5Bl%5D=true&raw=%7B%22a%22%3A%5B1%5D%7D "));
    assert_non_null(strstr(mock_head(server, 0), "\r\nX-L: h,i\r\n"));
    assert_non_null(strstr(mock_head(server, 0), "\r\nCookie: c=1,2\r\n"));
    assert_string_equal(mock_body(server, 0), "list=a%7Cb&o=%7B%22z%22%3A%5B%5D%7D");
    assert_non_null(strstr(mock_head(server, 1), "POST /v1/s/1/t;m=x HTTP/1.1\r\n"));
    assert_null(strstr(mock_head(server, 1), "X-L"));
    assert_null(strstr(mock_head(server, 1), "Cookie"));
    assert_string_equal(mock_body(server, 1), "");
    mock_stop(server);
}

/* i10-c12: the same words in a file of tools. */
static void toolbox_styles(void **state) {
    static const struct mock_answer answers[] = {{.body = "1"}, {.body = "2"}};
    struct mock_server *server = mock_start(answers, 2);
    char library[512];
    (void)state;
    snprintf(library, sizeof library,
             "[lib:ToolLibrary | [box:HttpToolBox {file: \"box.yaml\", url: \"%s\"}]]\n",
             mock_url(server));
    write_file("styles.gram", library);
    write_file("box.yaml",
               "box:\n  tools:\n  - metadata:\n      name: find\n      description: d\n"
               "      parameters:\n"
               "        a: {description: d, type: STRING_ARRAY}\n"
               "        b: {description: d, type: STRING_ARRAY, explode: false}\n"
               "        c: {description: d, type: INTEGER_ARRAY, style: pipeDelimited}\n"
               "        d: {description: d, type: INTEGER_ARRAY, style: label, explode: true}\n"
               "        e: {description: d, type: STRING_ARRAY}\n"
               "        f: {description: d, type: STRING_ARRAY}\n"
               "    definition:\n      method: GET\n"
               "      path: {type: TEXT_SUBSTITUTOR, content: \"/x${d}?a=${a}&b=${b}&c=${c}\"}\n"
               "      headers:\n        X-E: [{type: TEXT_SUBSTITUTOR, content: '${e}'}]\n"
               "        Cookie: [{type: TEXT_SUBSTITUTOR, content: 'f=${f}'}]\n");
    expect_code(
        gramc(
            "call styles.gram find '{\"a\": [\"x\", \"\xC3\xA4\"], \"b\": [\"p,\", \"q\"], \"c\": "
            "[1, 2], \"d\": [3, 4], \"e\": [\"h\", \"i\"], \"f\": [\"j;\", \"k\"]}'"),
        0);
    expect_code(
        gramc("call styles.gram find '{\"a\": [], \"b\": [], \"c\": [], \"d\": [3], \"e\": [], "
              "\"f\": []}'"),
        0);
    expect_code(gramc("call styles.gram find '{\"a\": [], \"b\": [], \"c\": [], \"d\": [3], \"e\": "
                      "[\"a\\r\\nEvil: 1\"], \"f\": []}'"),
                3);
    assert_int_equal(mock_count(server), 2);
    assert_non_null(strstr(mock_head(server, 0), "GET /v1/x.3.4?a=x&a=%C3%A4&b=p%2C,q&c=1%7C2 "));
    assert_non_null(strstr(mock_head(server, 0), "\r\nX-E: h,i\r\n"));
    assert_non_null(strstr(mock_head(server, 0), "\r\nCookie: f=j%3B; f=k\r\n"));
    assert_non_null(strstr(mock_head(server, 1), "GET /v1/x.3 HTTP/1.1\r\n"));
    assert_null(strstr(mock_head(server, 1), "X-E"));
    assert_null(strstr(mock_head(server, 1), "Cookie"));
    mock_stop(server);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allowed_by_option),
        cmocka_unit_test(allowed_by_configuration),
        cmocka_unit_test(not_allowed),
        cmocka_unit_test(not_allowed_by_the_library),
        cmocka_unit_test(never_a_providers_key),
        cmocka_unit_test(not_set),
        cmocka_unit_test(toolbox),
        cmocka_unit_test(openapi),
        cmocka_unit_test(imported_styles),
        cmocka_unit_test(toolbox_styles),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
