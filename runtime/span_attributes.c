/* Writes attributes of OpenTelemetry's spans: an array of keys with typed values, as proto3 has
 * them in JSON. Which a span has is spans.c's matter. */
#include "runtime/span_attributes.h"

#include <stdio.h>

#include "base/text.h"

static void begin_attribute(struct json_writer *w, const char *key) {
    json_object_begin(w);
    json_member_text(w, "key", text_of(key));
    json_member_object(w, "value");
}

static void end_attribute(struct json_writer *w) {
    json_object_end(w);
    json_object_end(w);
}

/* What is not known is left out. */
void span_put_text(struct json_writer *w, const char *key, gramc_text value) {
    if (!value.len) return;
    begin_attribute(w, key);
    json_member_text(w, "stringValue", value);
    end_attribute(w);
}

/* As proto3 has 64 bits in JSON: a string. */
void span_put_count(struct json_writer *w, const char *key, uint64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    begin_attribute(w, key);
    json_member_text(w, "intValue", text_of(digits));
    end_attribute(w);
}

void span_put_some_count(struct json_writer *w, const char *key, uint64_t value) {
    if (value) span_put_count(w, key, value);
}

void span_put_one_of_many(struct json_writer *w, const char *key, gramc_text value) {
    if (!value.len) return;
    begin_attribute(w, key);
    json_member_object(w, "arrayValue");
    json_member_array(w, "values");
    json_object_begin(w);
    json_member_text(w, "stringValue", value);
    json_object_end(w);
    json_array_end(w);
    json_object_end(w);
    end_attribute(w);
}

/* The names that the conventions have for providers, where they differ from ours. */
gramc_text span_provider_name(gramc_text provider) {
    static const struct {
        const char *ours, *theirs;
    } names[] = {{"gemini", "gcp.gemini"},
                 {"google", "gcp.gemini"},
                 {"mistral", "mistral_ai"},
                 {"xai", "x_ai"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is_nocase(provider, names[i].ours)) return text_of(names[i].theirs);
    return provider;
}
