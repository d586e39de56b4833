"""``PictureAccess``: the picture of this process's tracker, for features that look at what each receiver receives.

One for a process (``runtime.shared``); processes without a tracker have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skywatch.picture.picture import Picture


class PictureAccess:
    """``picture`` is None until a tracker runs in this process."""

    def __init__(self, runtime: Any = None) -> None:
        self.picture: Picture | None = None
