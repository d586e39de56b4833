"""Creates receivers from the text of ``receiver.<name>`` settings.

Kinds are imported when they are used: an installation that only simulates loads no HTTP client.
"""

from __future__ import annotations

import importlib

from skywatch.inputs.options import Station, split_setting
from skywatch.receivers.base import Receiver
from skywatch.receivers.context import ALONE, ReceiverContext
from skywatch.settings import SettingsError

# kind -> module with ``create(name, words, station, context) -> Receiver``, which raises ValueError for people.
KINDS: dict[str, str] = {
    "adsbx-v2": "kinds.adsbx_v2",
    "avr": "kinds.avr",
    "beast": "kinds.beast",
    "listen": "kinds.listen",
    "readsb": "kinds.readsb",
    "readsb-lines": "kinds.readsb_lines",
    "replay": "kinds.replay",
    "sbs": "kinds.sbs",
    "simulate": "simulator.receiver",
}

EXAMPLE = "beast localhost:30005"


def open_receiver(name: str, text: str, station: Station, context: ReceiverContext = ALONE) -> Receiver:
    """The receiver that a setting describes; nothing is connected before it runs.

    ``station`` is the antenna's (lat, lon) in degrees or None. Raises SettingsError naming ``receiver.<name>`` for
    an unknown kind, a bad address or option, a missing file or a recording that is not one.
    """
    setting = f"receiver.{name}"
    kind, arguments = split_setting(setting, text, KINDS, EXAMPLE)
    module = importlib.import_module(f"skywatch.receivers.{KINDS[kind]}")
    try:
        receiver: Receiver = module.create(name, arguments, station, context)
    except ValueError as error:
        raise SettingsError(setting, str(error)) from None
    return receiver
