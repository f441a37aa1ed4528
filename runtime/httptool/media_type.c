/* Turns the name of a file into a media type (RFC 6838), among those that a call allows. A short
 * table of what people attach; what it does not know is bytes. */
#include "runtime/httptool/media_type.h"

#include "base/text.h"

static const struct {
    const char *ending, *type;
} types[] = {{"aac", "audio/aac"},
             {"avif", "image/avif"},
             {"bmp", "image/bmp"},
             {"css", "text/css"},
             {"csv", "text/csv"},
             {"doc", "application/msword"},
             {"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
             {"flac", "audio/flac"},
             {"gif", "image/gif"},
             {"gz", "application/gzip"},
             {"htm", "text/html"},
             {"html", "text/html"},
             {"jpeg", "image/jpeg"},
             {"jpg", "image/jpeg"},
             {"js", "text/javascript"},
             {"json", "application/json"},
             {"m4a", "audio/mp4"},
             {"md", "text/markdown"},
             {"mov", "video/quicktime"},
             {"mp3", "audio/mpeg"},
             {"mp4", "video/mp4"},
             {"ogg", "audio/ogg"},
             {"pdf", "application/pdf"},
             {"png", "image/png"},
             {"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
             {"svg", "image/svg+xml"},
             {"tar", "application/x-tar"},
             {"tif", "image/tiff"},
             {"tiff", "image/tiff"},
             {"txt", "text/plain"},
             {"wav", "audio/wav"},
             {"webm", "video/webm"},
             {"webp", "image/webp"},
             {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
             {"xml", "application/xml"},
             {"yaml", "application/yaml"},
             {"yml", "application/yaml"},
             {"zip", "application/zip"}};

static gramc_text type_by_name(gramc_text name) {
    size_t dot = name.len;
    while (dot && name.ptr[dot - 1] != '.') dot--;
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (text_is_nocase(text_slice(name, dot, name.len), types[i].ending))
            return text_of(types[i].type);
    return TEXT("application/octet-stream");
}

static gramc_text next_type(gramc_text said, size_t *pos) {
    size_t start = *pos;
    while (*pos < said.len && said.ptr[*pos] != ',') ++*pos;
    gramc_text type = text_trim(text_slice(said, start, *pos));
    if (*pos < said.len) ++*pos;
    return type;
}

static bool has_star(gramc_text type) {
    return type.len && memchr(type.ptr, '*', type.len);
}

/* `image/png` is one of `image/png`, of `image/png; q=1`, of `image/` and a star. */
static bool is_one_of(gramc_text type, gramc_text pattern) {
    size_t end = 0;
    while (end < pattern.len && pattern.ptr[end] != ';') end++;
    pattern = text_trim(text_slice(pattern, 0, end));
    if (text_is(pattern, "*/*") || text_is(pattern, "*")) return true;
    bool starred = pattern.len > 2 && pattern.ptr[pattern.len - 1] == '*';
    if (!starred) return text_eq_nocase(type, pattern);
    pattern.len--;
    return type.len >= pattern.len && text_eq_nocase(text_slice(type, 0, pattern.len), pattern);
}

gramc_text media_type_of_file(gramc_text said, gramc_text name) {
    gramc_text own = type_by_name(name), first = {NULL, 0};
    if (!said.len) return own;
    for (size_t pos = 0; pos < said.len;) {
        gramc_text type = next_type(said, &pos);
        if (!type.len) continue;
        if (is_one_of(own, type)) return has_star(type) ? own : type;
        if (!first.ptr && !has_star(type)) first = type;
    }
    return first.ptr ? first : TEXT("application/octet-stream");
}
