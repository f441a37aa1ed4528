/* gramc run as a process: signals, what its tools can see, the trace's mode, keys, proxies. */
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/stated.h"
#include "tests/support/mock_server.h"

static char folder[] = "/tmp/gramc-run-XXXXXX";
static char program[1024];

static void write_file(const char *name, const char *text) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char *read_file(const char *name) {
    static char text[16384];
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
    snprintf(program, sizeof program, "%s/libexec/gramc/gramc-run", getenv("GRAMC_BUILD_DIR"));
    if (!mkdtemp(folder)) return 1;
    write_file("spec.gram",
               "[helper:Agent {description: \"Helps\", model: \"OpenAI/some-model\"} |\n"
               "  [look:Tool {description: \"Looks\"} | ()==>(::Text)]]\n");
    write_file("nap.gram", "[nap:ToolLibrary {description: \"Sleeps\"} |\n"
                           "  [look:ToolImpl {exec: [\"sh\", \"nap.sh\"]}]]\n");
    write_file("nap.sh", "sleep 60 &\necho $$ $! >begun\nmv begun started\nsleep 61\n");
    write_file("env.gram",
               "[env:ToolLibrary {description: \"Tells\"} |\n"
               "  [look:ToolImpl {exec: [\"sh\", \"env.sh\"], env: {OWN: \"yes\"}}]]\n");
    write_file("env.sh", "env; ls /proc/self/fd\n");
    return 0;
}

static int tear_down(void **state) {
    char command[1200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static pid_t start(const char *const *arguments) {
    char *argv[16];
    size_t count = 0;
    argv[count++] = program;
    for (; *arguments; arguments++) {
        union {
            const char *given;
            char *wanted;
        } word = {*arguments};
        argv[count++] = word.wanted;
    }
    argv[count] = NULL;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid) return pid;
    if (chdir(folder) || !freopen("out", "w", stdout) || !freopen("err", "w", stderr)) _exit(99);
    execv(program, argv);
    _exit(98);
}

static int finish(pid_t pid) {
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int run(const char *const *arguments) {
    return finish(start(arguments));
}
#define RUN(...) run((const char *const[]){"run", __VA_ARGS__, NULL})

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* The tool's program and a child of it, when they have begun. */
static void wait_for_tool(pid_t out[2]) {
    char path[1100];
    snprintf(path, sizeof path, "%s/started", folder);
    for (int i = 0; i < 500; i++) {
        if (access(path, R_OK) == 0) {
            char *rest;
            out[0] = (pid_t)strtol(read_file("started"), &rest, 10);
            out[1] = (pid_t)strtol(rest, NULL, 10);
            remove(path);
            return;
        }
        pause_ms(10);
    }
    fail_msg("the tool never began: %s", read_file("err"));
}

/* A zombie that nobody has collected yet is dead. */
static bool is_alive(pid_t pid) {
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *state = strrchr(text, ')');
    return state && state[2] != 'Z' && state[2] != 'X';
}

static void expect_dead(pid_t pid) {
    for (int tries = 0; is_alive(pid) && tries < 200; tries++) pause_ms(10);
    assert_false(is_alive(pid));
}

/* i10-a6: a terminal that is closed counts as well. */
static void interrupted(void **state) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        pid_t tool[2];
        pid_t pid = start((const char *const[]){"run", "spec.gram", "-l", "nap.gram", "--model",
                                                "mock", "--trace", "t.jsonl", "Hello", NULL});
        wait_for_tool(tool);
        assert_true(is_alive(tool[0]) && is_alive(tool[1]));
        kill(pid, signals[i]);
        assert_int_equal(finish(pid), 130);
        expect_dead(tool[0]);
        expect_dead(tool[1]);
        assert_non_null(strstr(read_file("t.jsonl"), "\"outcome\":\"canceled\""));
        assert_string_equal(read_file("out"), "");
    }
}

/* Of one thread: 0 where the file has no such line. */
static unsigned long long blocked_signals(const char *task) {
    char line[256];
    unsigned long long mask = 0;
    FILE *file = fopen(task, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "SigBlk:", 7) == 0) mask = strtoull(line + 7, NULL, 16);
    fclose(file);
    return mask;
}

