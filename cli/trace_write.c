/* Writes the blocks of a trace: as text, or as one HTML page that needs nothing else, neither a
 * script nor a file. Whatever stands in a trace is shown and never obeyed: characters that could
 * act on a terminal are spelled out, on a page markup is escaped as well. */
#include "cli/trace.h"

#include "base/text.h"

#include <stdio.h>

/* ## Text: a line with label and note, the text below it */

/* `next_line` stands in front of every line but the first. */
static void put_safe(struct buf *out, gramc_text text, const char *next_line) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX) buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text.ptr[start]);
        else if (text_is_treacherous(c)) buf_printf(out, "\\u{%x}", (unsigned)c);
        else if (c == '\n' && pos < text.len) buf_puts(out, next_line);
        else if (c != '\n') buf_text(out, text_slice(text, start, pos));
    }
}

/* Room for the line ends and indents of the deepest run. */
enum { INDENT = 4, INDENTS = 64 };

static void put_indent(struct buf *out, unsigned depth) {
    buf_printf(out, "%*s", (int)(INDENT * depth), "");
}

/* The text, below its label. */
static void put_below(struct buf *out, gramc_text text, unsigned depth) {
    char line[INDENTS];
    snprintf(line, sizeof line, "\n%*s", (int)(INDENT * (depth + 1)), "");
    buf_puts(out, line + 1);
    put_safe(out, text, line);
    buf_putc(out, '\n');
}

static void text_begin(struct block_writer *writer, gramc_text title) {
    (void)writer;
    (void)title;
}

static void text_fact(struct buf *out, const struct block *block) {
    size_t width = text_length(block->label);
    put_indent(out, block->depth);
    put_safe(out, block->label, " ");
    buf_printf(out, "%*s", width < 8 ? (int)(8 - width) + 1 : 1, "");
    put_safe(out, block->text, " ");
    if (block->note.len) buf_puts(out, "  ");
    put_safe(out, block->note, " ");
    buf_putc(out, '\n');
}

static void text_block(struct block_writer *writer, const struct block *block) {
    struct buf *out = writer->out;
    if (block->kind == BLOCK_RAW) return;
    if (block->kind == BLOCK_FACT) {
        text_fact(out, block);
        writer->any = true;
        return;
    }
    if (writer->any) buf_putc(out, '\n');
    writer->any = true;
    put_indent(out, block->depth);
    if (block->kind == BLOCK_FAILURE) buf_puts(out, "! ");
    put_safe(out, block->label, " ");
    if (block->note.len) buf_puts(out, "  ");
    put_safe(out, block->note, " ");
    buf_putc(out, '\n');
    if (block->text.len) put_below(out, block->text, block->depth);
}

static void text_end(struct block_writer *writer) {
    (void)writer;
}

struct block_writer trace_text_writer(struct buf *out) {
    return (struct block_writer){
        .out = out, .begin = text_begin, .block = text_block, .end = text_end};
}

/* ## HTML */

static void put_html(struct buf *out, gramc_text text) {
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = text_decode(text, &pos);
        if (c == UINT32_MAX) buf_printf(out, "\\x%02x", (unsigned)(unsigned char)text.ptr[start]);
        else if (text_is_treacherous(c)) buf_printf(out, "\\u{%x}", (unsigned)c);
        else if (c == '&') buf_puts(out, "&amp;");
        else if (c == '<') buf_puts(out, "&lt;");
        else if (c == '>') buf_puts(out, "&gt;");
        else if (c == '"') buf_puts(out, "&quot;");
        else if (c == '\'') buf_puts(out, "&#39;");
        else buf_text(out, text_slice(text, start, pos));
    }
}

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1c1e21;--page:#fff;--soft:#5c6370;--line:#d8dce2;"
    "--user:#0b57b7;--tool:#7a4b00;--bad:#b3261e;--good:#17692f}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--page:#16181c;--soft:#9aa1ac;"
    "--line:#363b44;--user:#7fb2ff;--tool:#e0b060;--bad:#ff8a80;--good:#7ed89a}}\n"
    "body{max-width:60rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--page);"
    "font:1rem/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.4rem}h2{font-size:1rem;margin:0}h2 small,dd small{color:var(--soft);"
    "font-weight:normal;margin-left:.6em}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:var(--soft)}"
    "dd{margin:0;overflow-wrap:anywhere}\n"
    "section{border-left:4px solid var(--line);padding:.2rem 0 .2rem .8rem;margin:.8rem 0}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.2rem 0;font:.9rem/1.45 "
    "ui-monospace,monospace}summary{color:var(--soft);cursor:pointer}\n"
    ".user{border-color:var(--user)}.call,.result{border-color:var(--tool);margin-left:2rem}"
    ".failure{border-color:var(--bad)}.failure h2{color:var(--bad)}.end{border-color:var(--good)}"
    "\n</style>\n<title>";

