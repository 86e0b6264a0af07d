#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Compare JSON with definitions of Documentation/json/weft.schema.json.

usage: json_schema.py < LIST

A line of LIST has the name of a definition, a file with a value or with one a line, and
the command that printed it, with tabs between them. Keys that the schema does not have
are mistakes here, though not for other readers: so a new key comes with its type.
"""
import json
import pathlib
import sys

import jsonschema

SCHEMA = pathlib.Path(__file__).parents[2] / "Documentation/json/weft.schema.json"


def close(schema):
    """No object has more keys than the schema says."""
    values = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict) and "properties" in schema:
        schema.setdefault("additionalProperties", False)
    for value in values:
        if isinstance(value, (dict, list)):
            close(value)


def read(text):
    """The values: one, or one a line."""
    decoder = json.JSONDecoder()
    values, text = [], text.strip()
    while text:
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:].lstrip()
    return values


def mistakes(schema, name, file):
    if name not in schema["$defs"]:
        return [f"the schema has no definition {name}"]
    validator = jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{name}"})
    values = read(pathlib.Path(file).read_text(encoding="utf-8"))
    if not values:
        return ["there is nothing"]
    return [f"{list(error.absolute_path)}: {error.message[:200]}"
            for value in values for error in validator.iter_errors(value)]


def main():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    close(schema)
    found = False
    for line in sys.stdin:
        name, file, command = line.rstrip("\n").split("\t")
        for mistake in mistakes(schema, name, file)[:5]:
            print(f"{command}: {mistake}")
            found = True
    sys.exit(found)


if __name__ == "__main__":
    main()
