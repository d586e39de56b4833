"""Compiled SQL that the engines of a test process share.

Each test opens an engine of its own, which would compile every statement anew: a sixth of the processor time of the
functional tests.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.engine import Engine
from sqlalchemy.orm import Mapper
from sqlalchemy.util import LRUCache

from skywatch.core.database.columns import Sealed

SIZE = 4000
# What SQL and the conversion of its values depend on, beside the class of the dialect.
SETTINGS = (
    "server_version_info",
    "default_schema_name",
    "paramstyle",
    "max_identifier_length",
    "_backslash_escapes",
    "_json_serializer",
    "_json_deserializer",
)


class StatementCache(LRUCache[Any, Any]):
    """Compiled statements by their keys, in which dialects of the same settings count as one."""

    def get(self, key: Any, default: Any = None) -> Any:
        compiled = super().get(_shared(key))
        return super().get(key, default) if compiled is None else compiled

    def __setitem__(self, key: Any, compiled: Any) -> None:
        # The secret of sealed columns belongs to the dialect object.
        super().__setitem__(key if _is_sealed(compiled) else _shared(key), compiled)


def share() -> None:
    """Let all engines that are opened from now on use one cache."""
    cache = StatementCache(SIZE)
    begin = Engine.__init__

    def begin_with_cache(engine: Engine, *arguments: Any, **options: Any) -> None:
        begin(engine, *arguments, **options)
        engine._compiled_cache = cache

    Engine.__init__ = begin_with_cache  # type: ignore[method-assign]
    # Rows that sessions insert, change and delete.
    Mapper._compiled_cache = cache  # type: ignore[misc, assignment]


def _shared(key: tuple[Any, ...]) -> tuple[Any, ...]:
    dialect, *statement = key
    return (type(dialect), *(getattr(dialect, name, None) for name in SETTINGS), *statement)


def _is_sealed(compiled: Any) -> bool:
    types = [parameter.type for parameter in compiled.binds.values()] if hasattr(compiled, "binds") else []
    for column in getattr(compiled, "_result_columns", ()):
        types.append(column.type)
    return any(isinstance(one, Sealed) for one in types)
