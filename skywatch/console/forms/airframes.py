"""A list of airframes from the console: uploaded, or loaded from the address that the ini file names."""

from __future__ import annotations

import tempfile
import threading
from http import HTTPStatus
from pathlib import Path

from skywatch.accounts.identity.caller import caller_of
from skywatch.airframes.importers.importer import ImportFailed, Outcome, import_file
from skywatch.airframes.military import CHANGED, TOPIC
from skywatch.airframes.settings import AirframeSettings
from skywatch.core.bus import Message
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target, record_apart
from skywatch.http.requests.request import Request
from skywatch.sentences import sentence

LOAD_WITHIN_S = 60.0
# An import reads a whole list into the database and occupies a thread of the API meanwhile.
_lock = threading.Lock()


def load_list(settings: AirframeSettings) -> bytes:
    """The list at ``airframes_url``; raises Problem (409) with the reason where it cannot be loaded."""
    from skywatch.core.network.http_client import CallFailed, OutgoingClient
    from skywatch.core.network.targets import AddressRefused

    client = OutgoingClient(timeout_s=LOAD_WITHIN_S, maximum_bytes=settings.airframes_max_bytes)
    try:
        answer = client.call("GET", settings.airframes_url)
    except (CallFailed, AddressRefused) as error:
        raise Problem(
            "conflict", sentence("console.list_not_loaded", "The list cannot be loaded: {reason}", reason=error)
        ) from None
    if answer.status != HTTPStatus.OK:
        raise Problem(
            "conflict",
            sentence(
                "console.list_answer", "The list cannot be loaded: the server answered {status}.", status=answer.status
            ),
        )
    return answer.body


def import_list(request: Request, source: str, content: bytes) -> Outcome:
    """Replace the airframes of one database by a list; raises Problem: 400 for what is no list, 409 during another."""
    if not content:
        raise invalid("list", sentence("console.missing_or_empty", "is missing or empty"))
    if not _lock.acquire(blocking=False):
        raise Problem(
            "conflict", sentence("console.import_running", "Another list is being imported. Try again when it is done.")
        )
    try:
        with tempfile.NamedTemporaryFile(prefix="skywatch-airframes-") as file:
            file.write(content)
            file.flush()
            outcome = _import(request, Path(file.name), source)
    finally:
        _lock.release()
    runtime = request.runtime
    runtime.bus.publish(Message(TOPIC, CHANGED, b"{}"))
    counts = ("aircraft", "added", "changed", "removed", "refused")
    after = {name: getattr(outcome, name) for name in counts}
    record_apart(
        runtime.sessions, caller_of(request).actor, "airframes.imported", Target("airframes", source), after=after
    )
    return outcome


def _import(request: Request, path: Path, source: str) -> Outcome:
    try:
        return import_file(request.runtime.engine, path, source)
    except ImportFailed as error:
        # Where the list lay meanwhile is nobody's business.
        raise invalid("list", str(error).replace(f"{path}: ", "").replace(str(path), "the list")) from None
