"""The settings of receivers."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from typing import Literal

from skywatch.receivers.reports.receiver_names import FEEDERS, shown_receiver
from skywatch.sentences import sentence
from skywatch.settings import Settings, SettingsError, setting

# The kind of receivers whose aircraft are not real.
SIMULATOR = "simulate"
# Kinds that bring what antennas of others hear.
NETWORKS = frozenset({"adsbx-v2"})
LISTENER, UUID_FORMAT = "listen", "beast"
NEEDS_FEEDER = sentence(
    "receiver.needs_feeder",
    "carries no UUID: it needs feeder=NAME and allow=NETWORKS while feeders_admission is registered",
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReceiverSettings(Settings):
    """The settings of receivers."""

    receivers: dict[str, str] = setting(
        {}, "a receiver: kind and address, for example `beast localhost:30005`", name="receiver.*"
    )
    feeder_messages_s: int = setting(
        3_000,
        "messages a second that one feeder may send on average; what exceeds it is dropped and counted",
        minimum=10,
        maximum=100_000,
        stored=True,
    )
    feeders_admission: Literal["registered", "anybody"] = setting(
        "registered",
        "registered: only feeders with a record may connect to a `listen` receiver; anybody: one that sends no known"
        " UUID within 10 s is let in as `anonymous-1` (2, 3 ...) for its connection, untrusted and without a record",
    )
    feeder_new_aircraft_minute: int = setting(
        200,
        "aircraft a minute that all untrusted feeders of one owner may bring although no other receiver heard them in"
        " the last hour (those without a record count by network, IPv4 /24 or IPv6 /48; a trusted feeder may bring ten"
        " times as many by itself); what is sent of more is dropped and counted",
        minimum=1,
        maximum=100_000,
        stored=True,
    )
    receiver_discovery: bool = setting(
        True,
        "the console may look for receivers in the private networks of this machine (at most the /24 around each of its"
        " addresses, never those of containers), for holders of system.manage who have just signed in",
    )

    def check(self) -> None:
        """No receiver has a feeder's name in the picture, nor but for a listener that of all feeders.

        Under ``registered``, a listener whose format carries no UUID says whose frames it takes, and from where.
        """
        for name, text in self.receivers.items():
            if shown_receiver(name) != name or (name == FEEDERS and text.split()[:1] != [LISTENER]):
                raise SettingsError(
                    f"receiver.{name}",
                    sentence("receiver.name_of_feeder", "names of feeders are no names of receivers: choose another"),
                )
        if self.feeders_admission != "registered":
            return
        for name, text in self.receivers.items():
            form, options = _listener_options(text)
            if form != UUID_FORMAT and not (options.get("feeder") and options.get("allow")):
                raise SettingsError(
                    f"receiver.{name}",
                    sentence("receiver.format_needs_feeder", "format={form} {rule}", form=form, rule=NEEDS_FEEDER),
                )


def is_simulated(receivers: Mapping[str, str]) -> bool:
    """Whether there are receivers, and all of them are simulators."""
    return bool(receivers) and all(map(simulates, receivers.values()))


def simulates(text: str) -> bool:
    """Whether a receiver of this text is a simulator."""
    return text.split()[:1] == [SIMULATOR]


def _listener_options(text: str) -> tuple[str, dict[str, str]]:
    """The format of a listener and its options; those of other receivers, and malformed ones, are not looked at."""
    try:
        kind, _, *words = shlex.split(text)
    except ValueError:
        return UUID_FORMAT, {}
    options = dict(word.partition("=")[::2] for word in words) if kind == LISTENER else {}
    return options.get("format", UUID_FORMAT), options
