"""What ``skywatch doctor`` checks of backups: the schedule, its folder and passphrase, and the newest backup."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import make_url

from skywatch.backup.contents.sealed import read_passphrase
from skywatch.backup.errors import BackupError
from skywatch.backup.scheduling.rotation import whole_backups
from skywatch.backup.settings import BackupSettings, duration_s
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.process.private_files import wider
from skywatch.core.terminal.finding import Finding, Inspection, fault, ok, warning
from skywatch.core.terminal.folders import check_room

PART = "backup"


def check(inspection: Inspection) -> Iterator[Finding]:
    """The schedule of backups."""
    settings = inspection.settings.of(BackupSettings)
    if not settings.backup_target:
        # Whoever tries things out has nothing to lose.
        if settings.environment == "production":
            yield warning(PART, "there is no schedule", "set backup_target and backup_passphrase_file")
        return
    if make_url(settings.database_url).get_backend_name() == "postgresql" and shutil.which("pg_dump") is None:
        yield fault(PART, "pg_dump is not installed", "apt-get install postgresql-client")
    folder = Path(settings.backup_target)
    if not folder.is_dir():
        yield fault(PART, f"backup_target {folder} is not there", "create the folder, or mount its disk")
        return
    yield check_room(PART, folder)
    yield from _check_passphrase(Path(settings.backup_passphrase_file))
    yield _check_newest(settings, folder)


def _check_passphrase(path: Path) -> Iterator[Finding]:
    try:
        read_passphrase(path)
    except BackupError as error:
        yield fault(PART, f"backup_passphrase_file {error}", "write a passphrase into it, for this user alone")
        return
    for open_to_others in wider([path]):
        yield warning(PART, f"{open_to_others} can be read by other users of this machine", f"chmod 600 {path}")


def _check_newest(settings: BackupSettings, folder: Path) -> Finding:
    backups = whole_backups(folder)
    if not backups:
        return warning(PART, f"there is no backup in {folder} yet", "the role worker makes one when it starts")
    newest = backups[-1]
    age_s = (utcnow() - newest.manifest.began_at).total_seconds()
    text = f"the newest is of {to_iso(newest.manifest.began_at)}"
    if age_s > 2 * duration_s(settings.backup_every):
        return fault(PART, text, "look for the reason in health (part backup) and in the log of the worker")
    return ok(PART, f"{text}; {len(backups)} are there")
