/* Findings as SARIF 2.1.0 (OASIS), which code scanning services read: the rules that occur with
 * their explanations, every file that was read, and one result a finding. Columns count code
 * points, as columnKind says. Section numbers are those of the standard. */
#include "base/diag/put.h"
#include "base/json/writer.h"
#include "base/text.h"

#include <string.h>

enum { MOST_KEYS = 1 << 20 };

struct sarif {
    struct json_writer json;
    const struct diag_report *report;
    struct buf rules; /* pointers to the rows that occur, by code */
    struct buf keys;  /* DIAG_KEY bytes for each result so far */
};

/* ## Texts */

/* 3.11.5: braces are doubled, or they would be placeholders. 3.11.6: `[x](y)` would be a link, so
 * a source could plant one: the bracket is escaped. */
static void put_message_chars(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        char c = text.ptr[pos];
        bool link = c == ']' && pos + 1 < text.len && text.ptr[pos + 1] == '(';
        if (c == '{' || c == '}') buf_putc(out, c);
        if (link) buf_puts(out, "\\\\");
        diag_put_json_char(out, text, &pos);
    }
}

/* 3.11, 3.12: what is said stands in an object. Between the two, put_message_chars. */
static struct buf *begin_message(struct json_writer *w, const char *key) {
    json_member_object(w, key);
    json_key(w, "text");
    buf_putc(json_slot(w), '"');
    return w->out;
}

static void end_message(struct json_writer *w) {
    buf_putc(w->out, '"');
    json_object_end(w);
}

static void put_message(struct json_writer *w, const char *key, gramc_text text, gramc_text help) {
    struct buf *out = begin_message(w, key);
    put_message_chars(out, text);
    if (help.len) buf_puts(out, "\\nhelp: ");
    put_message_chars(out, help);
    end_message(w);
}

/* 3.4.3, RFC 3986: percent-encoded bytes; an absolute path becomes a file URI. */
static void put_uri(struct json_writer *w, gramc_text path) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    json_key(w, "uri");
    struct buf *out = json_slot(w);
    while (text_starts(path, "./")) path = text_slice(path, 2, path.len);
    buf_puts(out, text_starts(path, "/") ? "\"file://" : "\"");
    for (size_t i = 0; i < path.len; i++) {
        bool is_plain = false;
        for (size_t j = 0; j < sizeof plain - 1 && !is_plain; j++)
            is_plain = plain[j] == path.ptr[i];
        if (is_plain) buf_putc(out, path.ptr[i]);
        else buf_printf(out, "%%%02X", (unsigned)(unsigned char)path.ptr[i]);
    }
    buf_putc(out, '"');
}

/* ## Rules */

/* The message with `...` where texts are filled in. */
static void put_template(struct json_writer *w, const char *message) {
    struct buf *out = begin_message(w, "shortDescription");
    for (const char *p = message; *p;) {
        bool is_arg = p[0] == '{' && p[1] >= '0' && p[1] <= '2' && p[2] == '}';
        const char *end = is_arg ? p : p + 1;
        while (!is_arg && *end && *end != '{') end++;
        if (is_arg) buf_puts(out, "...");
        else put_message_chars(out, (gramc_text){p, (size_t)(end - p)});
        p = is_arg ? p + 3 : end;
    }
    end_message(w);
}

static void put_level(struct json_writer *w, gramc_severity severity) {
    json_member_text(w, "level", text_of(diag_severity_name(severity)));
}

static void put_rule(struct json_writer *w, const struct diag_row *row) {
    json_object_begin(w);
    json_member_text(w, "id", text_of(row->code));
    json_member_text(w, "name", text_of(row->slug));
    put_template(w, row->message);
    put_message(w, "fullDescription", text_of(row->explanation), (gramc_text){NULL, 0});
    /* No examples here: gram is full of braces, and doubled ones would be copied. */
    struct buf *out = begin_message(w, "help");
    put_message_chars(out, text_of(row->explanation));
    if (row->bad) buf_printf(out, "\\n\\ngramc explain %s shows an example.", row->code);
    end_message(w);
    json_member_object(w, "defaultConfiguration");
    put_level(w, row->severity);
    json_object_end(w);
    json_object_end(w);
}

