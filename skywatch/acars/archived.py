"""What of ACARS is archived, where ``archive_kinds`` names it: every message, without the words of its index."""

from __future__ import annotations

from typing import Any

from skywatch.acars.models import AcarsMessage
from skywatch.archive.contents.rows import row_file
from skywatch.archive.kinds import ArchivedKind

_messages: Any = AcarsMessage.__table__

KINDS: tuple[ArchivedKind, ...] = (
    ArchivedKind(
        name="acars",
        table=_messages,
        column="received_at",
        files=row_file("acars", "received_at", _messages, without=("search_text",)),
        retention="acars_messages",
    ),
)
