"""Column types: narrow ones (a flight is one row for few points, so its width counts), and one that is encrypted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from skywatch.core.database.encryption import Sealer

# By the dialect of an engine, which is what a column type is given; None for an installation without a secret.
_sealers: WeakKeyDictionary[Any, Sealer | None] = WeakKeyDictionary()
# What is read where the installation's secret was another when the text was written.
UNREADABLE = "unreadable:"
# What every text that Fernet has encrypted begins with (its version, and times until the year 2106).
_SEALED = "gAAAAA"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class Moment(TypeDecorator[datetime]):
    """An aware UTC datetime: SQLite, where a text of one takes 26 bytes, stores unix milliseconds (6 bytes)."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Any) -> Any:
        return dialect.type_descriptor(sa.BigInteger() if dialect.name == "sqlite" else self.impl)

    def process_bind_param(self, value: datetime | None, dialect: Any) -> Any:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a datetime without a zone cannot be stored")
        return (value - _EPOCH) // _MILLISECOND if dialect.name == "sqlite" else value.astimezone(UTC)

    def process_result_value(self, value: Any, dialect: Any) -> datetime | None:
        if value is None:
            return None
        result: datetime | None = _EPOCH + value * _MILLISECOND if dialect.name == "sqlite" else value.astimezone(UTC)
        return result

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any]:
        """The same without the calls that SQLAlchemy puts around it."""
        if dialect.name != "sqlite":
            return lambda value: None if value is None else value.astimezone(UTC)
        return lambda value: None if value is None else _EPOCH + value * _MILLISECOND


class Scaled(TypeDecorator[float]):
    """A real number in whole steps, ``per_unit`` of them to one: 2 to 4 bytes instead of 8."""

    impl = sa.Integer
    cache_ok = True

    def __init__(self, per_unit: int) -> None:
        super().__init__()
        self.per_unit = per_unit

    def process_bind_param(self, value: float | None, dialect: Any) -> int | None:
        return None if value is None else round(value * self.per_unit)

    def process_result_value(self, value: int | None, dialect: Any) -> float | None:
        return None if value is None else value / self.per_unit

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any]:
        """The same without the call that SQLAlchemy puts around it: a page of flights has 400 of these."""
        per_unit = self.per_unit
        return lambda value: None if value is None else value / per_unit


class Sealed(TypeDecorator[str]):
    """A text that is encrypted in the database, under the secret that ``seal_columns`` has given to the engine.

    Texts from before are read as they are. An installation without a secret stores texts as they are; an engine that
    ``seal_columns`` was not called for stores none.
    """

    impl = sa.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        if not value:
            return value
        if dialect not in _sealers:
            raise ValueError("a column is to be encrypted, but seal_columns was not called for this engine")
        sealer = _sealers[dialect]
        return sealer.seal(value) if sealer is not None else value

    def process_result_value(self, value: str | None, dialect: Any) -> str | None:
        if not value or not value.startswith(_SEALED):
            return value
        sealer = _sealers.get(dialect)
        opened = sealer.open(value) if sealer is not None else None
        return UNREADABLE if opened is None else opened


def seal_columns(engine: sa.Engine, secret: str) -> None:
    """Have columns of the type ``Sealed`` encrypted under the installation's secret; with "" they are plain text."""
    _sealers[engine.dialect] = Sealer(secret, "columns") if secret else None


def is_sealed(stored: str) -> bool:
    """Whether a text, as it is stored, is encrypted."""
    return stored.startswith(_SEALED)
