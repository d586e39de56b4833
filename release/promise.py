"""What stays as it is through a major version, a line each: ``python -m release.promise [--check | --record]``.

Lines come from what programs and installations rely on: the OpenAPI document, the AsyncAPI document, error codes,
permissions, settings and the command line. More lines are no break; a recorded line that is gone is. What restricts a
caller is the other way round: what a request must have (``Rule requires name``) and limits (``Rule.name at most 64
characters``) may go or widen, and break programs where they are new or narrower.
"""

from __future__ import annotations

import json
import re
import sys
import typing
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
from skywatch.inputs.factory import KINDS as MESSAGE_INPUTS
from skywatch.outputs.hub import FORMS as OUTPUTS
from skywatch.outputs.mlat import MLAT
from skywatch.realtime.document import document as asyncapi
from skywatch.receivers.factory import KINDS as RECEIVERS
from skywatch.security.permissions import Permission
from skywatch.settings import Names, load_with_origins, names_of, public_name

# The lines of the first release of this major version, and of what was added since.
RECORDED = Path("docs/reference/promise.txt")
VERSION = "promise"
# The first words of settings that have a name of the installation's own.
FIRST_WORDS = {"receiver.*": RECEIVERS, "acars.*": MESSAGE_INPUTS, "output.*": (*OUTPUTS, MLAT)}
# What a JSON schema limits: keyword -> side and unit.
LIMITS = {
    "minimum": ("at least", ""),
    "maximum": ("at most", ""),
    "exclusiveMinimum": ("above", ""),
    "exclusiveMaximum": ("below", ""),
    "minLength": ("at least", " characters"),
    "maxLength": ("at most", " characters"),
    "minItems": ("at least", " items"),
    "maxItems": ("at most", " items"),
}
LIMIT = re.compile(r"(?P<place>.+) (?P<side>at least|at most|above|below) (?P<number>\S+)(?P<unit>| characters| items)")
REQUIREMENT = re.compile(r"(?P<owner>.+?) requires (?P<name>.+)")
# The values that something may have, and its form.
CHOICE = re.compile(r"(?P<place>.+?) (?P<what>=|matches) .*")


def promises(written: Mapping[str, Any]) -> list[str]:
    """All lines, in order; ``written`` is the OpenAPI document."""
    lines = [
        *rest(written),
        *channel(_asyncapi_document()),
        *commands(group, "skywatch"),
        *settings(names_of(SETTINGS)),
    ]
    lines += (f"error {kind.code} {kind.status}" for kind in (*KINDS.values(), *FEATURES.problems.values()))
    lines += (f"permission {permission.value}" for permission in Permission)
    return sorted(set(lines))


def broken(recorded: list[str], now: list[str]) -> list[str]:
    """What was so by the recorded lines, and is no longer."""
    kept = set(now)
    gone = [
        line for line in recorded if line not in kept and not (LIMIT.fullmatch(line) or REQUIREMENT.fullmatch(line))
    ]
    return [*gone, *_new_requirements(recorded, now), *_narrower_limits(recorded, now), *_new_choices(recorded, now)]


def _new_requirements(recorded: list[str], now: list[str]) -> Iterator[str]:
    """What a request, a body or a command of before does not have and needs now."""
    for line in sorted(set(now) - set(recorded)):
        new = REQUIREMENT.fullmatch(line)
        if new is not None and any(one.startswith((f"{new['owner']} ", f"{new['owner']}.")) for one in recorded):
            yield f"{new['owner']} without {new['name']}"


def _narrower_limits(recorded: list[str], now: list[str]) -> Iterator[str]:
    """The limits that were wider, and those where there was none."""
    before, places = _limits(recorded), _places(recorded)
    for (place, side, unit), number in _limits(now).items():
        old = before.get((place, side, unit))
        if old is None and place in places:
            yield f"{place} without {side} {number:.15g}{unit}"
        elif old is not None and (number > old if side in ("at least", "above") else number < old):
            yield f"{place} {side} {old:.15g}{unit}"


