"""The largest bodies that any endpoint reads, whatever they are for: what nobody would send, but somebody may."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks._endpoint_costs.ask import Ask
from benchmarks._endpoint_costs.entry import MAX_BODY, Entries, Entry, filled
from benchmarks._endpoint_costs.installation import Installation
from skywatch.core.runtime import runtime_of
from skywatch.http.path_rules import PathRules

REFUSED = (400, 401, 403, 404, 409, 413, 415)


def with_large_bodies(installation: Installation, known: Entries, most: int) -> Entries:
    """The entries with one for each way to fill a JSON body up to its limit, at most so many of an endpoint."""
    described = installation.document()
    limits = runtime_of(installation.application.registry).shared(PathRules).body_limits
    more = {name: list(some) for name, some in known.items()}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            name = f"{method.upper()} {path}"
            content = operation.get("requestBody", {}).get("content", {})
            if name in more and "application/json" in content:
                schema = _resolved(described, content["application/json"]["schema"])
                size = next((limit for prefix, limit in limits.items() if path.startswith(prefix)), MAX_BODY)
                more[name] += [_with_body(more[name][0], what, body) for what, body in _bodies(schema, size)[:most]]
    return more


def _bodies(schema: dict[str, Any], size: int) -> list[tuple[str, Callable[[], bytes]]]:
    megabytes = f"{size // MAX_BODY} MiB of"

    def body(begin: str, part: str, end: str) -> Callable[[], bytes]:
        return lambda: filled(begin, part, end, size)

    bodies = [
        (f"{megabytes} unknown members", body("{", '"m{}":0', "}")),
        (f"{megabytes} empty objects", body('{"m":[', "{ }", "]}")),
    ]
    for name, member in schema.get("properties", {}).items():
        kinds = [kind.get("type") for kind in (member, *member.get("anyOf", ()))]
        if "array" in kinds:
            bodies += [
                (f"{megabytes} {part} in {name}", body(f'{{"{name}":[', part, "]}")) for part in ("0", '""', "{ }")
            ]
        if "object" in kinds or "$ref" in member:
            bodies.append((f"{megabytes} members in {name}", body(f'{{"{name}":{{', '"m{}":0', "}}")))
        if "string" in kinds and "format" not in member:
            bodies.append((f"{megabytes} text in {name}", body(f'{{"{name}":"', "x" * 1000, '"}')))
    return bodies


def _resolved(described: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _with_body(entry: Entry, what: str, body: Callable[[], bytes]) -> Entry:
    """The request of an entry with another body, which is refused (or taken, where it is none)."""

    def ask(installation: Installation) -> Ask:
        return replace(
            entry.ask(installation), body=body(), content_type="application/json", status=(*REFUSED, 200, 201, 204)
        )

    return replace(entry, what=what, ask=ask, is_stream=False)
