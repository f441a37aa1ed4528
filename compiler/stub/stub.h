/* Skeletons of tools for those who write them: what the emitters of the languages share. */
#ifndef COMPILER_STUB_STUB_H
#define COMPILER_STUB_STUB_H

#include "base/json/json.h"
#include "base/map.h"
#include "compiler/spec.h"
#include "gramc/compile.h"

/* How the program is called; GRAMC_RESULT_... of spec.h says how it answers. */
enum stub_kind { STUB_EXEC, STUB_STAYING, STUB_PLUGIN, STUB_MCP, STUB_KINDS };

/* A tool with the names that the program calls it by. */
struct stub_tool {
    const gramc_tool *tool;
    gramc_text function;           /* an identifier of the language, no other's */
    gramc_text type;               /* of the arguments: the same */
    const struct json *parameters; /* JSON Schema, named types under $defs */
    const struct json *result;
    const struct json *promise; /* of STUB_MCP: the same, with bounds that are only checked */
    gramc_text sample;          /* JSON that the result's schema accepts */
};

struct stub {
    struct buf *out;
    struct arena *arena;
    enum stub_kind kind;
    const struct stub_language *language;
    const gramc_stub_options *options;
    struct stub_tool *tools; /* room for all that the agent has */
    size_t count;
    struct map by_name;              /* the same, by the name on the wire */
    const struct json **definitions; /* named types, each once */
    size_t definition_count;
    struct map taken; /* identifiers of the program */
    struct map types; /* by the name of a named type: a gramc_text, what the program calls it */
    struct buf later; /* types that came up while something else was written */
};

struct stub_language {
    const char *name, *file, *starter; /* starter: the program that runs the file; "": ./tools */
    unsigned kinds;                    /* 1 << enum stub_kind */
    const char *keywords;              /* between blanks, no identifiers */
    bool is_camel;                     /* functions are fooBar, not foo_bar */
    void (*print)(struct stub *stub);
};

extern const struct stub_language stub_python, stub_typescript, stub_c;

/* What stands in every program in C (c_parts.c). */
extern const char stub_c_head[], stub_c_reader[], stub_c_result[], stub_c_exec_loop[],
    stub_c_staying_loop[];

/* ## Names (names.c) */
/* An identifier made of a name, that nothing else has: as a type (FooBar) or as a function. */
gramc_text stub_name(struct stub *stub, gramc_text name, bool is_type);
/* The text is an identifier of the language as it is. */
bool stub_is_identifier(const struct stub_language *language, gramc_text name);
/* Takes a name that the program's own parts have. */
void stub_take(struct stub *stub, const char *name);

/* Names for all tools and named types, once the program's own names are taken. */
void stub_name_all(struct stub *stub);

/* ## Schemas (shape.c) */
/* What an emitter asks about a schema first. */
enum stub_shape {
    SHAPE_ANY,
    SHAPE_REFERENCE, /* a named type */
    SHAPE_VALUES,    /* enum or const */
    SHAPE_UNION,
    SHAPE_TEXT,
    SHAPE_INTEGER,
    SHAPE_NUMBER,
    SHAPE_BOOLEAN,
    SHAPE_NULL,
    SHAPE_ARRAY,
    SHAPE_RECORD, /* an object with properties */
    SHAPE_MAP,    /* an object of any names */
    SHAPE_TYPES   /* a list of types */
};
enum stub_shape stub_shape(const struct json *schema);
/* Of SHAPE_REFERENCE: the name, decoded. */
gramc_text stub_reference(struct arena *arena, const struct json *schema);
/* Of SHAPE_VALUES: the first of the list, or the only one. */
const struct json *stub_values(const struct json *schema);
/* A schema, or the named type that it refers to; NULL: there is none, or a ring of them. */
const struct json *stub_behind_reference(const struct stub *stub, const struct json *schema);
const struct json *stub_members(const struct json *schema);
/* The shape of one of a list of types. */
enum stub_shape stub_type_shape(gramc_text type);
/* It is always there: required, or filled in by gramc. */
bool stub_is_there(const struct json *object, const struct json *property);

/* The JSON Schema of the tool's result as a server of MCP lists it; empty: the result is no object.
 */
gramc_text stub_output_schema(struct stub *stub, const struct stub_tool *tool);

/* Appends what another buffer holds, and its error, and frees it. */
void stub_append(struct buf *out, struct buf *piece);
/* Comments, one line each, after `prefix`. */
void stub_comment(struct buf *out, const char *prefix, gramc_text text);
/* What the schema demands and no type says (a pattern, bounds), as JSON members; empty: nothing. */
gramc_text stub_bounds(struct stub *stub, const struct json *schema);
/* The text of a schema's description; empty: none. */
gramc_text stub_description(const struct json *schema);
/* Bytes as a string of C or, with the quotes of JSON, of the other two. */
void stub_c_string(struct buf *out, gramc_text text);

#endif