def _new_choices(recorded: list[str], now: list[str]) -> Iterator[str]:
    """What could be anything, and has named values or a form now."""
    places = _places(recorded)
    for place, what in sorted(_choices(now) - _choices(recorded)):
        if place in places:
            yield f"{place} of any value" if what == "=" else f"{place} of any form"


def _places(lines: list[str]) -> set[str]:
    """What lines are about."""
    return {line.partition(": ")[0] for line in lines}


def _choices(lines: list[str]) -> set[tuple[str, str]]:
    """What lines leave a choice of: places, and whether their values are named or their form is."""
    return {(one["place"], one["what"]) for one in filter(None, map(CHOICE.fullmatch, lines))}


def _limits(lines: list[str]) -> dict[tuple[str, str, str], float]:
    """What lines say of limits: place, side and unit -> number."""
    matched = filter(None, map(LIMIT.fullmatch, lines))
    return {(one["place"], one["side"], one["unit"]): float(one["number"]) for one in matched}


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
            yield f"{call} needs {operation.get('x-permission') or 'no permission'}"
            for parameter in operation.get("parameters", ()):
                name = f"{call} {parameter['in']} {parameter['name']}"
                yield name
                if parameter.get("required") and parameter["in"] != "path":
                    yield f"{call} requires {parameter['in']} {parameter['name']}"
                yield from _accepted(name, parameter["schema"])
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                yield f"{call} takes {kind}"
                yield from _taken(f"{call} takes", content.get("schema", {}))
            for status, response in operation["responses"].items():
                if status.startswith(("2", "3")):
                    yield f"{call} answers {status}"
                    yield from (f"{call} answers {status} header {header}" for header in response.get("headers", ()))
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


def _asyncapi_document() -> dict[str, Any]:
    loaded, _ = load_with_origins(FEATURES.settings(), {"secret": "x" * 40}, {})
    return asyncapi(FEATURES, VERSION, loaded)


def channel(written: Mapping[str, Any]) -> Iterator[str]:
    """The lines of an AsyncAPI document."""
    schemas = written["components"]["schemas"]
    payloads = {name: message["payload"] for name, message in written["components"]["messages"].items()}
    operations = written["operations"].values()
    received = {
        _name(one) for operation in operations if operation["action"] == "receive" for one in operation["messages"]
    }
    for protocol, described in written["channels"].items():
        for message, reference in described["messages"].items():
            yield f"message {protocol} {message}"
            describe = _taken if message in received else _said
            yield from describe(f"message {protocol} {message}", payloads[_name(reference)])
    for code in written["x-close-codes"]:
        yield f"channel closes {code['code']} {code['cause']}"
    for name in _reached(schemas, list(payloads.values())):
        yield from _said(f"channel {name}", schemas[name])


def commands(command: click.Command, name: str) -> Iterator[str]:
    """The lines of a command, its options and its commands."""
    yield f"command {name}"
    for number, parameter in enumerate(command.params):
        option = isinstance(parameter, click.Option)
        for spelling in [*parameter.opts, *parameter.secondary_opts] if option else [f"argument {number + 1}"]:
            here = f"command {name} {spelling}"
            yield here
            if parameter.required:
                yield f"command {name} requires {spelling}"
            if isinstance(parameter.type, click.Choice):
                yield from (f"{here} = {choice}" for choice in parameter.type.choices)
            if isinstance(parameter, click.Option):
                yield f"{here} takes {'nothing' if parameter.is_flag else 'a value'}"
    if isinstance(command, click.Group):
        context = click.Context(command)
        for child in command.list_commands(context):
            found = command.get_command(context, child)
            if found is not None and not found.hidden:
                yield from commands(found, f"{name} {child}")


