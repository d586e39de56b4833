"""The state of the parts of this process; the system feature gathers and shows it.

A part either reports its state when it changes (``report``) or is asked for it at each request (``watch``):
a thread that hangs or has ended cannot report that by itself. Nothing here knows what the parts are.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from skywatch.core.clock import unix_now
from skywatch.sentences import reworded, sentence, worded

log = logging.getLogger(__name__)


# The body of the liveness probe: this process answers, and nothing was asked.
LIVE = {"status": "ok", "live": True, "ready": True, "checks": [], "trackers": []}


class Component(msgspec.Struct):
    """The state of one part: whether it works, why not, since when (unix seconds), and its own figures."""

    name: str
    ok: bool
    detail: str = ""
    since: float = 0.0
    figures: dict[str, float] = {}
    detail_code: str | None = None
    detail_params: dict[str, Any] | None = None

    @property
    def sentence(self) -> str:
        """The detail, as the sentence that it was made of."""
        return reworded(self.detail, self.detail_code, self.detail_params)


@dataclass(frozen=True)
class State:
    """The state of a part; ``detail`` is for people and never contains a secret."""

    ok: bool
    detail: str = ""
    figures: dict[str, float] = field(default_factory=dict)


Probe = Callable[[], State]

_lock = threading.Lock()
_components: dict[str, Component] = {}
_probes: dict[str, list[Probe]] = {}


def report(name: str, ok: bool, detail: str = "", **figures: float) -> None:
    """Set the state of a part; ``detail`` is for people and never contains a secret."""
    with _lock:
        _store(name, State(ok, detail, figures))


def watch(name: str, probe: Probe) -> None:
    """Ask ``probe`` for the state of a part from now on; of several under one name, the first that fails is shown.

    Probes run in the thread that calls ``components`` and must return at once.
    """
    with _lock:
        _probes.setdefault(name, []).append(probe)


def withdraw(name: str, probe: Probe | None = None) -> None:
    """Forget a part that has been stopped on purpose; with ``probe``, only that one."""
    with _lock:
        remaining = [other for other in _probes.get(name, ()) if probe is not None and other != probe]
        if remaining:
            _probes[name] = remaining
            return
        _probes.pop(name, None)
        _components.pop(name, None)


def components() -> list[Component]:
    """All parts of this process, by name."""
    with _lock:
        watched = {name: list(probes) for name, probes in _probes.items()}
    # Without the lock: a probe may need one that a reporting thread has.
    states = {name: _worst(probes) for name, probes in watched.items()}
    with _lock:
        for name, state in states.items():
            if name in _probes:
                _store(name, state)
        return sorted(_components.values(), key=lambda c: c.name)


def _worst(probes: list[Probe]) -> State:
    states = [_ask(probe) for probe in probes]
    return next((state for state in states if not state.ok), states[0])


def _ask(probe: Probe) -> State:
    try:
        return probe()
    except Exception as error:
        # Whatever is wrong with one part, the others must be shown.
        log.error("the state of a part cannot be read", exc_info=True)
        return State(
            False, sentence("health.unreadable", "its state cannot be read: {error}", error=type(error).__name__)
        )


def _store(name: str, state: State) -> None:
    before = _components.get(name)
    since = before.since if before is not None and before.ok == state.ok else unix_now()
    _components[name] = Component(name, state.ok, since=since, figures=state.figures, **worded("detail", state.detail))
