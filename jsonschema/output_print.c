/* Shows output units: `basic`, `detailed` and `verbose` (2020-12, Core, section 12.4), and the
 * annotations alone. The three locations of a unit are kept while the tree is walked, as each unit
 * has only what it adds to them. Recursion: as deep as the units, which JUDGE_FRAMES_MAX bounds. */
#include "jsonschema/output.h"

#include "base/text.h"
#include "jsonschema/uri.h"

enum { LONGEST_LOCATION = 64 * 1024 * 1024 };

struct output_view {
    const struct verdict *verdict;
    struct json_writer *w; /* NULL: `tell` is told */
    struct buf path, instance, absolute, value;
    int (*tell)(void *ctx, const gramc_annotation *annotation);
    void *ctx;
    bool stopped;
};

/* Where a unit is. */
struct output_place {
    gramc_text base;       /* the URI of the schema around it... */
    size_t from;           /* ...and how much of the path led to that */
    size_t path, instance; /* how long they were before */
    bool dropped;          /* something around it failed */
};

/* ## Places */

static void view_init(struct output_view *view, const struct verdict *verdict) {
    struct buf *bufs[] = {&view->path, &view->instance, &view->absolute, &view->value};
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_init(bufs[i], &verdict->arena.allocator, LONGEST_LOCATION);
    view->verdict = verdict;
}

/* The first failure of the buffers, which it frees. */
static enum buf_state view_free(struct output_view *view) {
    struct buf *bufs[] = {&view->path, &view->instance, &view->absolute, &view->value};
    enum buf_state state = BUF_FINE;
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) {
        if (state == BUF_FINE) state = bufs[i]->state;
        buf_free(bufs[i]);
    }
    return state;
}

static struct output_place enter(struct output_view *view, const struct output_unit *unit,
                                 const struct output_place *outer) {
    struct output_place place = *outer;
    place.path = view->path.len;
    place.instance = view->instance.len;
    if (unit->token.ptr) json_put_pointer_token(&view->path, unit->token);
    if (unit->listed) buf_printf(&view->path, "/%u", (unsigned)unit->index);
    if (unit->place && unit->is_item) buf_printf(&view->instance, "/%u", (unsigned)unit->item);
    else if (unit->place) json_put_pointer_token(&view->instance, unit->place->key);
    if (unit->absolute.ptr) {
        place.base = unit->absolute;
        place.from = view->path.len;
    }
    place.dropped |= !unit->valid;
    return place;
}

static void leave(struct output_view *view, const struct output_place *place) {
    view->path.len = place->path;
    view->instance.len = place->instance;
}

/* A failure stays. */
static void restart(struct buf *buf) {
    if (buf->state == BUF_FINE) buf->len = 0;
}

static gramc_text absolute_at(struct output_view *view, const struct output_place *place) {
    restart(&view->absolute);
    buf_text(&view->absolute, place->base);
    size_t start = view->absolute.len;
    buf_text(&view->absolute, text_slice(buf_view(&view->path), place->from, view->path.len));
    uri_encode_fragment(&view->absolute, start);
    return buf_view(&view->absolute);
}

/* ## Annotations */

static void put_names(struct json_writer *w, const struct output_unit *unit) {
    const struct json *last = NULL;
    json_array_begin(w);
    for (const struct output_unit *inner = unit->first; inner; inner = inner->next) {
        if (inner->place && inner->place != last) json_text(w, inner->place->key);
        last = inner->place;
    }
    json_array_end(w);
}

static void put_places(struct json_writer *w, const struct output_unit *unit) {
    json_array_begin(w);
    for (const struct output_unit *inner = unit->first; inner; inner = inner->next)
        if (inner->valid && inner->place) json_number(w, inner->item);
    json_array_end(w);
}

static void put_last(struct json_writer *w, const struct output_unit *unit) {
    const struct output_unit *inner = unit->first;
    while (inner->next) inner = inner->next;
    json_number(w, inner->item);
}

static void put_annotation(struct json_writer *w, const struct output_unit *unit) {
    switch ((enum output_says)unit->says) {
    case SAYS_NOTHING: json_null(w); break;
    case SAYS_VALUE: json_value(w, unit->value); break;
    case SAYS_NAMES: put_names(w, unit); break;
    case SAYS_PLACES: put_places(w, unit); break;
    case SAYS_LAST: put_last(w, unit); break;
    case SAYS_TRUE: json_bool(w, true); break;
    }
}

/* ## Units */

static void begin_unit(struct output_view *view, const struct output_unit *unit,
                       const struct output_place *place) {
    struct json_writer *w = view->w;
    json_object_begin(w);
    json_member_bool(w, "valid", unit->valid);
    json_member_text(w, "keywordLocation", buf_view(&view->path));
    json_member_text(w, "absoluteKeywordLocation", absolute_at(view, place));
    json_member_text(w, "instanceLocation", buf_view(&view->instance));
    json_member_some(w, "error", unit->error);
    if (place->dropped || unit->says == SAYS_NOTHING) return;
    json_key(w, "annotation");
    put_annotation(w, unit);
}

