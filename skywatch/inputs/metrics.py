"""The metrics of the inputs of features."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import gauge, remove

INPUT_UP = gauge("skywatch_input_up", "1 where the input is connected or listens", "family", "input")
INPUT_RECEIVED = gauge("skywatch_input_received", "Messages decoded since the start", "family", "input")
INPUT_STORED = gauge("skywatch_input_stored", "Messages saved since the start", "family", "input")
INPUT_DROPPED = gauge("skywatch_input_dropped", "Messages lost to a full queue or a limit", "family", "input")
INPUT_REFUSED = gauge("skywatch_input_refused", "Datagrams and connections refused", "family", "input")
INPUT_INVALID = gauge("skywatch_input_invalid", "Received and not decodable since the start", "family", "input")
INPUT_RECONNECTS = gauge("skywatch_input_reconnects", "Reconnects since the start", "family", "input")
OF_INPUTS = (
    INPUT_UP,
    INPUT_RECEIVED,
    INPUT_STORED,
    INPUT_DROPPED,
    INPUT_REFUSED,
    INPUT_INVALID,
    INPUT_RECONNECTS,
)


def forget(family: str, name: str) -> None:
    """Export an input no more that has been removed."""
    for metric in OF_INPUTS:
        remove(metric, family, name)
