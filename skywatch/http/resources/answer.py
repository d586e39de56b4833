"""Builds responses from objects: the response schema names the members."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, NamedTuple

from skywatch.http.resources.schema import Schema


class _Reader(NamedTuple):
    """How an answer is made: its members in order, those that are attributes, and the function that reads these."""

    blank: dict[str, Any]
    attributes: tuple[str, ...]
    read: Callable[[object], tuple[Any, ...]]


@cache
def members(schema: type[Schema]) -> tuple[str, ...]:
    """The names of a schema's members, in order."""
    return tuple(child.name for child in schema().children)


def answer(schema: type[Schema], source: object, **computed: Any) -> dict[str, Any]:
    """An object as a schema describes it: every member is ``computed`` or the attribute of ``source`` of that name.

    Raises TypeError for a member that the schema does not name, AttributeError for one that is in neither place.
    """
    # colander has no types, so mypy does not see that its classes are hashable.
    reader = _reader(schema, tuple(computed))  # type: ignore[arg-type]
    document = reader.blank.copy()
    document.update(zip(reader.attributes, reader.read(source), strict=True))
    document.update(computed)
    return document


@cache
def _reader(schema: type[Schema], computed: tuple[str, ...]) -> _Reader:
    names = members(schema)  # type: ignore[arg-type]
    unknown = set(computed).difference(names)
    if unknown:
        raise TypeError(f"{schema.__name__} has no {', '.join(sorted(unknown))}")
    attributes = tuple(name for name in names if name not in computed)
    return _Reader(dict.fromkeys(names), attributes, _reads(attributes))


def _reads(names: tuple[str, ...]) -> Callable[[object], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda source: tuple(getattr(source, name) for name in names)
