/* gramc bind: which implementation serves each tool of an agent, and what could be proven about it.
 * The table goes to standard output, what is wrong to standard error; nothing is run. */
#include <string.h>

#include "base/buf.h"
#include "base/json/writer.h"
#include "base/text.h"
#include "cli/run/table.h"
#include "cli/run/done_by.h"
#include "cli/run/lock.h"
#include "cli/run/workshop.h"

enum { OUTPUT_MAX = 256 << 20, SHORT_FINGERPRINT = 12, COLUMNS = 5 };

static const char *const answers[] = {[GRAMC_PROOF_NONE] = "-",
                                      [GRAMC_PROOF_PROVEN] = "proven",
                                      [GRAMC_PROOF_REFUTED] = "refuted",
                                      [GRAMC_PROOF_UNKNOWN] = "unknown"};

static const char *const networks[] = {
    [GRAMC_NETWORK_NONE] = "none", [GRAMC_NETWORK_HOSTS] = "hosts", [GRAMC_NETWORK_OPEN] = "open"};

/* ## For people */

static void print_head(FILE *out, const char *noun, gramc_text name, gramc_text fingerprint) {
    fprintf(out, "%-8s ", noun);
    run_print_hostile(out, name);
    fprintf(out, "  %.*s\n",
            TEXT_ARGS(text_slice(fingerprint, 0,
                                 fingerprint.len < SHORT_FINGERPRINT ? fingerprint.len
                                                                     : SHORT_FINGERPRINT)));
}

static gramc_text done_by_choice(struct arena *arena, const gramc_choice *choice) {
    return choice->impl ? done_by(arena, choice->impl) : TEXT("none");
}

static void put_count(struct buf *out, const char *noun, size_t count) {
    if (count) buf_printf(out, "%s%s %zu", out->len ? ", " : "", noun, count);
}

/* "-", "strict", or "read 2, write 1, no network". */
static gramc_text sandbox_words(struct arena *arena, const gramc_sandbox *sandbox) {
    struct buf out;
    if (!sandbox) return TEXT("-");
    buf_init(&out, &arena->allocator, 256);
    put_count(&out, "read", sandbox->read_count);
    put_count(&out, "write", sandbox->write_count);
    put_count(&out, "env", sandbox->env_count);
    if (sandbox->network == GRAMC_NETWORK_NONE && !out.len) buf_puts(&out, "strict");
    else if (sandbox->network == GRAMC_NETWORK_NONE) buf_puts(&out, ", no network");
    else buf_printf(&out, "%snetwork %s", out.len ? ", " : "", networks[sandbox->network]);
    return buf_to_arena(&out, arena);
}

/* Only where the configuration has a list. */
static void print_hosts(FILE *out, const gramc_egress *egress) {
    if (!egress->only_these) return;
    fprintf(out, "%-8s ", "hosts");
    for (size_t i = 0; i < egress->host_count; i++) {
        fputs(i ? ", " : "", out);
        run_print_hostile(out, egress->hosts[i]);
    }
    fputs(egress->host_count ? "\n" : "none\n", out);
}

/* What did not fit would not have come so far. */
static bool is_locked(const struct workshop *shop, const struct choice *chosen) {
    return shop->lock && chosen->library &&
           lock_state_of(shop->lock, chosen->library) != LOCK_NOTHING;
}

static int print_table(struct workshop *shop, const struct choice *chosen,
                       const gramc_bound *bound) {
    struct cli *cli = shop->cli;
    struct table table = {.columns = COLUMNS};
    struct arena arena;
    gramc_choice choice;
    arena_init(&arena, &cli->allocator);
    static const char *const heads[] = {"TOOL", "DONE BY", "ARGUMENTS", "RESULT", "SANDBOX"};
    for (size_t i = 0; i < COLUMNS; i++) table_add(&table, &arena, text_of(heads[i]));
    for (size_t i = 0; gramc_bound_choice(bound, i, &choice); i++) {
        table_add(&table, &arena, choice.tool->name);
        table_add(&table, &arena, done_by_choice(&arena, &choice));
        table_add(&table, &arena, text_of(answers[choice.accepts]));
        table_add(&table, &arena, text_of(answers[choice.returns]));
        table_add(&table, &arena, sandbox_words(&arena, choice.sandbox));
    }
    if (!arena.oom) {
        print_head(cli->out, "agent", chosen->agent->name, chosen->agent->fingerprint);
        if (chosen->library)
            print_head(cli->out, "library", chosen->library->name, chosen->library->fingerprint);
        print_hosts(cli->out, &shop->hosts.egress);
        if (is_locked(shop, chosen)) fputs("lock     fits\n", cli->out);
        fputc('\n', cli->out);
        table_print(&table, cli->out);
    }
    bool oom = arena.oom;
    arena_free(&arena);
    return oom ? cli_no_memory(cli) : EXIT_FINE;
}

/* ## For programs */

static void put_named(struct json_writer *w, const char *noun, gramc_text name,
                      gramc_text fingerprint) {
    json_member_object(w, noun);
    json_member_text(w, "name", name);
    json_member_text(w, "fingerprint", fingerprint);
    json_object_end(w);
}

static void put_proof(struct json_writer *w, const char *side, gramc_proof proof, gramc_text why) {
    json_member_object(w, side);
    json_member_text(w, "answer",
                     proof == GRAMC_PROOF_NONE ? TEXT("none") : text_of(answers[proof]));
    if (proof == GRAMC_PROOF_REFUTED && why.len) json_member_raw(w, "counterexample", why);
    else json_member_some(w, "reason", why);
    json_object_end(w);
}

