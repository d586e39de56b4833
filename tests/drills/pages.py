"""The commands of a page of the manual: its blocks marked ``bash``, in order, with the headings they stand under."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```bash\n(.*?)^```$|^#+ (.+?)$|^```.*?^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """Lines to be pasted into a shell."""

    heading: str
    text: str


def blocks(page: Path) -> list[Block]:
    """Those of a page."""
    found, heading = [], ""
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match[2]:
            heading = match[2]
        elif match[1]:
            found.append(Block(heading, match[1]))
    return found