static const struct diag_row *rule_at(const struct sarif *sarif, size_t i) {
    const struct diag_row *row;
    memcpy(&row, sarif->rules.ptr + i * sizeof row, sizeof row);
    return row;
}

static size_t rule_count(const struct sarif *sarif) {
    return sarif->rules.len / sizeof(const struct diag_row *);
}

/* Where the row stands among the rules, or would have to. */
static size_t rule_index(const struct sarif *sarif, const struct diag_row *row) {
    size_t low = 0, high = rule_count(sarif);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(rule_at(sarif, middle)->code, row->code) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void gather_rules(struct sarif *sarif) {
    const size_t size = sizeof(const struct diag_row *);
    for (const struct finding *f = sarif->report->findings->first; f; f = f->next) {
        size_t i = rule_index(sarif, f->row), behind = sarif->rules.len - i * size;
        if (behind && rule_at(sarif, i) == f->row) continue;
        if (!buf_reserve(&sarif->rules, size)) return;
        memmove(sarif->rules.ptr + (i + 1) * size, sarif->rules.ptr + i * size, behind);
        memcpy(sarif->rules.ptr + i * size, &f->row, size);
        sarif->rules.len += size;
    }
}

static void put_driver(struct sarif *sarif) {
    struct json_writer *w = &sarif->json;
    json_member_object(w, "tool");
    json_member_object(w, "driver");
    json_member_text(w, "name", TEXT("gramc"));
    json_member_text(w, "version", text_of(gramc_version()));
    json_member_text(w, "semanticVersion", text_of(gramc_version()));
    json_member_array(w, "rules");
    for (size_t i = 0; i < rule_count(sarif); i++) put_rule(w, rule_at(sarif, i));
    json_array_end(w);
    json_object_end(w);
    json_object_end(w);
}

/* ## Results */

/* 3.30: lines and columns from 1, the end column behind the last character. */
static void put_location(struct json_writer *w, const struct source *source, struct span span) {
    struct position start = source_position(source, span.start);
    struct position end = source_position(source, span.end);
    json_member_object(w, "physicalLocation");
    json_member_object(w, "artifactLocation");
    put_uri(w, source->name);
    json_object_end(w);
    json_member_object(w, "region");
    json_member_number(w, "startLine", start.line);
    json_member_number(w, "startColumn", start.column);
    json_member_number(w, "endLine", end.line);
    json_member_number(w, "endColumn", end.column);
    json_object_end(w);
    json_object_end(w);
}

/* 3.27.16: lets a service follow a finding through changes of its file. */
static void put_fingerprint(struct sarif *sarif, const struct finding *f) {
    json_member_object(&sarif->json, "partialFingerprints");
    json_key(&sarif->json, "gramc/1");
    struct buf *out = json_slot(&sarif->json);
    buf_putc(out, '"');
    diag_put_key(out, &sarif->keys, f);
    buf_putc(out, '"');
    json_object_end(&sarif->json);
}

/* 3.8: what the command knows besides. */
static void put_facts(struct json_writer *w, const struct finding *f) {
    bool any = false;
    for (uint32_t i = 0; i < f->fact_count; i++) {
        if (!f->facts[i].value.len) continue;
        if (!any) json_member_object(w, "properties");
        any = true;
        json_key(w, f->facts[i].name);
        diag_put_json(json_slot(w), f->facts[i].value);
    }
    if (any) json_object_end(w);
}

static void put_related(struct json_writer *w, const struct finding *f) {
    if (!f->label_count && !f->use_count) return;
    json_member_array(w, "relatedLocations");
    for (uint32_t i = 0; i < f->label_count + f->use_count; i++) {
        bool is_label = i < f->label_count;
        const struct diag_label *label = is_label ? &f->labels[i] : &f->uses[i - f->label_count];
        json_object_begin(w);
        json_member_number(w, "id", i + 1);
        put_message(w, "message", label->text, (gramc_text){NULL, 0});
        put_location(w, label->source, label->span);
        json_object_end(w);
    }
    json_array_end(w);
}

static void put_result(struct sarif *sarif, const struct finding *f) {
    struct json_writer *w = &sarif->json;
    json_object_begin(w);
    json_member_text(w, "ruleId", text_of(f->row->code));
    json_member_number(w, "ruleIndex", rule_index(sarif, f->row));
    put_level(w, f->severity);
    put_message(w, "message", f->message, f->help);
    json_member_array(w, "locations");
    json_object_begin(w);
    put_location(w, f->source, f->span);
    json_object_end(w);
    json_array_end(w);
    put_related(w, f);
    put_fingerprint(sarif, f);
    put_facts(w, f);
    json_object_end(w);
}

static void put_artifacts(struct json_writer *w, const struct diag_report *report) {
    json_member_array(w, "artifacts");
    for (const struct source *s = report->sources; s; s = s->next) {
        json_object_begin(w);
        json_member_object(w, "location");
        put_uri(w, s->name);
        json_object_end(w);
        json_member_array(w, "roles");
        json_text(w, TEXT("analysisTarget"));
        json_array_end(w);
        json_member_text(w, "sourceLanguage", text_of(report->language));
        json_object_end(w);
    }
    json_array_end(w);
}

/* 3.20.21: what was counted and not kept is said, not hidden. */
static void put_unshown(struct json_writer *w, const struct diag_report *report) {
    json_member_array(w, "toolExecutionNotifications");
    json_object_begin(w);
    put_level(w, GRAMC_WARNING);
    diag_put_unshown(begin_message(w, "message"), report);
    buf_puts(w->out, " more");
    end_message(w);
    json_object_end(w);
    json_array_end(w);
}

/* 3.8: what the command counts besides. */
static void put_tallies(struct json_writer *w, const struct diag_report *report) {
    bool any = false;
    for (size_t i = 0; i < report->tally_count; i++) {
        if (!report->tallies[i].count) continue;
        if (!any) json_member_object(w, "properties");
        any = true;
        json_member_number(w, report->tallies[i].name, report->tallies[i].count);
    }
    if (any) json_object_end(w);
}

static void put_invocation(struct json_writer *w, const struct diag_report *report) {
    json_member_array(w, "invocations");
    json_object_begin(w);
    json_member_bool(w, "executionSuccessful", true);
    put_tallies(w, report);
    if (diag_has_unshown(report)) put_unshown(w, report);
    json_object_end(w);
    json_array_end(w);
}

static void put_run(struct sarif *sarif) {
    struct json_writer *w = &sarif->json;
    const struct finding *first = sarif->report->findings->first;
    json_object_begin(w);
    put_driver(sarif);
    json_member_text(w, "columnKind", TEXT("unicodeCodePoints"));
    put_invocation(w, sarif->report);
    put_artifacts(w, sarif->report);
    json_member_array(w, "results");
    for (const struct finding *f = first; f; f = f->next) {
        if (f != first) json_line(w, 0);
        put_result(sarif, f);
    }
    json_array_end(w);
    json_object_end(w);
}

void diag_print_sarif(struct buf *out, const struct diag_report *report) {
    struct sarif sarif = {.json = json_writer(out), .report = report};
    struct json_writer *w = &sarif.json;
    buf_init(&sarif.keys, &out->allocator, MOST_KEYS);
    buf_init(&sarif.rules, &out->allocator, MOST_KEYS);
    gather_rules(&sarif);
    json_object_begin(w);
    json_member_text(w, "$schema", TEXT("https://json.schemastore.org/sarif-2.1.0.json"));
    json_member_text(w, "version", TEXT("2.1.0"));
    json_member_array(w, "runs");
    put_run(&sarif);
    json_array_end(w);
    json_object_end(w);
    buf_putc(out, '\n');
    if (sarif.keys.state == BUF_NOMEM || sarif.rules.state == BUF_NOMEM) out->state = BUF_NOMEM;
    buf_free(&sarif.rules);
    buf_free(&sarif.keys);
}
