"""From the text of a setting ``output.<name>`` to an output.

``beast|raw|sbs|json-lines HOST:PORT`` listens, ``... to HOST:PORT`` connects; then ``military=no``,
``sources=adsb,mlat``, and for those that listen ``allow=NETWORK,...`` and ``connections=64``.
``mlat HOST:FIRST_PORT`` is for mlat-client (``mlat``).
"""

from __future__ import annotations

from skywatch.core.runtime import Runtime
from skywatch.inputs.base import Input, InputStatus
from skywatch.inputs.options import Options, join_address, parse_address, split_setting
from skywatch.inputs.transports.port import DEFAULT_CONNECTIONS, MAX_CONNECTIONS
from skywatch.outputs.feeder import ConnectingFeeder, Feeder, ListeningFeeder, RunningOutputs
from skywatch.outputs.forms import HEARTBEATS
from skywatch.outputs.hub import FORMS, Hub
from skywatch.outputs.mlat import MLAT, open_mlat_output
from skywatch.outputs.selection import SOURCE_WORDS, Selection
from skywatch.receivers.feeder_streams.hub import feeder_hub
from skywatch.settings import SettingsError

EXAMPLE = "beast 127.0.0.1:30005"


def open_output(runtime: Runtime, name: str, text: str) -> Input:
    """The output that a setting describes; nothing is opened before it runs. Raises SettingsError naming it."""
    setting = f"output.{name}"
    form, words = split_setting(setting, text, (*FORMS, MLAT), EXAMPLE)
    if form == MLAT:
        try:
            feeders = runtime.shared(feeder_hub)
            return open_mlat_output(name, words, feeders, has_bus=not runtime.bus.carries_objects)
        except ValueError as error:
            raise SettingsError(setting, str(error)) from None
    return parse(name, text, runtime.shared(Hub))


def parse(name: str, text: str, running: RunningOutputs) -> Feeder:
    """The output that a setting describes, one of ``running`` while it runs; raises SettingsError."""
    setting = f"output.{name}"
    form, words = split_setting(setting, text, FORMS, EXAMPLE)
    try:
        connects = words[:1] == ["to"]
        if connects:
            words = words[1:]
        if not words:
            raise ValueError(
                f"expected the host:port to {'connect to' if connects else 'listen on, such as ' + EXAMPLE}"
            )
        address = parse_address(words[0], lowest_port=1 if connects else 0)
        options = Options(words[1:])
        selection = _selection(options)
        status = InputStatus(name=name, kind=form, address=join_address(*address), family="output")
        feeder: Feeder
        if connects:
            feeder = ConnectingFeeder(status, HEARTBEATS[form], selection, running, address=address)
        else:
            allowed = options.networks("allow")
            connections = options.whole("connections", DEFAULT_CONNECTIONS, 1, MAX_CONNECTIONS)
            feeder = ListeningFeeder(
                status, HEARTBEATS[form], selection, running, address=address, allowed=allowed, connections=connections
            )
        options.finish()
    except ValueError as error:
        raise SettingsError(setting, str(error)) from None
    return feeder


def _selection(options: Options) -> Selection:
    military, sources = options.text("military"), options.text("sources")
    if military not in (None, "yes", "no"):
        raise ValueError("military must be yes or no")
    words = frozenset() if sources is None else frozenset(word.strip() for word in sources.split(","))
    unknown = sorted(words - SOURCE_WORDS.keys())
    if unknown:
        raise ValueError(f"sources: there is no source {unknown[0]!r}; there are {', '.join(SOURCE_WORDS)}")
    return Selection(military != "no", words)
