"""Runs docs/tutorial as a reader would: a copy of the folder, one shell, the commands of the page one
after the other. What the page prints is what comes out, and what it shows of files is what they say.
tutorial.py SOURCE GRAMC"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

source, gramc = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
folder = source / 'docs/tutorial'
# A line that the shell prints behind what a command has printed.
BEHIND = 'what the command printed ends here'


def blocks(kind, text):
    """Blocks of that kind, each with the line before it."""
    return re.findall(rf'([^\n]*)\n\n```{kind}\n(.*?)```\n', text, re.S)


def commands(text):
    """Pairs of a command and what it prints."""
    found = []
    for _, block in blocks('console', text):
        for line in block.splitlines():
            if line.startswith('$ '):
                found.append([line[2:], []])
            elif line.startswith('> ') and found[-1][0].endswith('\\') and not found[-1][1]:
                found[-1][0] += '\n' + line[2:]
            else:
                found[-1][1].append(line)
    return found


def fits(wanted, printed):
    """Line by line; `...` at the end of a line is any text, alone in a line any lines."""
    pattern = ''
    for line in wanted:
        if line == '...':
            pattern += r'(?:.*\n)*?'
        elif line.endswith('...'):
            pattern += re.escape(line[:-3].rstrip()) + r'.*\n'
        else:
            pattern += re.escape(line) + r' *\n'
    return re.fullmatch(pattern, printed)


def shown_files(text):
    """Names that the page shows in full, and complaints."""
    names, bad = set(), []
    for kind in ('python', 'gram'):
        for before, block in blocks(kind, text):
            name = re.search(r'`([a-z.]+)`:$', before)
            if not name:
                bad.append(f'a block of {kind} behind "{before}" has no name')
            elif (folder / name[1]).read_text() != block:
                bad.append(f'the page shows another {name[1]}')
            else:
                names.add(name[1])
    return names, bad


class Shell:
    def __init__(self, place):
        environment = {**os.environ, 'PATH': f'{gramc.parent}:{os.environ["PATH"]}', 'HOME': str(place),
                       'PYTHONDONTWRITEBYTECODE': '1', 'NO_COLOR': '1'}
        for name in ('OPENAI_BASE_URL', 'OPENAI_API_KEY'):
            environment.pop(name, None)
        self.process = subprocess.Popen(['bash'], cwd=place, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self, command):
        # The command's own input is empty, and $? stays what it was.
        self.process.stdin.write(f'{{ {command}\n}} </dev/null; status=$?; echo "{BEHIND}"; (exit $status)\n')
        self.process.stdin.flush()
        printed = ''
        for line in self.process.stdout:
            if line.rstrip('\n').endswith(BEHIND):
                return printed + line.rstrip('\n')[:-len(BEHIND)]
            printed += line
        raise SystemExit(f'the shell ended at: {command}')


def main():
    text = (folder / 'README.md').read_text()
    names, bad = shown_files(text)
    missing = {file.name for file in folder.iterdir()} - names - {'README.md', 'model.py', 'cases.jsonl'}
    bad += [f'{name} is not shown on the page' for name in sorted(missing)]
    steps = commands(text)
    if len(names) < 5 or len(steps) < 10:
        bad.append(f'only {len(names)} files and {len(steps)} commands were found')
    with tempfile.TemporaryDirectory() as place:
        shutil.copytree(folder, place, dirs_exist_ok=True)
        shell = Shell(place)
        for command, wanted in steps:
            printed = shell.run(command)
            if not fits(wanted, printed):
                bad.append(f'$ {command}\n--- the page\n' + '\n'.join(wanted) + f'\n--- printed\n{printed}')
    print('\n'.join(bad) or f'{len(names)} files shown, {len(steps)} commands run')
    return 1 if bad else 0


sys.exit(main())
