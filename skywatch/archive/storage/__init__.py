"""Where the archive is: a folder or an S3 bucket, behind one interface."""

from __future__ import annotations

from skywatch.archive.errors import Uninstalled
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage.base import Place
from skywatch.archive.storage.folder import FolderPlace

__all__ = ["Place", "open_place"]


def open_place(settings: ArchiveSettings) -> Place:
    """The place that ``archive_url`` names; raises ArchiveError where it cannot be used at all.

    Nothing is read or written yet.
    """
    if settings.archive_url.startswith("file:"):
        return FolderPlace.of(settings.archive_url)
    try:
        from skywatch.archive.storage.s3 import S3Place
    except ImportError:
        raise Uninstalled() from None
    return S3Place.of(settings)
