/* Works out, when a schema is compiled, what tells the schemas of one place apart when they meet an
 * object: names that some of them require, members that they give a constant or a list. Of these a
 * table is made, by which a glance at the keys decides before anything is read (fast_glance.c). */
#include "jsonschema/compile.h"
#include "jsonschema/fast.h"

#include "base/text.h"

enum {
    MOST_SUBJECTS = 64,
    MOST_ROWS = 64,
    MOST_RULES = 8,       /* schemas that a subject is put together from */
    MOST_HOPS = 8,        /* references and allOf inside each other */
    MOST_TEXTS = 256,     /* for one name */
    MOST_NUMBERS = 64,    /* that many judge one name */
    FEW_PROPERTIES = 8,   /* are all looked at, so that nothing has to be read */
    MOST_VISITS = 1 << 20 /* of properties in all of a schema */
};

/* One of the schemas, and what it says about members through $ref and allOf. */
struct glance_subject {
    const struct object_rules *rules[MOST_RULES];
    uint8_t rule_count;
    bool complete; /* it says nothing else about an object */
};

struct discerned_row {
    gramc_text key;
    bool lists; /* somebody lists values */
    struct glance_row out;
    gramc_text *texts;
    uint64_t *listing; /* who lists each of them */
    size_t text_count;
    struct glance_number *numbers;
};

struct discern {
    struct schema_compiler *c;
    const struct applicators *apply;
    struct node_list all; /* its allOf: first the nodes that are looked at together with it... */
    size_t glanced;       /* ...so many */
    bool choice;          /* there is one list and nothing else */
    struct glance_subject subjects[MOST_SUBJECTS];
    struct discerned_row rows[MOST_ROWS];
    size_t subject_count, row_count;
    uint64_t objects;
    size_t *visits;
};

/* ## Subjects */

static bool says_only_members(const struct schema_node *node) {
    const struct applicators *a = node->apply;
    const struct object_rules *o = node->object;
    if (!(node->types & TYPE_BIT_OBJECT) || node->values) return false;
    if (a && (a->any.count || a->one.count || a->no || a->if_node || a->unevaluated_items ||
              a->unevaluated_properties || (a->dynamic && a->dynamic->dynamic)))
        return false;
    return !o || (!o->additional && !o->pattern_count && !o->names && !o->dependent_count &&
                  !o->min && o->max == UINT32_MAX);
}

static void gather(struct glance_subject *subject, const struct schema_node *node, unsigned hops) {
    const struct applicators *a = node->apply;
    subject->complete &= says_only_members(node) && hops < MOST_HOPS;
    if (node->object) {
        if (subject->rule_count < MOST_RULES) subject->rules[subject->rule_count++] = node->object;
        else subject->complete = false;
    }
    if (!a || hops >= MOST_HOPS || subject->rule_count == MOST_RULES) {
        subject->complete &= !a;
        return;
    }
    if (a->ref) gather(subject, a->ref, hops + 1);
    if (a->dynamic) gather(subject, a->dynamic->target, hops + 1);
    for (size_t i = 0; i < a->all.count; i++) {
        if (subject->rule_count == MOST_RULES) subject->complete = false;
        else gather(subject, a->all.nodes[i], hops + 1);
    }
}

static void add_subject(struct discern *d, const struct schema_node *node) {
    uint64_t bit = UINT64_C(1) << d->subject_count;
    struct glance_subject *subject = &d->subjects[d->subject_count++];
    *subject = (struct glance_subject){.complete = true};
    if (!(node->kinds & TYPE_BIT_OBJECT)) return;
    d->objects |= bit;
    gather(subject, node, 0);
}

static void add_subjects(struct discern *d, const struct applicators *a) {
    const struct schema_node *conditions[] = {a->if_node, a->no, a->then_node, a->else_node};
    for (size_t i = 0; i < a->any.count; i++) add_subject(d, a->any.nodes[i]);
    for (size_t i = 0; i < a->one.count; i++) add_subject(d, a->one.nodes[i]);
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (conditions[i]) add_subject(d, conditions[i]);
}

/* A node of allOf that has nothing but alternatives and conditions. */
static bool only_branches(const struct schema_node *node) {
    const struct applicators *a = node->look;
    return node->mode == MODE_LOOK && !node->itself && !a->ref && !a->dynamic && !a->all.count;
}

