#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make a manual page of its source and of the help of weft.

usage: page.py HELP SOURCE > PAGE

HELP has what `weft help` and `weft help COMMAND` print, one after the other. SOURCE is
NAME.SECTION.rst. If NAME is weft-COMMAND in section 1, its title, NAME and SYNOPSIS are
written in front of it. These lines of SOURCE stand for parts of the help:

    .. help: options      the options of the command, as a list
    .. help: commands     all commands with their summaries
    .. help: WORDS        the paragraph that begins with WORDS, and its list
"""

import pathlib
import re
import sys

import docutils.core

TOKEN = re.compile(r"(?P<italic>[A-Z]{2,}|[A-Z]\b)|(?P<bold>--?[a-z][a-z-]*|[a-z][a-z-]*)"
                   r"|(?P<blank>\s+)|(?P<plain>.)")
OPTION = re.compile(r"^  (?:    |(-.), )(--[a-z-]+)(?: (\S+(?: \S+)*))?(?:  +(.*))?$")
MARK = {"italic": "*{}*", "bold": "**{}**", "blank": "{}", "plain": "\\{}"}
NAME = re.compile(r"\b(?:[A-Z]{2,}|[A-Z])\b")
# Between marks without a blank between them.
GLUE = "\\ "


def markup(words):
    """The words of a usage line: literal ones bold, those in capitals italic."""
    text, glue = "", False
    for token in TOKEN.finditer(words):
        if token.lastgroup != "blank" and glue:
            text += GLUE
        text += MARK[token.lastgroup].format(token.group())
        glue = token.lastgroup != "blank"
    return text


def prose(text, names):
    """A text of the help: quoted commands as literals, NAMES italic."""
    parts = re.split(r"(`[^`]*`)", text)
    for i, part in enumerate(parts):
        if i % 2:
            parts[i] = "`" + part + "`"
            continue
        part = re.sub(r"([*|_\\])", r"\\\1", part)
        if names:
            part = re.sub(r"\b(" + "|".join(names) + r")\b", r"\\ *\1*\\ ", part)
        parts[i] = part
    return "".join(parts)


def split_help(text):
    """The help of weft itself, and those of its commands by name."""
    first, *rest = re.split(r"^(?=usage: weft )", text, flags=re.M)[1:]
    return first, {re.match(r"usage: weft (\S+)", h).group(1): h for h in rest}


def usage_lines(text):
    lines = []
    for line in text.split("\n\n")[0].splitlines():
        if re.match(r"usage: |       weft ", line):
            lines.append(line[7:])
        else:
            lines[-1] += " " + line.strip()
    return lines


def synopsis(text):
    return "\n".join("| " + markup(line) for line in usage_lines(text))


def options(text):
    """The list of options as (term, description), and ("", paragraph) between them."""
    found, indented = [], False
    for line in text.splitlines():
        match = OPTION.match(line)
        if match:
            letter, name, value, about = match.groups()
            term = f"**{letter}**, **{name}**" if letter else f"**{name}**"
            found.append([term + (" " + markup(value) if value else ""), about or ""])
            indented = True
        elif line.startswith("       ") and indented:
            found[-1][1] += " " + line.strip()
        elif not line:
            indented = False
        elif found and (found[-1][0] or indented):
            found.append(["", line])
            indented = False
        elif found:
            found[-1][1] += " " + line
    while found and not found[-1][0]:
        found.pop()
    return found


def option_list(text):
    values = [m.group(3) or "" for m in map(OPTION.match, text.splitlines()) if m]
    names = sorted(set(NAME.findall(" ".join(usage_lines(text) + values))))
    out = []
    for term, about in options(text):
        out.append(f"{term}\n    {prose(about.strip(), names)}" if term
                   else f"\n{prose(about, names)}\n")
    out.append("**-h**, **--help**\n    print the help")
    return "\n".join(out)


def command_list(text):
    return "\n".join(f"**weft-{name}**\\ (1)\n    {summary}" for name, summary in
                     re.findall(r"^  ([a-z]+) +(\S.*)$", text, re.M))


def part(text, words):
    """The paragraph that begins with WORDS, with the list that follows it, as it is."""
    blocks = text.split("\n\n")
    at = next((i for i, b in enumerate(blocks) if b.strip().startswith(words)), None)
    if at is None:
        sys.exit(f"page.py: no paragraph of the help begins with \"{words}\"")
    lines = blocks[at].splitlines()
    if at + 1 < len(blocks) and re.match("  [a-z]", blocks[at + 1]):
        lines += blocks[at + 1].splitlines()
    intro = [line for line in lines if not line.startswith("  ")]
    listed = [line for line in lines if line.startswith("  ")]
    names = NAME.findall(" ".join(usage_lines(text)))
    out = prose(" ".join(intro).removesuffix(":"), names)
    return out + ("::\n\n" + "\n".join(listed) if listed else "")


def title(name, section, summary):
    bar, sub = "=" * len(name), "-" * (len(summary) + 2)
    return f"{bar}\n{name}\n{bar}\n\n{sub}\n{summary}\n{sub}\n\n:Manual section: {section}\n\n"


def compose(source, general, helps):
    name, section = source.name.removesuffix(".rst").rsplit(".", 1)
    command = name.removeprefix("weft-") if section == "1" and name != "weft" else None
    text = source.read_text()
    if command is not None and command not in helps:
        sys.exit(f"page.py: {source}: there is no command \"{command}\"")

    def fill(match):
        what = match.group(1)
        if what == "commands":
            return command_list(general)
        return option_list(helps[command]) if what == "options" else part(helps[command], what)

    text = re.sub(r"^\.\. help: (.*)$", fill, text, flags=re.M)
    if command is None:
        return text
    summary = re.search(rf"^  {command} +(\S.*)$", general, re.M).group(1)
    return title(name, section, summary) + \
        "SYNOPSIS\n========\n\n" + synopsis(helps[command]) + "\n\n" + text


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n")[2])
    source = pathlib.Path(sys.argv[2])
    text = compose(source, *split_help(pathlib.Path(sys.argv[1]).read_text()))
    page = docutils.core.publish_string(
        text, source_path=str(source), writer_name="manpage",
        settings_overrides={"report_level": 2, "halt_level": 2, "output_encoding": "utf-8"})
    sys.stdout.buffer.write(page)


main()
