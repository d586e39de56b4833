"""Receivers that administrators add in the console: which they may add, and a trial of one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skywatch.inputs.editable import ADDRESS, URL, VALUE, EditableKind, check_editable
from skywatch.inputs.options import Station
from skywatch.inputs.trial import Trial, observe
from skywatch.receivers.factory import EXAMPLE, KINDS, open_receiver
from skywatch.receivers.reports.report import Report

SITE = {"place": VALUE, "range_nm": VALUE}
ALLOWED = {
    "adsbx-v2": EditableKind(
        URL, {"every": VALUE, "fingerprint": VALUE, "header": re.compile(r"[A-Za-z0-9-]+:[^:/]+")}
    ),
    "avr": EditableKind(ADDRESS, {"mlat": VALUE} | SITE),
    "beast": EditableKind(ADDRESS, {"mlat": VALUE} | SITE),
    "readsb": EditableKind(URL, {"every": VALUE, "fingerprint": VALUE} | SITE),
    "readsb-lines": EditableKind(ADDRESS, SITE),
    "sbs": EditableKind(ADDRESS, {"mlat": VALUE} | SITE),
    "simulate": EditableKind(
        None, dict.fromkeys(("aircraft", "seed", "around", "radius_nm", "ground", "separation"), VALUE)
    ),
}


class AddressCounter:
    """A sink that counts aircraft."""

    def __init__(self) -> None:
        self.addresses: set[str] = set()

    def put(self, receiver: str, reports: Sequence[Report], messages: int, positions: int = 0) -> None:
        """Count."""
        self.addresses.update(report.hex for report in reports)


def check(name: str, text: str) -> None:
    """Raise SettingsError where the ini file's parser would, and IniOnlyError for what the console may not set."""
    check_editable(f"receiver.{name}", text, KINDS, EXAMPLE, ALLOWED)
    open_receiver(name, text, None)


async def try_out(name: str, text: str, station: Station, within_s: float) -> Trial:
    """Run a receiver for a time (s), or until it has been read to its end; raises SettingsError as ``check``."""
    check(name, text)
    receiver = open_receiver(name, text, station)
    sink = AddressCounter()
    await observe(receiver.run(sink), lambda: receiver.status.state in ("ended", "failed"), within_s)
    return Trial(receiver.status, len(sink.addresses))