/* A thread that is cancelled in libuv's handler takes the news of a program's end with it. */
static void one_thread_hears_of_children(void **state) {
    char path[1100];
    size_t threads = 0, hearing = 0;
    glob_t tasks;
    pid_t tool[2];
    (void)state;
    pid_t pid = start((const char *const[]){"run", "spec.gram", "-l", "nap.gram", "--model", "mock",
                                            "Hello", NULL});
    wait_for_tool(tool);
    snprintf(path, sizeof path, "/proc/%ld/task/*/status", (long)pid);
    assert_int_equal(glob(path, 0, NULL, &tasks), 0);
    for (; threads < tasks.gl_pathc; threads++)
        hearing += !(blocked_signals(tasks.gl_pathv[threads]) >> (SIGCHLD - 1) & 1);
    globfree(&tasks);
    kill(pid, SIGTERM);
    assert_int_equal(finish(pid), 130);
    assert_true(threads > 1);
    assert_int_equal(hearing, 1);
}

/* Masks are inherited: who started us may have blocked what tells of a child's end. */
static void child_signal_blocked_before(void **state) {
    sigset_t child_only, before;
    (void)state;
    sigemptyset(&child_only);
    sigaddset(&child_only, SIGCHLD);
    assert_int_equal(sigprocmask(SIG_BLOCK, &child_only, &before), 0);
    pid_t pid = start((const char *const[]){"run", "spec.gram", "-l", "env.gram", "--model", "mock",
                                            "Hello", NULL});
    sigprocmask(SIG_SETMASK, &before, NULL);
    int status = 0;
    for (int tries = 0; waitpid(pid, &status, WNOHANG) == 0; tries++) {
        if (tries == 1000) kill(pid, SIGKILL);
        pause_ms(10);
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_non_null(strstr(read_file("out"), "OWN=yes"));
}

/* A run that is killed leaves whole lines behind. */
static void killed(void **state) {
    (void)state;
    pid_t pid = start((const char *const[]){"run", "spec.gram", "-l", "nap.gram", "--model", "mock",
                                            "--trace", "k.jsonl", "Hello", NULL});
    int status;
    pid_t tool[2];
    wait_for_tool(tool);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    kill(-tool[0], SIGKILL);
    const char *trace = read_file("k.jsonl");
    assert_non_null(strstr(trace, "\"event\":\"tool.request\""));
    assert_null(strstr(trace, "\"event\":\"outcome\""));
    assert_int_equal(trace[strlen(trace) - 1], '\n');
}

static void what_tools_see(void **state) {
    (void)state;
    setenv("OPENAI_API_KEY", "sk-planted-in-the-environment", 1);
    assert_int_equal(RUN("spec.gram", "-l", "env.gram", "--model", "mock", "Hello"), 0);
    const char *seen = read_file("out");
    assert_non_null(strstr(seen, "OWN=yes"));
    assert_non_null(strstr(seen, "PATH="));
    assert_null(strstr(seen, "OPENAI"));
    assert_null(strstr(seen, "planted"));
    assert_null(strstr(seen, "GRAMC_"));
    assert_non_null(strstr(seen, "\n0\n1\n2\n3\n"));
    assert_null(strstr(seen, "\n4\n"));
    unsetenv("OPENAI_API_KEY");
}

static void private_trace(void **state) {
    char path[1100];
    struct stat st;
    (void)state;
    write_file("t2.jsonl", "old\n");
    snprintf(path, sizeof path, "%s/t2.jsonl", folder);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(
        RUN("spec.gram", "-l", "env.gram", "--model", "mock", "--trace", "t2.jsonl", "Hello"), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(strncmp(read_file("t2.jsonl"), "{\"seq\":0,", 9), 0);
}

/* The key goes to the server and nowhere else; the server is asked although a proxy is set that
 * does not exist, because no_proxy says so. */
static void over_http(void **state) {
    static const struct mock_answer answers[] = {
        {.status = 401, .body = "{\"error\":{\"message\":\"bad key sk-planted-0123\"}}"},
        {.body = "{\"choices\":[{\"message\":{\"content\":\"Hi \\u202e there\"}}]}"}};
    struct mock_server *server = mock_start(answers, 2);
    (void)state;
    setenv("OPENAI_API_KEY", "sk-planted-0123", 1);
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    assert_int_equal(RUN("spec.gram", "-l", "env.gram", "--base-url", mock_url(server), "Hello"),
                     3);
    assert_int_equal(mock_count(server), 0);
    setenv("no_proxy", "example.org, 127.0.0.1", 1);
    assert_int_equal(RUN("spec.gram", "-l", "env.gram", "--base-url", mock_url(server), "--trace",
                         "t3.jsonl", "Hello"),
                     3);
    assert_null(strstr(read_file("err"), "planted"));
    assert_null(strstr(read_file("t3.jsonl"), "planted"));
    setenv("OPENAI_BASE_URL", mock_url(server), 1);
    assert_int_equal(RUN("spec.gram", "-l", "env.gram", "--wire", "functions", "Hello"), 0);
    assert_string_equal(read_file("out"), "Hi \xE2\x80\xAE there\n");
    assert_int_equal(mock_count(server), 2);
    assert_non_null(strstr(mock_head(server, 1), "Bearer sk-planted-0123"));
    assert_non_null(strstr(mock_body(server, 1), "\"functions\":["));
    assert_non_null(strstr(mock_body(server, 1), "\"model\":\"some-model\""));
    unsetenv("OPENAI_API_KEY");
    unsetenv("OPENAI_BASE_URL");
    unsetenv("http_proxy");
    unsetenv("no_proxy");
    mock_stop(server);
}

/* The configuration names the provider of `some-model` and its server; a key is none of its
 * business, even where it names OpenAI. */
static void configured(void **state) {
    static const struct mock_answer answers[] = {
        {.body = "{\"choices\":[{\"message\":{\"content\":\"one\"}}]}"},
        {.body = "{\"choices\":[{\"message\":{\"content\":\"two\"}}]}"}};
    struct mock_server *server = mock_start(answers, 2);
    char text[512];
    (void)state;
    snprintf(text, sizeof text,
             "{kind: configuration, provider: Local, endpoints: {local: \"%s\", OpenAI: \"%s\"}}",
             mock_url(server), mock_url(server));
    write_file("servers.gram", text);
    setenv("OPENAI_API_KEY", "sk-planted-0123", 1);
    assert_int_equal(RUN("spec.gram", "-l", "env.gram", "--config", "servers.gram", "--model",
                         "some-model", "Hello"),
                     0);
    assert_int_equal(RUN("spec.gram", "-l", "env.gram", "--config", "servers.gram", "Hello"), 0);
    assert_string_equal(read_file("out"), "two\n");
    assert_int_equal(mock_count(server), 2);
    assert_non_null(strstr(mock_body(server, 0), "\"model\":\"some-model\""));
    assert_null(strstr(mock_head(server, 0), "planted"));
    assert_null(strstr(mock_head(server, 1), "planted"));
    unsetenv("OPENAI_API_KEY");
    mock_stop(server);
}

/* Ends within 10 s, or is killed. */
static int finish_in_time(pid_t pid) {
    int status = 0;
    for (int tries = 0; waitpid(pid, &status, WNOHANG) == 0; tries++) {
        if (tries == 1000) kill(pid, SIGKILL);
        pause_ms(10);
    }
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* Nobody can stop a thread: it is left, and said to be. */
static void i10_a6_plugin_that_never_returns(void **state) {
    char library[2048];
    (void)state;
    snprintf(library, sizeof library,
             "[l:ToolLibrary {description: \"L\"} |\n"
             "  [look:ToolImpl {plugin: \"%s/tests/plugin/libmisbehave.so\", symbol: \"never\", "
             "inProcess: true, timeout: 300ms}]]\n",
             getenv("GRAMC_BUILD_DIR"));
    write_file("never.gram", library);
    pid_t pid = start((const char *const[]){"run", "spec.gram", "-l", "never.gram", "--model",
                                            "mock", "--trace", "never.jsonl", "Hello", NULL});
    assert_int_equal(finish_in_time(pid), 0);
    assert_non_null(strstr(read_file("err"), "has not returned, and is left behind"));
    assert_non_null(strstr(read_file("never.jsonl"), "\"event\":\"outcome\""));
}

/* What is open to a program that is started when requests have been made: one a call, one that
 * stays, an MCP server, which is started anew because it ends after its list, and the host of a
 * plugin, which has moved its two pipes. */
static void i10_a8_descriptors_of_programs(void **state) {
    static const struct mock_answer answers[] = {
        {.body = "{\"choices\":[{\"message\":{\"tool_calls\":["
                 "{\"id\":\"1\",\"function\":{\"name\":\"once\",\"arguments\":\"{}\"}},"
                 "{\"id\":\"2\",\"function\":{\"name\":\"stays\",\"arguments\":\"{}\"}},"
                 "{\"id\":\"3\",\"function\":{\"name\":\"served\",\"arguments\":\"{}\"}},"
                 "{\"id\":\"4\",\"function\":{\"name\":\"hosted\",\"arguments\":\"{}\"}}]}}]}"},
        {.body = "{\"choices\":[{\"message\":{\"content\":\"done\"}}]}"}};
    static const char *const lists[] = {"once.fd", "stays.fd", "served.fd", "hosted.fd"};
    char library[4096];
    (void)state;
    write_file("three.gram", "[helper:Agent {description: \"Helps\", model: \"OpenAI/m\"} |\n"
                             "  [once:Tool {description: \"1\"} | ()==>(::Text)],\n"
                             "  [stays:Tool {description: \"2\"} | ()==>(::Text)],\n"
                             "  [served:Tool {description: \"3\"} | ()==>(::Text)],\n"
                             "  [hosted:Tool {description: \"4\"} | ()==>(::Text)]]\n");
    snprintf(library, sizeof library,
             "[fds:ToolLibrary {description: \"Tells\"} |\n"
             "  [once:ToolImpl {exec: [\"sh\", \"-c\", \"ls /proc/self/fd >once.fd\"]}],\n"
             "  [stays:ToolImpl {exec: [\"sh\", \"stays.sh\"], persistent: true}],\n"
             "  [hosted:ToolImpl {plugin: \"%s/tests/plugin/libmisbehave.so\", "
             "symbol: \"list_descriptors\"}],\n"
             "  [box:McpServer {command: [\"sh\", \"served.sh\"]}]]\n",
             getenv("GRAMC_BUILD_DIR"));
    write_file("fds.gram", library);
    write_file("stays.sh", "ls /proc/self/fd >stays.fd\n"
                           "read -r line; id=${line#*\\\"id\\\":}; id=${id%%[!0-9]*}\n"
                           "printf '{\"id\":%s,\"result\":\"ok\"}\\n' \"$id\"; cat\n");
    write_file(
        "served.sh",
        "ls /proc/self/fd >served.fd\n"
        "answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\\n' \"$id\" \"$1\"; }\n"
        "while read -r line; do\n"
        "  id=$(printf '%s' \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n"
        "  case $line in\n"
        "  *server/discover*) answer '\"error\":{\"code\":-32601,\"message\":\"no\"}' ;;\n"
        "  *'\"initialize\"'*) answer '\"result\":{\"protocolVersion\":\"2025-11-25\","
        "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}' ;;\n"
        "  *tools/list*) answer '\"result\":{\"tools\":[{\"name\":\"served\",\"inputSchema\":"
        "{\"type\":\"object\"}}]}'; exit ;;\n"
        "  *tools/call*) answer '\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}' "
        ";;\n"
        "  esac\n"
        "done\n");
    struct mock_server *server = mock_start(answers, 2);
    setenv("OPENAI_API_KEY", "sk-planted-0123", 1);
    setenv("no_proxy", "*", 1);
    assert_int_equal(RUN("three.gram", "-l", "fds.gram", "--base-url", mock_url(server), "Hello"),
                     0);
    for (size_t i = 0; i < 3; i++) assert_string_equal(read_file(lists[i]), "0\n1\n2\n3\n");
    assert_string_equal(read_file(lists[3]), "0\n1\n2\n4\n5\n");
    unsetenv("OPENAI_API_KEY");
    unsetenv("no_proxy");
    mock_stop(server);
}

/* Whoever can guess the name of our temporary file, as the number of a process can be, must not
 * have us write into a file of his choice. */
static void i10_a8_planted_link(void **state) {
    char victim[1100], link[1200];
    (void)state;
    write_file("victim", "untouched\n");
    snprintf(victim, sizeof victim, "%s/victim", folder);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        snprintf(link, sizeof link, "%s/new.json.%ld.tmp", folder, (long)getpid());
        if (chdir(folder) || symlink(victim, link)) _exit(99);
        snprintf(link, sizeof link, "%s/new.json.%ld-0.tmp", folder, (long)getpid());
        if (symlink(victim, link) || !freopen("err", "w", stderr)) _exit(99);
        execl(program, program, "compile", "spec.gram", "-o", "new.json", (char *)NULL);
        _exit(98);
    }
    assert_int_equal(finish(pid), 0);
    assert_string_equal(read_file("victim"), "untouched\n");
    assert_non_null(strstr(read_file("new.json"), "look"));
}

/* A name can act on a terminal like anything else. */
static void i10_a8_file_names(void **state) {
    (void)state;
    assert_int_equal(RUN("no\x1b[2Jsuch\xC2\x9B.gram", "Hello"), 2);
    assert_null(strchr(read_file("err"), '\x1b'));
    assert_non_null(strstr(read_file("err"), "no\\u{1b}[2Jsuch\\u{9b}.gram: No such file"));
}

/* A spec with so many judges of so many models, each of which costs 1 an answer. */
static void write_judges(int graders, int models) {
    char path[1100], prices[1100];
    snprintf(path, sizeof path, "%s/judged.gram", folder);
    snprintf(prices, sizeof prices, "%s/gramc.gram", folder);
    FILE *spec = fopen(path, "w"), *config = fopen(prices, "w");
    assert_true(spec && config);
    fputs("[a:Agent {model: \"m\"}]\n[e:Experiment {cases: \"cases.jsonl\"} | [x:Arm {agent: a}], "
          "[y:Arm {agent: a}]",
          spec);
    for (int i = 0; i < graders; i++)
        fprintf(spec, ",\n [g%d:Grader {rubric: \"Is it?\", model: \"m%d\"}]", i, i % models);
    fputs("]\n", spec);
    fputs("{kind: configuration}\n", config);
    for (int i = 0; i < models; i++)
        fprintf(config, "[m%d:Model {inputPerMillion: 1000000, outputPerMillion: 0}]\n", i);
    fclose(spec);
    fclose(config);
}

/* Judges of one model share its price: the cost of none is lost. */
static void limit_of_judges(void **state) {
    const char *const grade[] = {"grade",         "judged.gram", "--answers",
                                 "answers.jsonl", "--judge",     "script:judge.jsonl",
                                 "--format",      "json",        NULL};
    (void)state;
    STATED(JUDGES_MAX, 64, "the command is refused");
    write_file("cases.jsonl", "{\"id\": \"1\", \"message\": \"m\"}\n");
    write_file("answers.jsonl", "{\"id\": \"1\", \"answer\": \"yes\"}\n");
    write_file("judge.jsonl",
               "{\"event\":\"header\",\"format\":\"gramc-trace\",\"version\":1}\n"
               "{\"event\":\"model.response\",\"content\":\"{\\\"reason\\\": \\\"fine\\\", "
               "\\\"score\\\": 1, \\\"pass\\\": true}\",\"usage\":{\"prompt\":1,"
               "\"completion\":0,\"total\":1}}\n");
    write_judges(65, 1);
    assert_int_equal(run(grade), 0);
    assert_non_null(strstr(read_file("out"), "\"judgeCost\":65}"));
    write_judges(65, 64);
    assert_int_equal(run(grade), 0);
    assert_non_null(strstr(read_file("out"), "\"judgeCost\":65}"));
    write_judges(65, 65);
    assert_int_equal(run(grade), 2);
    assert_non_null(strstr(read_file("err"), "more than 64 different models judge"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted),
        cmocka_unit_test(killed),
        cmocka_unit_test(what_tools_see),
        cmocka_unit_test(private_trace),
        cmocka_unit_test(over_http),
        cmocka_unit_test(configured),
        cmocka_unit_test(one_thread_hears_of_children),
        cmocka_unit_test(child_signal_blocked_before),
        cmocka_unit_test(i10_a6_plugin_that_never_returns),
        cmocka_unit_test(i10_a8_descriptors_of_programs),
        cmocka_unit_test(i10_a8_planted_link),
        cmocka_unit_test(i10_a8_file_names),
        cmocka_unit_test(limit_of_judges),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
