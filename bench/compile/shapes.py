"""Specs and OpenAPI documents that are large in one way: each shape is a function from how many to the
text. The same number gives the same bytes."""
import json


def agent(body):
    return '[helper:Agent {description: "d"} | [use:Tool {description: "t"} | %s==>(::Text)]]\n' % body


def record(name, fields):
    return "[%s:Object | %s]\n" % (name, ", ".join(fields))


def union(kind, name, members):
    return "[%s:%s | %s]\n" % (name, kind, ", ".join(members))


def arms(count, kind, fields_of):
    names = ["Arm%d" % i for i in range(count)]
    return "".join(record(n, fields_of(i)) for i, n in enumerate(names)) + union(kind, "U", names) + agent("(u::U)")


def told_apart(i):
    return ['(kind::Text {const: "k%d"})' % i, "(a%d::Int)" % (i % 7), "(note::Text {optional: true})"]


def alike(i):
    return ["(a%d::Int)" % i, "(b::Text {optional: true})"]


def overlapping(i):
    return ['(kind::Text {enum: ["k%d", "k%d", "k%d"]})' % (i, i + 1, i + 2), "(a::Int)"]


def derived_arms(count):
    names = ["Arm%d" % i for i in range(count)]
    rows = ["[Base:Object | (id::Text), (at::DateTime)]\n"]
    rows += ['[%s:Base | (kind::Text {const: "%s"}), (a%d::Int)]\n' % (n, n, i) for i, n in enumerate(names)]
    return "".join(rows) + union("OneOf", "U", names) + agent("(u::U)")


def arrays_of_unions(count):
    rows = []
    for i in range(count):
        rows.append(record("A%d" % i, told_apart(i)) + record("B%d" % i, alike(i)))
        rows.append(union("AnyOf", "U%d" % i, ["A%d" % i, "B%d" % i, "(::Text)"]))
        rows.append("[L%d:Array {items: U%d, minItems: 1}]\n" % (i, i))
    return "".join(rows) + agent("(l::L0)")


def unions_of_unions(count):
    rows = [record("R%d" % i, told_apart(i)) for i in range(count)]
    rows.append(union("AnyOf", "U0", ["R0", "R1"]))
    rows += [union("AnyOf", "U%d" % i, ["U%d" % (i - 1), "R%d" % i]) for i in range(1, count)]
    return "".join(rows) + agent("(u::U%d)" % (count - 1))


def tangled_unions(count):
    """All records mention unions of all: one component of recursive types."""
    rows = []
    for i in range(count):
        rows.append(record("R%d" % i, told_apart(i) + ["(next::U%d {optional: true})" % ((i * 7 + 1) % count)]))
        rows.append(union("AnyOf", "U%d" % i, ["R%d" % ((i + k) % count) for k in (0, 3, 11)]))
    return "".join(rows) + agent("(u::U0)")


def deep_bases(count):
    rows = ["[D0:Object | (f0::Int)]\n"]
    rows += ["[D%d:D%d | (f%d::Int)]\n" % (i, i - 1, i) for i in range(1, count)]
    return "".join(rows) + agent("(d::D%d)" % (count - 1))


def chained_names(count):
    rows = ["[C0:Object | (v::Int)]\n"] + [record("C%d" % i, ["(c::C%d)" % (i - 1)]) for i in range(1, count)]
    return "".join(rows) + agent("(c::C%d)" % (count - 1))


def many_names(count):
    rows = ['[N%d:Text {description: "Name %d", enum: ["a%d", "b"]}]\n' % (i, i, i) for i in range(count)]
    return "".join(rows) + agent("(n::N0)")


def many_defaults(count):
    """Recursive types whose fields have defaults, enums and examples that are objects."""
    rows = []
    for i in range(count):
        other = (i * 5 + 1) % count
        rows.append(record("R%d" % i, ['(mode::Text {enum: ["on", "off"], default: "on"})',
                                       "(next::R%d {default: {}})" % other, "(name::Text {pattern: \"^[a-z]+$\", optional: true})"]))
    return "".join(rows) + agent("(r::R0)")


def long_enum(count):
    return agent("(e::Text {enum: [%s]})" % ", ".join('"e%d"' % i for i in range(count)))


