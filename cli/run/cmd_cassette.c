/* gramc cassette: looks after folders of cassettes before they go into a repository. Each verb is a
 * row of a table; what stands in the files is experiment/'s. */
#include <string.h>

#include "base/json/writer.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/run/study.h"
#include "experiment/cassette_audit.h"
#include "experiment/cassette_prune.h"
#include "experiment/cassette_scrub.h"

enum { TOLD_MAX = 64 << 20 };

/* The folder that is worked on. */
struct tapes {
    struct cli *cli;
    gramc_text folder;
    struct arena arena;
    gramc_text *names;
    size_t count;
    struct cassette_error error;
    struct study study; /* prune: the experiment */
    regex_t patterns[SCRUB_RULES];
    struct scrub_rules rules;
    size_t changed, places, removed, unreadable;
    bool json, looks; /* looks: --check, nothing is written */
};

static int fail(struct tapes *tapes, gramc_status status) {
    if (status == GRAMC_NOMEM || tapes->arena.oom) return cli_no_memory(tapes->cli);
    return cli_usage(tapes->cli, "%s", tapes->error.message);
}

static int list(struct tapes *tapes) {
    gramc_status status =
        cassettes_list(&tapes->names, &tapes->count, &tapes->arena, tapes->folder, &tapes->error);
    if (status) return fail(tapes, status);
    if (tapes->count) return EXIT_FINE;
    fputs("gramc: there is no cassette in ", tapes->cli->err);
    cli_put_safe(tapes->cli->err, tapes->folder);
    fputc('\n', tapes->cli->err);
    return EXIT_FINDINGS;
}

static void put_line(FILE *out, gramc_text file, size_t line, const char *what, gramc_text detail) {
    cli_put_safe(out, file);
    if (line) fprintf(out, ":%zu", line);
    fputs(": ", out);
    cli_put_safe(out, text_of(what));
    if (detail.len) fputs(": ", out);
    cli_put_safe(out, detail);
    fputc('\n', out);
}

/* Calls `each` with the bytes of every file. */
static int walk(struct tapes *tapes,
                gramc_status (*each)(struct tapes *tapes, gramc_text name, gramc_text bytes,
                                     void *ctx),
                void *ctx) {
    int code = list(tapes);
    for (size_t i = 0; i < tapes->count && code == EXIT_FINE; i++) {
        struct buf file;
        buf_init(&file, &tapes->cli->allocator, TRACE_SIZE_MAX);
        gramc_status status =
            cassettes_read_file(&file, tapes->folder, tapes->names[i], &tapes->error);
        if (!status) status = each(tapes, tapes->names[i], buf_view(&file), ctx);
        buf_free(&file);
        if (status) code = fail(tapes, status);
    }
    return code;
}

/* ## verify and stats */

struct auditing {
    struct cassette_audit audit;
    struct tapes *tapes;
    struct buf out; /* JSON */
    struct json_writer w;
    bool tells; /* findings: verify */
};

static void on_finding(void *ctx, gramc_text file, size_t line, const char *what,
                       gramc_text detail) {
    struct auditing *auditing = ctx;
    struct json_writer *w = &auditing->w;
    if (!auditing->tells) return;
    if (!auditing->tapes->json) {
        put_line(auditing->tapes->cli->out, file, line, what, detail);
        return;
    }
    json_object_begin(w);
    json_member_text(w, "file", file);
    if (line) json_member_number(w, "line", line);
    json_member_text(w, "message", text_of(what));
    json_member_some(w, "detail", detail);
    json_object_end(w);
}

static gramc_status audit_file(struct tapes *tapes, gramc_text name, gramc_text bytes, void *ctx) {
    struct auditing *auditing = ctx;
    (void)tapes;
    return cassette_audit_file(&auditing->audit, name, bytes);
}

