/* gramc.h: gram notation, read and checked.
 *
 * libgramc turns .gram text into a tree and a list of findings. It never prints, exits, aborts,
 * reads the environment, opens a file by itself, or touches locale and signals. There is no global
 * state: two threads may work on two compilations at once, one compilation belongs to one thread.
 *
 *     gramc_compilation *c;
 *     if (gramc_compilation_new(&c, NULL)) return 1;
 *     gramc_add_source(c, GRAMC_TEXT("hello.gram"), bytes, length);
 *     gramc_findings_print(c, GRAMC_REPORT_TEXT, my_writer);
 *     gramc_compilation_free(c);
 *
 * Ownership, said once: what comes out through a `const` pointer or a gramc_text is borrowed and
 * lives as long as the object that it was asked of. What comes out through a pointer to a pointer
 * is yours and has one matching _free, which takes NULL. */
#ifndef GRAMC_GRAMC_H
#define GRAMC_GRAMC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(GRAMC_BUILD) && !defined(GRAMC_PRIVATE) && defined(__GNUC__)
#define GRAMC_API __attribute__((visibility("default")))
#else
#define GRAMC_API
#endif
#if defined(__GNUC__)
#define GRAMC_MUST_USE __attribute__((warn_unused_result))
#else
#define GRAMC_MUST_USE
#endif

#define GRAMC_VERSION_MAJOR 0
#define GRAMC_VERSION_MINOR 1
#define GRAMC_VERSION_PATCH 0

/* The version of the library that is running, "0.1.0". Any thread. */
GRAMC_API const char *gramc_version(void);
/* The version of the reference grammar that the notation follows, "0.3.7". Any thread. */
GRAMC_API const char *gramc_notation_version(void);
/* What has a version of its own: the language of specs, and the formats of files. */
typedef struct gramc_format_version {
    const char *name; /* "language", "bundle", "trace", "snapshot", "baseline", "diagnostics" */
    unsigned version; /* that is written; what else can be read is said on the format's page */
} gramc_format_version;
/* The i-th; false past the end. Any thread. */
GRAMC_API bool gramc_format_version_get(size_t i, gramc_format_version *out);

/* ## Status
 * Every call that can fail returns one of these. Details are in the findings. */
typedef enum gramc_status {
    GRAMC_OK = 0,
    GRAMC_NOMEM = -1,     /* the allocator returned NULL; the object is still safe to free */
    GRAMC_FINDINGS = -2,  /* there is at least one error among the findings */
    GRAMC_LIMIT = -3,     /* a stated limit was passed */
    GRAMC_NOT_FOUND = -4, /* no such name */
    GRAMC_AMBIGUOUS = -5, /* more than one fits and none was chosen */
    GRAMC_USAGE = -6,     /* an argument makes no sense */
    GRAMC_IO = -7,        /* a reader or writer that you passed in failed */
    GRAMC_INTERNAL = -8   /* gramc's check of its own work failed, and nothing was handed out */
} gramc_status;

/* ## Text
 * Bytes with a length; not terminated by NUL. UTF-8 unless it says otherwise. */
typedef struct gramc_text {
    const char *ptr;
    size_t len;
} gramc_text;
#ifdef __cplusplus
#define GRAMC_TEXT(literal) (gramc_text{(literal), sizeof(literal) - 1})
#else
#define GRAMC_TEXT(literal) ((gramc_text){(literal), sizeof(literal) - 1})
#endif

/* ## Memory
 * One function does everything: ptr NULL allocates, new_size 0 frees (and returns NULL), else it
 * resizes; old_size is what was last asked for. Alignment is that of max_align_t. NULL from an
 * allocation is reported as GRAMC_NOMEM, never fatal. NULL as allocator means malloc and free. */
typedef struct gramc_allocator {
    void *(*alloc)(void *ctx, void *ptr, size_t old_size, size_t new_size);
    void *ctx;
} gramc_allocator;

/* ## Output
 * Receives bytes in order; returns 0, or anything else to stop, which comes back as GRAMC_IO. */
typedef struct gramc_writer {
    int (*write)(void *ctx, const char *bytes, size_t len);
    void *ctx;
} gramc_writer;

/* Why a JSON document cannot be used (a schema, a JOLT spec): a JSON Pointer into it, a byte
 * offset, and a sentence. */
typedef struct gramc_json_error {
    char pointer[256];
    size_t position;
    char message[512];
} gramc_json_error;

/* ## Compilation
 * Holds sources, their trees and the findings about them, all in one arena. */
typedef struct gramc_compilation gramc_compilation;

/* Reads a file that a source names ({file: "prompt.md"}, imports). `path` is relative to the
 * current folder, already joined with the folder of the file that names it. On success sets *out to
 * bytes that stay valid until the compilation is freed, with a NUL behind them, and returns 0.
 * GRAMC_NOMEM means that memory ran out, any other value that the file cannot be read; of these
 * findings tell GRAMC_NOT_FOUND (there is none) and GRAMC_USAGE (it lies outside the project). */
typedef struct gramc_reader {
    int (*read)(void *ctx, gramc_text path, gramc_text *out);
    void *ctx;
} gramc_reader;

