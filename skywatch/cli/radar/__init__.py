"""``skywatch radar``: the live list in a terminal."""

from skywatch.cli.radar.command import radar

__all__ = ["radar"]