static void put_counts(struct json_writer *w, const struct cassette_audit *audit) {
    const struct audit_counts *counts = &audit->counts;
    json_member_number(w, "files", counts->files);
    json_member_number(w, "bytes", counts->bytes);
    json_member_number(w, "runs", counts->cells);
    json_member_number(w, "answered", counts->answered);
    json_member_object(w, "layers");
    json_member_object(w, "model");
    json_member_number(w, "entries", counts->requests);
    json_member_number(w, "bytes", counts->request_bytes);
    json_object_end(w);
    json_member_object(w, "tool");
    json_member_number(w, "entries", counts->calls);
    json_member_number(w, "bytes", counts->call_bytes);
    json_object_end(w);
    json_member_object(w, "judge");
    json_member_number(w, "entries", counts->judgings);
    json_member_number(w, "bytes", counts->judge_bytes);
    json_object_end(w);
    json_object_end(w);
    json_member_object(w, "tokens");
    json_member_number(w, "input", counts->prompt);
    json_member_number(w, "output", counts->completion);
    json_object_end(w);
    json_member_array(w, "models");
    for (size_t i = 0; i < audit->model_count; i++) json_text(w, audit->models[i]);
    json_array_end(w);
    json_member_array(w, "arms");
    for (size_t i = 0; i < audit->arm_count; i++) {
        json_object_begin(w);
        json_member_text(w, "name", audit->arms[i].name);
        json_member_number(w, "runs", audit->arms[i].cells);
        json_member_some(w, "spec", audit->arms[i].spec);
        json_member_some(w, "library", audit->arms[i].library);
        json_object_end(w);
    }
    json_array_end(w);
    json_member_some(w, "recorded_first", audit->first_date);
    json_member_some(w, "recorded_last", audit->last_date);
}

/* docs/formats/cassette-folder.schema.json. Findings are written as they are found. */
static int put_json(struct auditing *auditing) {
    struct json_writer *w = &auditing->w;
    if (auditing->tells) json_array_end(w);
    put_counts(w, &auditing->audit);
    json_object_end(w);
    buf_putc(&auditing->out, '\n');
    return cli_send_json_buf(auditing->tapes->cli, &auditing->out);
}

static void put_names(FILE *out, const char *label, const gramc_text *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : label, out);
        cli_put_safe(out, names[i]);
    }
    if (count) fputc('\n', out);
}

static void put_stats(FILE *out, const struct cassette_audit *audit) {
    const struct audit_counts *counts = &audit->counts;
    gramc_text arms[ARMS_MAX];
    for (size_t i = 0; i < audit->arm_count; i++) arms[i] = audit->arms[i].name;
    fprintf(out, "Files:     %llu, %llu bytes\n", (unsigned long long)counts->files,
            (unsigned long long)counts->bytes);
    fprintf(out, "Runs:      %llu, %llu answered\n", (unsigned long long)counts->cells,
            (unsigned long long)counts->answered);
    put_names(out, "Arms:      ", arms, audit->arm_count);
    fprintf(out, "Model:     %llu requests, %llu bytes\n", (unsigned long long)counts->requests,
            (unsigned long long)counts->request_bytes);
    fprintf(out, "Tools:     %llu calls, %llu bytes\n", (unsigned long long)counts->calls,
            (unsigned long long)counts->call_bytes);
    if (counts->judge_bytes)
        fprintf(out, "Judges:    %llu requests, %llu bytes\n", (unsigned long long)counts->judgings,
                (unsigned long long)counts->judge_bytes);
    if (counts->prompt + counts->completion)
        fprintf(out, "Tokens:    %llu in, %llu out\n", (unsigned long long)counts->prompt,
                (unsigned long long)counts->completion);
    else fputs("Tokens:    the models did not say\n", out);
    put_names(out, "Models:    ", audit->models, audit->model_count);
    const gramc_text days[] = {audit->first_date, audit->last_date};
    bool one = text_eq(days[0], days[1]);
    if (days[0].len)
        put_names(out, one ? "Recorded:  " : "Recorded:  first and last ", days, one ? 1 : 2);
    else fputs("Recorded:  the files do not say when\n", out);
}

static int tell(struct auditing *auditing) {
    struct cli *cli = auditing->tapes->cli;
    const struct cassette_audit *audit = &auditing->audit;
    if (auditing->tapes->json) return put_json(auditing);
    if (!auditing->tells) {
        put_stats(cli->out, audit);
        if (audit->findings)
            fprintf(cli->err, "gramc: %llu finding%s, which `gramc cassette verify` tells\n",
                    (unsigned long long)audit->findings, text_plural(audit->findings));
        return EXIT_FINE;
    }
    fprintf(cli->err, "gramc: %llu run%s in %llu file%s, ", (unsigned long long)audit->counts.cells,
            text_plural(audit->counts.cells), (unsigned long long)audit->counts.files,
            text_plural(audit->counts.files));
    if (audit->findings)
        fprintf(cli->err, "%llu finding%s\n", (unsigned long long)audit->findings,
                text_plural(audit->findings));
    else fputs("nothing found\n", cli->err);
    return EXIT_FINE;
}