/* Finds the configuration that judges the source called `path`: sets *name (of the configuration,
 * by which it is known again) and *text, both as in gramc_reader, and returns 0. GRAMC_NOT_FOUND:
 * none does. GRAMC_NOMEM as there, any other value: it cannot be read. */
typedef struct gramc_configurer {
    int (*find)(void *ctx, gramc_text path, gramc_text *name, gramc_text *text);
    void *ctx;
} gramc_configurer;

typedef struct gramc_options {
    size_t struct_size;               /* sizeof(gramc_options) */
    const gramc_allocator *allocator; /* NULL: malloc; copied */
    gramc_reader reader;              /* read NULL: a source may name no file */
    bool plain;                       /* plain gram only: each extension is an error */
    bool strict_vocabulary;           /* a name with two types is an error, not a warning */
    bool keep_types;                  /* print every named type under $defs, not in line */
    uint32_t max_findings;            /* 0: 1000, errors first; others are counted, not kept */
    bool strict;                      /* warnings fail as errors do: gramc_finding_failures */
    gramc_configurer configurer;      /* asked once for each source, unless there is a configuration
                                       * for all (gramc_add_configuration); find NULL: there is no
                                       * other */
    bool forget_trees;                /* compiling gives back what was parsed as soon as it has been
                                       * understood: less memory, but each source can be compiled
                                       * once only, and its tree cannot be printed after that */
    bool advice;                      /* notes on what is recommended, too */
} gramc_options;
#define GRAMC_OPTIONS_INIT                                                                         \
    {                                                                                              \
        sizeof(gramc_options), NULL, {NULL, NULL}, false, false, false, 0, false, {NULL, NULL},    \
            false, false                                                                           \
    }

/* Makes an empty compilation. options NULL means GRAMC_OPTIONS_INIT. GRAMC_NOMEM or GRAMC_OK. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compilation_new(gramc_compilation **out,
                                                            const gramc_options *options);
GRAMC_API void gramc_compilation_free(gramc_compilation *compilation);

/* Parses one source. `name` (copied) stands in findings; `bytes` are borrowed until the compilation
 * is freed, and bytes[len] must be a readable NUL. GRAMC_FINDINGS when the text has errors (the
 * rest of the file was read all the same), GRAMC_LIMIT at 2 GiB and more, GRAMC_USAGE for a name
 * with a NUL. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_add_source(gramc_compilation *compilation,
                                                       gramc_text name, const char *bytes,
                                                       size_t len);

/* One of the sources, in the order in which they were added. */
typedef struct gramc_source {
    gramc_text name, text;
    bool has_errors; /* of syntax */
} gramc_source;

GRAMC_API size_t gramc_source_count(const gramc_compilation *compilation);
/* The i-th source; false past the end. */
GRAMC_API bool gramc_source_get(const gramc_compilation *compilation, size_t i, gramc_source *out);

/* ## Configuration
 * A gram file with the header `{kind: "configuration", ...}`, called gramc.gram by gramc, sets what
 * is checked how: docs/configuration.md. */

/* Reads a configuration and puts it in force; at most once, before the first source. `name` and
 * `bytes` as in gramc_add_source. GRAMC_FINDINGS when it has errors (what could be understood is in
 * force), GRAMC_USAGE when there is one already, GRAMC_LIMIT, GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_add_configuration(gramc_compilation *compilation,
                                                              gramc_text name, const char *bytes,
                                                              size_t len);
/* Reads the configuration that judges a source of that name, as the configurer finds it, without
 * any source. GRAMC_NOT_FOUND: none does; the others as with gramc_add_source. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_configure(gramc_compilation *compilation,
                                                      gramc_text name);
/* True if a configuration in force has errors. */
GRAMC_API bool gramc_configuration_is_broken(const gramc_compilation *compilation);

/* One thing that the configuration says. */
typedef struct gramc_setting {
    gramc_text key;   /* "strict", "severities.G0209", "models.gpt-4o-mini.inputPerMillion" */
    gramc_text value; /* "true", "warning", "0.15"; of a list, each item is a setting */
    gramc_text file;
    uint32_t line, column; /* from 1; columns in code points */
} gramc_setting;

/* The i-th setting in the order of the file; false past the end. Of the configuration for all, or
 * else of the one that judges the first source, or the one that gramc_compile_source was called
 * for. */
GRAMC_API bool gramc_setting_get(const gramc_compilation *compilation, size_t i,
                                 gramc_setting *out);
/* The first setting with that key; false if the configuration does not say. */
GRAMC_API bool gramc_setting_find(const gramc_compilation *compilation, gramc_text key,
                                  gramc_setting *out);

/* ## Trees
 * What the last source added looks like. */
typedef enum gramc_tree_format {
    GRAMC_TREE_JSON, /* canonical JSON of the gram project: subject and elements */
    GRAMC_TREE_SEXP, /* s-expression in the shape of the reference parser */
    GRAMC_TREE_TEXT  /* indented, with spans, separators and arrows: for people */
} gramc_tree_format;

