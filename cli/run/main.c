/* gramc-run: the commands that run agents, in an executable of their own so that the quick ones
 * need not load libcurl and libuv. gramc hands over to it; `gram agent` finds it as gram-agent. */
#include "base/mem.h"
#include "cli/run/run.h"

static const struct command commands[] = {
    {"run", FOR_RUN, "FILE [MESSAGE...]",
     "Runs an agent with a tool library. Each MESSAGE is one turn of the same conversation; "
     "without\n"
     "any, standard input is the message. Only the answers go to standard output.",
     "Examples:\n"
     "  gramc run hello.gram --library friendly.gram --model mock \"Hello, I am Ann\"\n"
     "  gramc run hello.gram -l tools.gram#formal \"Hello\" \"And again\"\n"
     "  gramc run hello.gram -l tools.gram --model script:recorded.jsonl < question.txt\n"
     "  gramc run hello.gram -l tools.gram --model Ollama/llama3.1:8b --trace run.jsonl "
     "\"Hello\"\n",
     cmd_run},
    {NULL, 0, NULL, NULL, NULL, NULL},
};

int main(int argc, char **argv) {
    gramc_allocator allocator = mem_default();
    struct cli cli;
    cli_init(&cli, stdout, stderr, &allocator);
    return cli_main(&cli, commands, argc, argv);
}
