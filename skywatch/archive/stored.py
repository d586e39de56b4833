"""The archive in backups: where it is a folder it belongs into them; a bucket is kept by its own means."""

from __future__ import annotations

from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage.folder import STAGING, FolderPlace
from skywatch.core.backups import StoredFolder
from skywatch.settings import Settings


def folders(settings: Settings) -> list[StoredFolder]:
    """The folder of the archive."""
    url = settings.of(ArchiveSettings).archive_url
    path = FolderPlace.of(url).folder if url.startswith("file:") else None
    return [StoredFolder(name="archive", path=path, setting="archive_url", without=(STAGING,))]
