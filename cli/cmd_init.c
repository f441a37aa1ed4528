/* gramc init: a folder with a spec, two tool libraries to choose from and a configuration, to begin
 * with. What is there already is left as it is. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "base/write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *name, *text;
} files[] = {
    {"hello.gram",
     "// An agent and its tools. Nothing here says how a tool is done: a tool library does, and it "
     "is\n"
     "// chosen when the agent runs.\n"
     "[greeter:Agent {\n"
     "  description: \"Greets people\",\n"
     "  instruction: ```\n"
     "  You are a friendly assistant.\n"
     "  When somebody greets you, use the `sayHello` tool to answer.\n"
     "  ```,\n"
     "  model: \"OpenAI/gpt-4o-mini\"\n"
     "} |\n"
     "  // name, description, and a signature: parameters ==> result\n"
     "  [sayHello:Tool {description: \"Returns a greeting for a person\"} |\n"
     "    (personName::Text {default: \"world\", description: \"Whom to "
     "greet\"})==>(::Text)\n"
     "  ]\n"
     "]\n"},
    {"libraries.gram",
     "// Two ways to do the same tool. `gramc run hello.gram --library libraries.gram#warm` takes "
     "one.\n"
     "[warm:ToolLibrary {description: \"Greets by name, built in\"} |\n"
     "  [sayHello:ToolImpl {builtin: \"greeting.sayHello\"}]\n"
     "]\n"
     "[distant:ToolLibrary {description: \"Always says the same\"} |\n"
     "  [sayHello:ToolImpl {returns: \"Good day.\"}]\n"
     "]\n"},
    {"gramc.gram",
     "// The configuration of this folder and those below. `gramc config` shows what is in force.\n"
     "{\n"
     "  kind: \"configuration\",\n"
     "  strict: true, // warnings fail `gramc check` as well\n"
     "  // naming: {tools: camelCase, parameters: camelCase},\n"
     "  // severities: {vocabulary-across: warning},\n"
     "  target: openai // what `gramc compile` prints\n"
     "}\n"
     "// What a million tokens cost; the numbers are an example.\n"
     "[gpt-4o-mini:Model {inputPerMillion: 0.15, outputPerMillion: 0.6}]\n"},
};

enum { FILES = sizeof files / sizeof *files };

/* O_EXCL: even a file that appears at this moment is not overwritten. */
static int write_new(struct cli *cli, const char *path, const char *text) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno == EEXIST) {
        fprintf(cli->out, "%s is there already and stays as it is\n", path);
        return EXIT_FINE;
    }
    if (descriptor < 0) return cli_usage(cli, "%s: %s", path, strerror(errno));
    bool good = write_all(descriptor, text_of(text));
    good = close(descriptor) == 0 && good;
    if (!good) return cli_usage(cli, "%s: %s", path, strerror(errno));
    fprintf(cli->out, "%s written\n", path);
    return EXIT_FINE;
}

static void print_next(struct cli *cli, const char *folder) {
    fprintf(cli->out,
            "\nNext:\n"
            "  gramc check %s\n"
            "  gramc compile %s/hello.gram\n"
            "  gramc run %s/hello.gram --library %s/libraries.gram#warm --model mock \"Hello\"\n",
            folder, folder, folder, folder);
}

int cmd_init(struct cli *cli) {
    const char *folder = cli->operand_count ? cli->operands[0] : ".";
    if (cli->operand_count > 1) return cli_usage(cli, "init: name one folder, or none");
    if (mkdir(folder, 0777) && errno != EEXIST)
        return cli_usage(cli, "%s: %s", folder, strerror(errno));
    for (size_t i = 0; i < FILES; i++) {
        char path[CLI_PATH];
        int used = snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        if (used < 0 || (size_t)used >= sizeof path)
            return cli_usage(cli, "%s: %s", folder, strerror(ENAMETOOLONG));
        int code = write_new(cli, path, files[i].text);
        if (code != EXIT_FINE) return code;
    }
    print_next(cli, folder);
    return EXIT_FINE;
}
