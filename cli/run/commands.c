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
     "\"Hello\"\n"
     "  gramc run hello.gram -l tools.gram --session ann \"What did I ask you yesterday?\"\n"
     "  gramc run hello.gram -l tools.gram --chat\n",
     cmd_run},
    {"serve", FOR_SERVE, "FILE",
     "Serves the agents of a spec over HTTP. Programs and people ask at /v1/agents, with sessions "
     "and\n"
     "events, and clients that speak to OpenAI at /v1/chat/completions. Prints its address. "
     "SIGTERM "
     "stops\n"
     "it when what runs has ended.",
     "Examples:\n"
     "  gramc serve hello.gram --library friendly.gram --model mock\n"
     "  gramc serve hello.gram -l tools.gram#friendly -l tools.gram#formal --listen 127.0.0.1:0\n"
     "  gramc serve hello.gram -l tools.gram --listen 0.0.0.0:80 --host agents.example --token-env "
     "SERVE_TOKEN\n"
     "  gramc serve --mcp tools.gram#friendly\n"
     "  gramc serve --mcp hello.gram --agent Greeter --library friendly.gram --model mock\n",
     cmd_serve},
    {"bind", FOR_BIND, "FILE",
     "Tells which implementation of a tool library serves each tool of an agent, and what is "
     "proven "
     "about it.\n"
     "What is missing, ambiguous or does not fit is an error, before anything runs.",
     "Examples:\n"
     "  gramc bind hello.gram --library friendly.gram\n"
     "  gramc bind hello.gram -l tools.gram#formal --snapshot tools.json --format json\n",
     cmd_bind},
    {"tools", FOR_TOOLS, "LIBRARY",
     "Lists what a tool library offers. Starts its MCP servers, to ask them. With --compose: which "
     "of a spec's tools can be called with the result of which.",
     "Examples:\n"
     "  gramc tools tools.gram\n"
     "  gramc tools tools.gram#formal --save tools.json\n"
     "  gramc tools servers.gram --format gram > spec.gram\n"
     "  gramc tools --compose spec.gram\n",
     cmd_tools},
    {"call", FOR_CALL, "LIBRARY TOOL [ARGUMENTS]",
     "Calls one tool of a library. ARGUMENTS are JSON, @FILE, or - for standard input; {} without.",
     "Examples:\n"
     "  gramc call friendly.gram sayHello '{\"personName\": \"Ann\"}'\n"
     "  gramc call tools.gram#formal add @arguments.json\n",
     cmd_call},
    {"lock", FOR_LOCK, "LIBRARY...",
     "Pins what tool libraries are and what their servers offer. The other commands refuse to run "
     "what\n"
     "has changed since it was written to gramc.lock. --check says whether that is up to date.",
     "Examples:\n"
     "  gramc lock tools.gram\n"
     "  gramc lock tools.gram#formal servers.gram\n"
     "  gramc lock --check tools.gram\n",
     cmd_lock},
    {"session", FOR_SESSION, "list|show ID|forget ID",
     "Lists, shows and forgets the conversations that gramc run --session keeps.",
     "Examples:\n"
     "  gramc session list\n"
     "  gramc session show ann\n"
     "  gramc session show ann --format json > ann.json\n"
     "  gramc session forget ann\n",
     cmd_session},
    {"experiment", FOR_EXPERIMENT, "FILE VERB",
     "Carries out an experiment: which tool library is better, and how sure is that. VERB is\n"
     "  plan    what would be run, in which order; calls nothing\n"
     "  run     runs it\n"
     "  resume  goes on with a run that was stopped or killed\n"
     "  status  what the store has of it\n"
     "  report  what was found, as after a run; runs nothing\n"
     "  analyse the same as JSON, with all numbers\n"
     "  power   what so many cases can show",
     "Examples:\n"
     "  gramc experiment greeting.gram plan --model mock\n"
     "  gramc experiment greeting.gram run --concurrency 8 --max-cost 2.50\n"
     "  gramc experiment greeting.gram resume\n"
     "  gramc experiment greeting.gram report --fail-if 'regression(success, margin=2pp)' --report "
     "report.html\n",
     cmd_experiment},
    {"cassette", FOR_CASSETTE, "VERB FOLDER [FILE]",
     "Looks after a folder of cassettes, which experiment --record writes and --replay plays. VERB "
     "is\n"
     "  verify  reads all: in order, nothing twice, each run whole and playable, one spec and "
     "library an\n"
     "          arm, nothing that looks like a secret; exit 1 with findings\n"
     "  stats   what was recorded: runs, requests, calls, bytes, tokens, models, days\n"
     "  scrub   blots out what looks like a secret, and what --member and --pattern name\n"
     "  prune   removes runs that the experiment of FILE does not have",
     "Examples:\n"
     "  gramc cassette verify cassettes\n"
     "  gramc cassette scrub cassettes --member email --pattern '[0-9]{16}'\n"
     "  gramc cassette prune cassettes shop.gram --check\n",
     cmd_cassette},
    {"ab", FOR_AB, "SPEC",
     "Runs the cases of a file with one agent and two tool libraries, and compares them.",
     "Examples:\n"
     "  gramc ab hello.gram --a tools.gram#friendly --b tools.gram#formal --cases cases.jsonl\n"
     "  gramc ab hello.gram --a old.gram --b new.gram --cases cases.csv --repeats 3 --expect "
     "'${name}'\n",
     cmd_ab},
    {"report", FOR_REPORT, "FILE[#ARM] [FILE[#ARM]]",
     "Prints the JSON report of an experiment in another format, and judges gates by it. Of two, "
     "the\n"
     "second's arm (the last one without a name) is compared with the first's, paired by the ids "
     "of\n"
     "cases: a historical control, since the two did not run at the same time.",
     "Examples:\n"
     "  gramc report today.json --format html > today.html\n"
     "  gramc report today.json --min 'success>=0.9@lower'\n"
     "  gramc report released.json#formal today.json#formal --fail-if 'regression(success)'\n",
     cmd_report},
    {"stat", FOR_STAT, "METHOD [FILE]",
     "Computes one number of a report again: an interval, a test, a power, an e-value. The inputs "
     "are\n"
     "a JSON object, in FILE or on standard input; so is the result.",
     "Examples:\n"
     "  gramc stat --list\n"
     "  echo '{\"b\": 12, \"c\": 2, \"n\": 50}' | gramc stat tango_score_paired_diff_ci\n"
     "  gramc stat wilson_ci rate.json\n",
     cmd_stat},
    {"grade", FOR_GRADE, "FILE",
     "Has answers that were recorded elsewhere judged by the graders of an experiment. Runs no\n"
     "agent. What no case asked for, what was not answered and what could not be judged is said.",
     "Examples:\n"
     "  gramc grade greeting.gram --answers answers.jsonl\n"
     "  gramc grade greeting.gram --answers answers.jsonl --min 'pass>=0.9@lower' --format json\n",
     cmd_grade},
    {"worker", FOR_WORKER, "FILE",
     "Joins an experiment that other processes work on, and does a part of it. The one that begins "
     "it\n"
     "is `gramc experiment FILE run --store ADDRESS`; --id names it here, without it all that are "
     "open\n"
     "are joined. Spec, cases, libraries, what servers offer and models must be those that it was\n"
     "begun with. What was done, and what is left, is said at the end.",
     "Examples:\n"
     "  gramc experiment shop.gram run --id monday --store postgresql://db.example/runs --wait\n"
     "  gramc worker shop.gram --store postgresql://db.example/runs --id monday\n"
     "  gramc worker shop.gram --store postgresql://db.example/runs --lease 30s --format json\n",
     cmd_worker},
    {NULL, 0, NULL, NULL, NULL, NULL},
};
