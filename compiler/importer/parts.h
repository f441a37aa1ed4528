/* What the files of the importer share. JSON goes in: read.c and openapi.c find the
 * tools, schema.c brings their schemas into one form, types.c finds what deserves a
 * name, label.c, property.c, type.c and write.c turn it all into documents that
 * layout.c lays out as gram, same.c compares what compiles with what came in,
 * importer.c goes round until both agree. */
#ifndef COMPILER_IMPORTER_PARTS_H
#define COMPILER_IMPORTER_PARTS_H

#include "base/diag/diag.h"
#include "base/json/writer.h"
#include "base/map.h"
#include "compiler/compilation.h"
#include "compiler/types.h"
#include "toolbox/parameter_style.h"

/* ## Documents: text with places where it may be broken into lines */

enum doc_kind { DOC_TEXT, DOC_FENCE, DOC_LIST, DOC_CHAIN };

struct doc {
    struct doc *next, *first, **tail;
    const struct json *origin; /* the schema that it says; its span is noted when printed */
    gramc_text text;           /* DOC_LIST: its opening bracket; DOC_FENCE: what stands in it */
    gramc_text close;          /* DOC_LIST: its closing bracket; DOC_FENCE: the tag */
    size_t width;              /* on one line */
    uint8_t kind;
    bool tall; /* cannot, or shall not, stand on one line */
};

/* Where a schema is said in the text, in the order of the starts. */
struct doc_span {
    struct span span;
    uint32_t parent; /* index, UINT32_MAX: none */
    const struct json *origin;
};

struct doc_printer {
    struct buf *out;
    struct buf *spans; /* struct doc_span */
    size_t line_start;
    uint32_t parent;
};

/* All take a NULL document as none; all answer NULL without memory (arena->oom). */
struct doc *doc_text(struct arena *arena, gramc_text text);
struct doc *doc_words(struct arena *arena, const char *words);
struct doc *doc_list(struct arena *arena, const char *open, const char *close);
struct doc *doc_chain(struct arena *arena);
void doc_add(struct doc *parent, struct doc *child);
/* `key: value` */
void doc_property(struct arena *arena, struct doc *list, const char *key, struct doc *value);
/* A text as a quoted string, or as a fence if it has several lines. */
struct doc *doc_string(struct arena *arena, gramc_text text);
/* A name: bare if it can be, else in backticks. */
gramc_text import_quote_name(struct arena *arena, gramc_text name);
/* A key of a map: bare, or in double quotes. */
struct doc *import_key(struct arena *arena, gramc_text name);
/* JSON in json`...`, or in a fence if it holds a backslash or a backtick. */
struct doc *doc_json(struct arena *arena, gramc_text json);
/* A value as gram data; JSON where gram would say it worse. */
struct doc *doc_data(struct arena *arena, const struct json *value);
void doc_print(struct doc_printer *printer, const struct doc *doc, unsigned indent);
bool doc_fits(const struct doc_printer *printer, size_t width);

/* ## Tools */

/* What happened to a schema, as bits. */
enum import_mark {
    MARK_DEFAULT = 1, /* its default does not fit and becomes raw schema */
    MARK_ENUM = 2,
    MARK_CONST = 4,
    MARK_EXAMPLES = 8,
    MARK_RAW = 16,     /* all of it becomes raw schema */
    MARK_DROP = 32,    /* it cannot be said at all: Any stands for it */
    MARK_CHANGED = 64, /* what compiles is not what came in */
    MARK_TOUCHED = 128 /* it was blamed in this round already */
};

struct import_header {
    struct import_header *next;
    gramc_text name, value; /* value: a template */
};

/* How an argument is written where it stands; only what its place does not do by itself. */
struct import_style {
    struct import_style *next;
    gramc_text argument;
    enum parameter_style style;
    enum style_explode explode;
};

/* One part of a multipart body. */
struct import_part {
    struct import_part *next;
    gramc_text name, argument;
    gramc_text content_type; /* empty: that of the value */
    bool is_file;
};

