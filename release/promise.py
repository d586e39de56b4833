"""What stays as it is through a major version, a line each: ``python -m release.promise [--check | --record]``.

Lines come from what programs and installations rely on: the OpenAPI document, the AsyncAPI document, error codes,
permissions, settings and the command line. More lines are no break; a recorded line that is gone is. What a request
must have is a line of its own (``... may be left out``), so that a member that becomes required is named, too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from skywatch import make_app
from skywatch.cli import group
from skywatch.core.problems import KINDS
from skywatch.core.runtime import Runtime
from skywatch.features import FEATURES, SETTINGS, load
from skywatch.http.openapi.document import document as openapi
from skywatch.realtime.document import document as asyncapi
from skywatch.security.permissions import Permission
from skywatch.settings import load_with_origins, names_of, public_name

# The lines of the first release of this major version, and of what was added since.
RECORDED = Path("docs/reference/promise.txt")
VERSION = "promise"


def promises(written: Mapping[str, Any]) -> list[str]:
    """All lines, in order; ``written`` is the OpenAPI document."""
    lines = [*rest(written), *_channel(), *_commands(group, "skywatch")]
    lines += (f"error {code}" for code in (*KINDS, *FEATURES.problems))
    lines += (f"permission {permission.value}" for permission in Permission)
    lines += (f"setting {public_name(field)}" for field in names_of(SETTINGS).fields.values())
    return sorted(set(lines))


def broken(recorded: list[str], now: list[str]) -> list[str]:
    """The recorded lines that do not hold any more."""
    kept = set(now)
    return [line for line in recorded if line not in kept]


def openapi_document() -> dict[str, Any]:
    """The OpenAPI document of an installation with default settings."""
    runtime = Runtime.open(load({"environment": "development", "database_url": "sqlite://"}, {}))
    try:
        return openapi(make_app(runtime).registry.cornice_services.values(), VERSION, FEATURES)
    finally:
        runtime.close()


def rest(written: Mapping[str, Any]) -> Iterator[str]:
    """The lines of an OpenAPI document."""
    for path, methods in written["paths"].items():
        for method, operation in methods.items():
            call = f"{method.upper()} {path}"
            yield call
            for parameter in operation.get("parameters", ()):
                if parameter["in"] != "path":
                    name = f"{call} {parameter['in']} {parameter['name']}"
                    yield name
                    if not parameter.get("required"):
                        yield f"{name} may be left out"
                    yield from _values(name, parameter["schema"])
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                yield f"{call} takes {kind}"
                yield from _taken(f"{call} takes", content.get("schema", {}))
            for status, response in operation["responses"].items():
                if status.startswith(("2", "3")):
                    yield f"{call} answers {status}"
                    for kind, content in response.get("content", {}).items():
                        yield f"{call} answers {status} {kind}"
                        yield from _said(f"{call} {status}", content.get("schema", {}))
    schemas = written["components"]["schemas"]
    operations = [operation for methods in written["paths"].values() for operation in methods.values()]
    for name in _reached(schemas, [operation.get("requestBody", {}) for operation in operations]):
        yield from _taken(name, schemas[name])
    for name in _reached(schemas, [operation["responses"] for operation in operations]):
        yield from _said(name, schemas[name])


def _reached(schemas: Mapping[str, Any], described: list[Any]) -> set[str]:
    """The schemas that something refers to, directly or by others."""
    reached: set[str] = set()
    while described:
        part = described.pop()
        if isinstance(part, dict):
            name = _name(part) if "$ref" in part else None
            if name is not None and name not in reached:
                reached.add(name)
                described.append(schemas[name])
            described.extend(part.values())
        elif isinstance(part, list):
            described.extend(part)
    return reached


def _channel() -> Iterator[str]:
    settings, _ = load_with_origins(FEATURES.settings(), {"secret": "x" * 40}, {})
    written = asyncapi(FEATURES, VERSION, settings)
    for channel, described in written["channels"].items():
        for message in described["messages"]:
            yield f"channel {channel} {message}"
    schemas = written["components"]["schemas"]
    payloads = {name: message["payload"] for name, message in written["components"]["messages"].items()}
    for name, payload in payloads.items():
        yield from _said(f"message {name}", payload)
    for name in _reached(schemas, list(payloads.values())):
        yield from _said(f"channel {name}", schemas[name])


def _commands(command: click.Command, name: str) -> Iterator[str]:
    yield f"command {name}"
    for parameter in command.params:
        for option in parameter.opts if isinstance(parameter, click.Option) else [parameter.name or ""]:
            yield f"command {name} {option}"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                yield from _commands(found, f"{name} {child}")


def _said(place: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of an answer finds: each member with its kinds, and whether it is always there."""
    if "$ref" in schema:
        yield f"{place} is {_name(schema)}"
        return
    required = set(schema.get("required", ()))
    for name, member in schema.get("properties", {}).items():
        yield f"{place}.{name}: {_kinds(member)}" + (" always" if name in required else "")
        yield from _said(f"{place}.{name}", member)
    if "items" in schema:
        yield from _said(f"{place}[]", schema["items"])
    for alternative in _alternatives(schema):
        yield from _said(place, alternative)


def _taken(place: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """What a request may have, which values, and what may be left out."""
    if "$ref" in schema:
        yield f"{place} is {_name(schema)}"
        return
    required = set(schema.get("required", ()))
    for name, member in schema.get("properties", {}).items():
        here = f"{place}.{name}"
        yield from (f"{here}: {kind}" for kind in _kinds(member).split("|"))
        if name not in required:
            yield f"{here} may be left out"
        yield from _values(here, member)
        yield from _taken(here, member)
    if "items" in schema:
        yield from _taken(f"{place}[]", schema["items"])
    for alternative in _alternatives(schema):
        yield from _taken(place, alternative)


def _values(place: str, schema: Mapping[str, Any]) -> Iterator[str]:
    values = schema.get("enum") or schema.get("items", {}).get("enum", ())
    yield from (f"{place} = {json.dumps(value)}" for value in values)


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [alternative for name in ("anyOf", "oneOf", "allOf") for alternative in schema.get(name, ())]


def _kinds(schema: Mapping[str, Any]) -> str:
    """The kinds of a value in JSON, or the schemas it has, in order."""
    if "$ref" in schema:
        return _name(schema)
    kinds = schema.get("type", [])
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    if "const" in schema:
        found.add(json.dumps(schema["const"]))
    for alternative in _alternatives(schema):
        found.update(_kinds(alternative).split("|"))
    return "|".join(sorted(found)) or "any"


def _name(schema: Mapping[str, Any]) -> str:
    name: str = schema["$ref"].rpartition("/")[2]
    return name


def main() -> int:
    """Print the lines, compare them with what is recorded, or record them."""
    now = promises(openapi_document())
    path = Path(__file__).resolve().parents[1] / RECORDED
    if "--record" in sys.argv:
        path.write_text("\n".join(now) + "\n", encoding="utf-8")
    elif "--check" in sys.argv:
        gone = broken(path.read_text(encoding="utf-8").splitlines(), now)
        for line in gone:
            print(f"no longer so: {line}")
        return bool(gone)
    else:
        print("\n".join(now))
    return 0


if __name__ == "__main__":
    sys.exit(main())
