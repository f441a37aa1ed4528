/* Turns a list of changes into text for people, one-line records, or JSON with ranges as the gram
 * project writes them (from 0, in UTF-16 units). What comes from a source is escaped here. */
#include "compiler/diff.h"

#include "base/text.h"

static const char *const impacts[] = {"none", "cosmetic", "additive", "breaking"};

static void put_safe(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX) buf_printf(out, "\\x%02x", (unsigned char)text.ptr[start]);
        else if (c == '\n') buf_puts(out, "\\n");
        else if (c == '\t') buf_putc(out, ' ');
        else if (text_is_treacherous(c)) buf_printf(out, "\\u{%x}", (unsigned)c);
        else buf_put(out, text.ptr + start, pos - start);
    }
}

static void put_place(struct buf *out, const struct diff_place *place) {
    struct position at = source_position(place->source, place->span.start);
    put_safe(out, place->source->name);
    buf_printf(out, ":%u:%u", (unsigned)at.line, (unsigned)at.column);
}

static void put_head(struct buf *out, const struct difference *d) {
    buf_printf(out, "%s[%s]: ", impacts[diff_impact(d->id)], diff_kind(d->id)->code);
    put_safe(out, d->message);
}

/* ## Text */

static void put_side(struct buf *out, const char *name, gramc_impact impact) {
    buf_printf(out, "%s: %s", name, impact == GRAMC_IMPACT_NONE ? "not affected" : impacts[impact]);
}

static void put_line(struct buf *out, const char *lead, gramc_text text) {
    if (!text.len) return;
    buf_puts(out, lead);
    put_safe(out, text);
    buf_putc(out, '\n');
}

static void put_text(struct buf *out, const struct difference *d) {
    put_head(out, d);
    buf_puts(out, "\n  ");
    if (d->before.source) buf_puts(out, "old ");
    if (d->before.source) put_place(out, &d->before);
    if (d->before.source && d->after.source) buf_puts(out, ", ");
    if (d->after.source) buf_puts(out, "new ");
    if (d->after.source) put_place(out, &d->after);
    buf_puts(out, "\n  ");
    put_side(out, "callers", diff_kind(d->id)->caller);
    put_side(out, "; implementers", diff_kind(d->id)->implementer);
    buf_putc(out, '\n');
    put_line(out, "  example: ", d->example);
    put_line(out, "  note: ", d->help);
    buf_putc(out, '\n');
}

static void print_text(struct buf *out, const struct gramc_diff *diff) {
    for (const struct difference *d = diff->first; d; d = d->next) put_text(out, d);
    if (!diff->first) {
        buf_puts(out, "no changes\n");
        return;
    }
    buf_printf(out, "%u breaking, %u additive, %u cosmetic\n",
               (unsigned)diff->counts[GRAMC_IMPACT_BREAKING],
               (unsigned)diff->counts[GRAMC_IMPACT_ADDITIVE],
               (unsigned)diff->counts[GRAMC_IMPACT_COSMETIC]);
}

/* ## One line a change */

static void print_concise(struct buf *out, const struct gramc_diff *diff) {
    for (const struct difference *d = diff->first; d; d = d->next) {
        put_place(out, d->after.source ? &d->after : &d->before);
        buf_puts(out, ": ");
        put_head(out, d);
        if (d->example.len) buf_puts(out, " (");
        put_safe(out, d->example);
        buf_puts(out, d->example.len ? ")\n" : "\n");
    }
}

/* ## JSON */

static void put_json_text(struct buf *out, const char *key, gramc_text text) {
    if (!text.len) return;
    buf_printf(out, ",\"%s\":", key);
    json_put_string(out, text);
}

static void put_json_point(struct buf *out, const char *key, const struct diff_place *place,
                           uint32_t offset) {
    struct position at = source_position(place->source, offset);
    buf_printf(out, "\"%s\":{\"line\":%u,\"character\":%u}", key, (unsigned)at.line - 1,
               (unsigned)at.utf16);
}

static void put_json_place(struct buf *out, const char *key, const struct diff_place *place) {
    if (!place->source) return;
    buf_printf(out, ",\"%s\":{\"path\":", key);
    json_put_string(out, place->source->name);
    buf_puts(out, ",\"range\":{");
    put_json_point(out, "start", place, place->span.start);
    buf_putc(out, ',');
    put_json_point(out, "end", place, place->span.end);
    buf_puts(out, "}}");
}

static void put_json_change(struct buf *out, const struct difference *d) {
    const gramc_diff_kind *kind = diff_kind(d->id);
    buf_printf(out,
               "{\"code\":\"%s\",\"slug\":\"%s\",\"impact\":\"%s\",\"callers\":\"%s\","
               "\"implementers\":\"%s\"",
               kind->code, kind->slug, impacts[diff_impact(d->id)], impacts[kind->caller],
               impacts[kind->implementer]);
    put_json_text(out, "message", d->message);
    put_json_text(out, "example", d->example);
    put_json_text(out, "help", d->help);
    put_json_place(out, "old", &d->before);
    put_json_place(out, "new", &d->after);
    buf_putc(out, '}');
}

static void print_json(struct buf *out, const struct gramc_diff *diff) {
    buf_printf(out, "{\"schema_version\":1,\"tool\":\"gramc/%s\"", gramc_version());
    for (gramc_impact i = GRAMC_IMPACT_BREAKING; i > GRAMC_IMPACT_NONE; i--)
        buf_printf(out, ",\"%s\":%u", impacts[i], (unsigned)diff->counts[i]);
    buf_puts(out, ",\"changes\":[");
    for (const struct difference *d = diff->first; d; d = d->next) {
        if (d != diff->first) buf_putc(out, ',');
        put_json_change(out, d);
    }
    buf_puts(out, "]}\n");
}

gramc_status gramc_diff_print(const gramc_diff *diff, gramc_format format, gramc_writer writer) {
    struct buf text;
    buf_init(&text, &diff->arena.allocator, SOURCE_MAX);
    if (format == GRAMC_FORMAT_JSON) print_json(&text, diff);
    else if (format == GRAMC_FORMAT_CONCISE) print_concise(&text, diff);
    else print_text(&text, diff);
    gramc_status status = buf_send(&text, writer);
    buf_free(&text);
    return status;
}
