"""The receivers, as ``skywatch doctor`` checks them: each is run for a few seconds, without a service behind it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence

from skywatch.core.stored_settings import look_up
from skywatch.core.terminal.checks import Finding, Inspection, fault, ok, warning
from skywatch.inputs.options import Station
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.base import Receiver, ReceiverStatus
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.reports.report import Report
from skywatch.receivers.settings import ReceiverSettings
from skywatch.settings import SettingsError

LOOK_S = 0.1


class Counter:
    """A sink that counts."""

    def __init__(self) -> None:
        self.reports = 0

    def put(self, receiver: str, reports: Sequence[Report], messages: int, positions: int = 0) -> None:
        """Count."""
        self.reports += len(reports)


def check(inspection: Inspection) -> Iterator[Finding]:
    """The receivers of the settings, those of the database among them, where this installation runs any."""
    if "tracker" not in inspection.settings.roles:
        return
    # Whether the database answers is another check's finding.
    settings, _ = look_up(inspection.settings)
    receivers = settings.of(ReceiverSettings).receivers
    yield from check_receivers(receivers, settings.of(PictureSettings).station, inspection.within_s)


def check_receivers(settings: dict[str, str], station: Station, within_s: float) -> Iterator[Finding]:
    """Whether each receiver connects and brings aircraft within a time (seconds); all are tried at once."""
    if not settings:
        yield fault("receiver", "none is named", "add a line such as receiver.roof = beast localhost:30005")
        return
    opened: dict[str, Receiver] = {}
    for name, text in settings.items():
        try:
            opened[name] = open_receiver(name, text, station)
        except SettingsError as error:
            yield fault(f"receiver.{name}", error.reason, "mend the setting")
    for status in asyncio.run(_try(list(opened.values()), within_s)):
        yield describe(status)


async def _try(receivers: Sequence[Receiver], within_s: float) -> list[ReceiverStatus]:
    sink = Counter()
    tasks = [asyncio.create_task(receiver.run(sink)) for receiver in receivers]
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            while not all(receiver.status.messages or receiver.status.state == "ended" for receiver in receivers):
                await asyncio.sleep(LOOK_S)
    statuses = [receiver.status for receiver in receivers]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return statuses


def describe(status: ReceiverStatus) -> Finding:
    """What a state after the trial means."""
    part = f"receiver.{status.name}"
    if status.is_out_of_range:
        return warning(
            part, f"{status.address}: {status.describe_range()}", "say where it stands (place=), or widen range_nm="
        )
    if status.messages:
        return ok(part, f"{status.address}: {status.messages} messages")
    if status.is_active:
        return warning(
            part, f"{status.address}: connected, nothing received yet", "no aircraft in range, or another kind of port?"
        )
    text = status.last_error or "no answer"
    return fault(part, f"{status.address}: {text}", "is the program there running, and reachable from this machine?")
