/* The table of gramc-run's commands: what --help says of them, and who does them. */
#include "cli/run/commands.h"

#include "cli/run/run.h"

const struct command run_commands[] = {
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
