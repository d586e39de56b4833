"""What a feature declares for the answers and rules of other features; see ``skywatch.core.feature``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class AircraftMember:
    """A member of one aircraft in the API that another feature than ``aircraft`` provides.

    ``schema`` is ``module:node``, a colander node that allows null. ``values`` is ``module:function(runtime, session,
    addresses, may)``, which returns the values by address (upper case) for a caller with one of the ``permissions``;
    other callers get null, and so does an aircraft without a value.
    """

    name: str
    schema: str
    permissions: tuple[str, ...]
    values: str


@dataclass(frozen=True, kw_only=True)
class AddressList:
    """Aircraft of a kind by their address, for the class of that name in alert rules.

    ``revision`` is ``module:function(session)`` that returns a value which changes with the list, ``addresses`` is
    ``module:function(session)`` that returns the addresses.
    """

    name: str
    revision: str
    addresses: str
