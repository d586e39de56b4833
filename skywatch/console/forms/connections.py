"""What a receiver's form holds: a kind, a host and a port, or the text of its setting; and which of them simulate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skywatch.console.forms.entries import Entries
from skywatch.core import stored_settings
from skywatch.core.problems import invalid
from skywatch.http.requests.request import Request
from skywatch.receivers.choices import BY_KIND, parse, read_host
from skywatch.receivers.settings import ReceiverSettings, is_simulated
from skywatch.sentences import sentence

RECEIVER = "receiver."
# Where most antennas are.
PROPOSED = "roof"


def text_of(full_name: str, entries: Entries) -> str:
    """The setting that was entered, empty where nothing was; raises Problem (400)."""
    text, host = (str(entries.value(name)).strip() for name in ("text", "host"))
    if not full_name.startswith(RECEIVER) or not host:
        return text
    if text:
        raise invalid("text", sentence("console.empty_with_host", "must be empty where there is a host"))
    choice = BY_KIND.get(str(entries.value("kind")))
    if choice is None:
        raise invalid("kind", sentence("field.missing", "is missing"))
    try:
        host = read_host(host)
    except ValueError as error:
        raise invalid("host", str(error)) from None
    return choice.text(host, _port(str(entries.value("port")).strip(), choice.port))


def values_of(name: str, text: str) -> dict[str, Any]:
    """The fields of a stored setting: kind, host and port where it is made of no more than these."""
    connection = parse(text) if name.startswith(RECEIVER) else None
    if connection is None:
        return {"text": text}
    choice, host, port = connection
    return {"kind": choice.kind, "host": host, "port": str(port)}


def proposed_name(request: Request, family: str) -> str:
    """A name that nothing of the family has."""
    settings = request.runtime.settings
    with request.runtime.sessions() as session:
        taken = {*settings.sources, *stored_settings.read(session, settings)}
    number = 1
    while family + (name := PROPOSED if number == 1 else f"{PROPOSED}-{number}") in taken:
        number += 1
    return name


def simulators(rows: Mapping[str, stored_settings.StoredValue]) -> list[str]:
    """The stored receivers that simulate aircraft."""
    return [
        name for name, row in rows.items() if name.startswith(RECEIVER) and row.text and is_simulated({"": row.text})
    ]


def fixed_simulators(request: Request) -> list[str]:
    """The receivers of the ini file or the environment that simulate aircraft, which the console cannot switch off."""
    receivers = request.runtime.settings.of(ReceiverSettings).receivers
    return [RECEIVER + name for name, text in receivers.items() if is_simulated({name: text})]


def _port(text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 1 <= int(text) <= 65535):
        raise invalid("port", sentence("console.port", "must be a whole number from 1 to 65535"))
    return int(text)
