/* The head of a page: nothing is loaded from anywhere, and nothing runs. Colours hold 4.5 to 1
 * against their background in both schemes. */
#include "experiment/report/html_parts.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<style>\n";

static const char colours[] =
    ":root{color-scheme:light dark;--ink:#1c1e21;--page:#fff;--soft:#59606c;--line:#d8dce2;"
    "--fill:#f4f5f7;--good:#17692f;--bad:#b3261e;--open:#7a4b00;--a0:#5c6370;--a1:#0b57b7;"
    "--a2:#8a3ffc;--a3:#b5460f;--a4:#00717a;--a5:#9f1853}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e4e6ea;--page:#16181c;--soft:#a3aab5;"
    "--line:#3a404a;--fill:#1f2228;--good:#7ed89a;--bad:#ff8a80;--open:#e0b060;--a0:#b3bac5;"
    "--a1:#7fb2ff;--a2:#c6a3ff;--a3:#ffb07c;--a4:#5fd0d8;--a5:#ff9bc4}}\n";

static const char layout[] =
    "*{box-sizing:border-box}body{max-width:72rem;margin:0 auto;padding:1rem;color:var(--ink);"
    "background:var(--page);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.15rem;margin:2rem 0 .5rem}"
    "h3{font-size:1rem;margin:1.2rem 0 .3rem}p{margin:.4rem 0}small,.soft{color:var(--soft)}\n"
    ".verdict{border-left:6px solid var(--open);background:var(--fill);padding:.6rem 1rem;"
    "margin:.8rem 0}.verdict.good{border-color:var(--good)}.verdict.bad{border-color:var(--bad)}"
    ".verdict strong{font-size:1.1rem}\n"
    ".good-text{color:var(--good)}.bad-text{color:var(--bad)}.open-text{color:var(--open)}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;overflow-wrap:normal;font-"
    "size:.92rem}"
    "caption{text-align:left;color:var(--soft);padding:.2rem 0}"
    "th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;"
    "border-bottom:1px solid var(--line)}tbody th{min-width:6rem;max-width:20rem;"
    "overflow-wrap:break-word}tbody td{min-width:3rem;max-width:24rem;overflow-wrap:break-word}"
    "td.number,th.number{text-align:right;"
    "font-variant-numeric:tabular-nums}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));"
    "gap:1rem 2rem}figure{margin:0}figcaption{font-weight:600;font-size:.95rem}"
    "figure svg{width:100%;height:auto;display:block;overflow:visible}\n"
    ".legend{list-style:none;padding:0;margin:.4rem 0;display:flex;flex-wrap:wrap;gap:.2rem 1.2rem}"
    ".legend svg{width:30px;height:8px;vertical-align:middle}\n"
    "details{border:1px solid var(--line);border-radius:4px;margin:.5rem 0;padding:.2rem .8rem}"
    "summary{cursor:pointer;padding:.3rem 0}.sides{display:grid;gap:1rem;"
    "grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr))}"
    ".sides h4{margin:.3rem 0;font-size:.95rem}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--fill);padding:.5rem;"
    "margin:.3rem 0;max-height:24rem;overflow:auto;font:.85rem/1.45 ui-monospace,monospace}\n"
    ":focus-visible{outline:3px solid var(--a1);outline-offset:2px}\n";

static const char drawing[] =
    "svg text{font:12px system-ui,sans-serif;fill:var(--ink)}.tick{text-anchor:middle}"
    ".side{text-anchor:end}.grid{stroke:var(--line)}.zero{stroke:var(--ink)}"
    ".margin{stroke:var(--soft);stroke-dasharray:4 3}\n"
    ".effect{stroke:var(--soft);stroke-width:2;fill:var(--soft)}.effect.primary{stroke:var(--a1);"
    "fill:var(--a1);stroke-width:3}.effect.guard{stroke:var(--ink);fill:var(--ink)}\n"
    ".better{fill:var(--good)}.worse{fill:var(--bad)}.same{fill:var(--soft)}"
    ".line{fill:none;stroke-width:2}.band{stroke:none;opacity:.35}circle.line{fill:var(--page)}\n"
    ".a0{stroke:var(--a0)}.a1{stroke:var(--a1);stroke-dasharray:7 2}.a2{stroke:var(--a2);"
    "stroke-dasharray:2 2}.a3{stroke:var(--a3);stroke-dasharray:8 2 2 2}.a4{stroke:var(--a4);"
    "stroke-dasharray:4 4}.a5{stroke:var(--a5);stroke-dasharray:1 3}"
    "line.line,circle.line{stroke-dasharray:none}.band{fill:var(--a1)}\n"
    "@media print{details{border:0}pre{max-height:none}}\n";

void html_head(struct buf *out) {
    buf_puts(out, head);
    buf_puts(out, colours);
    buf_puts(out, layout);
    buf_puts(out, drawing);
    buf_puts(out, "</style>\n<title>");
}