/* Puts nodes of allOf first whose subjects there is room for. */
static bool choose_nodes(struct discern *d) {
    const struct node_list *all = &d->apply->all;
    size_t room = MOST_SUBJECTS - d->subject_count, rest = 0;
    const struct schema_node **list = arena_array(&d->c->scratch, 2 * all->count + 1, sizeof *list);
    if (!list) return compile_stop(d->c, GRAMC_NOMEM);
    for (size_t i = 0; i < all->count; i++) {
        const struct schema_node *node = all->nodes[i];
        size_t count = only_branches(node->same) ? applicators_subjects(node->same->look) : 0;
        if (!count || count > room) {
            list[all->count + rest++] = node;
            continue;
        }
        room -= count;
        add_subjects(d, node->same->look);
        list[d->glanced++] = node;
    }
    memmove(&list[d->glanced], &list[all->count], rest * sizeof *list);
    d->all = (struct node_list){list, all->count};
    return true;
}

/* ## Which names */

static bool lists_values(const struct schema_node *node) {
    node = node ? node->same : NULL;
    if (node && node->mode == MODE_MERGED) node = node->itself;
    return node && node->values && node->mode != MODE_TREE;
}

/* One that allows everything. */
static bool is_silent(const struct schema_property *property) {
    const struct schema_node *node = property->node ? property->node->same : NULL;
    return !node || (node->mode == MODE_MIXED && node->types == TYPE_BIT_ALL && !node->values &&
                     !node->number && !node->string && !node->array && !node->object);
}

static struct discerned_row *row_of(struct discern *d, gramc_text key) {
    for (size_t i = 0; i < d->row_count; i++)
        if (text_eq(d->rows[i].key, key)) return &d->rows[i];
    if (d->row_count == MOST_ROWS) return NULL;
    struct discerned_row *row = &d->rows[d->row_count++];
    *row = (struct discerned_row){.key = key};
    memset(row->out.fits, 0xFF, sizeof row->out.fits);
    memset(row->out.sure, 0xFF, sizeof row->out.sure);
    return row;
}

static void add_name(struct discern *d, struct glance_subject *subject,
                     const struct schema_property *property, bool all) {
    bool required = property->required != NO_REQUIRED, lists = lists_values(property->node);
    uint64_t bit = UINT64_C(1) << (subject - d->subjects);
    if (property->initial) subject->complete = false;
    struct discerned_row *row =
        required || lists || (all && !is_silent(property)) ? row_of(d, property->key) : NULL;
    if (!row) {
        if (required || !is_silent(property)) subject->complete = false;
        return;
    }
    if (required) row->out.required |= bit;
    row->lists |= lists;
}

static bool add_names(struct discern *d, struct glance_subject *subject) {
    for (size_t i = 0; i < subject->rule_count; i++) {
        const struct object_rules *rules = subject->rules[i];
        bool all = subject->complete && rules->property_count <= FEW_PROPERTIES;
        if ((*d->visits += rules->property_count) > MOST_VISITS) return false;
        for (size_t k = 0; k < rules->property_count; k++)
            add_name(d, subject, &rules->properties[k], all);
    }
    return true;
}

/* What all of several alternatives require tells nothing. */
static void leave_common(struct discern *d) {
    size_t kept = 0;
    bool choice = d->choice && d->objects & (d->objects - 1);
    for (size_t i = 0; i < d->row_count; i++) {
        bool common = choice && !d->rows[i].lists && d->rows[i].out.required == d->objects;
        for (size_t k = 0; common && k < d->subject_count; k++) d->subjects[k].complete = false;
        if (!common) d->rows[kept++] = d->rows[i];
    }
    d->row_count = kept;
}

/* ## What they say */

static void add_text(struct discerned_row *row, gramc_text text, uint64_t bit) {
    for (size_t i = 0; i < row->text_count; i++) {
        if (!text_eq(row->texts[i], text)) continue;
        row->listing[i] |= bit;
        return;
    }
    row->texts[row->text_count] = text;
    row->listing[row->text_count++] = bit;
}

