/* Works out, when a schema is compiled, which of its defaults fit and what they look like when they
 * are filled in, defaults inside them included. What does not fit by the fast path alone is left to
 * the thorough half. */
#include "jsonschema/compile.h"
#include "jsonschema/fast.h"

enum { DEFAULTS_INSIDE = 8, LARGEST_DEFAULT = 1 << 20 };

/* `[value]`, as the fast path reads it. No ptr: too large, or no memory. */
static gramc_text bracketed(struct schema_compiler *c, const struct json *value) {
    struct buf buf;
    buf_init(&buf, &c->scratch.allocator, LARGEST_DEFAULT);
    buf_putc(&buf, '[');
    json_put(&buf, value);
    buf_putc(&buf, ']');
    gramc_text text = {NULL, 0};
    if (buf.state == BUF_TOO_BIG) buf_free(&buf);
    else text = buf_to_arena(&buf, &c->scratch);
    return text;
}

/* `,"key":value` without the comma. */
static bool keep_member(struct schema_compiler *c, struct fast_default *out, gramc_text key,
                        gramc_text value) {
    struct buf buf;
    buf_init(&buf, &c->arena->allocator, 2 * LARGEST_DEFAULT);
    json_put_string(&buf, key);
    buf_putc(&buf, ':');
    out->value = buf.len;
    buf_text(&buf, value);
    out->member = buf_to_arena(&buf, c->arena);
    return out->member.ptr || compile_stop(c, GRAMC_NOMEM);
}

static bool prepare_default(struct schema_compiler *c, struct object_rules *rules, size_t i) {
    const struct fast_key *key = &rules->fast.keys[i];
    gramc_text text = bracketed(c, find_property(rules, key->text)->initial);
    struct fills fills;
    if (!text.ptr) return !c->scratch.oom || compile_stop(c, GRAMC_NOMEM);
    fills_init(&fills, &c->scratch, text, GRAMC_CHECK_DEFAULTS);
    if (!run_default(c->schema, key->node, text, &fills)) return true;
    gramc_text full = fills_apply(&fills, text);
    if (!full.ptr) return !c->scratch.oom || compile_stop(c, GRAMC_NOMEM);
    return keep_member(c, &rules->initials[i], key->text, (gramc_text){full.ptr + 1, full.len - 2});
}

/* *more: some were found whose like may stand inside others. */
static bool prepare_object(struct schema_compiler *c, struct object_rules *rules, bool *more) {
    for (uint64_t left = rules->defaults; left; left &= left - 1) {
        size_t i = (size_t)__builtin_ctzll(left);
        if (rules->initials[i].member.len) continue;
        if (!compile_step(c) || !prepare_default(c, rules, i)) return false;
        *more |= rules->initials[i].member.len != 0;
    }
    return true;
}

bool fast_prepare_defaults(struct schema_compiler *c) {
    bool more = c->schema->has_defaults && !c->schema->dynamic;
    for (int round = 0; more && round < DEFAULTS_INSIDE; round++) {
        more = false;
        for (struct schema_node *node = c->schema->nodes; node; node = node->next)
            if (node->object && node->object->initials && !prepare_object(c, node->object, &more))
                return false;
    }
    return true;
}