static void put_list(struct json_writer *w, const char *name, const gramc_text *list,
                     size_t count) {
    json_member_array(w, name);
    for (size_t i = 0; i < count; i++) json_text(w, list[i]);
    json_array_end(w);
}

static void put_sandbox(struct json_writer *w, const gramc_sandbox *sandbox) {
    if (!sandbox) return;
    json_member_object(w, "sandbox");
    put_list(w, "read", sandbox->read, sandbox->read_count);
    put_list(w, "write", sandbox->write, sandbox->write_count);
    json_member_text(w, "network", text_of(networks[sandbox->network]));
    put_list(w, "env", sandbox->env, sandbox->env_count);
    json_object_end(w);
}

static void put_choice(struct json_writer *w, struct arena *arena, const gramc_choice *choice) {
    json_object_begin(w);
    json_member_text(w, "tool", choice->tool->name);
    if (choice->impl) {
        json_member_text(w, "kind", choice->kind);
        json_member_text(w, "by", done_by(arena, choice->impl));
        json_member_some(w, "box", choice->box);
    }
    put_proof(w, "arguments", choice->accepts, choice->accepts_why);
    put_proof(w, "result", choice->returns, choice->returns_why);
    put_sandbox(w, choice->sandbox);
    json_object_end(w);
}

static void put_message(struct json_writer *w, const gramc_bind_message *message) {
    static const char *const severities[] = {
        [GRAMC_NOTE] = "note", [GRAMC_WARNING] = "warning", [GRAMC_ERROR] = "error"};
    json_object_begin(w);
    json_member_text(w, "severity", text_of(severities[message->severity]));
    json_member_some(w, "code", message->code);
    json_member_text(w, "message", message->message);
    json_member_some(w, "help", message->help);
    if (message->file.len) {
        json_member_text(w, "file", message->file);
        json_member_number(w, "start", message->start);
        json_member_number(w, "end", message->end);
    }
    json_object_end(w);
}

static void put_hosts(struct json_writer *w, const gramc_egress *egress) {
    if (!egress->only_these) return;
    put_list(w, "hosts", egress->hosts, egress->host_count);
}

static void put_binding(struct json_writer *w, struct arena *arena, const struct workshop *shop,
                        const struct choice *chosen, const gramc_bound *bound) {
    gramc_choice choice;
    gramc_bind_message message;
    json_object_begin(w);
    put_named(w, "agent", chosen->agent->name, chosen->agent->fingerprint);
    if (chosen->library)
        put_named(w, "library", chosen->library->name, chosen->library->fingerprint);
    put_hosts(w, &shop->hosts.egress);
    if (is_locked(shop, chosen)) json_member_bool(w, "locked", true);
    json_member_array(w, "tools");
    for (size_t i = 0; gramc_bound_choice(bound, i, &choice); i++) put_choice(w, arena, &choice);
    json_array_end(w);
    json_member_array(w, "messages");
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++) put_message(w, &message);
    json_array_end(w);
    json_object_end(w);
}

static int print_json(struct workshop *shop, const struct choice *chosen,
                      const gramc_bound *bound) {
    struct cli *cli = shop->cli;
    struct buf out;
    struct arena arena;
    arena_init(&arena, &cli->allocator);
    buf_init(&out, &cli->allocator, OUTPUT_MAX);
    struct json_writer w = json_writer(&out);
    put_binding(&w, &arena, shop, chosen, bound);
    buf_putc(&out, '\n');
    int code = arena.oom ? cli_no_memory(cli) : cli_send_json_buf(cli, &out);
    buf_free(&out);
    arena_free(&arena);
    return code;
}

/* ## The command */

static bool has_warnings(const gramc_bound *bound) {
    gramc_bind_message message;
    for (size_t i = 0; gramc_bound_message(bound, i, &message); i++)
        if (message.severity == GRAMC_WARNING) return true;
    return false;
}

/* Out of reach of the secrets of whoever checks: one that is not set is no finding here. */
static int bind(struct workshop *shop, const struct choice *chosen, bool json) {
    struct cli *cli = shop->cli;
    gramc_bind_options options = workshop_binding(shop);
    gramc_bound *bound;
    options.secrets_may_miss = true;
    gramc_status status = gramc_bind(&bound, chosen->agent, chosen->library, &options);
    if (!bound) return cli_status(cli, status);
    int code = json ? print_json(shop, chosen, bound) : print_table(shop, chosen, bound);
    fflush(cli->out);
    if (!json) run_print_binding(cli, bound);
    if (cli->options[OPTION_STRICT] && has_warnings(bound)) status = GRAMC_FINDINGS;
    if (code == EXIT_FINE)
        code = status == GRAMC_FINDINGS ? workshop_findings_code(shop, bound)
                                        : cli_status(cli, status);
    gramc_bound_free(bound);
    return code;
}

int cmd_bind(struct cli *cli) {
    struct choice chosen = {.agent = NULL};
    struct workshop shop = {.cli = NULL};
    const char *format = cli->options[OPTION_FORMAT];
    bool json = format && strcmp(format, "json") == 0;
    if (cli->operand_count != 1) return cli_usage(cli, "bind: name one spec");
    if (format && !json && strcmp(format, "text") != 0)
        return cli_usage(cli, "--format takes text or json, not %s", format);
    cli->options[OPTION_FORMAT] = NULL; /* it is about bindings, not findings */
    int code = run_choose(cli, &chosen);
    if (code == EXIT_FINE) code = workshop_open(&shop, cli, chosen.compilation);
    if (code == EXIT_FINE) code = workshop_ask(&shop, chosen.library, chosen.agent, false);
    if (code == EXIT_FINE) code = bind(&shop, &chosen, json);
    workshop_close(&shop);
    run_choice_free(&chosen);
    return code;
}
