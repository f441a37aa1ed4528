/* Writes a schema and instances that used to fall off a cliff, one kind at a time:
 *     gen_cliffs KIND SCHEMAS CALLS
 * in the formats of gen_calls; without arguments it lists the kinds. All instances are valid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/validate/documents.h"

enum { LARGEST = 1 << 26, INSTANCES = 200 };

static void put_property_schemas(struct writer *w, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        buf_printf(&w->schema, "%s\"property_%u\":{\"type\":\"%s\"}", i ? "," : "", i,
                   i % 2 ? "integer" : "string");
}

/* All of them required, in order. */
static void properties(struct writer *w, unsigned count, bool schema) {
    if (schema) {
        buf_puts(&w->schema, "{\"type\":\"object\",\"properties\":{");
        put_property_schemas(w, count);
        buf_puts(&w->schema, "},\"additionalProperties\":false,\"required\":[");
        for (unsigned i = 0; i < count; i++)
            buf_printf(&w->schema, "%s\"property_%u\"", i ? "," : "", i);
        buf_puts(&w->schema, "]}");
        return;
    }
    buf_putc(&w->instance, '{');
    for (unsigned i = 0; i < count; i++) {
        buf_printf(&w->instance, "%s\"property_%u\":", i ? "," : "", i);
        if (i % 2) buf_printf(&w->instance, "%u", random_below(&w->random, 100000));
        else random_words(&w->random, &w->instance, 1, 3);
    }
    buf_putc(&w->instance, '}');
}

/* A map: keys that no schema names. */
static void keys(struct writer *w, unsigned count, bool schema) {
    if (schema) {
        buf_puts(&w->schema,
                 "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}");
        return;
    }
    buf_putc(&w->instance, '{');
    for (unsigned i = 0; i < count; i++)
        buf_printf(&w->instance, "%s\"key_%u_%u\":%u", i ? "," : "", i,
                   random_below(&w->random, 1000), random_below(&w->random, 1000));
    buf_putc(&w->instance, '}');
}

static void put_choice(struct writer *w, struct buf *out, unsigned i, const char *kind) {
    (void)w;
    if (*kind == 'n') buf_printf(out, "%u", i * 37 % 100000);
    else if (*kind == 'f') buf_printf(out, "%u.%u5", i % 100, i);
    else buf_printf(out, "\"choice number %u\"", i);
}

static void choices(struct writer *w, unsigned count, bool schema, const char *kind) {
    struct buf *out = schema ? &w->schema : &w->instance;
    if (schema) buf_puts(out, "{\"type\":\"array\",\"items\":{\"enum\":");
    buf_putc(out, '[');
    for (unsigned i = 0; i < (schema ? count : 100); i++) {
        if (i) buf_putc(out, ',');
        put_choice(w, out, schema ? i : random_below(&w->random, count), kind);
    }
    buf_putc(out, ']');
    if (schema) buf_puts(out, "}}");
}

static void numbers(struct writer *w, unsigned count, bool schema) {
    choices(w, count, schema, "numbers");
}

static void fractions(struct writer *w, unsigned count, bool schema) {
    choices(w, count, schema, "fractions");
}

static void texts(struct writer *w, unsigned count, bool schema) {
    choices(w, count, schema, "texts");
}

/* Two halves of an object, and nothing else. */
static void unevaluated(struct writer *w, unsigned count, bool schema) {
    if (!schema) {
        properties(w, count, false);
        return;
    }
    buf_puts(&w->schema, "{\"type\":\"object\",\"allOf\":[{\"properties\":{");
    put_property_schemas(w, count / 2);
    buf_puts(&w->schema, "}}],\"properties\":{");
    put_property_schemas(w, count);
    buf_puts(&w->schema, "},\"unevaluatedProperties\":false}");
}

/* Each property demands the next, and the last a schema of its own. */
static void dependents(struct writer *w, unsigned count, bool schema) {
    if (!schema) {
        properties(w, count, false);
        return;
    }
    buf_puts(&w->schema, "{\"type\":\"object\",\"properties\":{");
    put_property_schemas(w, count);
    buf_puts(&w->schema, "},\"dependentRequired\":{");
    for (unsigned i = 1; i < count; i++)
        buf_printf(&w->schema, "%s\"property_%u\":[\"property_%u\"]", i > 1 ? "," : "", i - 1, i);
    buf_printf(&w->schema, "},\"dependentSchemas\":{\"property_%u\":{\"maxProperties\":%u}}}",
               count - 1, count);
}

static void put_union_value(struct writer *w, unsigned count, unsigned depth) {
    struct buf *out = &w->instance;
    unsigned kind = random_below(&w->random, count);
    buf_puts(out, "{\"args\":[");
    for (unsigned i = 0; depth && i < 3; i++) {
        if (i) buf_putc(out, ',');
        put_union_value(w, count, depth - 1);
    }
    buf_printf(out, "],\"note\":");
    random_words(&w->random, out, 3, 6);
    buf_printf(out, ",\"op_%u\":%u,\"op\":\"kind %u\"}", kind, kind, kind);
}

static void put_tree(struct writer *w, unsigned count, unsigned depth) {
    buf_puts(&w->instance, "{\"tree\":");
    put_union_value(w, count, depth);
    buf_putc(&w->instance, '}');
}

