/* Reads the head of a request to a proxy and words the head that the server gets: the target as a
 * path, the host that was checked as Host, one request a connection, and nothing that is between
 * client and proxy alone. Two ways to read a head are one too many: lines that end in LF alone,
 * folds, two lengths, and a length beside a coding are refused. */
#include "runtime/net/proxy_request.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

enum { HTTP_PORT = 80, PORT_DIGITS = 5, PORT_MAX = 65535 };

/* ## Pieces */

static bool is_token_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (!is_token_byte(text.ptr[i])) return false;
    return text.len > 0;
}

static bool is_visible(gramc_text text) {
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] <= ' ' || text.ptr[i] == 0x7F) return false; /* signed: beyond ASCII too */
    return text.len > 0;
}

static bool is_field_value(gramc_text text) {
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < ' ' && c != '\t') || c == 0x7F) return false;
    }
    return true;
}

/* Up to the byte, which is passed over; all of it, where it does not occur. */
static gramc_text cut_at(gramc_text *rest, char byte) {
    const char *end = rest->len ? memchr(rest->ptr, byte, rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    gramc_text piece = text_slice(*rest, 0, len);
    *rest = text_slice(*rest, end ? len + 1 : len, rest->len);
    return piece;
}

static gramc_text trim(gramc_text text) {
    while (text.len && strchr(" \t", text.ptr[0])) text = text_slice(text, 1, text.len);
    while (text.len && strchr(" \t", text.ptr[text.len - 1]))
        text = text_slice(text, 0, text.len - 1);
    return text;
}

/* ## The target */

static bool read_port(gramc_text digits, uint16_t *out) {
    int64_t number;
    if (!digits.len || digits.len > PORT_DIGITS || !number_to_int(&number, digits) || number < 1 ||
        number > PORT_MAX)
        return false;
    *out = (uint16_t)number;
    return true;
}

static bool is_host_byte(char c, bool in_brackets) {
    bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (in_brackets) return digit || c == ':' || c == '.';
    return digit || (c >= 'g' && c <= 'z') || (c >= 'G' && c <= 'Z') || c == '-' || c == '.' ||
           c == '_';
}

/* `host`, `host:80`, `[::1]:80`; no user, no zone. */
static bool read_authority(struct proxy_request *out, gramc_text text, bool needs_port) {
    bool in_brackets = text.len && text.ptr[0] == '[';
    gramc_text rest = in_brackets ? text_slice(text, 1, text.len) : text;
    gramc_text host = cut_at(&rest, in_brackets ? ']' : ':');
    bool has_port = in_brackets ? rest.len > 0 : host.len < text.len;
    if (in_brackets && (host.len + 2 > text.len || (rest.len && rest.ptr[0] != ':'))) return false;
    if (in_brackets && rest.len) rest = text_slice(rest, 1, rest.len);
    if (!host.len || host.len > HOST_LETTERS_MAX || (needs_port && !has_port)) return false;
    for (size_t i = 0; i < host.len; i++)
        if (!is_host_byte(host.ptr[i], in_brackets)) return false;
    memcpy(out->host, host.ptr, host.len);
    out->host[host.len] = '\0';
    out->port = HTTP_PORT;
    return !has_port || read_port(rest, &out->port);
}

/* "http://host/path" as host and "/path". */
static const char *read_url(struct proxy_request *out, gramc_text url, gramc_text *path) {
    static const char scheme[] = "http://";
    size_t len = sizeof scheme - 1, end;
    if (url.len < len || !text_is_nocase(text_slice(url, 0, len), scheme))
        return "a proxy is asked for http://..., or to CONNECT";
    gramc_text rest = text_slice(url, len, url.len);
    for (end = 0; end < rest.len && !strchr("/?#", rest.ptr[end]); end++) {
    }
    *path = text_slice(rest, end, rest.len);
    return read_authority(out, text_slice(rest, 0, end), false) ? NULL : "its host cannot be read";
}

/* ## Fields */

struct fields {
    gramc_text named[8]; /* by Connection: between two ends alone */
    size_t named_count;
    unsigned lengths, codings;
};

static bool is_between_ends(const struct fields *fields, gramc_text name) {
    static const char *const names[] = {"connection",
                                        "proxy-connection",
                                        "keep-alive",
                                        "proxy-authorization",
                                        "proxy-authenticate",
                                        "te",
                                        "trailer",
                                        "upgrade",
                                        "host"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_is_nocase(name, names[i])) return true;
    for (size_t i = 0; i < fields->named_count; i++)
        if (text_eq_nocase(name, fields->named[i])) return true;
    return false;
}

/* Lengths and codings say where the request ends: nobody may have them left out. */
static bool take_connection(struct fields *fields, gramc_text value) {
    while (value.len) {
        gramc_text name = trim(cut_at(&value, ','));
        if (!name.len) continue;
        if (fields->named_count == sizeof fields->named / sizeof *fields->named ||
            text_is_nocase(name, "content-length") || text_is_nocase(name, "transfer-encoding"))
            return false;
        fields->named[fields->named_count++] = name;
    }
    return true;
}

static const char *look_at(struct fields *fields, gramc_text name, gramc_text value) {
    if (!is_token(name) || !is_field_value(value)) return "a field of its head cannot be read";
    if (text_is_nocase(name, "content-length")) fields->lengths++;
    if (text_is_nocase(name, "transfer-encoding")) fields->codings++;
    if (text_is_nocase(name, "connection") && !take_connection(fields, value))
        return "its field Connection cannot be read";
    return fields->lengths + fields->codings > 1 ? "it says its length twice" : NULL;
}

/* A line without its end; false: there is none, or it ends in LF alone. */
static bool next_line(gramc_text *rest, gramc_text *line) {
    *line = cut_at(rest, '\n');
    if (!line->len || line->ptr[line->len - 1] != '\r') return false;
    *line = text_slice(*line, 0, line->len - 1);
    return true;
}

/* Twice: what Connection names may stand before it. */
static const char *read_fields(struct fields *fields, gramc_text lines, struct buf *forward) {
    gramc_text line;
    while (lines.len) {
        if (!next_line(&lines, &line)) return "a line of its head does not end in CR and LF";
        gramc_text value = line, name = cut_at(&value, ':');
        if (name.len == line.len) return "a field of its head cannot be read";
        const char *why = forward ? NULL : look_at(fields, name, trim(value));
        if (why) return why;
        if (!forward || is_between_ends(fields, name)) continue;
        buf_text(forward, line);
        buf_puts(forward, "\r\n");
    }
    return NULL;
}

/* ## The head */

static void put_host(struct buf *forward, const struct proxy_request *request) {
    bool six = strchr(request->host, ':') != NULL;
    buf_printf(forward, "Host: %s%s%s", six ? "[" : "", request->host, six ? "]" : "");
    if (request->port != HTTP_PORT) buf_printf(forward, ":%u", (unsigned)request->port);
    buf_puts(forward, "\r\nConnection: close\r\n");
}

static void put_line(struct buf *forward, gramc_text method, gramc_text path) {
    gramc_text way = cut_at(&path, '#');
    buf_text(forward, method);
    buf_puts(forward, way.len && way.ptr[0] == '/' ? " " : " /");
    buf_text(forward, way);
    buf_puts(forward, " HTTP/1.1\r\n");
}

static const char *read_head(struct proxy_request *out, gramc_text head, struct buf *forward) {
    struct fields fields = {.named_count = 0};
    gramc_text line, path = {NULL, 0};
    if (!next_line(&head, &line)) return "its first line does not end in CR and LF";
    gramc_text method = cut_at(&line, ' '), target = cut_at(&line, ' ');
    if (!is_token(method) || !is_visible(target) ||
        (!text_is(line, "HTTP/1.1") && !text_is(line, "HTTP/1.0")))
        return "its first line cannot be read";
    out->is_tunnel = text_is(method, "CONNECT");
    const char *why = read_fields(&fields, head, NULL);
    if (!why && out->is_tunnel && !read_authority(out, target, true))
        why = "its host and port cannot be read";
    if (!why && !out->is_tunnel) why = read_url(out, target, &path);
    if (why || out->is_tunnel) return why;
    put_line(forward, method, path);
    put_host(forward, out);
    read_fields(&fields, head, forward);
    buf_puts(forward, "\r\n");
    return NULL;
}

enum proxy_verdict proxy_request_read(struct proxy_request *out, gramc_text bytes,
                                      struct buf *forward, const char **why) {
    *out = (struct proxy_request){.port = 0};
    for (size_t i = 3; i < bytes.len && !out->head_len; i++)
        if (memcmp(bytes.ptr + i - 3, "\r\n\r\n", 4) == 0) out->head_len = i + 1;
    *why = "its head is too long";
    if (!out->head_len) return bytes.len < PROXY_HEAD_MAX ? PROXY_MORE : PROXY_WRONG;
    *why = read_head(out, text_slice(bytes, 0, out->head_len - 2), forward);
    return *why ? PROXY_WRONG : PROXY_FINE;
}
