"""``skywatch oidc test FILE.ini CLAIMS.json``: which roles a set of claims would yield, without anybody signing on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from skywatch.core.database.engine import check_connection, create_engine, create_session_factory
from skywatch.core.database.migrations import check_schema
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.sso.claims import Rule, try_rules
from skywatch.sso.mappings import active_rules
from skywatch.sso.providers import Provider, read_providers
from skywatch.sso.settings import SsoSettings
from skywatch.sso.sign_on.people import username_from

MAX_BYTES = 1_048_576
SHOWN_VALUES = 5


@click.group()
def oidc() -> None:
    """Try out single sign-on."""


@oidc.command()
@ini_argument
@click.argument("claims_file", metavar="CLAIMS.json", type=click.Path(path_type=Path))
@click.option("--provider", "name", default=None, help="Name of the provider; the first one without.")
@one_line_errors
def test(ini: Path, claims_file: Path, name: str | None) -> None:
    """Show which roles the claims in CLAIMS.json would yield under the active claim mappings."""
    settings, _ = read_ini(ini)
    claims = _read(claims_file)
    provider = _provider(read_providers(settings.of(SsoSettings)), name)
    engine = create_engine(settings.database_url)
    check_connection(engine)
    check_schema(engine)
    try:
        with create_session_factory(engine)() as session:
            rules = active_rules(session)
    finally:
        engine.dispose()
    trial = try_rules(rules, claims, provider.name, provider.default_role)
    click.echo(f"Provider {provider.name} ({provider.url}): a new user would be named {username_from(claims)}.")
    for tried in trial.rules:
        rule, values = tried.rule, tried.values
        shown = ", ".join(values[:SHOWN_VALUES]) + (", ..." if len(values) > SHOWN_VALUES else "")
        verdict = "matches" if tried.is_match else "refused" if tried.fault else "no match"
        click.echo(
            f"{verdict:<8}  {rule.name}: {rule.claim_name} {rule.match_type} {rule.claim_value!r}"
            f" -> {rule.role} ({tried.fault or _circumstances(rule, provider, shown)})"
        )
    reason = " (the default role, for no mapping matches)" if trial.is_default else ""
    click.echo(f"Roles: {', '.join(trial.roles) or 'none'}{reason}")


def _circumstances(rule: Rule, provider: Provider, values: str) -> str:
    if rule.provider not in (None, provider.name):
        return f"only for provider {rule.provider}"
    return f"has: {values or 'nothing'}"


def _read(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MAX_BYTES:
            fail(f"{path}: has more than {MAX_BYTES} bytes")
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        fail(f"{path}: {error.strerror}")
    except (ValueError, RecursionError) as error:
        fail(f"{path}: is not JSON: {error}")
    if not isinstance(document, dict):
        fail(f"{path}: should hold one JSON object, the claims")
    return document


def _provider(providers: tuple[Provider, ...], name: str | None) -> Provider:
    if not providers:
        fail("setting oidc_enabled: single sign-on is switched off")
    named = {provider.name: provider for provider in providers}
    if name is not None and name not in named:
        fail(f"there is no provider {name}; there are {', '.join(named)}")
    return providers[0] if name is None else named[name]
