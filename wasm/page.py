#!/usr/bin/env python3
"""Puts the playground into one file: page.py WASM OUT. Style, scripts, gramc.wasm (compressed) and examples
are inside; the policy in the page's head lets that script run and nothing be fetched."""
import base64
import gzip
import hashlib
import json
import pathlib
import re
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / 'docs/playground'
EXAMPLES = ('calculator', 'hello_world')


def script():
    """The modules as one: without the lines by which they name each other."""
    text = ''
    for part in (SOURCE / 'wasm/gramc.js', PAGE / 'parts.js', PAGE / 'page.js'):
        words = re.sub(r'^import .*\n', '', part.read_text(), flags=re.M)
        text += re.sub(r'^export ', '', words, flags=re.M)
    if '</script' in text.lower():
        sys.exit('page.py: a script ends in the middle')
    return text


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main():
    wasm, out = map(pathlib.Path, sys.argv[1:3])
    style, code = (PAGE / 'page.css').read_text(), script()
    examples = {name: (SOURCE / 'specs' / f'{name}.gram').read_text() for name in EXAMPLES}
    parts = {
        'POLICY': f"default-src 'none'; script-src {digest(code)} 'wasm-unsafe-eval'; style-src {digest(style)}; "
                  "img-src data:; base-uri 'none'; form-action 'none'",
        'STYLE': style,
        'SCRIPT': code,
        'WASM': base64.b64encode(gzip.compress(wasm.read_bytes(), 9, mtime=0)).decode(),
        'EXAMPLES': json.dumps(examples).replace('<', '\\u003c'),
    }
    page = re.sub('@([A-Z]+)@', lambda found: parts[found[1]], (PAGE / 'index.html').read_text())
    out.write_text(page)


main()
