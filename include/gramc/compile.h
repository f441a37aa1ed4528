/* compile.h: from sources to a spec, and from a spec to every printed form.
 *
 *     const gramc_spec *spec;
 *     if (gramc_compile(&spec, c)) return 1;
 *     gramc_emit(spec, NULL, GRAMC_TEXT("openai"), my_writer);
 *
 * What takes a `gramc_compilation *` may change it, its findings and its spec: call that from one
 * thread, and before other threads read the spec. What takes only a `const gramc_spec *` changes
 * nothing and may be called by any number of threads at once. No network, no threads, no global
 * state. */
#ifndef GRAMC_COMPILE_H
#define GRAMC_COMPILE_H

#include "gramc/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ## Compiling */
/* Gives the sources their meaning. Call once, after the last gramc_add_source. GRAMC_USAGE: they
 * were compiled, and their trees are forgotten (gramc_options). GRAMC_FINDINGS when
 * there are errors, or errors that were allowed or lowered and leave nothing to compile; *out is
 * then still set and holds what could be understood, unless memory ran out. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compile(const gramc_spec **out,
                                                    gramc_compilation *compilation);

/* The same for the i-th source with all that it imports, and nothing else: what other sources there
 * are means nothing to it, and the findings about them are taken out. GRAMC_NOT_FOUND: there are
 * fewer sources. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compile_source(const gramc_spec **out,
                                                           gramc_compilation *compilation,
                                                           size_t i);
/* A pattern at the top level of a source. */
typedef struct gramc_pattern {
    size_t source;   /* the i-th of the compilation */
    gramc_text name; /* its identifier */
} gramc_pattern;
/* Finds the patterns with that label ("Agent", "ToolLibrary") and name (empty: any) in all sources
 * and in what they import, compiled or not; fills in as many as there is room for and returns how
 * many there are. */
GRAMC_API size_t gramc_sources_find(gramc_compilation *compilation, gramc_text label,
                                    gramc_text name, gramc_pattern *out, size_t room);
/* True if the i-th source imports all others, itself or through them; known after
 * gramc_sources_find or compiling. Without memory false, and compiling says so. */
GRAMC_API bool gramc_source_imports_all(gramc_compilation *compilation, size_t i);

/* The same for each source that was added: each is a spec of its own with all that it imports. A
 * file that several import is parsed once, and what is found in it is reported once. GRAMC_FINDINGS
 * if there is an error in any of them. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compile_each(gramc_compilation *compilation);
/* The same, and a spec besides that lists the tools of all of them and has no agents: for printing
 * tools that stand in several files. A tool that means two things is an error. GRAMC_FINDINGS,
 * GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_compile_tools(const gramc_spec **out,
                                                          gramc_compilation *compilation);
/* The i-th spec that was made; NULL past the end. Sources that import each other share one. */
GRAMC_API const gramc_spec *gramc_compiled(const gramc_compilation *compilation, size_t i);
/* The name of the source in which a tool stands. */
GRAMC_API gramc_text gramc_tool_file(const gramc_tool *tool);
/* What a tool says of its effects; each is 0 or 1, or -1: nothing is said of it. */
typedef struct gramc_tool_hints {
    int read_only, destructive, idempotent, open_world;
} gramc_tool_hints;
GRAMC_API gramc_tool_hints gramc_tool_get_hints(const gramc_tool *tool);
/* True for one spec, of all that a tool's source is part of: the one that the source is the root
 * of, or else the first. */
GRAMC_API bool gramc_tool_is_own(const gramc_spec *spec, const gramc_tool *tool);

/* ## Preparing
 * Checking and printing need no validators, so making them is a step of its own. It completes the
 * compilation's own objects: after it the agent or tool that was asked for, looked at through the
 * pointer that you have, holds what its struct says (spec.h). */

/* Makes an agent of the compilation ready to run: gives its tools their schema texts and
 * validators, and the agent its fingerprint. A second call does nothing. GRAMC_NOT_FOUND: no agent
 * of this compilation. GRAMC_FINDINGS: a schema that cannot be compiled, reported by gramc_compile
 * already. GRAMC_LIMIT, GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_agent_prepare(gramc_compilation *compilation,
                                                          const gramc_agent *agent);

/* The same for one tool: for checking calls without an agent. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_tool_prepare(gramc_compilation *compilation,
                                                         const gramc_tool *tool);

/* ## Targets
 * Prints an agent's tools (agent NULL: all tools of the spec) for a provider, a program or a
 * reader. The same spec gives the same bytes on every machine. GRAMC_USAGE for an unknown target,
 * GRAMC_NOT_FOUND for an agent of another spec, GRAMC_NOMEM, GRAMC_IO. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_emit(const gramc_spec *spec, const gramc_agent *agent,
                                                 gramc_text target, gramc_writer writer);
/* The i-th target's name and one line about it; NULL past the end. */
GRAMC_API const char *gramc_target_name(size_t i);
GRAMC_API const char *gramc_target_about(size_t i);

