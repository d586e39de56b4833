"""What the benchmark knows of an endpoint: its dearest allowed requests, and where it is an exception, why.

An endpoint has an entry for each request that may be its dearest; the dearest of them counts. A request is prepared
again for each measurement: what was deleted is there again, what was cached is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from benchmarks._endpoint_costs.ask import API, Ask, json_bytes
from benchmarks._endpoint_costs.calibration import ALLOWED_MS
from benchmarks._endpoint_costs.installation import Installation

# The largest body of a request that has no limit of its own (``max_body_bytes``), and how much a head may hold.
MAX_BODY, MAX_QUERY = 1_048_576, 30_000
# The reason of entries that are streams.
STREAM = "a stream: each piece is judged, between pieces others have their turn"


@dataclass(frozen=True)
class Entry:
    """A request that may be the dearest of an endpoint.

    ``allowed_ms`` is what it may cost on the reference machine; above ``calibration.ALLOWED_MS`` with its ``reason``.
    Of a stream, which hands over to others between its pieces, the dearest piece is judged.
    """

    what: str
    ask: Callable[[Installation], Ask]
    allowed_ms: float = ALLOWED_MS
    reason: str = ""
    is_stream: bool = False


Entries = dict[str, list[Entry]]


def read(what: str, path: str, **kw: Any) -> Entry:
    """A request for something below ``/api/v1`` whose answer no cache has."""
    status = kw.pop("status", Ask.status)

    def ask(installation: Installation) -> Ask:
        installation.forget()
        return Ask(f"{API}{path}", status=status)

    return Entry(what, ask, **kw)


def on_row(what: str, path: str, table: Any, body: Any = None, **kw: Any) -> Entry:
    """A request about another row of a table each time; ``{id}`` of the path is its id.

    A function makes another body each time, as for ``send``.
    """

    def ask(installation: Installation) -> Ask:
        installation.forget()
        made = body(installation.number()) if callable(body) else body
        encoded = None if made is None else json_bytes(made)
        return Ask(f"{API}{path}".replace("{id}", str(installation.another(table))), encoded)

    return Entry(what, ask, **kw)


def send(what: str, path: str, body: Callable[[int], Any] | Any, **kw: Any) -> Entry:
    """A request with a JSON body; a function makes another one each time, of a number that grows.

    A function of that kind may also give the body as bytes, for those that are made large.
    """
    ask_kw = {name: kw.pop(name) for name in ("status", "headers") if name in kw}

    def ask(installation: Installation) -> Ask:
        made = body(installation.number()) if callable(body) else body
        return Ask(f"{API}{path}", made if isinstance(made, bytes) else json_bytes(made), **ask_kw)

    return Entry(what, ask, **kw)


def prepared(entry: Entry, prepare: Callable[[Installation], None]) -> Entry:
    """An entry whose request is made after something that is not measured."""

    def ask(installation: Installation) -> Ask:
        prepare(installation)
        return entry.ask(installation)

    return replace(entry, ask=ask)


# Many endpoints get the same bodies.
@lru_cache(maxsize=4)
def filled(begin: str, part: str, end: str, size: int = MAX_BODY) -> bytes:
    """A body of at most ``size`` bytes: ``begin``, as many parts as fit with commas between, and ``end``.

    In each part ``{}`` stands for its number, written with seven digits.
    """
    count = (size - len(begin) - len(end)) // (len(part.replace("{}", "1000000")) + 1)
    if "{}" not in part:
        return (begin + ",".join([part] * count) + end).encode()
    parts = (part.replace("{}", str(number)) for number in range(1_000_000, 1_000_000 + count))
    return (begin + ",".join(parts) + end).encode()
