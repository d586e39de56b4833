"""The filter of a search for flights, and what it restricts: one table for the database and the archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from skywatch.core.clock import earlier
from skywatch.security.visibility import Visibility

# No flight is longer; with this a search in time reads a range of the index, or of days, only.
MAX_FLIGHT = timedelta(hours=25)

Operator = Literal["=", "<=", ">=", "starts"]


@dataclass(frozen=True, kw_only=True)
class FlightFilter:
    """The filter of a search; None does not restrict.

    A callsign, registration or type that ends in ``*`` is the beginning of one.

    ``hides_military``: the caller may not see military aircraft, whatever the filter.
    """

    begin: datetime | None = None
    end: datetime | None = None
    icao_hex: str | None = None
    callsign: str | None = None
    registration: str | None = None
    aircraft_type: str | None = None
    military: bool | None = None
    emergency: bool | None = None
    active: bool | None = None
    min_altitude_ft: float | None = None
    max_altitude_ft: float | None = None
    hides_military: bool = False

    def for_caller(self, visibility: Visibility) -> FlightFilter:
        """Return the filter of what a caller may see."""
        return replace(self, hides_military=not visibility.military)


class Restriction(NamedTuple):
    """A condition on one column of flights."""

    column: str
    operator: Operator
    value: Any


def _compare(column: str, operator: Operator) -> Callable[[Any], Restriction]:
    return lambda value: Restriction(column, operator, value)


def _named(column: str) -> Callable[[str], Restriction]:
    """A whole name or, with * at its end, the beginning of one; names are stored in upper case."""

    def restriction(text: str) -> Restriction:
        is_prefix = text.endswith("*")
        return Restriction(column, "starts" if is_prefix else "=", text.upper().removesuffix("*"))

    return restriction


# A member of the filter, and what it restricts where it is not None.
_RESTRICTIONS: tuple[tuple[str, Callable[[Any], Restriction]], ...] = (
    ("begin", _compare("last_seen_at", ">=")),
    ("begin", lambda at: Restriction("first_seen_at", ">=", earlier(at, MAX_FLIGHT))),
    ("end", _compare("first_seen_at", "<=")),
    ("icao_hex", lambda address: Restriction("icao_hex", "=", address.upper())),
    ("callsign", _named("callsign")),
    ("registration", _named("registration")),
    ("aircraft_type", _named("aircraft_type")),
    ("emergency", _compare("emergency", "=")),
    ("active", _compare("active", "=")),
    ("military", _compare("military", "=")),
    ("min_altitude_ft", _compare("max_altitude_ft", ">=")),
    ("max_altitude_ft", _compare("max_altitude_ft", "<=")),
)


def restrictions(query_filter: FlightFilter) -> list[Restriction]:
    """Return what a filter restricts; a flight matches if all of it holds."""
    values = ((getattr(query_filter, member), restriction) for member, restriction in _RESTRICTIONS)
    result = [restriction(value) for value, restriction in values if value is not None]
    if query_filter.hides_military:
        result.append(Restriction("military", "=", False))
    return result
