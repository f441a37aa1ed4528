/* Documents of the kinds that validators meet most, with schemas like theirs: what a code host says
 * about repositories (many plain members, references, null or an object), schemas by their
 * meta-schema, descriptions of HTTP interfaces (patterns, this or a reference). Texts are made up.
 */
#include "bench/validate/documents.h"

/* ## Repositories */

static const char *const links[] = {
    "html",     "archive", "assignees", "blobs",       "branches", "commits",    "compare",
    "contents", "events",  "forks",     "git_commits", "git_refs", "git_tags",   "hooks",
    "issues",   "keys",    "labels",    "languages",   "merges",   "milestones", "pulls",
    "releases", "stars",   "statuses",  "tags",        "teams",    "trees"};
enum { LINKS = sizeof links / sizeof *links };

static void put_link_schemas(struct buf *out) {
    for (unsigned i = 0; i < LINKS; i++)
        buf_printf(out, "\"%s_url\":{\"type\":\"string\",\"format\":\"uri\"},", links[i]);
}

static void put_required(struct buf *out, const char *others) {
    buf_printf(out, "\"required\":[%s", others);
    for (unsigned i = 0; i < LINKS; i++) buf_printf(out, ",\"%s_url\"", links[i]);
    buf_puts(out, "]");
}

static void put_repository_schema(struct buf *out) {
    buf_puts(out, "{\"$ref\":\"#/$defs/repository\",\"$defs\":{\"user\":{\"type\":\"object\","
                  "\"properties\":{\"login\":{\"type\":\"string\"},\"id\":{\"type\":\"integer\"},");
    put_link_schemas(out);
    buf_puts(out, "\"site_admin\":{\"type\":\"boolean\"}},");
    put_required(out, "\"login\",\"id\",\"site_admin\"");
    buf_puts(
        out,
        "},\"license\":{\"type\":\"object\",\"properties\":{\"key\":{\"type\":\"string\"},"
        "\"name\":{\"type\":\"string\"},\"url\":{\"type\":[\"string\",\"null\"],"
        "\"format\":\"uri\"}},\"required\":[\"key\",\"name\",\"url\"]},"
        "\"repository\":{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},"
        "\"name\":{\"type\":\"string\"},\"owner\":{\"$ref\":\"#/$defs/user\"},"
        "\"private\":{\"type\":\"boolean\"},\"description\":{\"type\":[\"string\",\"null\"]},");
    put_link_schemas(out);
    buf_puts(out,
             "\"size\":{\"type\":\"integer\"},\"topics\":{\"type\":\"array\",\"items\":"
             "{\"type\":\"string\"}},\"created_at\":{\"type\":\"string\",\"format\":"
             "\"date-time\"},\"license\":{\"anyOf\":[{\"type\":\"null\"},"
             "{\"$ref\":\"#/$defs/license\"}]},\"parent\":{\"anyOf\":[{\"type\":\"null\"},"
             "{\"$ref\":\"#/$defs/repository\"}]},\"permissions\":{\"type\":\"object\","
             "\"properties\":{\"admin\":{\"type\":\"boolean\"},\"pull\":{\"type\":\"boolean\"}},"
             "\"required\":[\"admin\",\"pull\"]}},");
    put_required(out, "\"id\",\"name\",\"owner\",\"private\",\"description\",\"license\"");
    buf_puts(out, "}}}");
}

static void put_links(struct writer *w) {
    for (unsigned i = 0; i < LINKS; i++)
        buf_printf(&w->instance, "\"%s_url\":\"https://api.example.com/repos/%u/%s\",", links[i],
                   random_below(&w->random, 100000), links[i]);
}

