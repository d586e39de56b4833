"""The receivers that the settings declare: those of the ini file must open, those of the database may be wrong."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping

from skywatch.core.clock import unix_now
from skywatch.inputs.running_inputs import RunningInputs
from skywatch.receivers.base import Receiver, ReceiverStatus, Sink
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.settings import ReceiverSettings
from skywatch.settings import Settings, SettingsError

log = logging.getLogger(__name__)
FAMILY = "receiver."
# The kind of receivers that others connect to.
LISTENER = "listen"
# Opens a receiver by its full name (``receiver.roof``) and text, or raises SettingsError.
Open = Callable[[str, str], Receiver]


class UnusableReceiver:
    """Stands for a receiver that cannot be opened."""

    def __init__(self, status: ReceiverStatus) -> None:
        self.status = status

    async def run(self, sink: Sink) -> None:
        """Wait to be cancelled."""
        await asyncio.Event().wait()


def declared_receivers(settings: Settings) -> dict[str, str]:
    """Full name (``receiver.roof``) and text of every receiver that the tracker opens.

    With a bus between processes the role ``ingest`` opens the ports that feeders connect to.
    """
    listeners = declared_listeners(settings) if settings.bus != "memory" else {}
    receivers = settings.of(ReceiverSettings).receivers
    return {FAMILY + name: text for name, text in receivers.items() if FAMILY + name not in listeners}


def declared_listeners(settings: Settings) -> dict[str, str]:
    """Full name and text of every port that feeders connect to."""
    receivers = settings.of(ReceiverSettings).receivers
    return {FAMILY + name: text for name, text in receivers.items() if text.split()[:1] == [LISTENER]}


def use_settings(running: Iterable[Receiver], settings: ReceiverSettings) -> None:
    """Pass changed settings to the receivers that run."""
    for receiver in running:
        if isinstance(receiver, RetryingReceiver):
            receiver.use(settings)


def open_declared(running: RunningInputs[Receiver], settings: Settings, open_one: Open) -> None:
    """Open every receiver; raises SettingsError where one of the ini file or the environment is wrong."""
    open_declared_of(running, settings, declared_receivers(settings), open_one)


def open_declared_of(
    running: RunningInputs[Receiver], settings: Settings, declared: Mapping[str, str], open_one: Open
) -> None:
    """``open_declared`` of these receivers."""
    for name, text in declared.items():
        try:
            receiver = open_one(name, text)
        except SettingsError as error:
            if settings.sources.get(name) != "database":
                raise
            log.error("%s", error)
            receiver = unusable(name, error.reason)
        running.add(name, receiver, text)


def unusable(full_name: str, reason: str) -> Receiver:
    """What stands for a receiver that cannot be opened, with the reason in its state."""
    name = full_name.removeprefix(FAMILY)
    status = ReceiverStatus(name, "unknown", "", state="failed", last_error_at=unix_now())
    status.set_error(reason)
    return UnusableReceiver(status)