/* Adds findings to the compilation about what the target does not take as it is (the G08 family),
 * for an agent's tools, or (agent NULL) for all tools and agents. Call it after gramc_compile.
 * GRAMC_FINDINGS when the compilation has errors afterwards; GRAMC_USAGE for an unknown target or
 * before gramc_compile; GRAMC_NOT_FOUND for an agent of another compilation; GRAMC_NOMEM. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_check(gramc_compilation *compilation,
                                                         const gramc_agent *agent,
                                                         gramc_text target);

/* Room for any name that gramc_target_tool_name gives, with its NUL. */
#define GRAMC_WIRE_NAME_SIZE 129
/* Writes the name under which the target's provider knows a tool, NUL at its end: the tool's own,
 * unless the provider's rules are narrower. It depends on the names of all tools of the agent
 * (agent NULL: of the spec), and no two get the same one. GRAMC_NOT_FOUND if the tool is not among
 * them, GRAMC_USAGE for an unknown target, GRAMC_LIMIT for a target without rules and a name that
 * is longer than the room, GRAMC_NOMEM. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_tool_name(const gramc_spec *spec,
                                                             const gramc_agent *agent,
                                                             const gramc_tool *tool,
                                                             gramc_text target,
                                                             char out[GRAMC_WIRE_NAME_SIZE]);
/* The way back: the tool that the provider knows under that name. GRAMC_NOT_FOUND, GRAMC_USAGE,
 * GRAMC_NOMEM. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_find_tool(const gramc_tool **out,
                                                             const gramc_spec *spec,
                                                             const gramc_agent *agent,
                                                             gramc_text target, gramc_text name);

typedef enum gramc_name_kind { GRAMC_NAME_TOOL, GRAMC_NAME_PARAMETER } gramc_name_kind;
/* The same for any list of names: of tools, or of the properties of one object. Writes to wire[i]
 * what the provider knows names[i] under; equal names stay equal, and no two become one. For lists
 * that no spec holds, such as tools of servers. GRAMC_USAGE, GRAMC_LIMIT and GRAMC_NOMEM as above.
 * Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_wire_names(gramc_text target,
                                                              gramc_name_kind kind,
                                                              const gramc_text *names, size_t count,
                                                              char (*wire)[GRAMC_WIRE_NAME_SIZE],
                                                              const gramc_allocator *allocator);
/* Writes a tool's parameters (JSON Schema) with the names that the provider takes, in each object;
 * nothing else changes. GRAMC_FINDINGS: they are no JSON. GRAMC_USAGE, GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_schema(gramc_text target, const gramc_tool *tool,
                                                          const gramc_allocator *allocator,
                                                          gramc_writer writer);
/* Writes a tool's examples (a JSON array; nothing where it has none) with those names.
 * GRAMC_USAGE, GRAMC_NOMEM, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_examples(gramc_text target,
                                                            const gramc_tool *tool,
                                                            const gramc_allocator *allocator,
                                                            gramc_writer writer);
/* The way back: arguments (JSON) as the provider's model wrote them, with the names of the tool's
 * own schema. What no schema names stays as it is. GRAMC_FINDINGS: one of the two is no JSON. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_arguments(gramc_text target,
                                                             const gramc_tool *tool,
                                                             gramc_text arguments,
                                                             const gramc_allocator *allocator,
                                                             gramc_writer writer);
/* Writes tools, under the names that they have, as a request to the target's provider holds them
 * (`functions`: in the older form of chat completions): a list, each tool byte for byte as
 * gramc_emit prints it. A target of another form gives what `openai` prints. GRAMC_FINDINGS: the
 * parameters of a tool made by hand are no JSON; *bad says which tool. GRAMC_USAGE, GRAMC_NOMEM,
 * GRAMC_LIMIT, GRAMC_IO. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_request(gramc_text target, bool functions,
                                                           const gramc_tool *const *tools,
                                                           size_t count, size_t *bad,
                                                           const gramc_allocator *allocator,
                                                           gramc_writer writer);
/* Writes what a request to the target's provider says about a structured answer of that type
 * (gramc_agent.output_document): the value of `response_format` of chat completions, of
 * `text.format`, of `output_config.format`, of `responseJsonSchema`. GRAMC_NOMEM, GRAMC_LIMIT,
 * GRAMC_IO. Any thread. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_target_answer(gramc_text target,
                                                          const struct json *output,
                                                          const gramc_allocator *allocator,
                                                          gramc_writer writer);

/* ## Skeletons
 * A program with a place for each tool, and the library that binds the tools to it: both work as
 * they are, and answer with values of the right type. */
typedef struct gramc_stub_options {
    size_t struct_size; /* sizeof(gramc_stub_options) */
    gramc_text language, kind;
    const gramc_text *tools; /* only those, by their names on the wire; none: all */
    size_t tool_count;
} gramc_stub_options;

/* The i-th language ("c", "python"...), and the i-th kind that it has ("exec", "staying"...); NULL
 * past the end. Any thread. */
