"""What ``skywatch doctor`` checks of the archive: the extras, and whether the folder or bucket can be used."""

from __future__ import annotations

from collections.abc import Iterator

from skywatch.archive.batch.cluster import ClusterError, require_dask
from skywatch.archive.contents.manifest import day_of
from skywatch.archive.errors import ArchiveError, Uninstalled
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.archive.storage.folder import FolderStorage
from skywatch.archive.writer.run import require_extra
from skywatch.core.terminal.checks import Finding, Inspection, check_room, fault, ok

PART, BATCH = "archive", "batch"


def check(inspection: Inspection) -> Iterator[Finding]:
    """The archive, where there is one."""
    settings = inspection.settings.of(ArchiveSettings)
    if not settings.archive_url:
        return
    try:
        require_extra()
        storage = open_storage(settings)
        if isinstance(storage, FolderStorage):
            yield check_room(PART, storage.folder)
        days = sum(1 for name in storage.names() if day_of(name) is not None)
    except Uninstalled:
        yield fault(PART, "the extra archive is not installed", "pip install 'skywatch[archive]'")
    except ArchiveError as error:
        yield fault(PART, str(error), "look at archive_url and the archive_s3_* settings")
    else:
        yield ok(PART, f"{days:,} days are in {storage.url}")
    yield _batch()


def _batch() -> Finding:
    """Whether work over archived days can go to a Dask cluster; in processes of this machine it always can."""
    try:
        require_dask()
    except ClusterError:
        return ok(BATCH, "runs in processes of this machine; --scheduler needs: pip install 'skywatch[batch]'")
    return ok(BATCH, "runs in processes of this machine or on a Dask cluster")
