/* Judges what a string holds, where that was asked for: whether it is coded as contentEncoding says
 * (RFC 4648, RFC 2045), JSON in it, and whether that JSON is as contentSchema says. Other encodings
 * and media types are not judged. */
#include "jsonschema/evaluate.h"

#include "base/base64.h"
#include "base/text.h"

/* ## Encodings */

typedef bool decoder(gramc_text *out, struct arena *arena, gramc_text coded);

struct content_encoding {
    const char *name, *expected;
    decoder *decode; /* NULL: the text as it stands */
};

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* How long the line end is that stands there; 0 for none. */
static size_t line_end(gramc_text text, size_t at) {
    if (at < text.len && text.ptr[at] == '\n') return 1;
    return at + 1 < text.len && text.ptr[at] == '\r' && text.ptr[at + 1] == '\n' ? 2 : 0;
}

/* A character that may stand for itself: no blank at the end of a line. */
static bool is_literal(gramc_text text, size_t at) {
    char c = text.ptr[at];
    if (c == ' ' || c == '\t') return at + 1 < text.len && !line_end(text, at + 1);
    return c > ' ' && c <= '~' && c != '=';
}

/* RFC 2045, section 6.7: lines of at most 76 characters, `=` and two digits, `=` and a line end
 * that does not count. */
static bool quoted_printable_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    enum { LONGEST_LINE = 76 };
    char *bytes = arena_alloc(arena, coded.len + 1);
    size_t len = 0, line = 0;
    if (!bytes) return false;
    for (size_t i = 0; i < coded.len;) {
        bool equals = coded.ptr[i] == '=';
        size_t end = line_end(coded, i + equals);
        if (end) {
            if (line + equals > LONGEST_LINE) return false;
            for (size_t k = 0; k < end && !equals; k++) bytes[len++] = coded.ptr[i + k];
            i += equals + end;
            line = 0;
            continue;
        }
        int high = equals && i + 2 < coded.len ? hex_digit(coded.ptr[i + 1]) : -1;
        int low = equals && i + 2 < coded.len ? hex_digit(coded.ptr[i + 2]) : -1;
        if (equals ? high < 0 || low < 0 : !is_literal(coded, i)) return false;
        bytes[len++] = equals ? (char)(high << 4 | low) : coded.ptr[i];
        i += equals ? 3 : 1;
        line += equals ? 3 : 1;
        if (line > LONGEST_LINE) return false;
    }
    bytes[len] = '\0';
    *out = (gramc_text){bytes, len};
    return true;
}

static bool seven_bit_read(gramc_text *out, struct arena *arena, gramc_text coded) {
    for (size_t i = 0; i < coded.len; i++)
        if (!coded.ptr[i] || (unsigned char)coded.ptr[i] > 127) return false;
    *out = arena_text(arena, coded);
    return out->ptr != NULL;
}

const struct content_encoding *content_encoding_find(gramc_text name) {
    static const struct content_encoding encodings[] = {
        {"base64", "text in base64", base64_read},
        {"base64url", "text in base64url", base64url_read},
        {"base32", "text in base32", base32_read},
        {"base32hex", "text in base32hex", base32hex_read},
        {"base16", "text in base16", base16_read},
        {"quoted-printable", "text in quoted-printable", quoted_printable_read},
        {"7bit", "ASCII text", seven_bit_read},
        {"8bit", NULL, NULL},
        {"binary", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof encodings / sizeof *encodings; i++)
        if (text_is_nocase(name, encodings[i].name)) return &encodings[i];
    return NULL;
}

/* ## Judging */

/* What is read stays in memory, so each byte of it is a step. */
static bool decode(struct evaluation *evaluation, const struct evaluation_frame *at,
                   const struct content_encoding *encoding, gramc_text *out) {
    gramc_text text = at->value->text;
    if (!evaluation_take(evaluation, text.len)) return false;
    if (!encoding || !encoding->decode) {
        *out = arena_text(evaluation->arena, text);
        return out->ptr || evaluation_stop(evaluation, GRAMC_NOMEM);
    }
    if (encoding->decode(out, evaluation->arena, text)) return true;
    if (evaluation->arena->oom) return evaluation_stop(evaluation, GRAMC_NOMEM);
    report_content(evaluation, at, "contentEncoding", encoding->expected, NULL);
    return false;
}

static bool judge_json(struct evaluation *evaluation, const struct evaluation_frame *at,
                       const struct content_rules *rules, gramc_text text) {
    struct json_error error;
    const struct json *held = json_parse(evaluation->arena, text, &error);
    if (!held && evaluation->arena->oom) return evaluation_stop(evaluation, GRAMC_NOMEM);
    if (!held && error.limit) return evaluation_limit(evaluation, LIMIT_CONTENT);
    if (!held) {
        report_content(evaluation, at, "contentMediaType", "JSON in the text", error.message);
        return false;
    }
    if (!rules->schema) return true;
    struct evaluation_frame inner = frame_child(at, rules->schema, held, "contentSchema");
    if (evaluate_quietly(evaluation, &inner)) return true;
    if (evaluation->status == GRAMC_OK)
        report_content(evaluation, at, "contentSchema", "JSON as \"contentSchema\" says", NULL);
    return false;
}

bool evaluate_content(struct evaluation *evaluation, const struct evaluation_frame *at) {
    const struct content_rules *rules = at->node->string->content;
    gramc_text text;
    if (!decode(evaluation, at, rules->encoding, &text)) return false;
    return !rules->json || judge_json(evaluation, at, rules, text);
}
