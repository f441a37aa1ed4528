/* Findings as SARIF 2.1.0 (OASIS), which code scanning services read: the rules that occur with
 * their explanations, every file that was read, and one result a finding. Columns count code
 * points, as columnKind says. Section numbers are those of the standard. */
#include "base/diag/put.h"
#include "base/text.h"

#include <string.h>

enum { MOST_KEYS = 1 << 20 };

struct sarif {
    struct buf *out;
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

static void put_message(struct buf *out, const char *key, gramc_text text, gramc_text help) {
    buf_printf(out, "\"%s\":{\"text\":\"", key);
    put_message_chars(out, text);
    if (help.len) buf_puts(out, "\\nhelp: ");
    put_message_chars(out, help);
    buf_puts(out, "\"}");
}

/* 3.4.3, RFC 3986: percent-encoded bytes; an absolute path becomes a file URI. */
static void put_uri(struct buf *out, gramc_text path) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
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
static void put_template(struct buf *out, const char *message) {
    buf_puts(out, "\"shortDescription\":{\"text\":\"");
    for (const char *p = message; *p;) {
        bool is_arg = p[0] == '{' && p[1] >= '0' && p[1] <= '2' && p[2] == '}';
        const char *end = is_arg ? p : p + 1;
        while (!is_arg && *end && *end != '{') end++;
        if (is_arg) buf_puts(out, "...");
        else put_message_chars(out, (gramc_text){p, (size_t)(end - p)});
        p = is_arg ? p + 3 : end;
    }
    buf_puts(out, "\"}");
}

/* No examples here: gram is full of braces, and doubled ones would be copied. */
static void put_help(struct buf *out, const struct diag_row *row) {
    buf_puts(out, "\"help\":{\"text\":\"");
    put_message_chars(out, text_of(row->explanation));
    if (row->bad) buf_printf(out, "\\n\\ngramc explain %s shows an example.", row->code);
    buf_puts(out, "\"}");
}

static void put_rule(struct buf *out, const struct diag_row *row) {
    buf_printf(out, "{\"id\":\"%s\",\"name\":\"%s\",", row->code, row->slug);
    put_template(out, row->message);
    buf_putc(out, ',');
    put_message(out, "fullDescription", text_of(row->explanation), (gramc_text){NULL, 0});
    buf_putc(out, ',');
    put_help(out, row);
    buf_printf(out, ",\"defaultConfiguration\":{\"level\":\"%s\"}}",
               diag_severity_name(row->severity));
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
    buf_printf(sarif->out,
               "\"tool\":{\"driver\":{\"name\":\"gramc\",\"version\":\"%s\","
               "\"semanticVersion\":\"%s\",\"rules\":[",
               gramc_version(), gramc_version());
    for (size_t i = 0; i < rule_count(sarif); i++) {
        if (i) buf_putc(sarif->out, ',');
        put_rule(sarif->out, rule_at(sarif, i));
    }
    buf_puts(sarif->out, "]}}");
}

/* ## Results */

/* 3.30: lines and columns from 1, the end column behind the last character. */
static void put_location(struct sarif *sarif, const struct source *source, struct span span) {
    struct position start = source_position(source, span.start);
    struct position end = source_position(source, span.end);
    buf_puts(sarif->out, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
    put_uri(sarif->out, source->name);
    buf_printf(
        sarif->out,
        "},\"region\":{\"startLine\":%u,\"startColumn\":%u,\"endLine\":%u,\"endColumn\":%u}}",
        (unsigned)start.line, (unsigned)start.column, (unsigned)end.line, (unsigned)end.column);
}

/* 3.27.16: lets a service follow a finding through changes of its file. */
static void put_fingerprint(struct sarif *sarif, const struct finding *f) {
    char key[DIAG_KEY];
    uint32_t ordinal = 1;
    diag_key(f, key);
    for (size_t at = 0; at + DIAG_KEY <= sarif->keys.len; at += DIAG_KEY)
        ordinal +=
            text_eq((gramc_text){sarif->keys.ptr + at, DIAG_KEY}, (gramc_text){key, DIAG_KEY});
    buf_put(&sarif->keys, key, DIAG_KEY);
    buf_printf(sarif->out, ",\"partialFingerprints\":{\"gramc/1\":\"%.*s:%u\"}", (int)DIAG_KEY, key,
               (unsigned)ordinal);
}

/* 3.8: what the command knows besides. */
static void put_facts(struct buf *out, const struct finding *f) {
    const char *lead = ",\"properties\":{";
    for (uint32_t i = 0; i < f->fact_count; i++) {
        if (!f->facts[i].value.len) continue;
        buf_printf(out, "%s\"%s\":", lead, f->facts[i].name);
        diag_put_json(out, f->facts[i].value);
        lead = ",";
    }
    if (lead[1] == '\0') buf_putc(out, '}');
}

static void put_result(struct sarif *sarif, const struct finding *f) {
    struct buf *out = sarif->out;
    buf_printf(out, "{\"ruleId\":\"%s\",\"ruleIndex\":%u,\"level\":\"%s\",", f->row->code,
               (unsigned)rule_index(sarif, f->row), diag_severity_name(f->severity));
    put_message(out, "message", f->message, f->help);
    buf_puts(out, ",\"locations\":[{");
    put_location(sarif, f->source, f->span);
    buf_puts(out, "}]");
    for (uint32_t i = 0; i < f->label_count; i++) {
        buf_printf(out, "%s{\"id\":%u,", i ? "," : ",\"relatedLocations\":[", (unsigned)i + 1);
        put_message(out, "message", f->labels[i].text, (gramc_text){NULL, 0});
        buf_putc(out, ',');
        put_location(sarif, f->labels[i].source, f->labels[i].span);
        buf_putc(out, '}');
    }
    if (f->label_count) buf_putc(out, ']');
    put_fingerprint(sarif, f);
    put_facts(out, f);
    buf_putc(out, '}');
}

static void put_artifacts(struct sarif *sarif) {
    buf_puts(sarif->out, ",\"artifacts\":[");
    for (const struct source *s = sarif->report->sources; s; s = s->next) {
        buf_puts(sarif->out, s == sarif->report->sources ? "{\"location\":{\"uri\":"
                                                         : ",{\"location\":{\"uri\":");
        put_uri(sarif->out, s->name);
        buf_printf(sarif->out, "},\"roles\":[\"analysisTarget\"],\"sourceLanguage\":\"%s\"}",
                   sarif->report->language);
    }
    buf_putc(sarif->out, ']');
}

/* 3.20.21: what was counted and not kept is said, not hidden. */
static void put_invocation(struct sarif *sarif) {
    const struct findings *findings = sarif->report->findings;
    uint32_t total = findings->counts[0] + findings->counts[1] + findings->counts[2];
    buf_puts(sarif->out, ",\"invocations\":[{\"executionSuccessful\":true");
    if (total > findings->kept)
        buf_printf(sarif->out,
                   ",\"toolExecutionNotifications\":[{\"level\":\"warning\",\"message\":{\"text\":"
                   "\"%u more findings are not shown\"}}]",
                   (unsigned)(total - findings->kept));
    buf_puts(sarif->out, "}]");
}

void diag_print_sarif(struct buf *out, const struct diag_report *report) {
    struct sarif sarif = {.out = out, .report = report};
    buf_init(&sarif.keys, &out->allocator, MOST_KEYS);
    buf_init(&sarif.rules, &out->allocator, MOST_KEYS);
    gather_rules(&sarif);
    buf_puts(out, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
                  "\"version\":\"2.1.0\",\"runs\":[{");
    put_driver(&sarif);
    buf_puts(out, ",\"columnKind\":\"unicodeCodePoints\"");
    put_invocation(&sarif);
    put_artifacts(&sarif);
    buf_puts(out, ",\"results\":[");
    for (const struct finding *f = report->findings->first; f; f = f->next) {
        if (f != report->findings->first) buf_puts(out, ",\n");
        put_result(&sarif, f);
    }
    buf_puts(out, "]}]}\n");
    if (sarif.keys.state == BUF_NOMEM || sarif.rules.state == BUF_NOMEM) out->state = BUF_NOMEM;
    buf_free(&sarif.rules);
    buf_free(&sarif.keys);
}