/* One operation of an HTTP interface; all but the method are templates. */
struct import_http {
    gramc_text method, url, body, content_type; /* an empty body is none */
    const struct import_header *headers;
    const struct import_style *styles;
    const struct import_part *parts; /* of a multipart body; NULL: it is none */
    gramc_text body_file;            /* the path of the file that is the body; empty: none is */
    gramc_text flaw; /* why it cannot be called; empty: nothing is known against it */
};

struct import_tool {
    struct import_tool *next;
    const struct source *source;
    const struct json *at; /* for findings */
    gramc_text name, identifier, description, title;
    const struct json *parameters, *result; /* normalised; NULL: nothing was said */
    struct json *whole;                     /* what they say of the arguments as a whole */
    const struct json *raw;                 /* parameters as they came, for what is lost */
    const struct json *annotations;         /* MCP's hints */
    const struct json *examples;            /* calls; NULL: none */
    const struct json *settings;            /* what a bundle says of it; NULL: it is in none */
    struct json *meta;                      /* what only its own target prints; NULL: nothing */
    gramc_text deprecated;                  /* "true" or what to use instead; empty: it is not */
    struct import_http *http;
    bool named;     /* identifier and name differ */
    bool is_schema; /* a plain schema: its title and description are the tool's */
};

struct import_use {
    struct import_use *next;
    const struct import_tool *tool;
};

/* A step of an agent's; its properties are those of the bundle. */
struct import_task {
    struct import_task *next;
    const struct json *at;
    const struct json *output; /* normalised; NULL: none */
    struct import_use *first, **last;
};

/* An agent of a bundle, or the one that the caller wants for what is in no bundle. */
struct import_agent {
    struct import_agent *next;
    const struct source *source;
    const struct json *at; /* NULL: nobody described it */
    gramc_text name, description;
    const struct json *output; /* normalised; NULL: none */
    struct import_use *first, **last;
    struct import_task *first_task, **last_task;
};

/* A member that is left out, of one tool or of many. */
struct import_loss {
    struct import_loss *next;
    const struct source *source;
    const struct json *at;
    const struct import_tool *tool; /* the first that had it; NULL: it was no tool but `place` */
    const struct import_tool *latest;
    const char *place;
    uint32_t count;
};

/* A schema that others refer to, or that stands in several places. */
struct import_type {
    struct import_type *next;
    gramc_text name;
    const struct source *source;
    const struct json *original;    /* NULL: a repeated record */
    struct json *schema;            /* normalised */
    const struct import_type *base; /* that it derives from, its fields being first; NULL: none */
    uint8_t dialect;
    bool asked; /* whether it derives from one */
};

/* A reference with something beside it. */
struct import_reference_use {
    struct import_reference_use *next;
    struct json *schema;
};

enum import_dialect {
    IMPORT_DIALECT_SCHEMA,  /* JSON Schema, with type names of programming languages tolerated */
    IMPORT_DIALECT_OPENAPI, /* OpenAPI 3.0's own: nullable, example */
    IMPORT_DIALECT_GEMINI   /* the same with upper-case types and numbers in strings */
};

/* What an operation or a tool is chosen and called by. */
struct import_subject {
    const struct json *tags;
    gramc_text tag, method, path, operation; /* as written; tag: fit for a name */
    gramc_text operation_name, name;         /* fit for names; name: without a pattern */
};

/* One option that chooses: a subject passes if some glob matches it. */
struct import_filter {
    const char *option;
    const gramc_text *globs;
    size_t count;
    bool *hits;       /* one a glob: it has matched */
    gramc_text *seen; /* what there was to match, for messages */
    size_t seen_count;
};

