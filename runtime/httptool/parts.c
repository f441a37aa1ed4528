/* Turns the parts of an HTTP call and the arguments into pieces: a text, JSON or a file each,
 * several of one name for a list; and pieces into the bytes of multipart/form-data (RFC 7578, with
 * names written as browsers do). The boundary is made of the bytes, so that equal calls are equal.
 */
#include "runtime/httptool/parts.h"

#include <string.h>

#include "base/text.h"
#include "runtime/httptool/media_type.h"
#include "runtime/loop.h"

#define JSON_TYPE TEXT("application/json")

/* ## Pieces */

static struct http_piece *add_piece(struct http_work *work, gramc_text name,
                                    gramc_text content_type) {
    struct http_piece *piece = ARENA_NEW(&work->arena, struct http_piece);
    if (!piece) {
        tool_settle(work->call, TOOL_NOMEM);
        return NULL;
    }
    *piece = (struct http_piece){.name = name, .content_type = content_type};
    *work->last_piece = piece;
    work->last_piece = &piece->next;
    return piece;
}

/* Takes what stands in `text`, and frees it. */
static bool add_text(struct http_work *work, gramc_text name, gramc_text content_type,
                     struct buf *text) {
    gramc_status status = buf_status(text);
    gramc_text copy = {NULL, 0};
    if (status == GRAMC_OK) copy = arena_text(&work->arena, buf_view(text));
    buf_free(text);
    if (status == GRAMC_LIMIT)
        http_work_fail(work->call, "the call cannot be made: it is too long");
    else if (!copy.ptr) tool_settle(work->call, TOOL_NOMEM);
    struct http_piece *piece = copy.ptr ? add_piece(work, name, content_type) : NULL;
    if (piece) piece->text = copy;
    return piece;
}

static void begin_text(struct http_work *work, struct buf *text) {
    buf_init_secret(text, &work->arena.allocator, HTTP_BODY_MAX);
}

static bool refuse(struct http_work *work, gramc_text name, const char *reason) {
    http_work_fail(work->call, "the call cannot be made: `%.*s` %s",
                   name.len < 60 ? (int)name.len : 60, name.ptr, reason);
    return false;
}

/* ## Files */

static bool add_file(struct http_work *work, const struct http_part *part, gramc_text path) {
    const struct http_endpoint *endpoint = work->call->bound->data;
    struct call_file *file = ARENA_NEW(&work->arena, struct call_file);
    gramc_status status = GRAMC_OK;
    if (!file) {
        tool_settle(work->call, TOOL_NOMEM);
        return false;
    }
    const char *problem = call_file_open(file, &endpoint->folders, path, work->room,
                                         &work->call->loop->allocator, &status);
    file->next = work->files;
    work->files = file;
    if (status == GRAMC_NOMEM) tool_settle(work->call, TOOL_NOMEM);
    else if (problem)
        http_work_fail(work->call, "the call cannot be made: the file `%.*s` %s",
                       path.len < 200 ? (int)path.len : 200, path.ptr, problem);
    if (problem) return false;
    work->room -= file->size;
    file->name = arena_text(&work->arena, file->name);
    struct http_piece *piece =
        add_piece(work, part->name, media_type_of_file(part->content_type, file->name));
    if (piece) piece->file = file;
    return piece;
}

static bool add_files(struct http_work *work, const struct http_part *part,
                      const struct json *value) {
    static const char wanted[] =
        "is to be the path of a file, or in a multipart body a list of them";
    bool is_list = json_is(value, JSON_ARRAY) && part->name.len;
    if (json_is(value, JSON_STRING)) return add_file(work, part, value->text);
    if (!is_list) return refuse(work, part->value.parts[0].text, wanted);
    for (const struct json *item = value->first; item; item = item->next) {
        if (item->kind != JSON_STRING) return refuse(work, part->value.parts[0].text, wanted);
        if (!add_file(work, part, item->text)) return false;
    }
    return true;
}

/* ## Values */

static bool is_compound(const struct json *value) {
    return json_is(value, JSON_ARRAY) || json_is(value, JSON_OBJECT);
}

static void put_scalar(struct buf *out, const struct json *value) {
    if (value->kind == JSON_STRING) buf_text(out, value->text);
    else json_put(out, value);
}

static bool add_json(struct http_work *work, const struct http_part *part,
                     const struct json *value) {
    struct buf text;
    begin_text(work, &text);
    json_put(&text, value);
    gramc_text type = part->content_type.len ? part->content_type : JSON_TYPE;
    return add_text(work, part->name, type, &text);
}

/* A list or object that has a part of its own is JSON there. */
static bool add_value(struct http_work *work, const struct http_part *part, gramc_text name,
                      const struct json *value) {
    struct buf text;
    gramc_text type = part->content_type;
    if (is_compound(value) && !type.len) type = JSON_TYPE;
    begin_text(work, &text);
    put_scalar(&text, value);
    return add_text(work, name, type, &text);
}

