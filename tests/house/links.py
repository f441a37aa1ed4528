"""Links in the pages lead somewhere: each that is relative to a file or folder that is there, each
anchor to a heading, as GitHub makes anchors of headings. links.py SOURCE"""
import pathlib
import re
import sys
import unicodedata

source = pathlib.Path(sys.argv[1]).resolve()
pages = [page for pattern in ('*.md', 'docs/**/*.md', 'examples/**/*.md', 'editors/**/*.md', 'packaging/**/*.md')
         for page in sorted(source.glob(pattern)) if 'node_modules' not in page.parts]
FENCE = re.compile(r'^ *(`{3,}|~{3,})')


def prose(page):
    """The lines outside of code blocks, without code in lines."""
    fence, lines = '', []
    for line in page.read_text(encoding='utf-8').splitlines():
        mark = FENCE.match(line)
        if fence:
            fence = '' if line.strip() == fence else fence
        elif mark:
            fence = mark[1]
        else:
            lines.append(line)
    return lines


def slug(heading):
    """Lower case; letters, digits, `_`, `-` stay, blanks become hyphens, the rest goes."""
    text = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).replace('`', '').replace('*', '')
    text = re.sub(r'\\(.)', r'\1', text).strip().lower()
    kept = (c for c in text if c in ' -_' or unicodedata.category(c)[0] in 'LN')
    return ''.join(kept).replace(' ', '-')


def anchors(page, known={}):
    if page not in known:
        known[page], counts = set(), {}
        for line in prose(page):
            if line.startswith('#'):
                name = slug(line.lstrip('#'))
                known[page].add(f'{name}-{counts[name]}' if name in counts else name)
                counts[name] = counts.get(name, 0) + 1
    return known[page]


def complaint(page, target):
    """Why the link leads nowhere; empty: it leads somewhere."""
    path, _, anchor = target.partition('#')
    file = (page.parent / path).resolve() if path else page
    if source not in (file, *file.parents):
        return 'leaves the project'
    if not file.exists():
        return 'is not there'
    if anchor and file.suffix == '.md' and anchor not in anchors(file):
        return 'has no such heading'
    return ''


bad = seen = 0
for page in pages:
    text = re.sub(r'`[^`\n]*`', '', '\n'.join(prose(page)))
    for target in re.findall(r'\]\(([^)\s]+)\)', text):
        if re.match(r'[a-z]+:', target):
            continue
        seen += 1
        why = complaint(page, target)
        if why:
            print(f'{page.relative_to(source)}: {target} {why}')
            bad = 1
if seen < 100:
    print(f'only {seen} links were found')
    bad = 1
print(f'{seen} links in {len(pages)} pages')
sys.exit(bad)
