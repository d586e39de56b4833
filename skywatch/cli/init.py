"""``skywatch init FILE.ini``: creates or upgrades the schema, default roles and access settings; safe to repeat.

With ``--new`` it writes the file itself.
"""

from __future__ import annotations

import secrets
import sqlite3
from pathlib import Path

import click
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.accounts.first_run import issue_password, note_first_administrator
from skywatch.accounts.identity.caller import CLI_CALLER
from skywatch.accounts.identity.rights import SUPERADMIN
from skywatch.accounts.models import User
from skywatch.accounts.users.service import create_user
from skywatch.cli.new_file import ListenText, ReceiverText, StationText, ask, write
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.encrypting import erase_plain_texts, seal_stored
from skywatch.core.database.engine import (
    SessionFactory,
    check_connection,
    create_engine,
    create_session_factory,
    reason,
    writing,
)
from skywatch.core.database.migrations import upgrade
from skywatch.core.process.secret_file import with_secret
from skywatch.core.terminal.command import ini_argument, one_line_errors, read_ini
from skywatch.inputs.options import Station
from skywatch.notify.push.vapid import install as install_vapid_key
from skywatch.settings import Settings

FIRST_ADMINISTRATOR = "admin"


@click.command()
@ini_argument
@click.option("--new", is_flag=True, help="Write FILE.ini, with comments; asks on a terminal for what is not given.")
@click.option("--receiver", type=ReceiverText(), help="With --new: a receiver, such as 'beast localhost:30005'.")
@click.option("--station", type=StationText(), help="With --new: the antenna's latitude and longitude in degrees.")
@click.option("--listen", type=ListenText(), help="With --new: where the service listens, such as 127.0.0.1:6543.")
@click.option(
    "--first-administrator",
    is_flag=True,
    help="In development, where there is no user yet: create one and show its password, once.",
)
@one_line_errors
def init(
    ini: Path, new: bool, receiver: str | None, station: Station, listen: str | None, first_administrator: bool
) -> None:
    """Create or upgrade the database that FILE.ini names, with default roles and access settings; safe to repeat."""
    if new:
        write(ini, ask(receiver, station, listen))
        return
    if receiver or station or listen:
        raise click.UsageError("--receiver, --station and --listen belong to --new")
    settings, _ = read_ini(ini)
    engine = create_engine(settings.database_url)
    check_connection(engine)
    settings = with_secret(settings)
    seal_columns(engine, settings.secret)
    upgrade(engine)
    sessions = create_session_factory(engine)
    with writing(sessions) as session:
        begin_change(session)
        added = install(session)
        install_vapid_key(session)
    encrypt_stored(engine, sessions, settings)
    if added:
        click.echo(f"Added: {', '.join(added)}.")
    click.echo("The database is up to date.")
    if not first_administrator:
        with writing(sessions) as session:
            password = issue_password(session)
        if password is not None:
            click.echo(f"There is no user yet. The console at /console asks for this one-time password: {password}")
            click.echo("It is not shown again; `skywatch user add` makes a user without it.")
    else:
        with writing(sessions) as session:
            password = create_first_administrator(session, settings)
        if password is not None:
            click.echo(f"Created the administrator {FIRST_ADMINISTRATOR!r} with the password {password}")
            click.echo("It is not shown again; `skywatch user set-password` gives another one.")


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


def create_first_administrator(session: Session, settings: Settings) -> str | None:
    """The password of a new superadmin, or None where there is a user already or this is no development."""
    if settings.environment != "development":
        return None
    begin_change(session)
    if session.scalar(sa.select(User.id).limit(1)) is not None:
        return None
    password = secrets.token_urlsafe(15)
    fields = {
        "username": FIRST_ADMINISTRATOR,
        "display_name": "Administrator",
        "password": password,
        "roles": [SUPERADMIN],
    }
    create_user(session, CLI_CALLER, fields)
    note_first_administrator(session)
    return password
