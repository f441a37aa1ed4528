/* What the three files that read a toolbox share: the state of one reading, its findings, maps with
 * known keys. Internal to read.c, call.c and words.c. */
#ifndef TOOLBOX_READER_H
#define TOOLBOX_READER_H

#include "base/limits.h"
#include "base/map.h"
#include "toolbox/toolbox.h"
#include "base/yaml/yaml.h"

struct toolbox_reader {
    struct toolbox *box;
    struct arena *arena;
    gramc_text text; /* of the file */
    bool literal;
    const gramc_toolbox_host *host; /* NULL: none */
    struct toolbox_finding **link;
    size_t kept;
    size_t texts;   /* bytes that were read so far */
    struct map ids; /* to the number that the last tool of this id got */
    bool nomem;
};

struct parameter_list {
    gramc_text names[TOOLBOX_PARAMETERS_MAX];
    const struct yaml *keys[TOOLBOX_PARAMETERS_MAX];
    bool used[TOOLBOX_PARAMETERS_MAX];
    struct template_style styles[TOOLBOX_PARAMETERS_MAX]; /* style_count of them */
    const struct yaml *style_nodes[TOOLBOX_PARAMETERS_MAX];
    size_t count, style_count;
};

/* ## Findings (words.c) */

/* printf. NULL when there are too many already; still counted then. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
struct toolbox_finding *
toolbox_find(struct toolbox_reader *reader, gramc_severity severity, uint32_t line, uint32_t column,
             const char *format, ...);

#define ERROR_AT(reader, node, ...)                                                                \
    toolbox_find((reader), GRAMC_ERROR, (node)->line, (node)->column, __VA_ARGS__)
#define WARN_AT(reader, node, ...)                                                                 \
    toolbox_find((reader), GRAMC_WARNING, (node)->line, (node)->column, __VA_ARGS__)

/* For %.*s: no more of a hostile text than fits a line. */
#define SHORT(text) (int)((text).len < 80 ? (text).len : 80), (text).ptr

void toolbox_help(struct toolbox_finding *finding, const char *text);
/* False, once and for all, when aliases have made a small file a large one. */
bool toolbox_take_text(struct toolbox_reader *reader, const struct yaml *node);

/* ## Maps with known keys (words.c) */

struct toolbox_field {
    const char *name;
    bool required;
    enum yaml_kind kind;
};

/* "there is no `what` `word`; did you mean `known`?" */
struct toolbox_finding *toolbox_unknown_word(struct toolbox_reader *reader, const struct yaml *node,
                                             const char *what, const gramc_text *known,
                                             size_t count);
bool toolbox_check_map(struct toolbox_reader *reader, const struct yaml *map, const char *path,
                       const struct toolbox_field *fields, size_t count);
#define CHECK_MAP(reader, map, path, fields)                                                       \
    toolbox_check_map((reader), (map), (path), (fields), sizeof(fields) / sizeof((fields)[0]))
/* A member's text, copied already; empty if it is absent. */
gramc_text toolbox_text_at(const struct yaml *map, const char *key);

/* ## Styles of parameters (style.c) */

/* `style` and `explode` of a parameter, before the call is read. */
void toolbox_read_style(struct toolbox_reader *reader, const struct yaml_item *parameter,
                        struct parameter_list *list);
/* Whether the call has places for them, once it is read. */
void toolbox_check_styles(struct toolbox_reader *reader, const struct http_call *call,
                          const struct parameter_list *list);

/* ## Definitions and transformers (call.c) */

void toolbox_read_definition(struct toolbox_reader *reader, const struct yaml *definition,
                             struct http_call *call, struct parameter_list *list);
void toolbox_read_transformer(struct toolbox_reader *reader, const struct yaml *node,
                              struct http_call *call);

#endif
