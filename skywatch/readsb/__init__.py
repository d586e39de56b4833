"""What programs written for readsb and tar1090 ask for: readsb's files, its API, and tar1090's tracks and replay.

Everything is made of the live picture and of history; ``bodies`` brings aircraft into readsb's form. Whoever may read
live aircraft may read all of it, and sees in none of it an aircraft that the live list does not show them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The resources of this feature."""
    for path in ("/data/", "/globe_history/", "/v2/", "/re-api", "/re-api/"):
        config.add_live_reads(path)
    for module in ("files", "tar1090.tracks", "tar1090.replay", "api", "routeset"):
        config.scan(f"skywatch.readsb.{module}")
