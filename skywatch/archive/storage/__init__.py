"""Where the archive is: a folder or an S3 bucket, behind one interface."""

from __future__ import annotations

from skywatch.archive.errors import Uninstalled
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage.base import ArchiveStorage
from skywatch.archive.storage.folder import FolderStorage

__all__ = ["ArchiveStorage", "open_storage"]


def open_storage(settings: ArchiveSettings) -> ArchiveStorage:
    """The storage that ``archive_url`` names; raises ArchiveError where it cannot be used at all.

    Nothing is read or written yet.
    """
    if settings.archive_url.startswith("file:"):
        return FolderStorage.of(settings.archive_url)
    try:
        from skywatch.archive.storage.s3 import S3Storage
    except ImportError:
        raise Uninstalled() from None
    return S3Storage.of(settings)