struct importer {
    struct arena *arena; /* the compilation's */
    struct findings *findings;
    gramc_text kind, agent;
    gramc_text name;  /* a pattern; empty: none */
    gramc_text about; /* what the first OpenAPI document says of itself */
    struct import_filter tags, paths, operations;
    bool name_has_tag, openapi;
    const struct source *source; /* being read */
    const struct json *document; /* that references lead into */
    const struct json *root;     /* the arguments of a tool being read */
    uint32_t document_number;
    uint8_t dialect;
    struct import_tool *first, **last;
    struct import_type *first_type, **last_type;
    struct import_type *pending; /* the last type that has its schema; NULL: none has */
    struct import_reference_use *uses;
    struct arena words;    /* of the documents of one type or tool that is being written */
    struct arena scratch;  /* of comparing one tool with what was compiled of it */
    struct map indexes;    /* the address of a large object to struct import_index (at.c) */
    struct map references; /* "0#/$defs/Address" to struct import_type */
    struct map records;    /* the address of a schema to struct import_type */
    struct map names;      /* identifiers of tools, to struct import_tool */
    struct map type_names; /* names of types, to struct import_type */
    struct map foreign;    /* type names of other languages, reported once each */
    struct map one_way[2]; /* references of a document, to whether members only go one way there */
    struct map losses;     /* names of members to struct import_loss */
    struct map marks;      /* the address of a schema to what happened to it */
    struct map reasons;    /* schemas that are left out to what the compiler said */
    struct import_loss *first_loss, **last_loss;
    struct import_agent *first_agent, **last_agent;
    struct buf spans; /* struct doc_span of the last text written */
    bool bundles;     /* there are some: `meta` in a schema is ours */
    bool late;        /* after many rounds */
    bool report;      /* the last round: say what was lost */
};

/* References lead into this document from now on. */
void import_open(struct importer *in, const struct json *document);
/* Reads one document, or JSON lines. False after an error. */
bool import_read(struct importer *in, const struct source *source);
/* Appends a tool. */
struct import_tool *import_add(struct importer *in, const struct json *at, gramc_text name,
                               gramc_text description);
/* A member of a tool, or of what stands round tools (`place`), says something that is not kept.
 * import_report_losses reports it, once for all members of that name. */
void import_lose(struct importer *in, const struct json *member, const struct import_tool *tool,
                 const char *place);
/* The members of `object` whose names are not in the list. */
void import_lose_others(struct importer *in, const struct json *object, const char *const *known,
                        const struct import_tool *tool, const char *place);
void import_report_losses(struct importer *in);
void import_note_reason(struct importer *in, const struct json *schema, gramc_text message);
/* A schema, or a part of one, is left out; `why`: if the compiler did not say it. */
void import_lose_schema(struct importer *in, const struct json *at, gramc_text why);
/* The list ends with NULL. */
bool import_in_list(gramc_text key, const char *const *list);

/* Keeps a member in `meta` for the provider or protocol that knows it. `inside` NULL, or the member
 * of the definition that it stands in. */
void import_keep(struct importer *in, struct import_tool *tool, const char *provider,
                 const char *inside, const struct json *member);
/* Keeps, or loses, what the form has beside what is read. */
void import_keep_others(struct importer *in, struct import_tool *tool, const char *kind,
                        const struct json *member);
/* `meta` among the tool's properties. */
void import_tool_meta(struct importer *in, const struct import_tool *tool, struct doc *list);

/* A bundle, as `gramc compile --target bundle` writes it. */
bool import_is_bundle(const struct json *object);
void import_bundle(struct importer *in, const struct json *object);
/* Reads one tool definition. NULL, reported: it is none. */
struct import_tool *import_item(struct importer *in, const struct json *item);
/* `{key: value}`: what `meta` takes. */
struct doc *import_map(struct importer *in, const struct json *object);
/* The agent that the caller wants gets all tools that no other has. */
void import_wanted_agent(struct importer *in);
/* What bundles alone say of a tool. */
bool import_is_setting(gramc_text key);
void import_tool_settings(struct importer *in, const struct import_tool *tool, struct doc *list);
void import_write_agents(struct importer *in, struct buf *out);

void import_filter_init(struct import_filter *filter, struct importer *in, const char *option,
                        const gramc_text *globs, size_t count);
bool import_is_wanted(struct importer *in, const struct import_subject *subject);
/* Reports the globs that matched nothing; false if there are some. */
bool import_filters_hit(struct importer *in, const struct source *source);
/* The name by the caller's pattern, without one that of the subject. */
gramc_text import_name(struct importer *in, const struct import_subject *subject);
/* What no name of a tool may have becomes `_`. */
void import_put_name(struct buf *out, gramc_text text);
/* The action without the tag that it begins with; empty: it is the tag. */
gramc_text import_without_tag(struct arena *arena, gramc_text action, gramc_text tag);