static bool holds(gramc_text text, char c) {
    return text.len && memchr(text.ptr, c, text.len);
}

/* Items, or names and values, with a delimiter between them, in one part. */
static bool add_joined(struct http_work *work, const struct http_part *part,
                       const struct json *value) {
    const struct template_part *place = &part->value.parts[0];
    enum parameter_style style = (enum parameter_style)place->style;
    char delimiter = style == STYLE_SPACE ? ' ' : style == STYLE_PIPE ? '|' : ',';
    struct buf text;
    const char *reason = NULL;
    begin_text(work, &text);
    for (const struct json *item = value->first; item && !reason; item = item->next) {
        if (item->kind == JSON_NULL) continue;
        if (text.len) buf_putc(&text, delimiter);
        if (is_compound(item))
            reason = "holds a list or an object in it, which no style but json says";
        if (item->kind == JSON_STRING && holds(item->text, delimiter))
            reason = "has its delimiter in an item, which would be taken for two";
        if (value->kind == JSON_OBJECT) {
            buf_text(&text, item->key);
            buf_putc(&text, delimiter);
        }
        put_scalar(&text, item);
    }
    if (!reason) return add_text(work, part->name, part->content_type, &text);
    buf_free(&text);
    return refuse(work, place->text, reason);
}

static gramc_text member_name(struct http_work *work, const struct http_part *part,
                              const struct json *member, bool deep) {
    struct buf name;
    if (!deep) return member->key;
    buf_init_arena(&name, &work->arena, HTTP_BODY_MAX);
    buf_text(&name, part->name);
    buf_putc(&name, '[');
    buf_text(&name, member->key);
    buf_putc(&name, ']');
    return buf_to_arena(&name, &work->arena);
}

/* A part for each item or member. */
static bool add_exploded(struct http_work *work, const struct http_part *part,
                         const struct json *value, bool deep) {
    for (const struct json *item = value->first; item; item = item->next) {
        bool is_member = value->kind == JSON_OBJECT;
        gramc_text name = is_member ? member_name(work, part, item, deep) : part->name;
        if (item->kind != JSON_NULL && !add_value(work, part, name, item)) return false;
    }
    return true;
}

static bool is_json_type(gramc_text type) {
    return template_body_kind(type) == TEMPLATE_JSON && type.len;
}

static bool add_compound(struct http_work *work, const struct http_part *part,
                         const struct json *value) {
    const struct template_part *place = &part->value.parts[0];
    enum parameter_style style = (enum parameter_style)place->style;
    enum style_explode said = (enum style_explode)place->explode;
    bool unsaid = !style && !said;
    if (style == STYLE_JSON || (unsaid && is_json_type(part->content_type)) ||
        (unsaid && value->kind == JSON_OBJECT))
        return add_json(work, part, value);
    if (style == STYLE_DEEP && value->kind != JSON_OBJECT)
        return refuse(work, place->text, "is no object, and deepObject says nothing else");
    bool explodes = style_explodes(style ? style : STYLE_FORM, said);
    if (explodes || style == STYLE_DEEP)
        return add_exploded(work, part, value, style == STYLE_DEEP);
    return add_joined(work, part, value);
}

/* ## Parts */

/* All of the part is one argument. */
static bool is_own(const struct http_part *part) {
    return part->value.count == 1 && part->value.parts[0].kind == PART_PARAMETER;
}

/* The value of that argument; NULL: it is absent. */
static const struct json *own_value(const struct http_part *part, const struct json *arguments) {
    const struct json *value = json_get_text(arguments, part->value.parts[0].text);
    return value && value->kind != JSON_NULL ? value : NULL;
}

static bool add_template(struct http_work *work, const struct http_part *part,
                         const struct json *arguments) {
    struct buf text;
    if (template_lacks(&part->value, arguments)) return true;
    begin_text(work, &text);
    bool good = http_work_expand(work, &text, &part->value, arguments);
    if (good && part->is_file) good = add_file(work, part, buf_view(&text));
    else if (good) return add_text(work, part->name, part->content_type, &text);
    buf_free(&text);
    return good;
}

static bool add_part(struct http_work *work, const struct http_part *part,
                     const struct json *arguments) {
    const struct json *value = is_own(part) ? own_value(part, arguments) : NULL;
    bool absent = is_own(part) && !value && !part->value.parts[0].has_fallback;
    if (!value) return absent || add_template(work, part, arguments);
    if (part->is_file) return add_files(work, part, value);
    if (is_compound(value)) return add_compound(work, part, value);
    bool as_json = part->value.parts[0].style == STYLE_JSON;
    return as_json ? add_json(work, part, value) : add_value(work, part, part->name, value);
}

bool http_parts_plan(struct http_work *work, const struct json *arguments) {
    const struct http_endpoint *endpoint = work->call->bound->data;
    const struct http_call *call = endpoint->call;
    work->last_piece = &work->pieces;
    work->room = HTTP_BODY_MAX;
    for (size_t i = 0; i < call->part_count; i++)
        if (!add_part(work, &call->parts[i], arguments)) return false;
    if (work->arena.oom) tool_settle(work->call, TOOL_NOMEM);
    return !work->arena.oom;
}

