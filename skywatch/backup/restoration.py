"""Restores a backup into an installation whose database is empty: the database is checked first and appears last.

Whatever ends a restore early leaves no database that a service starts on; the same command then begins again.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.engine import make_url

from skywatch.backup.contents.manifest import Manifest
from skywatch.backup.contents.sealed import PrivatePart
from skywatch.backup.contents.setting_files import place_beside, stored_secret, write_private, write_restored
from skywatch.backup.databases import into_postgresql, into_sqlite
from skywatch.backup.databases.completion import Completion
from skywatch.backup.errors import Refused, refusal_of
from skywatch.backup.placement import check_folders, place_files
from skywatch.backup.progress import Progress
from skywatch.core.backups import Restoration
from skywatch.core.database.engine import sqlite_file
from skywatch.core.process.secret_file import SUFFIX, path_of
from skywatch.settings import Settings


@dataclass
class Outcome:
    """What a restore wrote besides the database and files: the secret, and settings that differ from those here."""

    secret: Path | None = None
    settings: list[Path] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """A restore. ``private`` is None where the backup has no settings, or there is no passphrase for them.

    ``is_authentic`` is whether the MAC of the manifest was compared.

    ``has_secret`` is whether FILE.ini or the environment names one; ``settings`` has the backup's where not.
    """

    target: Path
    manifest: Manifest
    ini: Path
    settings: Settings
    has_secret: bool
    private: PrivatePart | None
    restoration: Restoration
    is_authentic: bool


def restore(plan: Plan, progress: Progress) -> Outcome:
    """Restore; raises Refused, Damaged and DatabaseError."""
    kind = "postgresql" if make_url(plan.settings.database_url).get_backend_name() == "postgresql" else "sqlite"
    if kind != plan.manifest.database:
        raise Refused(f"the backup is one of {plan.manifest.database}, and database_url names {kind}", plan.ini)
    outcome, secret = Outcome(), _secret_to_write(plan)
    destination = into_sqlite if kind == "sqlite" else into_postgresql
    url = make_url(plan.settings.database_url)
    check_folders(plan.target, plan.manifest, plan.settings)
    completion = Completion(plan.target, plan.manifest, plan.settings, plan.restoration, plan.is_authentic)
    with destination.restored(url, completion, progress):
        place_files(plan.target, plan.manifest, plan.settings, progress)
        try:
            if secret is not None:
                write_private(secret, f"{plan.settings.secret}\n")
                outcome.secret = secret
            if plan.private is not None:
                outcome.settings = write_restored(plan.ini, place_beside(plan.ini, plan.settings), plan.private)
        except OSError as error:
            raise refusal_of(error) from None
    return outcome


def check_secret(settings: Settings, private: PrivatePart) -> None:
    """Raise Refused where this installation has another secret than the backup's."""
    own = stored_secret(settings)
    if own and private.secret and not hmac.compare_digest(own.encode(), private.secret.encode()):
        raise Refused(
            "setting secret: differs from the backup's; take it out of FILE.ini, the environment and the file next to"
            " the database, and the restore stores the backup's"
        )


def _secret_to_write(plan: Plan) -> Path | None:
    """Where the backup's secret is written; nowhere where this installation has it already."""
    if plan.has_secret or plan.private is None or not plan.private.secret:
        return None
    if sqlite_file(plan.settings.database_url) is not None:
        return path_of(plan.settings)
    return place_beside(plan.ini, plan.settings) / f"{plan.ini.name}{SUFFIX}"
