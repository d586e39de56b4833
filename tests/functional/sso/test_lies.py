"""A provider, or somebody on the way, that lies."""

import time

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.sso.models import ExternalIdentity, PendingLogin
from tests.functional.sso.signing_on import audit, begin, finish, other_key, sign_on, unknown_key
from tests.providers import CLIENT_ID


def lie(**claims):
    return lambda provider: provider.lies.update(claims)


def sign_with(make):
    def change(provider):
        provider.sign = make(provider)

    return change


def in_seconds(seconds):
    return int(time.time()) + seconds


HOSTILE = {
    "wrong issuer": ("sso_issuer_wrong", lie(iss="https://evil.example")),
    "issuer with a slash more": ("sso_issuer_wrong", lambda p: p.lies.update(iss=p.url + "/")),
    "no issuer": ("sso_issuer_wrong", lie(iss=...)),
    "wrong audience": ("sso_audience_wrong", lie(aud="somebody else")),
    "no audience": ("sso_audience_wrong", lie(aud=...)),
    "audience of a number": ("sso_audience_wrong", lie(aud=17)),
    "several audiences and no party": ("sso_party_wrong", lie(aud=[CLIENT_ID, "other"])),
    "another party": ("sso_party_wrong", lie(azp="other")),
    "wrong nonce": ("sso_nonce_wrong", lie(nonce="of another sign-on")),
    "missing nonce": ("sso_nonce_missing", lie(nonce=...)),
    "expired": ("sso_token_expired", lambda p: p.lies.update(exp=in_seconds(-120))),
    "never expires": ("sso_claim_wrong", lie(exp=...)),
    "expiry as text": ("sso_claim_wrong", lie(exp="tomorrow")),
    "issued at a truth": ("sso_claim_wrong", lie(iat=True)),
    "from the future": ("sso_claim_wrong", lambda p: p.lies.update(iat=in_seconds(3600))),
    "not valid yet": ("sso_claim_wrong", lambda p: p.lies.update(nbf=in_seconds(3600))),
    "no subject": ("sso_claim_wrong", lie(sub=...)),
    "subject of a number": ("sso_claim_wrong", lie(sub=7)),
    "empty subject": ("sso_claim_wrong", lie(sub="")),
    "access token of another": ("sso_access_token_wrong", lie(at_hash="AAAAAAAAAAAAAAAAAAAAAA")),
    "another key": ("sso_signature_wrong", sign_with(other_key)),
    "a key nobody has published": ("sso_key_unknown", sign_with(unknown_key)),
    "alg none": ("sso_algorithm_refused", sign_with(lambda p: p.unsigned)),
    "HS256 with the public key": ("sso_algorithm_refused", sign_with(lambda p: p.with_the_public_key)),
    "no token at all": ("sso_token_malformed", sign_with(lambda p: lambda claims: "a.b")),
    "nested a thousand deep": ("sso_token_malformed", sign_with(lambda p: lambda claims: "W1tb" * 9000 + ".W1tb.x")),
    "userinfo of somebody else": ("sso_subject_wrong", lambda p: setattr(p, "userinfo", {"sub": "1"})),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_hostile_provider_says_is_refused_with_a_code_of_its_own(api, name):
    code, change = HOSTILE[name]
    change(api.provider)
    refused = sign_on(api, 401)
    assert refused["code"] == code
    (entry,) = audit(api, "login.failed")
    assert entry.after["reason"] == code
    with api.runtime.sessions() as session:
        assert session.scalars(sa.select(ExternalIdentity)).all() == []


def test_a_code_is_good_once(api):
    first = api.provider.log_in(begin(api)["authorization_url"])
    finish(api, first)
    second = begin(api)
    assert finish(api, {"code": first["code"], "state": second["state"]}, 401).json["code"] == "sso_code_refused"


def test_a_state_is_good_once(api):
    first = api.provider.log_in(begin(api)["authorization_url"])
    finish(api, first)
    assert finish(api, first, 401).json["code"] == "sso_state_unknown"
    assert finish(api, {**first, "state": "x" * 43}, 401).json["code"] == "sso_state_unknown"


def test_a_state_runs_out(api):
    answer = api.provider.log_in(begin(api)["authorization_url"])
    with writing(api.runtime.sessions) as session:
        session.execute(sa.update(PendingLogin).values(expires_at=sa.func.datetime("now", "-1 second")))
    assert finish(api, answer, 401).json["code"] == "sso_state_unknown"


def test_the_state_of_another_browser_is_refused_and_stays_its_own(api):
    theirs = api.provider.log_in(begin(api)["authorization_url"])
    their_cookie = api.cookies["skywatch_sso"]
    api.reset()
    begin(api)
    assert finish(api, theirs, 401).json["code"] == "sso_other_browser"
    api.set_cookie("skywatch_sso", their_cookie)
    finish(api, theirs)


def test_where_tokens_go_into_cookies_a_browser_without_ours_is_refused(make_api):
    api = make_api(jwt_auth_cookie="true")
    theirs = api.provider.log_in(begin(api)["authorization_url"])
    api.reset()
    assert finish(api, theirs, 401).json["code"] == "sso_other_browser"


def test_two_sign_ons_in_one_browser_do_not_disturb_each_other(api):
    first, second = (api.provider.log_in(begin(api)["authorization_url"]) for _ in range(2))
    finish(api, second)
    finish(api, first)


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"error": "access_denied", "error_description": "<b>no</b>"}, 401, "sso_denied"),
        ({"error": "server_error"}, 502, "sso_provider_answer"),
        ({}, 401, "sso_code_refused"),
        ({"code": "invented"}, 401, "sso_code_refused"),
        ({"code": "x", "iss": "https://evil.example"}, 401, "sso_issuer_wrong"),
    ],
)
def test_what_the_provider_sends_back_in_place_of_a_good_code(api, said, status, code):
    answer = finish(api, {"state": begin(api)["state"], **said}, status).json
    assert answer["code"] == code
    assert "<b>" not in str(answer)


def test_what_the_provider_says_of_a_fault_reaches_whoever_runs_the_service(api, caplog):
    said = {"error": "invalid_scope", "error_description": "no scope\ngroups"}
    refused = finish(api, {"state": begin(api)["state"], **said}, 502).json
    assert "invalid_scope" in refused["detail"]
    assert "'invalid_scope', 'no scope\\ngroups'" in caplog.text
    (entry,) = audit(api, "login.failed")
    assert (entry.after["reason"], entry.after["error"]) == ("sso_provider_answer", "invalid_scope")


def test_a_provider_that_says_it_names_itself_must(api):
    api.provider.discovery["authorization_response_iss_parameter_supported"] = True
    answer = api.provider.log_in(begin(api)["authorization_url"])
    assert finish(api, answer, 401).json["code"] == "sso_issuer_wrong"
    answer = api.provider.log_in(begin(api)["authorization_url"])
    finish(api, {**answer, "iss": api.provider.url})
