"""Versions of stored state: a form carries the version it was opened with, so that no change is overwritten unseen."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.core.clock import unix_now
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Target, last_change
from skywatch.sentences import Sentence, sentence


class Stale(Problem):
    """409: somebody else changed what a form is about while it was open."""

    def __init__(self, detail: Sentence) -> None:
        super().__init__("conflict", detail)


def version_of(values: Any) -> str:
    """The version of a state (its digest), and when a form is opened with it (unix seconds)."""
    return f"{_digest(values)}.{int(unix_now())}"


def is_version(version: str, values: Any) -> bool:
    """Whether a version is that of these values."""
    return version.partition(".")[0] == _digest(values)


def opened_at(version: str) -> datetime | None:
    """When the form with a version was opened, as it says itself."""
    text = version.partition(".")[2]
    return datetime.fromtimestamp(int(text), UTC) if re.fullmatch("[0-9]{1,11}", text) else None


def check_version(session: Session, target: Target, version: str, values: Any) -> None:
    """Raise Stale (409) if a form was opened before somebody else's change, which it would overwrite unseen.

    ``values`` are what is stored now; call it within the change, after its lock.
    """
    if is_version(version, values):
        return
    since, last = opened_at(version), last_change(session, target)
    is_theirs = last is not None and since is not None and last.at >= since
    if last is None or not is_theirs:
        raise Stale(
            sentence(
                "form.stale",
                "This was changed since you opened it. Nothing was saved. "
                "Your entries are kept: check them and save again.",
            )
        )
    raise Stale(
        sentence(
            "form.stale_by",
            "{who} changed this since you opened it. Nothing was saved. "
            "Your entries are kept: check them and save again.",
            who=last.actor_name or last.method,
        )
    )


def _digest(values: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(values, order="deterministic")).hexdigest()[:16]
