"""Receivers that administrators add in the console: which they may add, and a trial of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from skywatch.inputs.options import Station, split_setting
from skywatch.inputs.trial import Trial, observe
from skywatch.receivers.factory import EXAMPLE, KINDS, open_receiver
from skywatch.receivers.reports.report import Report
from skywatch.settings import SettingsError

# The only file name allowed: an administrator of the service may have no right to read other files of this machine.
READSB_FILE = "aircraft.json"


class AddressCounter:
    """A sink that counts aircraft."""

    def __init__(self) -> None:
        self.addresses: set[str] = set()

    def put(self, receiver: str, reports: Sequence[Report], messages: int, positions: int = 0) -> None:
        """Count."""
        self.addresses.update(report.hex for report in reports)


def check(name: str, text: str) -> None:
    """Raise SettingsError as the ini file's parser does, and for files other than readsb's ``aircraft.json``."""
    setting = f"receiver.{name}"
    kind, arguments = split_setting(setting, text, KINDS, EXAMPLE)
    if kind == "replay":
        raise SettingsError(setting, "recordings are files of the server; only the ini file may name them")
    if kind == "readsb" and arguments and "://" not in arguments[0] and PurePath(arguments[0]).name != READSB_FILE:
        raise SettingsError(setting, f"the console may name no other file than one called {READSB_FILE}")
    open_receiver(name, text, None)


async def try_out(name: str, text: str, station: Station, within_s: float) -> Trial:
    """Run a receiver for a time (s), or until it has been read to its end; raises SettingsError as ``check``."""
    check(name, text)
    receiver = open_receiver(name, text, station)
    sink = AddressCounter()
    await observe(receiver.run(sink), lambda: receiver.status.state in ("ended", "failed"), within_s)
    return Trial(receiver.status, len(sink.addresses))
