"""The book: Sphinx with MyST reads the pages that scripts/book has put together, furo sets them."""
import pathlib
import re
import sys

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

sys.path.insert(0, str(pathlib.Path(__file__).parent))

project = 'gramc'
author = 'the gramc authors'
copyright = author
extensions = ['myst_parser']
source_suffix = {'.md': 'markdown'}
root_doc = 'index'
# Anchors as GitHub makes them.
myst_heading_anchors = 4
nitpicky = True

html_theme = 'furo'
html_title = 'gramc'
html_static_path = ['static']
html_js_files = ['book.js']
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
# Results would be fetched to show their words, which pages that are files may not do.
html_show_search_summary = False
pygments_style = 'colours.Light'
pygments_dark_style = 'colours.Dark'
highlight_language = 'text'


class GramLexer(RegexLexer):
    """Gram notation, as far as colours go; what is broken on purpose is coloured as well."""
    name, aliases = 'Gram', ['gram', 'gram-broken', 'gram-example']
    flags = re.MULTILINE
    tokens = {'root': [
        (r'//.*$', Comment.Single),
        (r'(?s)(`{3}).*?`{3}', String),
        (r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'|`[^`\n]*`', String),
        (r'(:+)([A-Za-z_]\w*)', Name.Class),
        (r'[A-Za-z_]\w*(?=\s*:)', Name.Attribute),
        (words(('true', 'false', 'null'), suffix=r'\b'), Keyword.Constant),
        (r'-?\d[\w.]*', Number),
        (r'[A-Za-z_]\w*', Name),
        (r'[=~<>-]{2,}', Operator),
        (r'[][(){}|,:@.]', Punctuation),
        (r'\s+|.', Text),
    ]}


# What screen readers miss in furo's pages: a pattern, and what stands in its place.
MENDED = [
    (r'(<p class="caption" role="heading")>', r'\1 aria-level="2">'),
    (r'(<aside class="sidebar-drawer")>', r'\1 aria-label="All pages">'),
    (r'(<aside class="toc-drawer[^"]*")>', r'\1 aria-label="On this page">'),
    (r'(<label class="overlay [^"]*")', r'\1 aria-hidden="true"'),
    (r'(<label class="toc-overlay-icon toc-content-icon[^"]*")', r'\1 aria-hidden="true"'),
    (r'<th class="head"><p></p></th>', r'<td class="head"></td>'),
    (r'(<article role="main">)(?=\s*<noscript>)', r'\1<h1>Search</h1>'),
]


def bundle(static):
    """Debian's furo has its script and style in pieces that only a server of Debian's could join."""
    script, style = static / 'scripts/furo.js', static / 'styles/furo.css'
    gumshoe = static / 'scripts/gumshoe-patched.js'
    begin, text = 'import Gumshoe from "./gumshoe-patched.js";', script.read_text(encoding='utf-8')
    if text.startswith(begin):
        script.write_text(gumshoe.read_text(encoding='utf-8') + text[len(begin):], encoding='utf-8')

    def fetch(match):
        return (pathlib.Path('/usr/share/javascript') / match[1]).read_text(encoding='utf-8')
    text = re.sub(r'@import url\(/javascript/([^)]*)\);', fetch, style.read_text(encoding='utf-8'))
    if 'prefers-color-scheme' not in text:
        # Its dark is there for the switch, and lost for those who have set all to dark.
        dark = re.search(r'body\[data-theme="dark"\] (\{\s*--color-problematic.*?\})', text, re.S)[1]
        text += '@media screen and (prefers-color-scheme: dark) { body:not([data-theme="light"]) ' + dark + ' }\n'
    style.write_text(text, encoding='utf-8')


def mend(app, exception):
    if exception:
        return
    bundle(pathlib.Path(app.outdir) / '_static')
    for page in pathlib.Path(app.outdir).rglob('*.html'):
        text = page.read_text(encoding='utf-8')
        for pattern, mended in MENDED:
            text = re.sub(pattern, mended, text)
        page.write_text(text, encoding='utf-8')


def setup(app):
    app.connect('build-finished', mend)
    for alias in GramLexer.aliases:
        app.add_lexer(alias, GramLexer)
