"""The trial of a receiver or input that an administrator is about to save: one at a time, some seconds long, and in the
audit log.
"""

from __future__ import annotations

import asyncio
import threading

from skywatch.core.hooks import editable_inputs
from skywatch.core.problems import Problem, invalid
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Actor, Target, record_apart
from skywatch.core.telemetry.logs import without_passwords
from skywatch.inputs.trial import Trial
from skywatch.picture.settings import PictureSettings
from skywatch.sentences import sentence
from skywatch.settings import SettingsError

WITHIN_S = 6.0
# A trial waits for another program and occupies a thread of the API meanwhile.
_lock = threading.Lock()


def try_input(runtime: Runtime, actor: Actor, family: str, name: str, text: str) -> Trial:
    """Run an input for some seconds; raises Problem where the text is wrong (400) or another trial runs (409)."""
    if not _lock.acquire(blocking=False):
        raise Problem(
            "conflict",
            sentence(
                "console.trial_running",
                "Another trial is running; it takes up to {seconds} s. Try again then.",
                seconds=f"{WITHIN_S:g}",
            ),
        )
    try:
        editable = editable_inputs(runtime.features)[family]
        editable.check(name, text)
        station = runtime.current.of(PictureSettings).station
        outcome: Trial = asyncio.run(editable.trial(name, text, station, WITHIN_S))
    except SettingsError as error:
        raise invalid("text", error.reason) from None
    finally:
        _lock.release()
    after = {
        "value": without_passwords(text),
        "state": outcome.status.state,
        "messages": outcome.status.messages,
        "error": outcome.status.last_error,
    }
    target = Target("setting", family + name, family + name)
    record_apart(runtime.sessions, actor, "input.tried", target, after=after)
    return outcome
