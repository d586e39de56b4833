"""The deadline of a request."""

from __future__ import annotations

import threading

from skywatch.core.process.deadline import Deadline
from skywatch.http.requests.request import Request


def deadline_of(request: Request, what: str, seconds: float, turn: threading.Lock) -> Deadline:
    """A deadline that begins now, and that ends as well when the client closes its connection."""
    return Deadline(what, seconds, request.environ.get("waitress.client_disconnected", _stays), turn)


def _stays() -> bool:
    """For servers that cannot look."""
    return False