static int audit(struct tapes *tapes, bool tells) {
    struct auditing auditing = {.tapes = tapes, .tells = tells};
    cassette_audit_init(&auditing.audit, &tapes->cli->allocator);
    auditing.audit.finding = on_finding;
    auditing.audit.ctx = &auditing;
    buf_init(&auditing.out, &tapes->cli->allocator, TOLD_MAX);
    auditing.w = json_writer(&auditing.out);
    json_object_begin(&auditing.w);
    json_member_text(&auditing.w, "format", TEXT("gramc-cassette-folder"));
    json_member_number(&auditing.w, "version", VERSION_CASSETTE);
    if (tells) json_member_array(&auditing.w, "findings");
    int code = walk(tapes, audit_file, &auditing);
    if (code == EXIT_FINE) code = tell(&auditing);
    if (code == EXIT_FINE && tells && auditing.audit.findings) code = EXIT_FINDINGS;
    buf_free(&auditing.out);
    cassette_audit_free(&auditing.audit);
    return code;
}

static int verify(struct tapes *tapes) {
    return audit(tapes, true);
}

static int stats(struct tapes *tapes) {
    return audit(tapes, false);
}

/* ## scrub */

static int add_pattern(struct tapes *tapes, const char *pattern) {
    struct scrub_rules *rules = &tapes->rules;
    regex_t *room = &tapes->patterns[rules->pattern_count];
    int result = regcomp(room, pattern, REG_EXTENDED);
    if (result == REG_ESPACE) return cli_no_memory(tapes->cli);
    if (result)
        return cli_usage(tapes->cli, "--pattern %s: it is no extended regular expression", pattern);
    rules->patterns[rules->pattern_count++] = room;
    return EXIT_FINE;
}

static int read_rules(struct tapes *tapes) {
    struct cli *cli = tapes->cli;
    struct scrub_rules *rules = &tapes->rules;
    int code = EXIT_FINE;
    for (size_t i = 0; i < cli->given_count && code == EXIT_FINE; i++) {
        const char *value = cli->given[i].value;
        if (cli->given[i].id == OPTION_MEMBER)
            rules->members[rules->member_count++] = text_of(value);
        if (cli->given[i].id == OPTION_PATTERN) code = add_pattern(tapes, value);
    }
    return code;
}

/* A file that is none is told and left alone. */
static gramc_status leave(struct tapes *tapes, gramc_text name) {
    tapes->unreadable++;
    put_line(tapes->cli->err, name, 0, tapes->error.message, TEXT(""));
    return GRAMC_OK;
}

static gramc_status scrub_file(struct tapes *tapes, gramc_text name, gramc_text bytes, void *ctx) {
    struct buf out;
    size_t places = 0;
    (void)ctx;
    buf_init(&out, &tapes->cli->allocator, TRACE_SIZE_MAX);
    gramc_status status = cassette_scrub(&out, bytes, &tapes->rules, &places, &tapes->error);
    if (!status && places) {
        fprintf(tapes->cli->out, "%zu place%s in ", places, text_plural(places));
        cli_put_safe(tapes->cli->out, name);
        fputc('\n', tapes->cli->out);
        if (!tapes->looks)
            status = cassettes_write_file(tapes->folder, name, buf_view(&out), &tapes->error);
        tapes->changed++;
        tapes->places += places;
    }
    buf_free(&out);
    if (status == GRAMC_LIMIT) tapes->error = (struct cassette_error){"the file is too large"};
    return status == GRAMC_FINDINGS ? leave(tapes, name) : status;
}

/* Something would be changed, or could not be read. */
static int changed_code(const struct tapes *tapes, bool changes) {
    return tapes->unreadable || (tapes->looks && changes) ? EXIT_FINDINGS : EXIT_FINE;
}

static int scrub(struct tapes *tapes) {
    int code = read_rules(tapes);
    if (code == EXIT_FINE) code = walk(tapes, scrub_file, NULL);
    if (code != EXIT_FINE) return code;
    fprintf(tapes->cli->err, "gramc: %zu place%s in %zu of %zu file%s %s scrubbed\n", tapes->places,
            text_plural(tapes->places), tapes->changed, tapes->count, text_plural(tapes->count),
            tapes->looks         ? "would be"
            : tapes->places == 1 ? "is"
                                 : "are");
    return changed_code(tapes, tapes->places > 0);
}

/* ## prune */

