"""What the parts of this process say of their own health; the system feature gathers and shows it.

A part reports once when its state changes and again whenever it likes; a part that is silent keeps its last word.
Nothing here knows what the parts are.
"""

from __future__ import annotations

import threading

import msgspec

from skywatch.core.clock import unix_now


class Component(msgspec.Struct):
    """The state of one part: whether it works, why not, since when (unix seconds), and its own figures."""

    name: str
    ok: bool
    detail: str = ""
    since: float = 0.0
    figures: dict[str, float] = {}


_lock = threading.Lock()
_components: dict[str, Component] = {}


def report(name: str, ok: bool, detail: str = "", **figures: float) -> None:
    """Say how a part is; ``detail`` is for people and never holds a secret."""
    with _lock:
        before = _components.get(name)
        since = before.since if before is not None and before.ok == ok else unix_now()
        _components[name] = Component(name, ok, detail, since, figures)


def withdraw(name: str) -> None:
    """Forget a part that has been stopped on purpose."""
    with _lock:
        _components.pop(name, None)


def components() -> list[Component]:
    """All parts of this process, by name."""
    with _lock:
        return sorted(_components.values(), key=lambda c: c.name)