static bool add_texts(struct discern *d, struct discerned_row *row, const struct fast_keys *texts,
                      uint64_t bit) {
    if (row->out.listed & bit || row->text_count + texts->count > MOST_TEXTS) return false;
    if (!row->texts) {
        row->texts = arena_array(&d->c->scratch, MOST_TEXTS, sizeof *row->texts);
        row->listing = arena_array(&d->c->scratch, MOST_TEXTS, sizeof *row->listing);
    }
    if (!row->texts || !row->listing) return compile_stop(d->c, GRAMC_NOMEM);
    for (size_t i = 0; i < texts->count; i++) add_text(row, texts->keys[i].text, bit);
    row->out.listed |= bit;
    return true;
}

static bool add_number(struct discern *d, struct discerned_row *row, const struct schema_node *node,
                       uint64_t bit) {
    if (row->out.number_count == MOST_NUMBERS) return false;
    if (!row->numbers)
        row->numbers = arena_array(&d->c->scratch, MOST_NUMBERS, sizeof *row->numbers);
    if (!row->numbers) return compile_stop(d->c, GRAMC_NOMEM);
    row->numbers[row->out.number_count++] = (struct glance_number){node, bit};
    return true;
}

/* Whether a class of values is judged in full. */
static bool judge_class(struct discern *d, struct discerned_row *row,
                        const struct schema_node *says, enum glance_class class, uint64_t bit,
                        bool complete) {
    bool any_number = (says->types & TYPE_BIT_NUMBER) == TYPE_BIT_NUMBER;
    switch (class) {
    case GLANCE_STRING:
        return (!says->values || add_texts(d, row, &says->values->texts, bit)) && !says->string;
    case GLANCE_NUMBER:
        if (!says->values && !says->number && any_number) return true;
        return (says->values || complete) && add_number(d, row, says, bit);
    case GLANCE_OBJECT: return !says->object;
    case GLANCE_ARRAY: return !says->array;
    default: return true;
    }
}

/* A value of that class may be right, as far as can be told at once. */
static bool may_be(const struct schema_node *node, const struct schema_node *says,
                   enum glance_class class) {
    static const uint8_t kinds[GLANCE_CLASSES] = {
        TYPE_BIT_STRING, TYPE_BIT_NUMBER, TYPE_BIT_BOOLEAN, TYPE_BIT_BOOLEAN,
        TYPE_BIT_NULL,   TYPE_BIT_OBJECT, TYPE_BIT_ARRAY};
    static const uint8_t words[GLANCE_CLASSES] = {
        [GLANCE_TRUE] = 1u << JSON_TRUE,
        [GLANCE_FALSE] = 1u << JSON_FALSE,
        [GLANCE_NULL] = 1u << JSON_NULL,
    };
    if (!(node->kinds & says->kinds & kinds[class])) return false;
    return !words[class] || !says->values || says->values->texts.words & words[class];
}

/* What a schema for a member says of it. */
static bool fill_row(struct discern *d, struct discerned_row *row, const struct schema_node *node,
                     uint64_t bit, bool complete) {
    bool all = node->mode != MODE_TREE && node->mode != MODE_LOOK;
    bool apart = node->mode == MODE_LOOK || node->mode == MODE_MERGED;
    const struct schema_node *says = apart && node->itself ? node->itself : node;
    for (unsigned class = 0; class < GLANCE_CLASSES; class ++) {
        if (!may_be(node, says, (enum glance_class) class)) row->out.fits[class] &= ~bit;
        else if (node->mode == MODE_TREE ||
                 !judge_class(d, row, says, (enum glance_class) class, bit, complete) || !all)
            row->out.sure[class] &= ~bit;
    }
    return d->c->status == GRAMC_OK;
}

static bool fill_rows(struct discern *d, const struct glance_subject *subject) {
    uint64_t bit = UINT64_C(1) << (subject - d->subjects);
    for (size_t i = 0; i < subject->rule_count; i++)
        for (size_t k = 0; k < d->row_count; k++) {
            const struct object_rules *rules = subject->rules[i];
            const struct schema_property *property = find_property(rules, d->rows[k].key);
            const struct schema_node *node = property ? property->node : NULL;
            if (!node && !rules->pattern_count) node = rules->additional;
            if (node && !fill_row(d, &d->rows[k], node->same, bit, subject->complete)) return false;
        }
    return true;
}

