"""``skywatch user add|list|set-password|disable|enable FILE.ini``: accounts from the command line.

Whoever can read the ini file may do everything; the rules about passwords, names and the last superadmin hold all
the same, and every change is written into the audit log.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.caller import CLI_CALLER
from skywatch.accounts.models import User
from skywatch.accounts.names import clean_display_name, clean_email, clean_username, username_key
from skywatch.accounts.passwords.rules import rules
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.users.schemas import UserChangeFields, UserCreateFields
from skywatch.accounts.users.service import create_user, find_users, roles_of, update_user
from skywatch.core.clock import to_iso
from skywatch.core.database.engine import check_connection, create_engine, create_session_factory, writing
from skywatch.core.database.migrations import check_schema
from skywatch.core.problems import Problem
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.http.resources.fields import UNSET

PAGE = 500


@click.group()
def user() -> None:
    """Add, list and change users."""


@user.command()
@ini_argument
@click.argument("name")
@click.option("--role", "roles", multiple=True, help="Role of the user; may be given several times.")
@click.option("--email", default="", help="E-mail address.")
@click.option("--display-name", default="", help="Name as people see it.")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@one_line_errors
def add(ini: Path, name: str, roles: tuple[str, ...], email: str, display_name: str, password_stdin: bool) -> None:
    """Add the user NAME."""
    password = _password(password_stdin)
    with _accounts(ini) as session:
        fields = UserCreateFields(
            username=_cleaned("NAME", clean_username, name),
            email=_cleaned("--email", clean_email, email) if email else UNSET,
            display_name=_cleaned("--display-name", clean_display_name, display_name) if display_name else UNSET,
            password=UNSET if password is None else password,
            roles=list(roles),
        )
        created = create_user(session, CLI_CALLER, fields)
        shown = ", ".join(role.name for role in roles_of(created)) or "no role"
    click.echo(f"Added {created.username} ({shown}).")


@user.command("list")
@ini_argument
@one_line_errors
def list_users(ini: Path) -> None:
    """List all users: name, state, roles, last login and e-mail address."""
    with _accounts(ini) as session:
        for entry in _all_users(session):
            click.echo(_line(entry))


@user.command("set-password")
@ini_argument
@click.argument("name")
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
@one_line_errors
def set_password(ini: Path, name: str, password_stdin: bool) -> None:
    """Give the user NAME a new password; ends all their logins."""
    password = _password(password_stdin)
    with _accounts(ini) as session:
        update_user(session, CLI_CALLER, _find(session, name), UserChangeFields(password=password))
    click.echo(f"{name} has a new password.")


@user.command()
@ini_argument
@click.argument("name")
@one_line_errors
def disable(ini: Path, name: str) -> None:
    """Deactivate the user NAME; ends all their logins, and their API keys stop working."""
    with _accounts(ini) as session:
        update_user(session, CLI_CALLER, _find(session, name), UserChangeFields(is_active=False))
    click.echo(f"{name} is deactivated.")


@user.command()
@ini_argument
@click.argument("name")
@one_line_errors
def enable(ini: Path, name: str) -> None:
    """Activate the user NAME again."""
    with _accounts(ini) as session:
        update_user(session, CLI_CALLER, _find(session, name), UserChangeFields(is_active=True))
    click.echo(f"{name} is active.")


def _cleaned(argument: str, clean: Callable[[str], str], text: str) -> str:
    """The text as it is stored; what is wrong with it is one line that names the argument."""
    try:
        return clean(text)
    except ValueError as error:
        fail(f"{argument} {error}")


def _all_users(session: Session) -> Iterator[User]:
    """Every user by name, read in pages."""
    for offset in itertools.count(0, PAGE):
        users, count = find_users(session, search=None, is_active=None, role=None, limit=PAGE, offset=offset)
        yield from users
        if offset + PAGE >= count:
            return


def _line(entry: User) -> str:
    """A user as one line of ``user list``."""
    state = "active" if entry.is_active else "disabled"
    roles = ",".join(role.name for role in roles_of(entry)) or "-"
    last = to_iso(entry.last_login) if entry.last_login else "-"
    return f"{entry.username:<24} {state:<8} {roles:<24} {last:<25} {entry.email or '-'}"


@contextmanager
def _accounts(ini: Path) -> Iterator[Session]:
    """A transaction on the database that an ini file names; what a rule refuses is one line."""
    settings, _ = read_ini(ini)
    engine = create_engine(settings.database_url)
    check_connection(engine)
    check_schema(engine)
    rules.minimum_length = settings.of(AccountSettings).password_min_length
    try:
        with writing(create_session_factory(engine)) as session:
            yield session
    except Problem as problem:
        faults = [f"{error['name']} {error['detail']}" for error in problem.errors or []]
        fail("; ".join(faults) or problem.detail)
    finally:
        engine.dispose()


def _find(session: Session, name: str) -> int:
    user_id = session.scalar(sa.select(User.id).where(User.username_key == username_key(name)))
    if user_id is None:
        fail(f"{name}: there is no such user")
    return user_id


def _password(from_stdin: bool) -> str:
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
        if not password:
            fail("standard input contains no password")
        return password
    if not sys.stdin.isatty():
        fail("there is no terminal to ask for the password; use --password-stdin")
    asked: str = click.prompt("Password", hide_input=True, confirmation_prompt=True)
    return asked
