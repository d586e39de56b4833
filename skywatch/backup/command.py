"""``skywatch backup FILE.ini TARGET``, ``skywatch backup --verify TARGET`` and ``skywatch restore TARGET FILE.ini``.

Exit codes: 0 done, 1 refused, 2 damaged; whatever is wrong is one line.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from skywatch.backup.contents.manifest import FORMAT, Manifest, read_authentic
from skywatch.backup.contents.passphrase import read_passphrase
from skywatch.backup.contents.sealed import PrivatePart
from skywatch.backup.contents.setting_files import stored_secret
from skywatch.backup.errors import BackupError, Refused
from skywatch.backup.progress import Progress
from skywatch.core.backups import Restoration
from skywatch.core.clock import to_iso
from skywatch.core.terminal.command import fail, one_line_errors, read_ini
from skywatch.core.terminal.progress import progress_of
from skywatch.settings import Settings, SettingsError

path_type = click.Path(path_type=Path)
passphrase_option = click.option(
    "--passphrase-file",
    type=path_type,
    help="File whose first line is the passphrase: it encrypts the settings and the secret, and shows that nobody else"
    " has changed the backup.",
)


class OneLineCommand(click.Command):
    """A command whose wrong usage is one line and exit code 1, as all that it refuses."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the arguments."""
        try:
            return super().make_context(*arguments, **options)
        except click.UsageError as error:
            fail(error.format_message())


@contextmanager
def refusals() -> Iterator[None]:
    """One line and the exit code of what is refused or damaged."""
    try:
        yield
    except BackupError as error:
        # What a backup contains may be anybody's: a terminal shows it and does not obey it.
        line = "".join(part if part.isprintable() else ascii(part)[1:-1] for part in " ".join(str(error).split()))
        click.echo(f"skywatch: {line}", err=True)
        sys.exit(error.exit_code)


@contextmanager
def _progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; elsewhere nothing, so that what is refused is one line."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    with progress_of(total, what) as show:
        yield show


@click.command(cls=OneLineCommand)
@click.argument("places", metavar="FILE.ini TARGET", nargs=-1, type=path_type)
@passphrase_option
@click.option("--without-secret", is_flag=True, help="Leave the settings and the secret out.")
@click.option(
    "--verify",
    is_flag=True,
    help="Check the backup in TARGET: hashes, and a trial restore into a temporary database. FILE.ini before TARGET"
    " names the PostgreSQL server for it, else DATABASE_URL does.",
)
@one_line_errors
def backup(places: tuple[Path, ...], passphrase_file: Path | None, without_secret: bool, verify: bool) -> None:
    """Back up the installation of FILE.ini into the new folder TARGET; the service may keep running.

    Database, recordings, and, encrypted with a passphrase, settings and secret. Exit code 1: refused; 2: damaged.
    """
    with refusals():
        if verify:
            _verify(places, passphrase_file, without_secret)
        else:
            _make(places, passphrase_file, without_secret)


def _make(places: Sequence[Path], passphrase_file: Path | None, without_secret: bool) -> None:
    from skywatch.backup.creation import Order, expected_bytes, make_backup, only_backup

    if len(places) != 2:
        raise Refused("usage: skywatch backup FILE.ini TARGET")
    if (passphrase_file is None) != without_secret:
        raise Refused("give either --passphrase-file, which encrypts the settings and the secret, or --without-secret")
    ini, target = places
    settings, _ = read_ini(ini)
    passphrase = read_passphrase(passphrase_file) if passphrase_file is not None else None
    # Everything is read twice: copied, and compared.
    with only_backup(settings), _progress(2 * expected_bytes(settings), "backup") as show:
        manifest = make_backup(Order(settings, ini, target, passphrase), Progress(show))
    seconds = (manifest.ended_at - manifest.began_at).total_seconds()
    click.echo(f"Backed up {_described(manifest)} in {seconds:.1f} s: {target}")


def _verify(places: Sequence[Path], passphrase_file: Path | None, without_secret: bool) -> None:
    from skywatch.backup.download import opened

    if without_secret or not 1 <= len(places) <= 2:
        raise Refused("usage: skywatch backup --verify [FILE.ini] TARGET [--passphrase-file F]")
    target = places[-1]
    passphrase = read_passphrase(passphrase_file) if passphrase_file is not None else None
    with opened(target, passphrase) as folder:
        _verify_folder(folder, places[:-1], passphrase)


def _verify_folder(target: Path, ini: Sequence[Path], passphrase: str | None) -> None:
    from skywatch.backup.verification import is_sealed, verify

    manifest, is_authentic = read_authentic(target, passphrase)
    server = _server(ini) if manifest.database == "postgresql" else None
    with _progress(2 * manifest.bytes, "verify") as show:
        trial = verify(target, manifest, passphrase, server, Progress(show))
    state = "complete and authenticated" if is_authentic else "complete, not authenticated"
    click.echo(
        f"The backup of {to_iso(manifest.began_at)} is {state}: {_described(manifest)}. The database was {trial}."
    )
    if not is_authentic:
        click.echo(f"Anybody may have changed it: {_why_not_authentic(manifest)}.")
    if is_sealed(manifest) and passphrase is None:
        click.echo("The settings and the secret were not opened: --passphrase-file does that.")


