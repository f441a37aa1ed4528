/* schema.h: JSON Schema over bytes, for its own sake: nothing here knows gram notation.
 *
 * A schema document becomes a program that evaluates bytes, explains what is wrong, fills in
 * defaults; two schemas are compared: does one accept all that the other does. No network, no
 * threads, no global state. */
#ifndef GRAMC_SCHEMA_H
#define GRAMC_SCHEMA_H

#include "gramc/gramc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ## The validator
 * A schema is compiled once to a flat program, immutable and free to share between threads, that
 * runs over the bytes of an instance in one pass. */
typedef struct gramc_schema gramc_schema;

typedef enum gramc_draft {
    GRAMC_DRAFT_AUTO, /* as $schema says, else 2020-12; naming another outdoes $schema */
    GRAMC_DRAFT_2020_12,
    GRAMC_DRAFT_2019_09,
    GRAMC_DRAFT_7,
    GRAMC_DRAFT_6,
    GRAMC_DRAFT_4
} gramc_draft;

/* The draft that people call so: "2020-12", "2019-09", "7" or "draft-07", and 6 and 4 likewise.
 * False if there is none of that name. */
GRAMC_API bool gramc_draft_find(gramc_text name, gramc_draft *out);

struct json; /* a document that the library built; opaque */
/* Whether draft-07 and 2020-12 read a schema in the same way: it uses no keyword that only one of
 * them knows, or that they understand differently. What it says of its draft does not count. */
GRAMC_API bool gramc_schema_drafts_agree(const struct json *schema);

/* Gives the text of a schema document that a $ref names and that is not built in. `uri` has no
 * fragment. On success sets *out to bytes that stay valid until gramc_schema_compile returns, and
 * returns 0; GRAMC_NOMEM without memory, any other value if there is no such document. The library
 * itself never opens a file or a connection. */
typedef struct gramc_resolver {
    int (*resolve)(void *ctx, gramc_text uri, gramc_text *out);
    void *ctx;
} gramc_resolver;

typedef struct gramc_schema_options {
    size_t struct_size; /* sizeof(gramc_schema_options) */
    const gramc_allocator *allocator;
    gramc_draft draft;
    bool assert_formats; /* `format` is checked, not only noted */
    bool closed_root;    /* an unknown member of the root object is an error (tool calls) */
    gramc_text base_uri; /* of the document, when it has no $id; empty: none */
    gramc_resolver resolver;
    bool assert_content; /* contentEncoding (base64, base64url, base32, base32hex, base16 of RFC
                            4648, quoted-printable, 7bit), contentMediaType (application/json) and
                            contentSchema are checked, not only noted */
} gramc_schema_options;
#define GRAMC_SCHEMA_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(gramc_schema_options), NULL, GRAMC_DRAFT_AUTO, false, false, {NULL, 0},             \
            {NULL, NULL}, false                                                                    \
    }

/* Compiles a schema document. `error` may be NULL. GRAMC_FINDINGS: not JSON, not a schema, an
 * unresolvable reference, a pattern that cannot be translated. GRAMC_LIMIT: deeper than 1,000
 * levels or more than 16 MiB. The bytes are not needed afterwards. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_schema_compile(gramc_schema **out, const char *json,
                                                           size_t len,
                                                           const gramc_schema_options *options,
                                                           gramc_json_error *error);
/* The same for a document that the library built, as tools and implementations of a spec have them;
 * it must outlive the schema. NULL stands for one that was nested too deeply: GRAMC_LIMIT. */
struct json; /* opaque */
GRAMC_API GRAMC_MUST_USE gramc_status
gramc_schema_compile_document(gramc_schema **out, const struct json *document,
                              const gramc_schema_options *options, gramc_json_error *error);
/* What a schema was compiled from; it lives as long as the schema. A small text is read again for
 * this, once, and kept then: NULL without memory. Any thread. */