/* True for a keyword that can refuse a value. */
bool import_asserts(const struct json *member);
/* Keeps a schema that was normalised for import_conjoin, if something stands beside its $ref. */
void import_note_reference(struct importer *in, struct json *schema);
/* Puts what a normalised schema says into forms that gram has words for. */
void import_plain(struct importer *in, struct json *schema, bool is_root);
/* Makes all of those mean what they meant when they are written as a type at a place of use. */
void import_conjoin(struct importer *in);
/* The object behind the references of a root, with what the root says beside them. */
struct json *import_root(struct importer *in, struct json *schema);

/* Why no draft takes this keyword with that value; empty: it may be taken. */
gramc_text import_flaw(struct importer *in, const struct json *member);

/* Finds types that derive from another, by `allOf`. */
void import_derive(struct importer *in);
/* The first field that is not the base's. */
const struct json *import_own_fields(const struct import_type *type);
void import_share_marks(struct importer *in);

/* `object` is an OpenAPI document. */
void import_openapi(struct importer *in, const struct json *object);

/* A copy in 2020-12 without duplicate keys and definitions, references resolved. */
struct json *import_normalise(struct importer *in, const struct json *schema);
/* Sets the arguments of a tool; NULL: none. */
void import_set_parameters(struct importer *in, struct import_tool *tool,
                           const struct json *parameters);
struct json *import_json(struct arena *arena, enum json_kind kind, gramc_text key, gramc_text text);
void import_append(struct json *parent, struct json *child);
gramc_text import_text(const struct json *object, const char *key); /* a string's text, or empty */

/* Gives all types their schemas and names, and all tools their identifiers. */
void import_name_all(struct importer *in);
struct import_type *import_reference(struct importer *in, gramc_text reference);
/* What "#/paths/~1keys~1%7Bid%7D" leads to; NULL: nothing in this document. */
const struct json *import_target(struct importer *in, const struct json *document,
                                 gramc_text reference);
struct import_type *import_type_of(const struct importer *in, const struct json *schema);
/* The schema as JSON, with references to named types; false if it is too deep. */
bool import_put_json(const struct importer *in, struct json_writer *w, const struct json *schema,
                     unsigned depth);

/* The value of a $ref, with the name that the type has in gram. */
void import_put_reference(const struct importer *in, struct json_writer *w,
                          const struct json *value);

/* A field or parameter of a schema. */
struct import_field {
    gramc_text name;
    bool required;
};
/* `name::Label {...}`; field NULL: a result. */
struct doc *import_node(struct importer *in, const struct json *schema,
                        const struct import_field *field);
/* `Label`, or `{type: Label, ...}` */
struct doc *import_type_value(struct importer *in, const struct json *schema);
/* `[Name:Label {...} | fields]` */
struct doc *import_definition(struct importer *in, const struct import_type *type);
bool import_is_required(const struct json *schema, gramc_text name);
/* Sets what is said about the arguments as a whole, once the parameters are as they stay. */
void import_find_whole(struct importer *in, struct import_tool *tool);
/* As `open`, `arguments` and `schema`, among the tool's properties. */
void import_arguments(struct importer *in, const struct import_tool *tool, struct doc *list);

void import_write(struct importer *in, struct buf *out);
void import_write_library(struct importer *in, struct buf *out);

/* As json_at, for documents with many members side by side. */
const struct json *import_at(struct importer *in, const struct json *value, gramc_text pointer);
/* NULL if both mean the same, else the innermost schema of `a` that does not. `b` is compiled and
 * has its definitions in `root`. */
const struct json *import_difference(struct importer *in, const struct json *a,
                                     const struct json *b, const struct json *root);

/* What happened to a schema so far: enum import_mark, or-ed. */
uint8_t import_marks(const struct importer *in, const struct json *schema);
void import_set_marks(struct importer *in, const struct json *schema, uint8_t marks);
/* In the last round: what is wrong with the schema itself. */
void import_report_marks(struct importer *in, const struct json *schema);
void import_find(struct importer *in, enum diag_id id, const struct source *source,
                 const struct json *at, gramc_text first, gramc_text second);

#endif
