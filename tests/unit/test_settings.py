"""Settings: ini, then environment; what is wrong is one line that names the setting."""

import dataclasses

import pytest

from skywatch.features import SETTINGS, load, load_origins
from skywatch.settings import SettingsError, names_of

GOOD = {"secret": "x" * 40}


def refused(ini, environ=None):
    with pytest.raises(SettingsError) as caught:
        load(ini, environ or {})
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_environment_wins_over_the_ini_file():
    settings = load({**GOOD, "auth_mode": "public"}, {"AUTH_MODE": "private"})
    assert settings.auth_mode == "private"


def test_receivers_come_from_both():
    settings = load({**GOOD, "receiver.roof": "beast a:30005"}, {"RECEIVER_ATTIC": "sbs b:30003"})
    assert settings.receivers == {"roof": "beast a:30005", "attic": "sbs b:30003"}


@pytest.mark.parametrize(
    ("ini", "line"),
    [
        ({"auth_mode": "open"}, "setting auth_mode: expected one of public, private, hybrid"),
        ({"listen": "6543"}, "setting listen: expected host:port, such as 127.0.0.1:6543"),
        ({"listen": "localhost:99999"}, "setting listen: the port must be between 0 and 65535"),
        ({"picture_timeout_s": "soon"}, "setting picture_timeout_s: expected a number"),
        ({"picture_timeout_s": "nan"}, "setting picture_timeout_s: expected a finite number"),
        ({"picture_timeout_s": "1"}, "setting picture_timeout_s: must be at least 5"),
        ({"roles": "api pilot"}, "setting roles: expected one of api, tracker, realtime, worker, ingest"),
        ({"station_lat": "91"}, "setting station_lat: must be at most 90"),
        ({"station_lat": "47"}, "setting station_lon: station_lat and station_lon belong together; one is missing"),
        ({"auth_mod": "x"}, "setting auth_mod: is not a setting of Skywatch (did you mean auth_mode?)"),
        ({"bus": "rabbit"}, "setting bus: expected memory, redis://, rediss://, unix://, redis+sentinel:// or nats://"),
        (
            {"default_throttle_rates.anon": "often"},
            "setting default_throttle_rates.anon: expected a rate such as 100/minute or 10/15 minute",
        ),
        (
            {"trusted_proxy": "proxy.local"},
            "setting trusted_proxy: 'proxy.local' does not appear to be an IPv4 or IPv6 network",
        ),
        (
            {"cors_allowed_origins": "*"},
            "setting cors_allowed_origins: expected origins such as https://radar.example.org",
        ),
        (
            {"cors_allow_all_origins": "true", "cors_allow_credentials": "true"},
            "setting cors_allow_all_origins: cannot be combined with cors_allow_credentials; list cors_allowed_origins",
        ),
        (
            {"cors_allow_all_origins": "true", "jwt_auth_cookie": "true"},
            "setting cors_allow_all_origins: cannot be combined with jwt_auth_cookie; list cors_allowed_origins",
        ),
        ({"jwt_secret_key": "short"}, "setting jwt_secret_key: contains a secret of less than 32 characters"),
        ({"jwt_access_token_lifetime_minutes": "0"}, "setting jwt_access_token_lifetime_minutes: must be at least 1"),
        ({"oidc_enabled": "true"}, "setting oidc_provider_url: must be set where oidc_enabled is true"),
    ],
)
def test_bad_values_name_the_setting(ini, line):
    assert refused({**GOOD, **ini}) == line


@pytest.mark.parametrize("secret", ["", "changeme", "short-but-unusual"])
def test_production_refuses_a_missing_default_or_short_secret(secret):
    assert refused({"secret": secret}).startswith("setting secret: ")


def test_limits_come_from_the_environment_too():
    settings = load(GOOD, {"DEFAULT_THROTTLE_RATES_ANON": "7/hour", "DEFAULT_THROTTLE_RATES.USER": "9/hour"})
    assert (settings.throttle_anon, settings.throttle_user) == ("7/hour", "9/hour")


def test_several_processes_need_a_secret_even_in_development():
    ini = {"environment": "development", "bus": "redis://localhost/0"}
    assert refused(ini).startswith("setting secret: must be set where the roles run in several processes")


def test_origins_name_every_setting_and_where_it_came_from():
    _, origins = load_origins({**GOOD, "receiver.a": "simulate"}, {"LISTEN": "0.0.0.0:80"})
    by_name = {origin.name: origin for origin in origins}
    assert by_name["listen"].source == "environment"
    assert by_name["secret"].source == "ini"
    assert by_name["secret"].secret
    assert by_name["auth_mode"].source == "default"
    assert by_name["receiver.a"].value == "simulate"


def test_every_setting_has_a_meaning():
    fields = names_of(SETTINGS).fields.values()
    assert all(field.metadata["meaning"] for field in fields)
    assert all(field.default is not dataclasses.MISSING or field.default_factory for field in fields)