static void put_repository(struct writer *w, unsigned depth) {
    struct buf *out = &w->instance;
    buf_printf(out, "{\"id\":%u,\"name\":\"name-%u\",\"owner\":{\"login\":\"someone\",\"id\":%u,",
               random_below(&w->random, 1u << 30), random_below(&w->random, 1000),
               random_below(&w->random, 1u << 30));
    put_links(w);
    buf_puts(out, "\"site_admin\":false},\"private\":true,\"description\":");
    random_words(&w->random, out, 3, 12);
    buf_putc(out, ',');
    put_links(w);
    buf_puts(out, "\"size\":4711,\"topics\":[\"schema\",\"speed\"],\"created_at\":"
                  "\"2026-11-22T19:41:53Z\",\"permissions\":{\"admin\":false,\"pull\":true},");
    buf_puts(out, random_below(&w->random, 2)
                      ? "\"license\":null,"
                      : "\"license\":{\"key\":\"mit\",\"name\":\"MIT License\",\"url\":null},");
    buf_puts(out, "\"parent\":");
    if (depth) put_repository(w, depth - 1);
    else buf_puts(out, "null");
    buf_putc(out, '}');
}

void write_repository(struct writer *w, unsigned count, bool schema) {
    if (schema) put_repository_schema(&w->schema);
    else put_repository(w, count);
}

/* ## Schemas */

static void put_schema(struct writer *w, unsigned depth) {
    struct buf *out = &w->instance;
    if (!depth) {
        buf_puts(out, random_below(&w->random, 2)
                          ? "{\"type\":\"string\",\"minLength\":1,\"description\":\"a name\"}"
                          : "{\"type\":[\"integer\",\"null\"],\"minimum\":0}");
        return;
    }
    buf_puts(out, "{\"type\":\"object\",\"title\":\"A thing\",\"properties\":{");
    for (unsigned i = 0; i < 4; i++) {
        buf_printf(out, "%s\"member_%u\":", i ? "," : "", random_below(&w->random, 100000) * 4 + i);
        put_schema(w, i % 2 ? 0 : depth - 1);
    }
    buf_puts(out, "},\"required\":[\"member_0\",\"member_1\"],\"anyOf\":[{\"minProperties\":1},");
    put_schema(w, 0);
    buf_puts(out, "],\"additionalProperties\":false}");
}

void write_metaschema(struct writer *w, unsigned count, bool schema) {
    if (schema) buf_puts(&w->schema, "{\"$ref\":\"https://json-schema.org/draft/2020-12/schema\"}");
    else put_schema(w, count);
}

/* ## Descriptions of HTTP interfaces */