static void page_begin(struct block_writer *writer, gramc_text title) {
    buf_puts(writer->out, head);
    put_html(writer->out, title);
    buf_puts(writer->out, "</title>\n</head>\n<body>\n<h1>");
    put_html(writer->out, title);
    buf_puts(writer->out, "</h1>\n");
}

static const char *const classes[] = {
    [BLOCK_FACT] = "fact", [BLOCK_USER] = "user",     [BLOCK_MODEL] = "model",
    [BLOCK_CALL] = "call", [BLOCK_RESULT] = "result", [BLOCK_FAILURE] = "failure",
    [BLOCK_RAW] = "raw",   [BLOCK_OTHER] = "other",   [BLOCK_END] = "end"};

static void page_note(struct buf *out, gramc_text note) {
    if (!note.len) return;
    buf_puts(out, "<small>");
    put_html(out, note);
    buf_puts(out, "</small>");
}

static void page_fact(struct block_writer *writer, const struct block *block) {
    buf_puts(writer->out, writer->any && writer->before == BLOCK_FACT ? "<dt>" : "<dl>\n<dt>");
    put_html(writer->out, block->label);
    buf_puts(writer->out, "</dt><dd>");
    put_html(writer->out, block->text);
    page_note(writer->out, block->note);
    buf_puts(writer->out, "</dd>\n");
}

static void page_text(struct buf *out, gramc_text text) {
    if (!text.len) return;
    buf_puts(out, "<pre>");
    put_html(out, text);
    buf_puts(out, "</pre>\n");
}

static void page_folded(struct buf *out, const struct block *block) {
    buf_puts(out, "<details><summary>");
    put_html(out, block->label);
    buf_puts(out, "</summary>");
    page_text(out, block->text);
    buf_puts(out, "</details>\n");
}

static void end_facts(struct block_writer *writer) {
    if (writer->any && writer->before == BLOCK_FACT) buf_puts(writer->out, "</dl>\n");
}

static void page_block(struct block_writer *writer, const struct block *block) {
    struct buf *out = writer->out;
    if (block->kind != BLOCK_FACT) end_facts(writer);
    if (block->kind == BLOCK_FACT) {
        page_fact(writer, block);
    } else if (block->kind == BLOCK_RAW || block->kind == BLOCK_OTHER) {
        page_folded(out, block);
    } else {
        buf_printf(out, "<section class=\"%s\"><h2>", classes[block->kind]);
        put_html(out, block->label);
        page_note(out, block->note);
        buf_puts(out, "</h2>\n");
        page_text(out, block->text);
        buf_puts(out, "</section>\n");
    }
    writer->any = true;
    writer->before = block->kind;
}

static void page_end(struct block_writer *writer) {
    end_facts(writer);
    buf_puts(writer->out, "</body>\n</html>\n");
}

struct block_writer trace_page_writer(struct buf *out) {
    return (struct block_writer){
        .out = out, .begin = page_begin, .block = page_block, .end = page_end};
}
