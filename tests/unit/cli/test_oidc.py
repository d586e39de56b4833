"""``skywatch oidc test``."""

import json

import pytest
from click.testing import CliRunner

from skywatch.accounts.defaults import install
from skywatch.accounts.models import Role
from skywatch.cli import group
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.sso.models import ClaimMapping
from tests.conftest import TEST_SECRET


@pytest.fixture
def ini(tmp_path, sqlite_url):
    path = tmp_path / "skywatch.ini"
    path.write_text(
        "[app:main]\nuse = egg:skywatch\n"
        f"secret = {TEST_SECRET}\ndatabase_url = {sqlite_url}\noidc_enabled = true\nbase_url = https://radar.example.org\n"
        "oidc_provider_url = https://id.example.org\noidc_client_id = skywatch\n"
    )
    engine = create_engine(sqlite_url)
    with writing(create_session_factory(engine)) as session:
        install(session)
        role = session.query(Role).filter_by(name="operator").one()
        rule = {"claim_name": "groups", "match_type": "exact", "claim_value": "tower", "role_id": role.id}
        session.add(ClaimMapping(name="tower staff", **rule))
        session.add(ClaimMapping(name="tower of work", provider="work", **rule))
    engine.dispose()
    return path


def run(ini, tmp_path, claims):
    path = tmp_path / "claims.json"
    path.write_text(claims if isinstance(claims, str) else json.dumps(claims))
    return CliRunner().invoke(group, ["oidc", "test", str(ini), str(path)])


def test_it_shows_what_the_claims_would_yield(ini, tmp_path):
    result = run(ini, tmp_path, {"sub": "1", "preferred_username": "ada", "groups": ["tower"]})
    assert result.exit_code == 0, result.output
    assert "matches   tower staff: groups exact 'tower' -> operator (has: tower)" in result.output
    assert "no match  tower of work: groups exact 'tower' -> operator (only for provider work)" in result.output
    assert result.output.splitlines()[-1] == "Roles: operator"
    assert "named ada" in result.output


def test_it_shows_the_default_role_where_nothing_matches(ini, tmp_path):
    result = run(ini, tmp_path, {"groups": ["else"]})
    assert "no match" in result.output
    assert result.output.splitlines()[-1].startswith("Roles: viewer (the default role")


@pytest.mark.parametrize("claims", ["[]", "{", "[" * 100_000])
def test_what_are_no_claims_is_one_line(ini, tmp_path, claims):
    result = run(ini, tmp_path, claims)
    assert result.exit_code == 1
    assert "Traceback" not in result.output
