"""What a readsb says over HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from tests.functional.receivers.servers import Request, response


def document(now: float | None = None, addresses: tuple[str, ...] = ("4b1a23",)) -> bytes:
    aircraft = [{"hex": address, "lat": 47.1, "lon": 8.2, "seen": 0.1, "seen_pos": 0.2} for address in addresses]
    return json.dumps({"now": time.time() if now is None else now, "messages": 5, "aircraft": aircraft}).encode()


def answers(answer: Callable[[Request], Any], refresh_ms: float | None = 200) -> Callable[[Request], Any]:
    """Answers for aircraft.json, and a receiver.json that asks for a quick pace."""

    def choose(request: Request) -> Any:
        if request.path.endswith("receiver.json"):
            return (
                response("404 Not Found")
                if refresh_ms is None
                else response("200 OK", json.dumps({"refresh": refresh_ms}).encode())
            )
        return answer(request)

    return choose
