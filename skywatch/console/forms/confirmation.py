"""Pages that ask once more before something is done that cannot be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skywatch.console.forms.entries import Entries


def confirmation(
    *,
    title: str,
    text: str,
    button: str,
    back: str,
    facts: Sequence[tuple[str, str]] = (),
    entries: Entries | None = None,
) -> dict[str, Any]:
    """What ``confirm.jinja2`` shows: what will be done (``text``), what goes with it (``facts``), and the way back."""
    entries = entries or Entries()
    return {
        "title": title,
        "text": text,
        "button": button,
        "back": back,
        "facts": facts,
        "entries": entries,
        "problem": entries.problem,
    }
