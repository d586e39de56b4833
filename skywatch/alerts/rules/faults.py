"""The rules that are enabled and not in force, and why: the tracker publishes them, and the REST API shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from skywatch.alerts import topics
from skywatch.core.bus import Bus, Message
from skywatch.sentences import worded


class RuleFault(msgspec.Struct, frozen=True):
    """Why a revision of a rule is not in force."""

    revision: int
    detail: str
    detail_code: str | None = None
    detail_params: dict[str, Any] | None = None

    @classmethod
    def of(cls, revision: int, detail: str) -> RuleFault:
        """Make the fault of a sentence."""
        return cls(revision, **worded("detail", detail))


_decode = msgspec.json.Decoder(dict[int, RuleFault]).decode


def publish_faults(bus: Bus, faults: Mapping[int, RuleFault]) -> None:
    """Publish all faults, by the id of the rule."""
    bus.publish(Message(topics.FAULTS, "rule_faults", msgspec.json.encode(faults), snapshot=True))


def last_faults(bus: Bus) -> Mapping[int, RuleFault]:
    """The faults published last; none before the tracker's start and while the bus is unreachable."""
    try:
        message = bus.last(topics.FAULTS)
        return {} if message is None else _decode(message.data)
    except msgspec.MsgspecError:
        return {}
