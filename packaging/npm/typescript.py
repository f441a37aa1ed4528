#!/usr/bin/env python3
"""TypeScript types of the JSON that gramc prints, out of docs/formats/*.schema.json.
    typescript.py FOLDER >formats.d.ts
A keyword that it does not know ends it: a type that says less than its schema must be meant."""

import json
import pathlib
import sys

PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean",
         "null": "null", "object": "{ [name: string]: unknown }", "array": "unknown[]"}
# What a type cannot say, or says in a comment.
SILENT = {"$schema", "$id", "title", "description", "$defs", "minimum", "maximum", "exclusiveMinimum", "pattern",
          "minLength", "maxLength", "minItems", "maxItems", "minProperties", "uniqueItems", "format",
          "dependentRequired", "if", "then", "else", "default"}
SPOKEN = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "$ref", "anyOf",
          "oneOf"}


def camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.replace("-", "_").split("_"))


def comment(schema, indent):
    text = schema.get("description", "").replace("*/", "* /")
    return f"{indent}/** {text} */\n" if text else ""


class File:
    """One schema: its own type, and one for each of $defs."""

    def __init__(self, name, schema):
        self.name, self.schema = camel(name), schema

    def reference(self, target):
        if target == "#":
            return self.name
        assert target.startswith("#/$defs/"), f"{self.name}: {target} is elsewhere"
        return self.name + camel(target.removeprefix("#/$defs/"))

    def object(self, schema, indent):
        inner, lines = indent + "    ", ""
        for name, value in schema.get("properties", {}).items():
            optional = "" if name in schema.get("required", []) else "?"
            key = name if name.isidentifier() else json.dumps(name)
            lines += f"{comment_of(value, inner)}{inner}{key}{optional}: {self.type(value, inner)};\n"
        more = schema.get("additionalProperties", True)
        if more is not False:
            whole = "unknown" if more is True or lines else self.type(more, inner)
            lines += f"{inner}[name: string]: {whole};\n"
        return "{\n" + lines + indent + "}"

    def one(self, kind, schema, indent):
        if kind == "object" and ("properties" in schema or "additionalProperties" in schema):
            return self.object(schema, indent)
        if kind == "array" and "items" in schema:
            return f"({self.type(schema['items'], indent)})[]"
        return PLAIN[kind]

    def type(self, schema, indent=""):
        if isinstance(schema, bool):
            return "unknown" if schema else "never"
        unknown = set(schema) - SILENT - SPOKEN
        assert not unknown, f"{self.name}: no type for {unknown}"
        if "$ref" in schema:
            return self.reference(schema["$ref"])
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return " | ".join(json.dumps(value) for value in schema["enum"])
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema and "type" not in schema:
                return " | ".join(self.type(part, indent) for part in schema[keyword])
        kinds = schema.get("type") or ("object" if "properties" in schema else None)
        if kinds is None:
            return "unknown"
        kinds = [kinds] if isinstance(kinds, str) else kinds
        return " | ".join(self.one(kind, schema, indent) for kind in kinds)

    def text(self):
        out = f"/** {self.schema.get('title', self.name)} */\nexport type {self.name} = {self.type(self.schema)};\n"
        for name, schema in self.schema.get("$defs", {}).items():
            out += f"{comment(schema, '')}export type {self.name}{camel(name)} = {self.type(schema)};\n"
        return out


def comment_of(schema, indent):
    return comment(schema, indent) if isinstance(schema, dict) else ""


def main():
    print("// Made by packaging/npm/typescript.py from docs/formats.")
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.schema.json"))
    assert paths, "no schemas there"
    for path in paths:
        name = path.name.removesuffix(".schema.json")
        print("\n" + File(name, json.loads(path.read_text())).text(), end="")


main()
