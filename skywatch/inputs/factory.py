"""From the text of a setting such as ``acars.vhf`` to an input of bytes; the one door for features whose inputs share
the kinds ``udp``, ``tcp``, ``listen`` and ``file``. Audio's ``folder`` brings files instead: see ``folders.create``.
"""

from __future__ import annotations

from skywatch.inputs.base import Consumer, DecoderFactory, Input, Message, StoredPosition
from skywatch.inputs.options import split_setting
from skywatch.inputs.transports import files, listener, tcp, udp
from skywatch.settings import SettingsError

KINDS = ("file", "listen", "tcp", "udp")
EXAMPLE = "udp 127.0.0.1:5550"


def open_input(
    family: str,
    name: str,
    text: str,
    decoder: DecoderFactory[Message],
    consumer: Consumer[Message],
    position: StoredPosition | None = None,
) -> Input:
    """The input that the setting ``<family>.<name>`` describes; nothing is opened before it runs.

    ``decoder`` makes a decoder for each connection, sender or file. ``position`` reads where a followed file goes on.
    Raises SettingsError naming the setting for an unknown kind, a bad address or option.
    """
    setting = f"{family}.{name}"
    kind, words = split_setting(setting, text, KINDS, EXAMPLE)
    try:
        if kind == "file":
            return files.create(family, name, words, decoder, consumer, position)
        if kind == "listen":
            return listener.create(family, name, words, decoder, consumer)
        if kind == "tcp":
            return tcp.create(family, name, words, decoder, consumer)
        return udp.create(family, name, words, decoder, consumer)
    except ValueError as error:
        raise SettingsError(setting, str(error)) from None
