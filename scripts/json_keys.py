#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write Documentation/json/keys.rst: a table of keys for each object of the schema.

usage: json_keys.py [--check]

The tables say what Documentation/json/weft.schema.json says: the keys of each
definition, those of objects inside it with a dot and those of lists with []. With
--check nothing is written; the exit code is 1 if the page differs.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parents[1] / "Documentation/json"
SCHEMA, PAGE = HERE / "weft.schema.json", HERE / "keys.rst"

HEAD = """\
.. SPDX-License-Identifier: GPL-2.0-or-later
.. Made by scripts/json_keys.py from weft.schema.json: do not edit

============
Keys of JSON
============

The keys of each object that `json.rst <../json.rst>`_ lists, and of their parts, as
`weft.schema.json <weft.schema.json>`_ has them. ``a.b`` is the key ``b`` of the object ``a``; ``a[].b`` that of
each object of the list ``a``, and ``[].b`` that of each object of an output that is a list. ``*`` stands for any other name. A key is always there, or may be absent.
"""

# The end of a key says its unit: Documentation/json.rst.
UNITS = [("_bytes_per_s", "bytes per second"), ("_ps", "ps of fabric time"),
         ("_bps", "bit/s"), ("_seconds", "s"), ("_bytes", "bytes"),
         ("_packets", "packets"), ("_ppb", "parts in 10^9"),
         ("_ppm", "parts in 10^6")]


PLURAL = re.compile(r"^(integer|string|object|number|list)\b")


def unit(key):
    return next((text for end, text in UNITS if key.endswith(end)), "")


def named(schema):
    """The definition that a schema refers to, or None."""
    return schema.get("$ref", "").removeprefix("#/$defs/") or None


def kind(schema):
    """The type of a value, in words."""
    if named(schema):
        return f"`{named(schema)}`_"
    if "anyOf" in schema:
        return " or ".join(kind(s) for s in schema["anyOf"])
    if "enum" in schema:
        return "string"
    types = schema.get("type", "any")
    if types == "array":
        return "list of " + PLURAL.sub(r"\1s", kind(schema.get("items", {})))
    return types if isinstance(types, str) else " or ".join(types)


def inner(schema, path):
    """Yield (path, schema) of the objects that a value has in it, itself included."""
    for choice in schema.get("anyOf", [schema]):
        if choice.get("type") == "array":
            yield from inner(choice.get("items", {}), path + "[]")
        elif "properties" in choice or "additionalProperties" in choice:
            yield path, choice


def rows(schema, path):
    """Yield (key, type, there, meaning) of the keys of a value."""
    for at, item in inner(schema, path):
        prefix = at + "." if at else ""
        keys = dict(item.get("properties", {}))
        if isinstance(item.get("additionalProperties"), dict):
            keys["*"] = item["additionalProperties"]
        for key, value in keys.items():
            there = "always" if key in item.get("required", []) else "may be"
            text = value.get("description", unit(key))
            if "enum" in value:
                words = ", ".join(map(str, value["enum"]))
                text = f"{text}: {words}" if text else words
            yield prefix + key, kind(value), there, text
            if not named(value):
                yield from rows(value, prefix + key)


def table(cells):
    head = ["key", "type", "there", "unit, meaning"]
    cells = [[f"``{key}``", *rest] for key, *rest in cells]
    widths = [max(len(row[i]) for row in [head, *cells]) for i in range(4)]
    rule = " ".join("=" * width for width in widths)

    def line(row):
        return " ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip()

    return [rule, line(head), rule, *map(line, cells), rule]


def section(name, schema):
    lines = ["", name, "-" * len(name), ""]
    text = schema.get("description", "")
    if text:
        lines += [text[0].upper() + text[1:] if " --" not in text else text, ""]
    cells = list(rows(schema, ""))
    if schema.get("type") == "array" or not cells:
        lines += [f"Type: {kind(schema)}.", ""]
    return lines + table(cells) if cells else lines[:-1]


def page():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    lines = []
    for name, definition in schema["$defs"].items():
        lines += section(name, definition)
    return HEAD + "\n".join(lines).rstrip("\n") + "\n"


def main():
    text = page()
    if sys.argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
            print("Documentation/json/keys.rst is not as the schema: scripts/json_keys.py writes it")
            sys.exit(1)
        return
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        sys.exit(1)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
