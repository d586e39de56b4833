"""Messages and their decoding as the REST API and the channel show them."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import msgspec

from skywatch.acars.decoding import Decoded
from skywatch.acars.decoding.labels import name_of
from skywatch.acars.models import AcarsMessage
from skywatch.acars.resources.schemas import AcarsRecord, DecodedMessage
from skywatch.http.resources.answer import answer
from skywatch.security.permissions import Permission


def message_answer(row: AcarsMessage | SimpleNamespace, permissions: Collection[str]) -> dict[str, Any]:
    """A message as the API answers it to a reader with these permissions.

    Without ``acars.view_full`` there is neither text nor raw nor what a decoding says of them; without
    ``aircraft.view_details`` no registration.
    """
    full, details = Permission.ACARS_VIEW_FULL in permissions, Permission.AIRCRAFT_VIEW_DETAILS in permissions
    position = None
    if row.lat is not None and row.lon is not None:
        position = {"lat": row.lat, "lon": row.lon, "altitude_ft": row.altitude_ft}
    decoded = row.decoded
    if decoded is not None and not full:
        decoded = {"kind": decoded["kind"], "title": None, "items": []}
    return answer(
        AcarsRecord,
        row,
        registration=row.registration if details else None,
        label_name=name_of(row.label),
        text=row.text if full else None,
        decoded=decoded,
        position=position,
        raw=row.raw if full and details else None,
    )


def decoded_answer(decoded: Decoded) -> dict[str, Any]:
    """A decoding as the API answers it, which is the form in which it is stored."""
    return answer(DecodedMessage, decoded, items=msgspec.to_builtins(decoded.items))
