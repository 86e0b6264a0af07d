#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Check the text that users read.

usage: check_prose.py [--build DIR] [FILE]...

Sentences of README.md, Documentation and user/man have at most 35 words; a
cell of a table is read by itself, an inline literal counts as one word.
Help texts of weft, of each of its commands and of weftd are at most 80 columns
wide. mandoc has nothing to say about the man pages. Programs and pages are those
in DIR (build/user). With FILEs only the sentences of these are checked.
Prints FILE:LINE and the first words of each breach; exits with 1 if there is one.
"""

import argparse
import io
import pathlib
import re
import subprocess
import sys

import docutils.core
import docutils.nodes

WORDS = 35
COLUMNS = 80
SHOWN = 8

# Stand for the space and the stop inside a literal, which is one word.
SPACE, STOP = "\ue000", "\ue001"
END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?:(?<!\.\.)[.!?]|\.(?=\s+[*A-Z]))[)\"'*_]*(?=\s)")


def one_word(text):
    return re.sub(r"\s", SPACE, text).replace(".", STOP).replace("?", STOP).replace("!", STOP)


def sentences(text, line):
    """Yield (line, sentence) of a paragraph that begins at line."""
    start = 0
    for end in [m.end() for m in END.finditer(text)] + [len(text)]:
        part = text[start:end]
        lead = len(part) - len(part.lstrip())
        if part.strip():
            yield line + text.count("\n", 0, start + lead), part.strip()
        start = end


def too_long(name, paragraphs):
    for line, text in paragraphs:
        for at, sentence in sentences(text, line):
            words = [w for w in sentence.split() if re.search(r"\w", w) or SPACE in w]
            if len(words) > WORDS:
                shown = " ".join(words[:SHOWN]).replace(SPACE, " ").replace(STOP, ".")
                yield f"{name}:{at}: {len(words)} words, {WORDS} at most: {shown} ..."


def flat(node):
    """The text of a paragraph, literals as one word each."""
    if isinstance(node, (docutils.nodes.literal, docutils.nodes.math)):
        return one_word(node.astext())
    if isinstance(node, docutils.nodes.Text):
        return node.astext()
    return "".join(flat(child) for child in node.children)


def line_of(node):
    while node.line is None:
        node = node.parent
    return node.line


def rst_paragraphs(text, name, complaints):
    tree = docutils.core.publish_doctree(text, name, settings_overrides={
        "warning_stream": complaints, "report_level": 2, "halt_level": 5})
    for node in tree.findall(docutils.nodes.paragraph):
        # what is included is checked in its own file
        if node.source in (None, name) and \
           not isinstance(node.parent, docutils.nodes.system_message):
            yield line_of(node), flat(node)


def cells(line, number):
    return [(number, cell.strip()) for cell in line.strip().strip("|").split("|")]


def md_paragraphs(text):
    text = re.sub(r"`[^`\n]+(?:\n[^`\n]+)?`",
                  lambda m: "\n".join(one_word(x) for x in m.group().split("\n")), text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    gathered, first, fenced = [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.startswith("```"):
            fenced = not fenced
        heading = fenced or line.startswith(("```", "#", "    ", "|"))
        if gathered and (heading or not line.strip() or re.match(r"[*-] ", line)):
            yield first, "\n".join(gathered)
            gathered = []
        if line.startswith("|") and not fenced:
            yield from cells(line, number)
        elif not heading and line.strip():
            first = first if gathered else number
            gathered.append(line)


def check_file(path):
    complaints = io.StringIO()
    text = path.read_text()
    paragraphs = md_paragraphs(text) if path.suffix == ".md" else \
        rst_paragraphs(text, str(path), complaints)
    yield from too_long(path, paragraphs)
    yield from complaints.getvalue().splitlines()


def help_of(command):
    return subprocess.run(command + ["--help"], capture_output=True, text=True, check=True).stdout


def helps(build):
    """Yield the name and the help text of each program and command."""
    weft = str(build / "weft")
    text = help_of([weft])
    names = re.findall(r"^  ([a-z][a-z-]*)  ", text, re.M)
    if not names:
        sys.exit(f"check_prose.py: {weft} --help lists no commands as it did")
    yield "weft --help", text
    for name in names:
        yield f"weft {name} --help", help_of([weft, name])
    yield "weftd --help", help_of([str(build / "weftd")])


def check_helps(build):
    for name, text in helps(build):
        for number, line in enumerate(text.splitlines(), 1):
            if len(line.expandtabs()) > COLUMNS:
                shown = " ".join(line.split()[:SHOWN])
                yield f"{name}:{number}: {len(line.expandtabs())} columns, " \
                      f"{COLUMNS} at most: {shown} ..."


def check_pages(build):
    pages = sorted(str(page) for page in (build / "man").glob("*.[1-9]"))
    if not pages:
        sys.exit(f"check_prose.py: no man pages in {build}/man: make -C user man")
    done = subprocess.run(["mandoc", "-Tlint"] + pages, capture_output=True, text=True)
    yield from (done.stdout + done.stderr).splitlines()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][7:])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/user"))
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    files = args.files or [pathlib.Path("README.md"),
                           *sorted(pathlib.Path("Documentation").glob("**/*.rst")),
                           *sorted(pathlib.Path("user/man").glob("*.rst"))]
    found = [breach for path in files if path.suffix in (".rst", ".md")
             for breach in check_file(path)]
    if not args.files:
        found += [*check_helps(args.build), *check_pages(args.build)]
    for breach in found:
        print(breach)
    sys.exit(1 if found else 0)


main()