/* A tree of operations, whose kind is said behind its arguments. */
static void alternatives(struct writer *w, unsigned count, bool schema) {
    if (!schema) {
        put_tree(w, count, 4);
        return;
    }
    buf_puts(
        &w->schema,
        "{\"properties\":{\"tree\":{\"$ref\":\"#/$defs/any\"}},\"$defs\":{\"any\":{\"oneOf\":[");
    for (unsigned i = 0; i < count; i++)
        buf_printf(
            &w->schema,
            "%s{\"type\":\"object\",\"properties\":{\"op\":{\"const\":\"kind %u\"},\"op_%u\":"
            "{\"type\":\"integer\"},\"args\":{\"type\":\"array\",\"items\":{\"$ref\":"
            "\"#/$defs/any\"}}},\"required\":[\"op\",\"args\"]}",
            i ? "," : "", i, i);
    buf_puts(&w->schema, "]}}}");
}

/* As many conditions as there are kinds, in allOf. */
static void conditions(struct writer *w, unsigned count, bool schema) {
    if (!schema) {
        put_tree(w, count, 0);
        return;
    }
    buf_puts(&w->schema, "{\"properties\":{\"tree\":{\"type\":\"object\",\"allOf\":[");
    for (unsigned i = 0; i < count; i++)
        buf_printf(
            &w->schema,
            "%s{\"if\":{\"properties\":{\"op\":{\"const\":\"kind %u\"}},\"required\":[\"op\"]},"
            "\"then\":{\"required\":[\"op_%u\"]}}",
            i ? "," : "", i, i);
    buf_puts(&w->schema, "]}}}");
}

/* Objects of which no two are equal. */
static void unique(struct writer *w, unsigned count, bool schema) {
    if (schema) {
        buf_puts(&w->schema, "{\"type\":\"array\",\"uniqueItems\":true,\"items\":"
                             "{\"properties\":{\"name\":{\"type\":\"string\"},"
                             "\"size\":{\"type\":\"integer\"}}}}");
        return;
    }
    buf_putc(&w->instance, '[');
    for (unsigned i = 0; i < count; i++) {
        buf_printf(&w->instance, "%s{\"size\":%u,\"name\":", i ? "," : "", i);
        random_words(&w->random, &w->instance, 2, 4);
        buf_putc(&w->instance, '}');
    }
    buf_putc(&w->instance, ']');
}

/* So many patterns of names, all of them like `^x_`. */
static void patterns(struct writer *w, unsigned count, bool schema) {
    if (!schema) {
        buf_puts(&w->instance, "{\"map\":");
        keys(w, 30, false);
        buf_putc(&w->instance, '}');
        return;
    }
    buf_puts(&w->schema, "{\"properties\":{\"map\":{\"patternProperties\":{");
    for (unsigned i = 0; i < count; i++)
        buf_printf(&w->schema, "%s\"^key_%u\":{\"type\":\"integer\"}", i ? "," : "", i);
    buf_puts(&w->schema, "}}}}");
}

static const struct kind {
    const char *name;
    void (*write)(struct writer *w, unsigned count, bool schema);
    unsigned count;
    int instances; /* 0: INSTANCES */
} kinds[] = {{"properties-64", properties, 64, 0},
             {"properties-65", properties, 65, 0},
             {"properties-200", properties, 200, 0},
             {"keys-100", keys, 100, 0},
             {"keys-130", keys, 130, 0},
             {"keys-200", keys, 200, 0},
             {"keys-2000", keys, 2000, 0},
             {"enum-of-8-numbers", numbers, 8, 0},
             {"enum-of-2000-numbers", numbers, 2000, 0},
             {"enum-of-2000-fractions", fractions, 2000, 0},
             {"enum-of-8-texts", texts, 8, 0},
             {"enum-of-200-texts", texts, 200, 0},
             {"unevaluated-20", unevaluated, 20, 0},
             {"dependents-20", dependents, 20, 0},
             {"dependents-65", dependents, 65, 0},
             {"alternatives-4", alternatives, 4, 0},
             {"alternatives-40", alternatives, 40, 0},
             {"conditions-1", conditions, 1, 0},
             {"conditions-8", conditions, 8, 0},
             {"unique-objects-20", unique, 20, 0},
             {"unique-objects-200", unique, 200, 0},
             {"patterns-3", patterns, 3, 0},
             {"patterns-9", patterns, 9, 0},
             {"repository", write_repository, 0, 0},
             {"repository-and-parents", write_repository, 3, 0},
             {"metaschema", write_metaschema, 3, 0},
             {"openapi-of-7-mb", write_openapi, 2600, 1}};

static bool write_kind(const struct kind *kind, FILE *schemas, FILE *calls) {
    struct writer w;
    if (!schemas || !calls) return false;
    random_seed(&w.random, 42);
    buf_init(&w.schema, NULL, LARGEST);
    buf_init(&w.instance, NULL, LARGEST);
    kind->write(&w, kind->count, true);
    fprintf(schemas, "[{\"name\":\"%s\",\"schema\":%s}]\n", kind->name, w.schema.ptr);
    for (int i = 0; i < (kind->instances ? kind->instances : INSTANCES); i++) {
        buf_reset(&w.instance);
        kind->write(&w, kind->count, false);
        fprintf(calls, "0\t1\t%s\n", w.instance.ptr);
    }
    buf_free(&w.schema);
    buf_free(&w.instance);
    return !fclose(schemas) && !fclose(calls);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (argc < 4) puts(kinds[i].name);
        else if (strcmp(argv[1], kinds[i].name) == 0)
            return !write_kind(&kinds[i], fopen(argv[2], "wb"), fopen(argv[3], "wb"));
    }
    return argc >= 4;
}
