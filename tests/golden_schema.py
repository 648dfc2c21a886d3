# SPDX-License-Identifier: Apache-2.0
"""Requests against Qdrant's own description of its API:
golden_schema.py OPENAPI REQUESTS. Each line of REQUESTS is one of
tests/golden_qdrant: its path, its parameters and its body must be what one
operation of OPENAPI takes, and no operation may go without a request. Stricter
than the server, which ignores what it does not know: a member, at any depth,
that no schema names is an error."""
import copy
import json
import re
import sys
import urllib.parse
import uuid

import jsonschema

# Paths that are passed through as they are, and so may be missing.
RAW = ("/telemetry",)
METHODS = ("get", "put", "post", "patch", "delete")
BITS = {"uint8": (0, 8), "uint16": (0, 16), "uint32": (0, 32),
        "uint64": (0, 64), "uint": (0, 64), "int32": (31, 31),
        "int64": (63, 63)}
ALTERNATIVES = ("anyOf", "oneOf", "allOf")
# What the server's own reader takes for a time.
TIME = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?"
                  r"(Z|[+-]\d\d:?\d\d)?)?")

formats = jsonschema.FormatChecker(formats=())


@formats.checks("uuid", raises=ValueError)
def is_uuid(value):
    """A UUID; a number is another alternative's."""
    return not isinstance(value, str) or bool(uuid.UUID(value))


@formats.checks("date-time")
def is_time(value):
    """A time as the server reads it."""
    return not isinstance(value, str) or bool(TIME.fullmatch(value))


def limit_integer(schema):
    """What `format` says of integers, for a validator that ignores it."""
    low, high = BITS.get(schema.get("format"), (None, None))
    if high is None or "integer" not in schema.get("type", ()):
        return
    schema.setdefault("minimum", -(1 << low) if low else 0)
    schema.setdefault("maximum", (1 << high) - 1)


def plain(schema):
    """An OpenAPI 3.0 schema as one of JSON Schema, closed."""
    if isinstance(schema, list):
        return [plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {key: {name: plain(each) for name, each in value.items()}
              if key == "properties" else plain(value)
              for key, value in schema.items()
              if key not in ("example", "default", "description")}
    limit_integer(schema)
    if "properties" in schema:
        assert not any(key in schema for key in ALTERNATIVES), schema
        schema.setdefault("additionalProperties", False)
    if schema.pop("nullable", False):
        # Alone it means null, not anything.
        schema = ({"anyOf": [schema, {"type": "null"}]} if schema
                  else {"type": "null"})
    return schema


class Operation:
    """One method of one path."""

    def __init__(self, method, template, about, components):
        self.name = about["operationId"]
        self.method = method.upper()
        self.names = re.findall(r"\{(\w+)\}", template)
        self.pattern = re.compile(
            re.sub(r"\\\{\w+\\\}", "([^/]+)", re.escape(template)))
        self.fixed = len(re.sub(r"\{\w+\}", "", template))
        self.parameters = {(each["in"], each["name"]): each
                           for each in about.get("parameters", ())}
        self.components = components
        content = about.get("requestBody", {}).get("content", {})
        self.body = content.get("application/json", {}).get("schema")
        assert bool(content) == bool(self.body), self.name

    def errors(self, schema, value):
        """What is wrong with a value, as lines."""
        validator = jsonschema.Draft202012Validator(
            {**plain(schema), "components": self.components},
            format_checker=formats)
        for error in validator.iter_errors(value):
            yield explain(error)

    def parameter(self, place, name, text):
        """What is wrong with a parameter of the path or the query string."""
        about = self.parameters.get((place, name))
        if about is None:
            yield f"no parameter {name} in the {place}"
            return
        found = []
        for value in readings(text):
            errors = list(self.errors(about["schema"], value))
            if not errors:
                return
            found = found or errors
        yield from (f"{place} {name}={text}: {each}" for each in found)

    def check(self, request, match):
        """All that is wrong with a request."""
        for name, text in zip(self.names, match.groups()):
            yield from self.parameter("path", name,
                                      urllib.parse.unquote(text))
        for name, text in request["query"].items():
            yield from self.parameter("query", name, text)
        if self.body is None:
            if "body" in request:
                yield "a body where none is taken"
        elif "body" not in request:
            yield "no body"
        else:
            yield from self.errors(self.body, request["body"])


def readings(text):
    """The values that a parameter's text may stand for."""
    if text in ("true", "false"):
        yield text == "true"
    elif re.fullmatch(r"-?\d+", text):
        yield int(text)
    yield text


def explain(error):
    """The innermost cause of an error, with its place."""
    error = jsonschema.exceptions.best_match([error])
    return f"{error.json_path}: {error.message[:300]}"


def read_operations(path):
    """All operations of a description, those with fixed paths first."""
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    components = {"schemas": {
        name: plain(copy.deepcopy(each))
        for name, each in document["components"]["schemas"].items()}}
    found = [Operation(method, template, about, components)
             for template, methods in document["paths"].items()
             for method, about in methods.items() if method in METHODS]
    return sorted(found, key=lambda each: (len(each.names), -each.fixed))


def find(operations, request):
    """The operation that a request is for, and the match of its path."""
    for operation in operations:
        match = operation.pattern.fullmatch(request["path"])
        if match and operation.method == request["method"]:
            return operation, match
    return None, None


def main():
    """Check them all, as Check does: a line each failure, a sum."""
    operations = read_operations(sys.argv[1])
    without = {each.name for each in operations}
    with open(sys.argv[2], encoding="utf-8") as file:
        requests = [json.loads(line) for line in file]
    failures = 0
    for request in requests:
        operation, match = find(operations, request)
        if operation is None and request["path"] in RAW:
            errors = []
        elif operation is None:
            errors = [f"no operation {request['method']} {request['path']}"]
        else:
            without.discard(operation.name)
            errors = list(operation.check(request, match))
        for each in errors:
            print(f"FAILED {request['name']}: {each}")
        failures += bool(errors)
    for name in sorted(without):
        print(f"FAILED {name}: no request of ours is for this operation")
    failures += len(without)
    count = len(requests) + len(operations)
    print(f"{len(requests)} requests, {len(operations)} operations")
    print(f"{100 * (count - failures) // count}%: Checks: {count}, "
          f"Failures: {failures}, Errors: 0")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