static void tell(struct output_view *view, const struct output_unit *unit,
                 const struct output_place *place) {
    if (unit->says == SAYS_NOTHING) return;
    struct json_writer w = json_writer(&view->value);
    gramc_text path = buf_view(&view->path);
    restart(&view->value);
    put_annotation(&w, unit);
    const gramc_annotation annotation = {buf_view(&view->instance), unit->token, path,
                                         absolute_at(view, place), buf_view(&view->value)};
    view->stopped = view->value.state != BUF_FINE || view->absolute.state != BUF_FINE ||
                    view->path.state != BUF_FINE || view->instance.state != BUF_FINE ||
                    view->tell(view->ctx, &annotation);
}

/* The keywords that hold, whatever they stand in. */
static void put_flat(struct output_view *view, const struct output_unit *unit,
                     const struct output_place *outer) {
    if (!unit->valid) return;
    struct output_place place = enter(view, unit, outer);
    if (unit->keyword && !view->w) tell(view, unit, &place);
    if (unit->keyword && view->w) {
        begin_unit(view, unit, &place);
        json_object_end(view->w);
    }
    for (const struct output_unit *inner = unit->first; inner && !view->stopped;
         inner = inner->next)
        put_flat(view, inner, &place);
    leave(view, &place);
}

static void put_tree(struct output_view *view, const struct output_unit *unit,
                     const struct output_place *outer) {
    struct output_place place = enter(view, unit, outer);
    begin_unit(view, unit, &place);
    if (unit->first) json_member_array(view->w, unit->valid ? "annotations" : "errors");
    for (const struct output_unit *inner = unit->first; inner; inner = inner->next)
        put_tree(view, inner, &place);
    if (unit->first) json_array_end(view->w);
    json_object_end(view->w);
    leave(view, &place);
}

/* Only the root and what has annotations; what stands around a single one says nothing. */
static void put_condensed(struct output_view *view, const struct output_unit *unit,
                          const struct output_place *outer) {
    size_t kept = 0;
    for (const struct output_unit *inner = unit->first; inner; inner = inner->next)
        kept += inner->kept;
    struct output_place place = enter(view, unit, outer);
    bool shown = kept != 1 || unit->says != SAYS_NOTHING || unit == view->verdict->output;
    if (shown) begin_unit(view, unit, &place);
    if (shown && kept) json_member_array(view->w, "annotations");
    for (const struct output_unit *inner = unit->first; inner; inner = inner->next)
        if (inner->kept) put_condensed(view, inner, &place);
    if (shown && kept) json_array_end(view->w);
    if (shown) json_object_end(view->w);
    leave(view, &place);
}

/* ## Formats */

typedef void put_units(struct output_view *view, const struct output_unit *unit,
                       const struct output_place *outer);

static void put_with(struct json_writer *w, const struct verdict *verdict, put_units *put) {
    struct output_view view = {.w = w};
    const struct output_place nowhere = {.dropped = false};
    view_init(&view, verdict);
    put(&view, verdict->output, &nowhere);
    enum buf_state state = view_free(&view);
    if (w->out->state == BUF_FINE) w->out->state = state;
}

void output_put_basic(struct json_writer *w, const struct verdict *verdict) {
    json_object_begin(w);
    json_member_bool(w, "valid", true);
    json_member_array(w, "annotations");
    put_with(w, verdict, put_flat);
    json_array_end(w);
    json_object_end(w);
}

void output_put_detailed(struct json_writer *w, const struct verdict *verdict) {
    put_with(w, verdict, put_condensed);
}

/* What no keyword says: that the bytes are not JSON, that names come twice. */
static bool is_about_bytes(const struct violation *violation) {
    return text_is(violation->shown.keyword, "json") ||
           text_is(violation->shown.keyword, "duplicate");
}

void output_put_verbose(struct json_writer *w, const struct verdict *verdict) {
    bool more = false;
    for (const struct violation *v = verdict->violations; v; v = v->next) more |= is_about_bytes(v);
    if (!more) {
        put_with(w, verdict, put_tree);
        return;
    }
    json_object_begin(w);
    json_member_bool(w, "valid", false);
    json_member_text(w, "keywordLocation", TEXT(""));
    json_member_text(w, "instanceLocation", TEXT(""));
    json_member_array(w, "errors");
    for (const struct violation *v = verdict->violations; v; v = v->next)
        if (is_about_bytes(v)) verdict_put_leaf(w, v);
    if (verdict->output) put_with(w, verdict, put_tree);
    json_array_end(w);
    json_object_end(w);
}

gramc_status gramc_verdict_annotations(const gramc_verdict *shown,
                                       int (*tell_one)(void *ctx,
                                                       const gramc_annotation *annotation),
                                       void *ctx) {
    const struct verdict *verdict = (const struct verdict *)shown; /* its first member */
    struct output_view view = {.tell = tell_one, .ctx = ctx};
    const struct output_place nowhere = {.dropped = false};
    if (!verdict->output) return shown->valid ? GRAMC_USAGE : GRAMC_OK;
    if (!shown->valid) return GRAMC_OK;
    view_init(&view, verdict);
    put_flat(&view, verdict->output, &nowhere);
    switch (view_free(&view)) {
    case BUF_FINE: return view.stopped ? GRAMC_IO : GRAMC_OK;
    case BUF_NOMEM: return GRAMC_NOMEM;
    default: return GRAMC_LIMIT;
    }
}
