"""From the text of a ``receiver.<name>`` setting to a receiver; the one door into this room.

Kinds are imported when they are asked for: who only simulates does not load an HTTP client.
"""

from __future__ import annotations

import difflib
import importlib
import shlex

from skywatch.receivers.base import Receiver
from skywatch.receivers.options import Station
from skywatch.settings import SettingsError

# kind -> module with ``create(name, words, station) -> Receiver``, which raises ValueError for people.
KINDS: dict[str, str] = {
    "adsbx-v2": "adsbx_v2",
    "avr": "avr",
    "beast": "beast",
    "readsb": "readsb",
    "readsb-lines": "readsb_lines",
    "replay": "replay",
    "sbs": "sbs",
    "simulate": "simulate",
}


def open_receiver(name: str, text: str, station: Station) -> Receiver:
    """The receiver that a setting describes; nothing is connected before it runs.

    ``station`` is the antenna's (lat, lon) in degrees or None. Raises SettingsError naming ``receiver.<name>`` for
    an unknown kind, a bad address or option, a missing file or a recording that is not one.
    """
    setting = f"receiver.{name}"
    try:
        words = shlex.split(text)
    except ValueError:
        raise SettingsError(setting, "a quotation mark is not closed") from None
    if not words:
        raise SettingsError(setting, "is empty; expected a kind and an address, such as beast localhost:30005")
    kind, *rest = words
    if kind not in KINDS:
        close = difflib.get_close_matches(kind, KINDS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(KINDS))}"
        raise SettingsError(setting, f"unknown kind of receiver {kind!r} ({hint})")
    module = importlib.import_module(f"skywatch.receivers.{KINDS[kind]}")
    try:
        receiver: Receiver = module.create(name, rest, station)
    except ValueError as error:
        raise SettingsError(setting, str(error)) from None
    return receiver
