"""Where the map of the region is: the file that the settings name, else one beside the SQLite database."""

from __future__ import annotations

from pathlib import Path

from skywatch.core.database.engine import sqlite_file
from skywatch.settings import Settings
from skywatch.web.settings import WebSettings

SUFFIX, PART_SUFFIX = ".region.pmtiles", ".skywatch-part"


def region_file(settings: Settings) -> Path | None:
    """The file, which need not be there; None where the settings name none and the database is no file."""
    named = settings.of(WebSettings).map_region_file
    if named:
        return Path(named)
    database = sqlite_file(settings.database_url)
    return None if database is None else Path(f"{database}{SUFFIX}")


def part_of(path: Path) -> Path:
    """The file that a map is fetched into until it is whole."""
    return path.with_name(path.name + PART_SUFFIX)