def settings(names: Names) -> Iterator[str]:
    """Each setting with what it is, what it may be and within which limits."""
    for field in names.fields.values():
        here = f"setting {public_name(field)}"
        yield here
        yield from (f"{here}: {kind}" for kind in _kinds_of(names.hints[field.name]))
        yield from (f"{here} = {choice}" for choice in _choices_of(names.hints[field.name]))
        yield from (f"{here} = {word}" for word in FIRST_WORDS.get(public_name(field), ()))
        for side, limit in (("at least", field.metadata["minimum"]), ("at most", field.metadata["maximum"])):
            if limit is not None:
                yield f"{here} {side} {limit:.15g}"


def _kinds_of(hint: Any) -> set[str]:
    """The names of the types in a hint."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return {"choice"}
    if typing.get_origin(hint) in (tuple, dict):
        return {"list" if typing.get_origin(hint) is tuple else "family"}
    return set().union(*map(_kinds_of, parts)) if parts else {getattr(hint, "__name__", str(hint))}


def _choices_of(hint: Any) -> Iterator[str]:
    """What the setting of a type may be, where that is named one by one."""
    for part in typing.get_args(hint):
        if typing.get_origin(hint) is typing.Literal:
            yield str(part)
        else:
            yield from _choices_of(part)


def _said(place: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """What a reader of an answer finds: each member with its kinds, and whether it is always there."""
    if "$ref" in schema:
        yield f"{place} is {_name(schema)}"
        return
    required = set(schema.get("required", ()))
    for name, member in schema.get("properties", {}).items():
        yield f"{place}.{name}: {_kinds(member)}" + (" always" if name in required else "")
        yield from _said(f"{place}.{name}", member)
    for inside, part in _parts(schema):
        if "$ref" not in part:
            yield f"{place}{inside}: {_kinds(part)}"
        yield from _said(f"{place}{inside}", part)
    for alternative in _alternatives(schema):
        yield from _said(place, alternative)


def _taken(place: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """What a request may have, which values, within which limits, and what may be left out."""
    if "$ref" in schema:
        yield f"{place} is {_name(schema)}"
        return
    required = set(schema.get("required", ()))
    for name, member in schema.get("properties", {}).items():
        here = f"{place}.{name}"
        if name in required:
            yield f"{place} requires {name}"
        yield from _accepted(here, member)
        yield from _taken(here, member)
    for inside, part in _parts(schema):
        if "$ref" not in part:
            yield from _accepted(f"{place}{inside}", part)
        yield from _taken(f"{place}{inside}", part)
    for alternative in _alternatives(schema):
        yield from _taken(place, alternative)


def _accepted(place: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """The kinds, values and limits of something that is taken."""
    yield from (f"{place}: {kind}" for kind in _kinds(schema).split("|"))
    yield from _limited(place, schema)
    if isinstance(schema.get("items"), dict) and "$ref" not in schema["items"]:
        yield from _accepted(f"{place}[]", schema["items"])


def _limited(place: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """The values and limits of something, its alternatives among them."""
    yield from (f"{place} = {json.dumps(value)}" for value in schema.get("enum", ()))
    for keyword, (side, unit) in LIMITS.items():
        if keyword in schema:
            yield f"{place} {side} {schema[keyword]:.15g}{unit}"
    if "pattern" in schema:
        yield f"{place} matches {schema['pattern']}"
    for alternative in _alternatives(schema):
        yield from _limited(place, alternative)


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What an array or a map consists of."""
    if isinstance(schema.get("items"), dict):
        yield "[]", schema["items"]
    if isinstance(schema.get("additionalProperties"), dict):
        yield ".*", schema["additionalProperties"]


def _alternatives(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [alternative for name in ("anyOf", "oneOf", "allOf") for alternative in schema.get(name, ())]


def _kinds(schema: Mapping[str, Any]) -> str:
    """The kinds of a value in JSON, or the schemas it has, in order."""
    if "$ref" in schema:
        return _name(schema)
    kinds = schema.get("type", [])
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    if "string" in found and "format" in schema:
        found = found - {"string"} | {f"string ({schema['format']})"}
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
