"""``PictureAccess``: the picture of this process's tracker, for features that look at what each receiver receives, and
for followers that leave it to other processes to hand out the picture.

One for a process (``runtime.shared``); processes without a tracker have none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from skywatch.picture.picture import Picture


class PictureAccess:
    """``picture`` is None until a tracker leads in this process."""

    def __init__(self, runtime: Any = None) -> None:
        self.picture: Picture | None = None

    def may_serve(self) -> bool:
        """Whether followers of this process hand out the picture: not next to the tracker that makes it."""
        return self.picture is None
