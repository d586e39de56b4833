"""What ACARS stores, for retention."""

from __future__ import annotations

from typing import Any

from skywatch.acars.models import AcarsMessage
from skywatch.acars.settings import AcarsSettings
from skywatch.archive.contents.row_file import row_file
from skywatch.archive.kinds import ArchivedKind
from skywatch.core.storage.retention import Kind
from skywatch.settings import Settings

_messages: Any = AcarsMessage.__table__


def _days(settings: Settings) -> float:
    return settings.of(AcarsSettings).retention_acars_days


def _megabytes(settings: Settings) -> float:
    return settings.of(AcarsSettings).retention_acars_mb


KINDS: tuple[Kind, ...] = (
    Kind(name="acars_messages", table=_messages, column="received_at", days=_days, megabytes=_megabytes),
)

# What of ACARS is archived, where ``archive_kinds`` names it: every message, without the words of its index.
ARCHIVED: tuple[ArchivedKind, ...] = (
    ArchivedKind(
        name="acars",
        table=_messages,
        column="received_at",
        files=row_file("acars", "received_at", _messages, without=("search_text",)),
        retention="acars_messages",
    ),
)
