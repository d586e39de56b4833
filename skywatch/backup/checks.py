"""What ``skywatch doctor`` checks of backups: the schedule, its folder and passphrase, and the newest backup."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy.engine import make_url

from skywatch.backup.contents.passphrase import read_passphrase
from skywatch.backup.errors import BackupError
from skywatch.backup.places import folder_of, is_set_up, passphrase_file_of
from skywatch.backup.schedule.rotation import newest_authentic, whole_backups
from skywatch.backup.settings import NEVER, BackupSettings, duration_s
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.private_files import wider
from skywatch.core.terminal.checks import Finding, Inspection, check_room, fault, ok, warning

PART = "backup"


def check(inspection: Inspection) -> Iterator[Finding]:
    """The schedule of backups."""
    settings = inspection.settings.of(BackupSettings)
    if not is_set_up(settings):
        # Whoever tries things out has nothing to lose.
        if settings.environment == "production":
            yield warning(PART, "there is no schedule", "open the page Backups of the console")
        return
    if make_url(settings.database_url).get_backend_name() == "postgresql" and shutil.which("pg_dump") is None:
        yield fault(PART, "pg_dump is not installed", "apt-get install postgresql-client")
    folder, path = folder_of(settings), passphrase_file_of(settings)
    if folder is None or path is None:
        return
    if not folder.is_dir():
        if not settings.backup_target:
            yield warning(PART, f"there is no backup in {folder} yet", "the role worker makes one when it starts")
            return
        yield fault(PART, f"backup_target {folder} is not there", "create the folder, or mount its disk")
        return
    yield check_room(PART, folder)
    try:
        passphrase = read_passphrase(path)
    except BackupError as error:
        yield fault(PART, f"backup_passphrase_file {error}", "write a passphrase into it, for this user alone")
        return
    for open_to_others in wider([path]):
        yield warning(PART, f"{open_to_others} can be read by other users of this machine", f"chmod 600 {path}")
    yield _check_newest(settings, folder, passphrase)


def _check_newest(settings: BackupSettings, folder: Path, passphrase: str) -> Finding:
    newest = newest_authentic(folder, passphrase, utcnow())
    if newest is None:
        why = f"there is no backup in {folder} that was made with this passphrase"
        return warning(PART, why, "the role worker makes one when it starts")
    age_s = (utcnow() - newest.began_at).total_seconds()
    text = f"the newest is of {to_iso(newest.began_at)}"
    if settings.backup_every != NEVER and age_s > 2 * duration_s(settings.backup_every):
        return fault(PART, text, "look for the reason in health (part backup) and in the log of the worker")
    return ok(PART, f"{text}; {len(whole_backups(folder))} are there")