GRAMC_API const struct json *gramc_schema_document(const gramc_schema *schema);
GRAMC_API void gramc_schema_free(gramc_schema *schema);

/* True if the bytes are JSON that the schema accepts. Allocates nothing unless a keyword needs a
 * second look (unevaluated*, uniqueItems and the like) or objects around one place have more than
 * 128 members that the schema does not name, then from the schema's allocator; without memory it
 * answers false. Any thread. */
GRAMC_API bool gramc_schema_accepts(const gramc_schema *schema, const char *json, size_t len);

/* True if gramc_schema_check accepts the bytes and has nothing to change in them, whatever its
 * flags. False can also mean that this would take a second look (a default may be missing):
 * gramc_schema_check tells. Allocates as gramc_schema_accepts does. Any thread. */
GRAMC_API bool gramc_schema_accepts_as_is(const gramc_schema *schema, const char *json, size_t len);

/* True if it is plain that every string is valid, whatever stands in it: the schema says nothing of
 * strings but that they may be there. Allocates nothing. Any thread. */
GRAMC_API bool gramc_schema_accepts_any_text(const gramc_schema *schema);

typedef enum gramc_check_flags {
    /* Fill in the defaults of absent members, nested ones too, but for those with which a value
     * would not be valid that is valid without them (or has fewer errors). */
    GRAMC_CHECK_DEFAULTS = 1,
    /* Without loss: texts, numbers, booleans; a text that is an array or object, and back where the
     * schema has `contentMediaType: application/json`. */
    GRAMC_CHECK_COERCE = 2,
    /* With the last: an array or object becomes its JSON wherever a string is asked for. */
    GRAMC_CHECK_JSON_TEXT = 8,
    GRAMC_CHECK_NULL_ABSENT = 4, /* null for an optional member that is not nullable counts as
                                    absent */
    /* Collect annotations, for gramc_verdict_annotations and the output formats `basic` and
     * `detailed`. Only what is valid has any. The schema must outlive the verdict then. */
    GRAMC_CHECK_ANNOTATIONS = 16,
    /* The same, and what comes of each keyword at each place, for the output format `verbose`. */
    GRAMC_CHECK_UNITS = 32
} gramc_check_flags;

typedef struct gramc_check_options {
    size_t struct_size;  /* sizeof(gramc_check_options) */
    unsigned flags;      /* gramc_check_flags, or-ed */
    uint32_t max_errors; /* 0: 100; `errors_total` counts all */
    const gramc_allocator *allocator;
    gramc_json_error *error; /* of GRAMC_LIMIT: which limit it was, and where; NULL: not asked */
} gramc_check_options;
#define GRAMC_CHECK_OPTIONS_INIT                                                                   \
    { sizeof(gramc_check_options), 0, 0, NULL, NULL }

typedef struct gramc_violation {
    gramc_text instance; /* JSON Pointer into the instance; "" is the whole */
    gramc_text schema;   /* JSON Pointer into the schema, the keyword at its end */
    gramc_text keyword;  /* "required", "type"...; "json" when the bytes are not JSON */
    size_t position;     /* byte offset in the instance */
    gramc_text message;  /* `age: expected an integer, got the string "abc"; pass ...` */
} gramc_violation;

typedef enum gramc_adjustment_kind {
    GRAMC_ADJUSTED_DEFAULT, /* `after` was filled in */
    GRAMC_ADJUSTED_COERCED, /* `before` became `after` */
    GRAMC_ADJUSTED_REMOVED, /* `before`, a null that counted as absent */
    GRAMC_ADJUSTED_LEFT_OUT /* nothing changed: with the default `after` it would not be valid */
} gramc_adjustment_kind;

typedef struct gramc_adjustment {
    gramc_text instance; /* JSON Pointer */
    gramc_adjustment_kind kind;
    gramc_text before, after; /* JSON; empty where there is none */
} gramc_adjustment;