static gramc_status prune_file(struct tapes *tapes, gramc_text name, gramc_text bytes, void *ctx) {
    struct cassette_pruned pruned;
    struct buf out;
    (void)ctx;
    buf_init(&out, &tapes->cli->allocator, TRACE_SIZE_MAX);
    gramc_status status =
        cassette_prune(&out, name, bytes, &tapes->study.plan, &pruned, &tapes->error);
    bool drops = !status && (pruned.dropped || !pruned.kept);
    if (drops) {
        const gramc_text none = {NULL, 0};
        fprintf(tapes->cli->out, pruned.kept ? "%zu run%s of " : "all %zu run%s of ",
                pruned.dropped, text_plural(pruned.dropped));
        cli_put_safe(tapes->cli->out, name);
        fputc('\n', tapes->cli->out);
        if (!tapes->looks)
            status = cassettes_write_file(tapes->folder, name, pruned.kept ? buf_view(&out) : none,
                                          &tapes->error);
        tapes->changed++;
        tapes->places += pruned.dropped;
        tapes->removed += !pruned.kept;
    }
    buf_free(&out);
    return status == GRAMC_FINDINGS ? leave(tapes, name) : status;
}

static int plan_study(struct tapes *tapes) {
    struct study *study = &tapes->study;
    struct cli *cli = tapes->cli;
    cli->operands[0] = cli->operands[2]; /* where a study looks for its file */
    int code = study_init(study, cli);
    if (code == EXIT_FINE) code = study_open(study, cli);
    if (code == EXIT_FINE) code = study_read_cases(study);
    if (code != EXIT_FINE) return code;
    return cli_status(
        cli, plan_make(&study->plan, study->experiment, &study->cases, NULL, &cli->allocator));
}

static int prune(struct tapes *tapes) {
    int code = plan_study(tapes);
    if (code == EXIT_FINE) code = walk(tapes, prune_file, NULL);
    study_close(&tapes->study);
    if (code != EXIT_FINE) return code;
    fprintf(tapes->cli->err,
            "gramc: %zu run%s that the experiment does not have %s removed, and with them %zu of "
            "%zu file%s\n",
            tapes->places, text_plural(tapes->places),
            tapes->looks         ? "would be"
            : tapes->places == 1 ? "is"
                                 : "are",
            tapes->removed, tapes->count, text_plural(tapes->count));
    return changed_code(tapes, tapes->changed > 0);
}

/* ## The command */

static const struct tape_verb {
    const char *name;
    size_t operands; /* with the name */
    bool json;       /* takes --format json */
    int (*run)(struct tapes *tapes);
} verbs[] = {{"verify", 2, true, verify},
             {"stats", 2, true, stats},
             {"scrub", 2, false, scrub},
             {"prune", 3, false, prune}};

static const struct tape_verb *find_verb(const struct cli *cli) {
    for (size_t i = 0; cli->operand_count && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(cli->operands[0], verbs[i].name) == 0) return &verbs[i];
    return NULL;
}

static int check_words(struct cli *cli, const struct tape_verb *verb) {
    const char *format = cli->options[OPTION_FORMAT];
    bool rules = cli->options[OPTION_MEMBER] || cli->options[OPTION_PATTERN];
    if (!verb || cli->operand_count != verb->operands)
        return cli_usage(cli, "cassette: say verify FOLDER, stats FOLDER, scrub FOLDER or prune "
                              "FOLDER FILE");
    if (format && strcmp(format, "text") != 0 && (strcmp(format, "json") != 0 || !verb->json))
        return cli_usage(cli, "cassette %s: --format takes %s, not %s", verb->name,
                         verb->json ? "text or json" : "text", format);
    if (rules && verb->run != scrub)
        return cli_usage(cli, "--member and --pattern go with cassette scrub");
    if (cli->options[OPTION_CHECK] && verb->json)
        return cli_usage(cli, "--check goes with cassette scrub and prune");
    return EXIT_FINE;
}

int cmd_cassette(struct cli *cli) {
    const struct tape_verb *verb = find_verb(cli);
    const char *format = cli->options[OPTION_FORMAT];
    struct tapes tapes = {.cli = cli, .looks = cli->options[OPTION_CHECK] != NULL};
    int code = check_words(cli, verb);
    if (code != EXIT_FINE) return code;
    tapes.json = format && strcmp(format, "json") == 0;
    tapes.folder = text_of(cli->operands[1]);
    arena_init(&tapes.arena, &cli->allocator);
    code = verb->run(&tapes);
    for (size_t i = 0; i < tapes.rules.pattern_count; i++) regfree(&tapes.patterns[i]);
    arena_free(&tapes.arena);
    return code;
}
