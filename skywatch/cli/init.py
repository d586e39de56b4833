"""``skywatch init FILE.ini``: creates or upgrades the schema, default roles and access settings; safe to repeat.

With ``--new`` it writes the file itself.
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import click
import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.first_user import has_user
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.setup.service import issue_password
from skywatch.cli.new_file import ListenText, ReceiverText, StationText, ask, write
from skywatch.cli.setup_link import page_address, show
from skywatch.core import stored_settings
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import (
    SessionFactory,
    check_connection,
    create_engine,
    create_session_factory,
    reason,
    writing,
)
from skywatch.core.database.upkeep import erase_plain_texts, seal_stored
from skywatch.core.process.secret_file import with_secret
from skywatch.core.storage import audit
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.terminal.command import ini_argument, one_line_errors, read_ini
from skywatch.http.settings import HttpSettings
from skywatch.inputs.options import Station
from skywatch.security.contexts import DEFAULT_ACCESS, FeatureAccess
from skywatch.security.permissions import SCOPES
from skywatch.serving.preparation import make_folder, prepare
from skywatch.settings import Settings

RECEIVER = "receiver."
PLACE = ("station_lat", "station_lon")
# As the audit log has it: the data features are meant. Open to look, not open to write.
OPENED = {"read_access": "public", "write_access": "permission"}
DEMONSTRATION = {"receiver.demo": "simulate aircraft=200", "station_lat": "47.45", "station_lon": "8.56"}


@click.command()
@ini_argument
@click.option("--new", is_flag=True, help="Write FILE.ini, with comments; asks on a terminal for what is not given.")
@click.option("--receiver", type=ReceiverText(), help="With --new: a receiver, such as 'beast localhost:30005'.")
@click.option("--station", type=StationText(), help="With --new: the antenna's latitude and longitude in degrees.")
@click.option("--listen", type=ListenText(), help="With --new: where the service listens, such as 127.0.0.1:6543.")
@click.option(
    "--first-administrator",
    is_flag=True,
    help="Where there is no user yet: show a one-time password for the first administrator, on a terminal only.",
)
@click.option(
    "--demonstration",
    is_flag=True,
    help="In development, while there is no user: open reading to everybody, and where there is no receiver store"
    " simulated aircraft and a station, which the console changes and switches off.",
)
@one_line_errors
def init(
    ini: Path,
    new: bool,
    receiver: str | None,
    station: Station,
    listen: str | None,
    first_administrator: bool,
    demonstration: bool,
) -> None:
    """Create or upgrade the database that FILE.ini names, with default roles and access settings; safe to repeat."""
    if new:
        write(ini, ask(receiver, station, listen))
        return
    if receiver or station or listen:
        raise click.UsageError("--receiver, --station and --listen belong to --new")
    settings, _ = read_ini(ini)
    prepare_installation(settings, ini, first_administrator=first_administrator, demonstration=demonstration)


def prepare_installation(settings: Settings, ini: Path, *, first_administrator: bool, demonstration: bool) -> None:
    """Prepare the database and say what was done; raises DatabaseError and SettingsError."""
    make_folder(settings)
    engine = create_engine(settings.database_url)
    check_connection(engine)
    settings = with_secret(settings)
    seal_columns(engine, settings.secret)
    sessions = create_session_factory(engine)
    is_own, added = prepare(engine, sessions)
    encrypt_stored(engine, sessions, settings)
    if demonstration and settings.environment == "development":
        store_demonstration(sessions, settings)
        if settings.auth_mode == "hybrid":
            open_reading(sessions, settings)
    if added:
        click.echo(f"Added: {', '.join(added)}.")
    click.echo("The database is up to date." if is_own else "The database is that of a later release, and stays it.")
    # Whoever reads a log or the output of a script is not to find a password there.
    if sys.stdout.isatty():
        _offer_setup(sessions, settings, ini, first_administrator)
    elif settings.of(AccountSettings).local_auth_enabled and not _has_user(sessions):
        command = f"skywatch user add {ini} NAME --role superadmin --password-stdin"
        click.echo(f"There is no user yet: `{command}` creates the first administrator.")


def _has_user(sessions: SessionFactory) -> bool:
    with sessions() as session:
        return has_user(session)


def open_reading(sessions: SessionFactory, settings: Settings) -> None:
    """Let everybody read the data features, while there is no user and nobody has changed the access settings."""
    with writing(sessions) as session:
        stored = list(session.scalars(sa.select(FeatureAccessSetting)))
        is_fresh = not has_user(session) and all(
            FeatureAccess(each.read_access, each.write_access, each.is_enabled) == DEFAULT_ACCESS[each.feature]  # type: ignore[arg-type]
            for each in stored
            if each.feature in DEFAULT_ACCESS
        )
        if is_fresh:
            begin_change(session)
            for each in stored:
                if each.feature in SCOPES:
                    each.read_access, each.write_access = OPENED["read_access"], OPENED["write_access"]
            audit.record(session, COMMAND_LINE, "feature_access.changed", audit.Target("feature_access"), after=OPENED)
        is_open = any(each.read_access == "public" for each in stored)
    if is_fresh:
        click.echo("Everybody who reaches this service may read it; the console changes that (Who may see what).")
    elif not is_open:
        page = f"{page_address(settings.of(HttpSettings).listen)}console/access"
        click.echo(f"Visitors who are not signed in see nothing here. Open features for reading at {page}.")


def _offer_setup(sessions: SessionFactory, settings: Settings, ini: Path, first_administrator: bool) -> None:
    """Print on a terminal how the first administrator is created, while there is none."""
    if not settings.of(AccountSettings).local_auth_enabled:
        return
    with writing(sessions) as session:
        is_open = not has_user(session)
        password = issue_password(session) if is_open and first_administrator else None
    if password is not None:
        show(settings, password)
    elif is_open:
        click.echo(f"There is no user yet: `skywatch setup-link {ini}` prints a link for the first administrator.")


def store_demonstration(sessions: SessionFactory, settings: Settings) -> None:
    """Store what a first look shows, where nobody has set up anything: not in the ini file, where it would hold."""
    with writing(sessions) as session:
        stored = stored_settings.read(session, settings)
        names = {*settings.sources, *stored}
        if has_user(session) or any(name.startswith(RECEIVER) for name in names):
            return
        is_placed = not names.isdisjoint(PLACE)
        values = {name: text for name, text in DEMONSTRATION.items() if not (is_placed and name in PLACE)}
        stored_settings.change(session, settings, COMMAND_LINE, values)
    click.echo("Stored: simulated aircraft, until the console switches them off.")


def encrypt_stored(engine: sa.Engine, sessions: SessionFactory, settings: Settings) -> None:
    """Encrypt what an earlier version stored as plain text, or say that nothing is encrypted."""
    if not settings.secret:
        click.echo("Setting secret is not set: addresses and keys of notifications are stored unencrypted.", err=True)
        return
    with writing(sessions) as session:
        tables = seal_stored(session)
    if not tables:
        return
    click.echo(f"Encrypted what was plain text in {', '.join(tables)}. Rewriting it, so that no readable copy remains.")
    try:
        erase_plain_texts(engine, tables)
    except (sa.exc.DBAPIError, sqlite3.Error) as error:
        command = "VACUUM" if engine.dialect.name == "sqlite" else "VACUUM FULL"
        click.echo(f"Copies of it remain in free space ({reason(error)}): run {command} yourself.", err=True)
