"""What a feature has to do with backups: folders of files that belong into them, and what it mends after a restore."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class StoredFolder:
    """A folder of files that a backup contains, under a name of its own (``audio``).

    ``path`` is None where this installation has no such folder. ``without`` are names directly below it that are left
    out. A file in it is written once: it appears whole, and may be removed.
    """

    name: str
    path: Path | None
    setting: str
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Restoration:
    """What the administrator chose for a restore: whether logins stay alive and pending notifications are sent."""

    keep_logins: bool = False
    send: bool = False