GRAMC_API const char *gramc_stub_language(size_t i);
GRAMC_API const char *gramc_stub_kind(gramc_text language, size_t i);
/* Writes the i-th file of the skeleton, the program first; *name is what it is called. Of an
 * agent's tools (agent NULL: all of the spec). GRAMC_NOT_FOUND: there are fewer files. GRAMC_USAGE:
 * no such language or kind, or no tool. GRAMC_FINDINGS: no value was found that the result type of
 * *bad accepts. GRAMC_AMBIGUOUS: another tool that is taken has the name of *bad and another type.
 * GRAMC_NOMEM, GRAMC_LIMIT, GRAMC_IO. The caller's thread, as with everything that takes a
 * compilation. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_stub_print(gramc_compilation *compilation,
                                                       const gramc_spec *spec,
                                                       const gramc_agent *agent,
                                                       const gramc_stub_options *options, size_t i,
                                                       const char **name, const gramc_tool **bad,
                                                       gramc_writer writer);

/* ## Formatting */
typedef struct gramc_format_options {
    size_t struct_size; /* sizeof(gramc_format_options) */
    bool portable;      /* write only what every reference parser of gram notation reads */
} gramc_format_options;
#define GRAMC_FORMAT_OPTIONS_INIT                                                                  \
    { sizeof(gramc_format_options), false }

/* Writes the i-th source in the one style that there is, comments included; options NULL means
 * GRAMC_FORMAT_OPTIONS_INIT. The text is read again before it is handed out: it has the same
 * patterns and the same comments, and formatting it once more changes nothing. GRAMC_FINDINGS: the
 * source has errors, or (portable) holds what cannot be written for everybody, which is then among
 * the findings. GRAMC_NOT_FOUND: there are fewer sources. GRAMC_NOMEM, GRAMC_LIMIT (2 GiB),
 * GRAMC_IO; GRAMC_INTERNAL if the reading came out different. Nothing is written but on GRAMC_OK.
 * The caller's thread, as with everything that takes a compilation. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_source_format(gramc_compilation *compilation, size_t i,
                                                          const gramc_format_options *options,
                                                          gramc_writer writer);
/* Compares the i-th source with what gramc_source_format would write and, where they differ, adds
 * the finding not-formatted with the edit that mends it. Statuses as there; GRAMC_FINDINGS also for
 * that. Findings are then printed as `gramc fmt`'s. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_source_check_format(
    gramc_compilation *compilation, size_t i, const gramc_format_options *options);

/* ## Import
 * Tool definitions in JSON, as providers, MCP servers, OpenAPI and JSON Schema have them, become
 * the text of an agent spec that compiles to the same schemas. */
typedef struct gramc_import_file {
    gramc_text name;   /* for findings */
    const char *bytes; /* borrowed until the compilation is freed; bytes[len] is a readable NUL */
    size_t len;
} gramc_import_file;

typedef struct gramc_import_options {
    size_t struct_size;   /* sizeof(gramc_import_options) */
    gramc_text kind;      /* one of gramc_import_kind; empty: each file tells by what is in it */
    gramc_text agent;     /* an agent of this name gets all tools; empty: none is written */
    gramc_writer library; /* gets the tool library of an HTTP interface; write NULL: nobody does */
    /* Only what one of these globs matches, of each kind; none: everything. `*` stands for any
     * characters, `?` for one. An operation is one by its operationId or its tool's name, which is
     * all that tools from elsewhere have. A glob that matches nothing is a finding, an error. */
    const gramc_text *tags, *paths, *operations;
    size_t tag_count, path_count, operation_count;
    gramc_text
        name; /* of tools: a pattern with `{part}` of gramc_import_name_part; empty: {name} */
} gramc_import_options;
#define GRAMC_IMPORT_OPTIONS_INIT                                                                  \
    {                                                                                              \
        sizeof(gramc_import_options), {NULL, 0}, {NULL, 0}, {NULL, NULL}, NULL, NULL, NULL, 0, 0,  \
            0, {                                                                                   \
            NULL, 0                                                                                \
        }                                                                                          \
    }

/* Writes one spec for all files. The compilation takes the findings, whose places are in the files:
 * a note where the text says it in a roundabout way, a warning where something is lost or changed.
 * What is written passes `gramc check` without errors. options NULL: as the INIT has them.
 * GRAMC_FINDINGS, and nothing written, for what is not JSON or holds no tool; GRAMC_USAGE for an
 * unknown kind; GRAMC_NOMEM, GRAMC_LIMIT, GRAMC_IO. */
GRAMC_API GRAMC_MUST_USE gramc_status gramc_import(gramc_compilation *compilation,
                                                   const gramc_import_file *files, size_t count,
                                                   const gramc_import_options *options,
                                                   gramc_writer spec);
/* The i-th kind; NULL past the end. */
GRAMC_API const char *gramc_import_kind(size_t i);
/* What may stand in braces in a pattern of names: "tag", "operation"... NULL past the end. */
GRAMC_API const char *gramc_import_name_part(size_t i);

#ifdef __cplusplus
}
#endif
#endif
