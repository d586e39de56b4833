"""The settings of identity providers: how they are read, and what is refused as unsafe."""

import pytest

from skywatch.features import load
from skywatch.settings import SettingsError
from skywatch.sso.providers import read_providers

BASE = {
    "secret": "only-for-tests-0123456789abcdef0123456789",
    "oidc_enabled": "true",
    "oidc_provider_url": "https://id.example.org/realms/main/",
    "oidc_client_id": "skywatch",
    "base_url": "https://radar.example.org",
}


def providers(environ=None, **changes):
    ini = {**BASE, **{name.replace("__", "."): value for name, value in changes.items()}}
    return read_providers(load({name: value for name, value in ini.items() if value is not None}, environ or {}))


def test_the_single_settings_are_the_first_provider():
    (provider,) = providers(oidc_client_secret="s3cret")
    assert (provider.name, provider.url) == ("default", "https://id.example.org/realms/main")
    assert (provider.default_role, provider.allow_email_linking) == ("viewer", False)
    assert "s3cret" not in repr(provider)


def test_further_providers_take_what_they_leave_out_but_no_secret_and_no_trust():
    more = {"oidc__work__provider_url": "https://work.example.org", "oidc__work__client_id": "x"}
    first, second = providers(oidc_client_secret="s3cret", oidc_allow_email_linking="true", **more)
    assert first.allow_email_linking
    assert (second.name, second.display_name, second.scopes) == ("work", "work", first.scopes)
    assert (second.client_secret, second.allow_email_linking) == ("", False)


def test_the_environment_wins_and_the_variables_of_others_are_left_alone():
    more = {"oidc__work__provider_url": "https://work.example.org", "oidc__work__client_id": "x"}
    environ = {"OIDC_WORK_CLIENT_ID": "y", "OIDC_ENABLED": "true", "OIDC_RP_THING": "z", "OIDC_CLIENT_ID": "first"}
    first, second = providers(environ, **more)
    assert (first.client_id, second.client_id) == ("first", "y")


def test_one_tenant_of_entra_is_a_provider_as_any_other():
    tenant = "https://login.microsoftonline.com/0f5d21f1-7bd1-4c5e-8bb5-0c1f1a3b2c4d/v2.0"
    (provider,) = providers(oidc_provider_url=tenant)
    assert provider.url == tenant


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"oidc_provider_url": None}, "oidc_provider_url"),
        ({"oidc_client_id": None}, "oidc_client_id"),
        # Else whoever asks would say where the provider sends people and tokens.
        ({"base_url": None}, "base_url"),
        ({"oidc_provider_url": "id.example.org"}, "oidc_provider_url"),
        ({"oidc_provider_url": "http://id.example.org"}, "oidc_provider_url"),
        ({"oidc_provider_url": "https://[::1"}, "oidc_provider_url"),
        ({"oidc_provider_url": "https://id.example.org:99999"}, "oidc_provider_url"),
        ({"oidc_provider_url": "https://id.example.org/?x=1"}, "oidc_provider_url"),
        ({"oidc_provider_url": "https://user:pw@id.example.org/"}, "oidc_provider_url"),
        ({"oidc_provider_url": "https://login.microsoftonline.com/common/v2.0"}, "oidc_provider_url"),
        ({"oidc_provider_url": "https://login.microsoftonline.com/organizations/v2.0/"}, "oidc_provider_url"),
        ({"oidc_provider_url": "https://LOGIN.microsoftonline.us/consumers"}, "oidc_provider_url"),
        ({"oidc_scopes": "profile email"}, "oidc_scopes"),
        ({"oidc_default_role": "superadmin"}, "oidc_default_role"),
        ({"oidc_default_role": "admin"}, "oidc_default_role"),
        ({"oidc_redirect_uris": "https://*.example.org/"}, "oidc_redirect_uris"),
        ({"oidc_redirect_uris": "http://radar.example.org/"}, "oidc_redirect_uris"),
        ({"oidc_redirect_uris": "https://radar.example.org/#x"}, "oidc_redirect_uris"),
        ({"oidc_redirect_uris": "https://a@b.example.org/"}, "oidc_redirect_uris"),
        ({"oidc_redirect_uris": "javascript:alert(1)"}, "oidc_redirect_uris"),
        ({"oidc_redirect_uris": "/local"}, "oidc_redirect_uris"),
        ({"oidc_logout_redirect_uri": "http://radar.example.org/"}, "oidc_logout_redirect_uri"),
        ({"oidc_logout_redirect_uri": "/signed-out"}, "oidc_logout_redirect_uri"),
        ({"oidc__work__client_id": "x"}, "oidc.work.provider_url"),
        ({"oidc__work__provider_url": "https://w.example.org"}, "oidc.work.client_id"),
        ({"oidc__work__colour": "x"}, "oidc.work.colour"),
        (
            {"oidc__work__provider_url": BASE["oidc_provider_url"], "oidc__work__client_id": "x"},
            "oidc.work.provider_url",
        ),
    ],
)
def test_what_is_unsafe_stops_the_start_with_a_line_that_names_the_setting(changes, name):
    with pytest.raises(SettingsError) as caught:
        providers(**changes)
    assert caught.value.name == name
    assert "\n" not in str(caught.value)