def many_fields(count):
    return record("Wide", ["(f%d::Text)" % i for i in range(count)]) + agent("(w::Wide)")


def many_parameters(count):
    return agent("".join("(p%d::Text {default: \"x\"})==>" % i for i in range(count)).rsplit("==>", 1)[0] + "==>")[:-1]


def many_tools(count):
    tools = ['  [tool%d:Tool {description: "Tool %d"} | (a::Text)==>(b::Int {default: 1})==>(::Text)]' % (i, i)
             for i in range(count)]
    return '[helper:Agent {description: "d"} |\n%s]\n' % ",\n".join(tools)


def long_texts(count):
    return '[helper:Agent {description: "%s"} | [use:Tool {description: "%s"} | (a::Text)==>(::Text)]]\n' % (
        "word " * count, "line\\n" * count)


def comments(count):
    return "".join("// comment %d\n" % i for i in range(count)) + agent("(a::Text)")


def mistakes(count):
    return "".join(record("R%d" % i, ["(a::Unknwon%d)" % i]) for i in range(count)) + agent("(a::R0)")


SHAPES = {
    "union, told apart": (lambda n: arms(n, "AnyOf", told_apart), 160),
    "union, one of": (lambda n: arms(n, "OneOf", told_apart), 160),
    "union, alike": (lambda n: arms(n, "AnyOf", alike), 160),
    "union, overlapping enums": (lambda n: arms(n, "OneOf", overlapping), 160),
    "union, derived records": (derived_arms, 160),
    "arrays of unions": (arrays_of_unions, 160),
    "unions of unions": (unions_of_unions, 160),
    "tangled unions": (tangled_unions, 160),
    "deep bases": (deep_bases, 200),
    "chained names": (chained_names, 400),
    "many names": (many_names, 2000),
    "recursive with defaults": (many_defaults, 160),
    "long enum": (long_enum, 2000),
    "many fields": (many_fields, 2000),
    "many tools": (many_tools, 1000),
    "long texts": (long_texts, 20000),
    "comments": (comments, 20000),
    "mistakes": (mistakes, 1000),
}


def openapi(size):
    """A document of about so many bytes: operations with parameters and bodies, schemas that refer to
    each other and to a few that are shared."""
    schemas, paths, written, i = {}, {}, 0, 0
    while written < size:
        entity = {"type": "object", "description": "Entity %d. %s" % (i, "It holds what is known of one thing. " * 4),
                  "required": ["id", "name"], "properties": {
                      "id": {"type": "string", "format": "uuid"}, "name": {"type": "string", "maxLength": 200},
                      "state": {"type": "string", "enum": ["new", "open", "closed"]},
                      "owner": {"$ref": "#/components/schemas/E%d" % (i // 2)},
                      "tags": {"type": "array", "items": {"type": "string"}},
                      "count": {"type": "integer", "minimum": 0, "description": "How many there are of it."},
                      "places": {"type": "array", "items": {"type": "object", "properties": {
                          "lat": {"type": "number"}, "lon": {"type": "number"}, "label": {"type": "string"}}}}}}
        reference = {"$ref": "#/components/schemas/E%d" % i}
        answer = {"200": {"description": "Fine", "content": {"application/json": {"schema": reference}}},
                  "404": {"description": "There is none"}}
        item = {"get": {"operationId": "get%d" % i, "summary": "Gets entity %d" % i, "tags": ["t%d" % (i % 50)],
                        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
                                       {"name": "expand", "in": "query", "schema": {"type": "boolean"}}],
                        "responses": answer},
                "put": {"operationId": "put%d" % i, "summary": "Writes entity %d" % i, "tags": ["t%d" % (i % 50)],
                        "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                        "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {
                            "name": {"type": "string"}, "count": {"type": "integer"}}}}}},
                        "responses": answer}}
        schemas["E%d" % i], paths["/entities%d/{id}" % i] = entity, item
        written += len(json.dumps(entity)) + len(json.dumps(item))
        i += 1
    return json.dumps({"openapi": "3.1.0", "info": {"title": "Big", "version": "1"},
                       "servers": [{"url": "https://example.com"}],
                       "paths": paths, "components": {"schemas": schemas}})
