"""``skywatch setup-link FILE.ini``: a link with which the first administrator is created.

The link carries a one-time password behind ``#``, so that no server or proxy on the way ever sees it.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import click

from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.setup.service import renew_password
from skywatch.console.settings import ConsoleSettings
from skywatch.core.database.engine import check_connection, create_engine, create_session_factory, writing
from skywatch.core.database.migrations import check_schema
from skywatch.core.problems import Problem
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.http.clients.locality import Locality
from skywatch.http.settings import HttpSettings
from skywatch.settings import Settings, split_listen
from skywatch.web.settings import WebSettings

# What a browser of this machine reaches a service by that listens on all its addresses.
LOOPBACK = "127.0.0.1"


@click.command("setup-link")
@ini_argument
@one_line_errors
def setup_link(ini: Path) -> None:
    """Print a link for the first administrator, while there is no user; the link printed before is void."""
    settings, _ = read_ini(ini)
    if not settings.of(AccountSettings).local_auth_enabled:
        fail("setting local_auth_enabled is false: the first administrator comes from the identity provider")
    engine = create_engine(settings.database_url)
    try:
        check_connection(engine)
        check_schema(engine)
        with writing(create_session_factory(engine)) as session:
            password = renew_password(session)
    except Problem as problem:
        fail(f"{problem.detail} `skywatch user set-password` gives a user another password.")
    finally:
        engine.dispose()
    show(settings, password)


def show(settings: Settings, password: str) -> None:
    """Print the one-time password and the link that carries it."""
    form = _local_form(settings)
    if settings.of(WebSettings).web_enabled:
        base = service_address(settings)
        click.echo(f"To create the first administrator, open this link: {base}#/setup?token={password}")
        if form:
            click.echo(f"Without script, on this machine: {form} with the one-time password {password}")
    elif form:
        click.echo(f"To create the first administrator, open {form} on this machine.")
        click.echo(f"It asks for the one-time password {password}")
    else:
        click.echo(
            "Without the web application, `skywatch user add FILE.ini NAME --role superadmin` creates the first one."
        )
        return
    click.echo("It is valid once and not shown again; `skywatch setup-link FILE.ini` gives a new one.")


def _local_form(settings: Settings) -> str:
    """The console's form for browsers of this machine; empty where it does not count them as such."""
    http = settings.of(HttpSettings)
    page = page_address(http.listen)
    host = urlsplit(page).netloc
    is_local = Locality(http, http.listen).is_local(host, host, forwarded=False)
    return f"{page}console/setup" if is_local and settings.of(ConsoleSettings).console_enabled else ""


def service_address(settings: Settings) -> str:
    """The service's address for a browser, with a slash at the end: the public one where it is set."""
    http = settings.of(HttpSettings)
    return http.base_url.rstrip("/") + "/" if http.base_url else page_address(http.listen)


def page_address(listen: str) -> str:
    """The address of the page for a browser of this machine."""
    host, port = split_listen(listen)
    if host in ("0.0.0.0", "::", "*"):  # noqa: S104 - is compared, not listened on
        host = LOOPBACK
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