static const char openapi_schema[] =
    "{\"type\":\"object\",\"required\":[\"openapi\",\"info\",\"paths\"],\"properties\":{"
    "\"openapi\":{\"type\":\"string\",\"pattern\":\"^3\\\\.0\\\\.\\\\d(-.+)?$\"},"
    "\"info\":{\"type\":\"object\",\"required\":[\"title\",\"version\"]},"
    "\"paths\":{\"type\":\"object\",\"patternProperties\":{\"^\\\\/\":{\"$ref\":\"#/$defs/path\"},"
    "\"^x-\":{}},\"additionalProperties\":false}},\"patternProperties\":{\"^x-\":{}},"
    "\"additionalProperties\":false,\"$defs\":{"
    "\"path\":{\"type\":\"object\",\"properties\":{\"summary\":{\"type\":\"string\"}},"
    "\"patternProperties\":{\"^(get|put|post|delete|patch)$\":{\"$ref\":\"#/$defs/operation\"},"
    "\"^x-\":{}},\"additionalProperties\":false},"
    "\"operation\":{\"type\":\"object\",\"required\":[\"responses\"],\"properties\":{"
    "\"operationId\":{\"type\":\"string\"},\"summary\":{\"type\":\"string\"},"
    "\"tags\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"parameters\":{\"type\":\"array\",\"items\":{\"oneOf\":[{\"$ref\":\"#/$defs/parameter\"},"
    "{\"$ref\":\"#/$defs/reference\"}]},\"uniqueItems\":true},"
    "\"responses\":{\"type\":\"object\",\"patternProperties\":{\"^[1-5](?:\\\\d{2}|XX)$\":"
    "{\"oneOf\":[{\"$ref\":\"#/$defs/response\"},{\"$ref\":\"#/$defs/reference\"}]}},"
    "\"minProperties\":1,\"additionalProperties\":false}},"
    "\"patternProperties\":{\"^x-\":{}},\"additionalProperties\":false},"
    "\"parameter\":{\"type\":\"object\",\"required\":[\"name\",\"in\"],\"properties\":{"
    "\"name\":{\"type\":\"string\"},\"in\":{\"enum\":[\"path\",\"query\",\"header\",\"cookie\"]},"
    "\"required\":{\"type\":\"boolean\"},\"description\":{\"type\":\"string\"},"
    "\"schema\":{\"oneOf\":[{\"$ref\":\"#/$defs/schema\"},{\"$ref\":\"#/$defs/reference\"}]}},"
    "\"patternProperties\":{\"^x-\":{}},\"additionalProperties\":false},"
    "\"response\":{\"type\":\"object\",\"required\":[\"description\"],\"properties\":{"
    "\"description\":{\"type\":\"string\"},\"content\":{\"type\":\"object\","
    "\"additionalProperties\":{\"type\":\"object\",\"properties\":{\"schema\":{\"oneOf\":["
    "{\"$ref\":\"#/$defs/schema\"},{\"$ref\":\"#/$defs/reference\"}]}}}}},"
    "\"patternProperties\":{\"^x-\":{}},\"additionalProperties\":false},"
    "\"schema\":{\"type\":\"object\",\"properties\":{\"type\":{\"enum\":[\"array\",\"boolean\","
    "\"integer\",\"number\",\"object\",\"string\"]},\"description\":{\"type\":\"string\"},"
    "\"nullable\":{\"type\":\"boolean\"},\"items\":{\"oneOf\":["
    "{\"$ref\":\"#/$defs/schema\"},{\"$ref\":\"#/$defs/reference\"}]},\"properties\":{"
    "\"type\":\"object\",\"additionalProperties\":{\"oneOf\":[{\"$ref\":\"#/$defs/schema\"},"
    "{\"$ref\":\"#/$defs/reference\"}]}}},\"patternProperties\":{\"^x-\":{}},"
    "\"additionalProperties\":false},"
    "\"reference\":{\"type\":\"object\",\"required\":[\"$ref\"],\"patternProperties\":{"
    "\"^\\\\$ref$\":{\"type\":\"string\",\"format\":\"uri-reference\"}}}}}";

static void put_operation(struct writer *w, unsigned number) {
    struct buf *out = &w->instance;
    buf_printf(out, "{\"operationId\":\"operation_%u\",\"tags\":[\"things\"],\"summary\":", number);
    random_words(&w->random, out, 3, 9);
    buf_puts(out, ",\"parameters\":[{\"$ref\":\"#/components/parameters/page\"}");
    for (unsigned i = 0; i < 3; i++)
        buf_printf(out,
                   ",{\"name\":\"p%u\",\"in\":\"query\",\"description\":\"one of several\","
                   "\"required\":true,\"schema\":{\"type\":\"string\",\"nullable\":true}}",
                   i);
    buf_puts(out, "],\"responses\":{\"200\":{\"description\":\"fine\",\"content\":{"
                  "\"application/json\":{\"schema\":{\"type\":\"object\",\"properties\":{");
    for (unsigned i = 0; i < 6; i++)
        buf_printf(out,
                   "%s\"member_%u\":{\"type\":\"array\",\"description\":\"a list of them\","
                   "\"items\":{\"$ref\":\"#/components/schemas/thing_%u\"}}",
                   i ? "," : "", i, random_below(&w->random, 1000));
    buf_puts(out, "}}}}},\"404\":{\"$ref\":\"#/components/responses/not_found\"}}}");
}

void write_openapi(struct writer *w, unsigned count, bool schema) {
    struct buf *out = &w->instance;
    if (schema) {
        buf_puts(&w->schema, openapi_schema);
        return;
    }
    buf_puts(out, "{\"openapi\":\"3.0.3\",\"info\":{\"title\":\"Things\",\"version\":\"1\"},"
                  "\"paths\":{");
    for (unsigned i = 0; i < count; i++) {
        buf_printf(out, "%s\"/things/%u\":{\"get\":", i ? "," : "", i);
        put_operation(w, 2 * i);
        buf_puts(out, ",\"post\":");
        put_operation(w, 2 * i + 1);
        buf_putc(out, '}');
    }
    buf_puts(out, "}}");
}