/* One verdict; yours, freed by gramc_verdict_free. */
typedef struct gramc_verdict {
    bool valid;
    const gramc_violation *errors;
    size_t error_count;
    size_t errors_total;
    gramc_text normalised; /* the bytes after the adjustments; the input's own if nothing changed */
    const gramc_adjustment *adjustments;
    size_t adjustment_count;
} gramc_verdict;

/* Evaluates the bytes (borrowed; they must outlive the verdict). options NULL: no flags. GRAMC_OK
 * also when invalid: look at (*out)->valid. GRAMC_NOMEM; GRAMC_LIMIT: nested deeper than 1,000
 * levels, or more work, for patterns or all in all, than a value of this size may take. Any thread.
 */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_schema_check(gramc_verdict **out,
                                                         const gramc_schema *schema,
                                                         const char *json, size_t len,
                                                         const gramc_check_options *options);
GRAMC_API void gramc_verdict_free(gramc_verdict *verdict);

/* What a keyword says of a place that is valid (2020-12, Core, section 7.7): its own value
 * (`title`, `format`, unknown keywords...), or which members or items it was applied to
 * (`properties`...). */
typedef struct gramc_annotation {
    gramc_text instance; /* JSON Pointer into the instance */
    gramc_text keyword;
    gramc_text path; /* through the schema with each reference: the standard's keywordLocation */
    gramc_text absolute; /* URI of the keyword: absoluteKeywordLocation */
    gramc_text value;    /* JSON */
} gramc_annotation;

/* Calls `tell` for each annotation, in the order of the schema; what it is given lives until it
 * returns. Anything but 0 ends it: GRAMC_IO. Nothing is told of an instance that is not valid.
 * GRAMC_USAGE if the verdict was made without GRAMC_CHECK_ANNOTATIONS, GRAMC_LIMIT for one
 * annotation of more than 64 MiB, GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status
gramc_verdict_annotations(const gramc_verdict *verdict,
                          int (*tell)(void *ctx, const gramc_annotation *annotation), void *ctx);

/* How a verdict looks. The last four are the output formats of JSON Schema (2020-12, Core, section
 * 12.4). Of a valid instance `basic` lists the keywords that it was held to, with their
 * annotations, and `detailed` has the annotations in a tree, if GRAMC_CHECK_ANNOTATIONS was set. */
typedef enum gramc_verdict_format {
    GRAMC_VERDICT_TEXT,     /* one line an error: its sentence; nothing when valid */
    GRAMC_VERDICT_JSON,     /* valid, errors_total, errors, changes, normalised */
    GRAMC_VERDICT_FLAG,     /* {"valid": ...} */
    GRAMC_VERDICT_BASIC,    /* all errors in a list */
    GRAMC_VERDICT_DETAILED, /* errors in a tree that follows the schema */
    GRAMC_VERDICT_VERBOSE   /* every keyword at every place; needs GRAMC_CHECK_UNITS */
} gramc_verdict_format;

/* The i-th format that one verdict is asked for by name in ("verdict", "flag"...), and one line
 * about it; NULL past the end. GRAMC_VERDICT_TEXT has no name. Any thread. */
GRAMC_API const char *gramc_verdict_format_name(size_t i);
GRAMC_API const char *gramc_verdict_format_about(size_t i);
/* False if there is no format of that name. Any thread. */
GRAMC_API bool gramc_verdict_format_find(gramc_text name, gramc_verdict_format *out);

/* Prints one verdict and a line end. JSON errors have the members of gramc_violation, `changes`
 * those of gramc_adjustment; `normalised` is null when the bytes were not JSON. GRAMC_USAGE for an
 * unknown format, or one that the verdict was not made for, GRAMC_LIMIT for more than 64 MiB. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_verdict_print(const gramc_verdict *verdict,
                                                          gramc_verdict_format format,
                                                          gramc_writer writer);

/* An instance that was evaluated, for printing many verdicts as one report. */
typedef struct gramc_evaluated {
    gramc_text name; /* of its file; those of one file stand together */
    gramc_text text; /* the whole file, up to 2 GiB; text.ptr[text.len] is a readable NUL */
    size_t start;    /* where the instance stands in it */
    const gramc_verdict *verdict; /* NULL: it is valid */
} gramc_evaluated;