def _why_not_authentic(manifest: Manifest) -> str:
    if manifest.format < FORMAT:
        return f"it is of format {manifest.format}, in which nothing shows that"
    if manifest.authentication is None:
        return "it was made without a passphrase"
    return "--passphrase-file, which would show that, is not given"


def _server(ini: Sequence[Path]) -> URL | None:
    """The PostgreSQL database on whose server a temporary one may be created."""
    text = read_ini(ini[0])[0].database_url if ini else os.environ.get("DATABASE_URL", "")
    try:
        url = make_url(text) if text else None
    except ArgumentError:
        raise SettingsError("database_url", "is not a database URL") from None
    return url if url is not None and url.get_backend_name() == "postgresql" else None


@click.command(cls=OneLineCommand)
@click.argument("target", metavar="TARGET", type=path_type)
@click.argument("ini", metavar="FILE.ini", type=path_type)
@passphrase_option
@click.option(
    "--unauthenticated",
    is_flag=True,
    help="Restore also a backup that anybody may have changed: of format 1, made without a passphrase, or without"
    " --passphrase-file.",
)
@click.option("--keep-logins", is_flag=True, help="Do not end the logins that the backup contains.")
@click.option("--send", is_flag=True, help="Send the notifications that were pending when the backup was made.")
@one_line_errors
def restore(
    target: Path, ini: Path, passphrase_file: Path | None, unauthenticated: bool, keep_logins: bool, send: bool
) -> None:
    """Restore the backup in TARGET into the empty database and folders that FILE.ini names; stop the service first.

    TARGET is a folder, or the file of a download. Ends all logins and holds pending notifications. Exit code 1:
    refused; 2: damaged.
    """
    from skywatch.backup.download import opened

    with refusals():
        passphrase = read_passphrase(passphrase_file) if passphrase_file is not None else None
        with opened(target, passphrase) as folder:
            _restore(folder, ini, passphrase, unauthenticated, Restoration(keep_logins=keep_logins, send=send))


def _restore(target: Path, ini: Path, passphrase: str | None, unauthenticated: bool, restoration: Restoration) -> None:
    from skywatch.backup.restoration import Plan, check_secret, restore
    from skywatch.backup.verification import check_whole, is_sealed, open_sealed

    begun = time.monotonic()
    manifest, is_authentic = read_authentic(target, passphrase)
    if not is_authentic and not unauthenticated:
        raise Refused(
            f"is not authenticated, and anybody may have changed it: {_why_not_authentic(manifest)};"
            " --unauthenticated restores it all the same",
            target,
        )
    # Each file is read once to compare it, and once to copy it.
    with _progress(2 * manifest.bytes, "restore") as show:
        progress = Progress(show)
        check_whole(target, manifest, progress)
        is_opened = is_sealed(manifest) and passphrase is not None
        private = open_sealed(target, manifest, passphrase or "") if is_opened else None
        settings, has_secret = _settings(ini, private)
        if is_sealed(manifest) and private is None and not has_secret:
            raise Refused("contains an encrypted secret, and FILE.ini has none; give --passphrase-file", target)
        if private is not None:
            check_secret(settings, private)
        outcome = restore(
            Plan(target, manifest, ini, settings, has_secret, private, restoration, is_authentic), progress
        )
    click.echo(f"Restored {_described(manifest)} of {to_iso(manifest.began_at)} in {time.monotonic() - begun:.1f} s.")
    if outcome.secret is not None:
        click.echo(f"The secret is in {outcome.secret}.")
    for path in outcome.settings:
        click.echo(f"The settings of the backup differ from those here: they are in {path}.")
    if private is None:
        click.echo("Settings and secret are those of FILE.ini: with another secret, channels have to be entered again.")


def _settings(ini: Path, private: PrivatePart | None) -> tuple[Settings, bool]:
    """The settings, with the backup's secret where there is none here, and whether there is one here."""
    secret = private.secret if private is not None else ""
    try:
        settings, _ = read_ini(ini)
    except SettingsError as error:
        if error.name != "secret" or not secret:
            raise
        settings, _ = read_ini(ini, {"secret": secret})
        if settings.sources.get("secret") == "environment" or settings.secret != secret:
            raise error from None
        return settings, False
    if stored_secret(settings):
        return settings, True
    if secret:
        settings, _ = read_ini(ini, {"secret": secret})
    return settings, False


def _described(manifest: Manifest) -> str:
    rows, files = sum(manifest.rows.values()), sum(1 for file in manifest.files if file.name.startswith("files/"))
    return f"{rows:,} rows and {files:,} {'file' if files == 1 else 'files'} ({manifest.bytes / 1e6:,.1f} MB)"
