"""Builds responses from objects: the response schema names the members."""

from __future__ import annotations

from functools import cache
from typing import Any

from skywatch.http.resources.schema import Schema


@cache
def members(schema: type[Schema]) -> tuple[str, ...]:
    """The names of a schema's members, in order."""
    return tuple(child.name for child in schema().children)


def answer(schema: type[Schema], source: object, **computed: Any) -> dict[str, Any]:
    """An object as a schema describes it: every member is ``computed`` or the attribute of ``source`` of that name.

    Raises TypeError for a member that the schema does not name, AttributeError for one that is in neither place.
    """
    # colander has no types, so mypy does not see that its classes are hashable.
    names = members(schema)  # type: ignore[arg-type]
    unknown = computed.keys() - set(names)
    if unknown:
        raise TypeError(f"{schema.__name__} has no {', '.join(sorted(unknown))}")
    return {name: computed[name] if name in computed else getattr(source, name) for name in names}