/* ## The table */

static bool finish_row(struct discern *d, const struct discerned_row *row, struct glance_row *out) {
    struct arena *arena = d->c->arena;
    *out = row->out;
    if (out->number_count) {
        struct glance_number *numbers = arena_array(arena, out->number_count, sizeof *numbers);
        if (!numbers) return compile_stop(d->c, GRAMC_NOMEM);
        memcpy(numbers, row->numbers, out->number_count * sizeof *numbers);
        out->numbers = numbers;
    }
    return !row->text_count ||
           fast_make_keys(d->c, &out->texts, row->texts, row->listing, row->text_count);
}

static bool finish(struct discern *d, struct glance *glance) {
    gramc_text keys[MOST_ROWS];
    uint64_t bits[MOST_ROWS];
    struct glance_row *rows = arena_array(d->c->arena, d->row_count, sizeof *rows);
    if (!rows) return compile_stop(d->c, GRAMC_NOMEM);
    *glance = (struct glance){
        .rows = rows, .objects = d->objects, .nodes = d->glanced, .choice = d->choice};
    for (size_t i = 0; i < d->subject_count; i++)
        if (d->subjects[i].complete) glance->exact |= d->objects & UINT64_C(1) << i;
    for (size_t i = 0; i < d->row_count; i++) {
        keys[i] = d->rows[i].key;
        bits[i] = UINT64_C(1) << i;
        if (d->rows[i].out.required) glance->required |= bits[i];
        if (!finish_row(d, &d->rows[i], &rows[i])) return false;
    }
    return fast_make_keys(d->c, &glance->keys, keys, bits, d->row_count);
}

/* Conditions are worth a look by themselves, alternatives if there are two. */
static bool is_worth_it(const struct discern *d) {
    bool several = d->objects & (d->objects - 1);
    return d->row_count && d->objects && (several || d->apply->if_node || d->apply->no);
}

static bool find_subjects(struct discern *d) {
    const struct applicators *a = d->apply;
    size_t own = applicators_subjects(a);
    d->subject_count = d->row_count = d->glanced = 0;
    d->objects = 0;
    if (own > MOST_SUBJECTS) return true;
    add_subjects(d, a);
    if (!choose_nodes(d)) return false;
    d->choice = !a->if_node && !a->no && (!a->any.count || !a->one.count) && !d->glanced;
    return true;
}

static bool keep(struct discern *d, struct schema_node *node) {
    struct glance *glance = ARENA_NEW(d->c->arena, struct glance);
    struct applicators *look = ARENA_NEW(d->c->arena, struct applicators);
    if (!glance || !look) return compile_stop(d->c, GRAMC_NOMEM);
    *look = *d->apply;
    look->glance = glance;
    node->look = look;
    if (d->glanced) {
        const struct schema_node **list = arena_array(d->c->arena, d->all.count, sizeof *list);
        if (!list) return compile_stop(d->c, GRAMC_NOMEM);
        memcpy(list, d->all.nodes, d->all.count * sizeof *list);
        look->all.nodes = list;
    }
    return finish(d, glance);
}

static bool discern(struct discern *d, struct schema_node *node) {
    if (!find_subjects(d)) return false;
    for (size_t i = 0; i < d->subject_count; i++)
        if (!add_names(d, &d->subjects[i])) return true;
    leave_common(d);
    if (!is_worth_it(d)) return true;
    for (size_t i = 0; i < d->subject_count; i++)
        if (!fill_rows(d, &d->subjects[i])) return false;
    return keep(d, node);
}

bool fast_discern_nodes(struct schema_compiler *c) {
    size_t visits = 0;
    struct discern *d = NULL;
    for (struct schema_node *node = c->schema->nodes; node; node = node->next) {
        if (node->same != node || node->mode != MODE_LOOK) continue;
        if (!d) d = ARENA_NEW(&c->scratch, struct discern);
        if (!d) return compile_stop(c, GRAMC_NOMEM);
        d->c = c;
        d->apply = node->look;
        d->visits = &visits;
        if (visits <= MOST_VISITS && !discern(d, node)) return false;
    }
    return true;
}