/* Prints violations as gramc_findings_print prints findings: a violation's code is its keyword.
 * All is borrowed for the call. allocator NULL means malloc. GRAMC_USAGE for an unknown format,
 * GRAMC_LIMIT, GRAMC_NOMEM, GRAMC_IO. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_verdicts_print(const gramc_evaluated *evaluated,
                                                           size_t count, gramc_report_format format,
                                                           const gramc_allocator *allocator,
                                                           gramc_writer writer);

/* ## Comparing schemas
 * Is every value that schema A accepts accepted by schema B? */
typedef enum gramc_comparison_answer {
    GRAMC_COMPARE_YES,    /* proven */
    GRAMC_COMPARE_NO,     /* there is a counterexample */
    GRAMC_COMPARE_UNKNOWN /* not decided; `reason` says why */
} gramc_comparison_answer;

typedef struct gramc_compare_options {
    size_t struct_size; /* sizeof(gramc_compare_options) */
    const gramc_allocator *allocator;
    uint64_t max_steps; /* 0: 100,000; when they are used up the answer is UNKNOWN */
    bool as_sent;       /* A is a tool's `parameters`, and what is meant is what the runtime sends:
                           defaults filled in, no unknown member at the root */
    bool filled_in;     /* what is meant are the values of A and of B with their defaults filled in:
                           what whoever gets them can count on */
} gramc_compare_options;
#define GRAMC_COMPARE_OPTIONS_INIT                                                                 \
    { sizeof(gramc_compare_options), NULL, 0, false, false }

/* Yours, freed by gramc_comparison_free. */
typedef struct gramc_comparison {
    gramc_comparison_answer answer;
    gramc_text counterexample; /* of NO: JSON that the validator accepted by A and refused by B */
    gramc_text reason;         /* of UNKNOWN: a few words */
} gramc_comparison;

/* Compares two schema documents (JSON Schema 2020-12, `format` asserted; borrowed for the call).
 * Decided are the types of this language: types, bounds, lengths, counts, enums and constants,
 * properties, items, alternatives, and references to #/$defs, recursive ones too. A pattern or
 * format is compared with its like only, and keywords that the language does not print are not
 * compared: there the answer is UNKNOWN, unless some value shows that it is NO. options NULL: the
 * defaults. GRAMC_NOMEM; GRAMC_FINDINGS or GRAMC_LIMIT when one of the two cannot be compiled (see
 * gramc_schema_compile). Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_schema_compare(gramc_comparison **out, gramc_text a,
                                                           gramc_text b,
                                                           const gramc_compare_options *options);
/* The same for two documents that were built before, which must outlive the comparison. */
GRAMC_API GRAMC_MUST_USE gramc_status
gramc_schema_compare_documents(gramc_comparison **out, const struct json *a, const struct json *b,
                               const gramc_compare_options *options);
GRAMC_API void gramc_comparison_free(gramc_comparison *comparison);

/* ## Samples
 * Writes a value that the schema accepts (2020-12, `format` asserted), made of nothing but the
 * schema: what it names (const, default, examples, enum), else something plain of its type; of an
 * object what is required. The same for the same schema. The document must be one that the library
 * built. GRAMC_FINDINGS: none was found, which does not mean that there is none, or the schema
 * cannot be compiled; GRAMC_LIMIT, GRAMC_NOMEM, GRAMC_IO. allocator NULL means malloc. Any thread.
 */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_schema_sample(const struct json *document,
                                                          const gramc_allocator *allocator,
                                                          gramc_writer writer);

#ifdef __cplusplus
}
#endif
#endif
