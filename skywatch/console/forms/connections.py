"""What a receiver's form holds: kind, host, port and path, or the text of its setting; and which of them simulate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skywatch.console.forms.entries import Entries
from skywatch.core import stored_settings
from skywatch.core.problems import invalid
from skywatch.http.requests.request import Request
from skywatch.receivers.choices import BY_KIND, parse, read_host, read_path, take_apart
from skywatch.receivers.settings import ReceiverSettings, is_simulated
from skywatch.sentences import sentence

RECEIVER = "receiver."
# Where most antennas are.
PROPOSED = "roof"


def apart(entries: Entries) -> Entries:
    """The entries with an address that was pasted in the field of the host in the fields that its parts belong to."""
    place = take_apart(str(entries.value("host")))
    if place is None:
        return entries
    parts = {name: value for name, value in place._asdict().items() if value}
    return Entries({**entries.values, "host": "", **parts}, entries.version)


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
    try:
        path = read_path(str(entries.value("path"))) if choice.kind == "readsb" else ""
    except ValueError as error:
        raise invalid("path", str(error)) from None
    return choice.text(host, _port(str(entries.value("port")).strip(), choice.port), path)


def values_of(name: str, text: str) -> dict[str, Any]:
    """The fields of a stored setting: kind, host, port and path where it is made of no more than these."""
    connection = parse(text) if name.startswith(RECEIVER) else None
    if connection is None:
        return {"text": text}
    choice, host, port, path = connection
    return {"kind": choice.kind, "host": host, "port": str(port), "path": path}


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


def left_simulators(
    request: Request, rows: Mapping[str, stored_settings.StoredValue], changes: Mapping[str, str | None]
) -> list[str]:
    """The receivers that simulate aircraft once the changes (a text by name, None: removed) are made."""
    changed = [name for name, text in changes.items() if text and is_simulated({name: text})]
    return [*fixed_simulators(request), *(name for name in simulators(rows) if name not in changes), *changed]


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