GRAMC_API GRAMC_MUST_USE gramc_status gramc_tree_print(const gramc_compilation *compilation,
                                                       gramc_tree_format format,
                                                       gramc_writer writer);

/* ## Findings
 * Everything that was noticed, in the order of the places. */
typedef enum gramc_severity { GRAMC_NOTE, GRAMC_WARNING, GRAMC_ERROR } gramc_severity;

typedef struct gramc_finding {
    const char *code; /* "G0203" */
    const char *slug; /* "duplicate-parameter" */
    gramc_severity severity;
    gramc_text message; /* one line, lower case, no full stop */
    gramc_text help;    /* a way out, or empty */
    gramc_text file;    /* as named in gramc_add_source */
    uint32_t start;     /* byte offsets in that source: [start, end) */
    uint32_t end;
} gramc_finding;

GRAMC_API size_t gramc_finding_count(const gramc_compilation *compilation, gramc_severity severity);
/* Errors, and under `strict` (an option or a setting) warnings too: what fails a check. */
GRAMC_API size_t gramc_finding_failures(const gramc_compilation *compilation);
/* The i-th finding; false past the end. */
GRAMC_API bool gramc_finding_get(const gramc_compilation *compilation, size_t i,
                                 gramc_finding *out);

typedef enum gramc_report_format {
    GRAMC_REPORT_TEXT,    /* source lines with the place underlined */
    GRAMC_REPORT_COLOR,   /* the same with terminal colours */
    GRAMC_REPORT_CONCISE, /* file:line:column: severity[code]: message */
    GRAMC_REPORT_JSON,    /* the gram project's diagnostics JSON, plus slug, help, related */
    GRAMC_REPORT_SARIF,   /* SARIF 2.1.0 */
    GRAMC_REPORT_JUNIT,   /* JUnit XML, one test case a source */
    GRAMC_REPORT_GITHUB,  /* workflow commands of GitHub Actions */
    GRAMC_REPORT_GITLAB   /* GitLab's code quality report */
} gramc_report_format;

/* The i-th format's name ("text", "sarif"...) and one line about it; NULL past the end.
 * GRAMC_REPORT_COLOR has no name. Any thread. */
GRAMC_API const char *gramc_report_format_name(size_t i);
GRAMC_API const char *gramc_report_format_about(size_t i);
/* False if there is no format of that name. Any thread. */
GRAMC_API bool gramc_report_format_find(gramc_text name, gramc_report_format *out);

GRAMC_API GRAMC_MUST_USE gramc_status gramc_findings_print(const gramc_compilation *compilation,
                                                           gramc_report_format format,
                                                           gramc_writer writer);

/* Prints a report that holds one error, `not-done`: a file that could not be read, a revision that
 * does not exist. For a command that was asked for a report and cannot do its work. `command`:
 * "check", "diff", "fmt", "validate"; `file`: what the error is about. GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_failure_print(gramc_report_format format,
                                                          const char *command, gramc_text file,
                                                          gramc_text message,
                                                          const gramc_allocator *allocator,
                                                          gramc_writer writer);

/* ## Fixes
 * Some findings know the edits that remove them and need no decision. */
typedef struct gramc_edit {
    uint32_t start, end;    /* byte offsets in the finding's source */
    gramc_text replacement; /* stands there instead */
} gramc_edit;

/* The j-th edit of the i-th finding; false past the last one, or if the finding has none. All edits
 * of a finding belong together. */
GRAMC_API bool gramc_finding_edit(const gramc_compilation *compilation, size_t i, size_t j,
                                  gramc_edit *out);
/* Writes the i-th source with all fixes made that do not overlap; *fixed is how many findings were
 * fixed, 0 if the text is the same. Making them may bring other findings to light: compile again.
 * GRAMC_NOT_FOUND: there are fewer sources. GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_source_fix(const gramc_compilation *compilation,
                                                       size_t i, gramc_writer writer,
                                                       size_t *fixed);

/* ## Baselines
 * A JSON file with the findings of some day, by path, code and source line, so that only new ones
 * are reported: docs/formats/baseline.md. Errors in syntax are never in it. */

/* Writes the findings that there are now. Call after gramc_compile. GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_baseline_write(const gramc_compilation *compilation,
                                                           gramc_writer writer);
/* Takes out the findings that the baseline knows; *gone becomes the number of those that no longer
 * occur. Call after gramc_compile. GRAMC_USAGE: this is no baseline of a known version;
 * GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_baseline_apply(gramc_compilation *compilation,
                                                           gramc_text baseline, size_t *gone);

/* ## Explanations
 * The table of all findings that there can be. */
typedef struct gramc_explanation {
    const char *code, *slug;
    gramc_severity severity;
    const char *message;     /* with {0}, {1}, {2} where texts are filled in */
    const char *explanation; /* some sentences */
    const char *bad, *good;  /* gram that gives the finding, and that does not; may be empty */
} gramc_explanation;

/* The i-th row; false past the end. Any thread. */
GRAMC_API bool gramc_explain(size_t i, gramc_explanation *out);

#ifdef __cplusplus
}
#endif
#endif