void http_parts_read(struct http_work *work) {
    for (struct call_file *file = work->files; file; file = file->next) call_file_read(file);
}

void http_parts_free(struct http_work *work) {
    for (struct call_file *file = work->files; file; file = file->next)
        call_file_free(file, &work->call->loop->allocator);
    work->files = NULL;
}

/* ## Bytes */

static gramc_text bytes_of(const struct http_piece *piece) {
    if (!piece->file) return piece->text;
    return (gramc_text){piece->file->bytes, piece->file->size};
}

/* A line end or quote in a name would end it (HTML, multipart/form-data encoding algorithm). */
static void put_name(struct buf *out, const char *key, gramc_text name) {
    buf_printf(out, "; %s=\"", key);
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (c == '"' || c == '\r' || c == '\n') buf_printf(out, "%%%02X", (unsigned)c);
        else buf_putc(out, c);
    }
    buf_putc(out, '"');
}

static void put_piece(struct buf *out, const struct http_piece *piece, gramc_text boundary) {
    buf_puts(out, "--");
    buf_text(out, boundary);
    buf_puts(out, "\r\nContent-Disposition: form-data");
    put_name(out, "name", piece->name);
    if (piece->file) put_name(out, "filename", piece->file->name);
    if (piece->content_type.len) {
        buf_puts(out, "\r\nContent-Type: ");
        buf_text(out, piece->content_type);
    }
    buf_puts(out, "\r\n\r\n");
    buf_text(out, bytes_of(piece));
    buf_puts(out, "\r\n");
}

static uint64_t hash_of(const struct http_piece *pieces) {
    uint64_t hash = 14695981039346656037U; /* FNV-1a */
    for (const struct http_piece *piece = pieces; piece; piece = piece->next) {
        const gramc_text texts[] = {piece->name, bytes_of(piece)};
        for (size_t i = 0; i < 2; i++)
            for (size_t k = 0; k < texts[i].len; k++)
                hash = (hash ^ (unsigned char)texts[i].ptr[k]) * 1099511628211U;
    }
    return hash;
}

static bool occurs(gramc_text word, const struct http_piece *pieces) {
    for (const struct http_piece *piece = pieces; piece; piece = piece->next) {
        gramc_text rest = bytes_of(piece);
        while (rest.len >= word.len) {
            const char *at = memchr(rest.ptr, word.ptr[0], rest.len - word.len + 1);
            if (!at) break;
            if (memcmp(at, word.ptr, word.len) == 0) return true;
            rest = text_slice(rest, (size_t)(at - rest.ptr) + 1, rest.len);
        }
    }
    return false;
}

static gramc_text boundary_of(struct http_work *work) {
    gramc_text boundary;
    uint64_t hash = hash_of(work->pieces);
    do {
        struct buf out;
        buf_init_arena(&out, &work->arena, 64);
        buf_printf(&out, "gramc-%08x%08x", (unsigned)(hash >> 32), (unsigned)(uint32_t)hash);
        hash++;
        boundary = buf_to_arena(&out, &work->arena);
    } while (boundary.ptr && occurs(boundary, work->pieces));
    return boundary;
}

static void join(struct http_work *work) {
    struct buf type;
    gramc_text boundary = boundary_of(work);
    if (!boundary.ptr) return;
    for (const struct http_piece *piece = work->pieces; piece; piece = piece->next)
        put_piece(&work->body, piece, boundary);
    buf_puts(&work->body, "--");
    buf_text(&work->body, boundary);
    buf_puts(&work->body, "--\r\n");
    buf_init_arena(&type, &work->arena, 256);
    buf_puts(&type, "multipart/form-data; boundary=");
    buf_text(&type, boundary);
    work->content_type = buf_to_arena(&type, &work->arena);
}

static bool report_files(struct http_work *work) {
    for (const struct call_file *file = work->files; file; file = file->next) {
        if (!file->problem) continue;
        http_work_fail(work->call, "the call cannot be made: the file `%.*s` %s",
                       file->name.len < 200 ? (int)file->name.len : 200, file->name.ptr,
                       file->problem);
        return false;
    }
    return true;
}

bool http_parts_join(struct http_work *work) {
    const struct http_piece *first = work->pieces;
    bool is_whole = first && !first->name.len;
    if (!report_files(work)) return false;
    if (is_whole) {
        buf_text(&work->body, bytes_of(first));
        work->content_type = first->content_type;
    } else if (first) join(work);
    gramc_status status = buf_status(&work->body);
    if (status == GRAMC_LIMIT)
        http_work_fail(work->call, "the call cannot be made: a request has 16 MiB at most");
    else if (status || work->arena.oom) tool_settle(work->call, TOOL_NOMEM);
    return !status && !work->arena.oom;
}
