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
        ({"jwt_secret_key": "short"}, "setting jwt_secret_key: is shorter than 32 characters"),
        (
            {"jwt_secret_key_previous": f"{'o' * 40}, short"},
            "setting jwt_secret_key_previous: is shorter than 32 characters",
        ),
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


def test_case_of_a_name_does_not_matter_but_behind_the_dot_of_a_family():
    ini = {
        "SECRET": "x" * 40,
        "Auth_Mode": "private",
        "Default_Throttle_Rates.Anon": "7/hour",
        "RECEIVER.Roof": "simulate",
    }
    settings = load(ini, {})
    assert (settings.auth_mode, settings.throttle_anon, settings.receivers) == (
        "private",
        "7/hour",
        {"Roof": "simulate"},
    )
    settings = load(ini, {"auth_mode": "public", "receiver_roof": "beast a:30005"})
    assert (settings.auth_mode, settings.receivers) == ("public", {"Roof": "beast a:30005"})


@pytest.mark.parametrize(
    ("first", "second"), [("auth_mode", "AUTH_MODE"), ("receiver.roof", "receiver.Roof"), ("Receiver.a", "receiver.a")]
)
def test_two_names_that_differ_only_in_case_stop_the_start(first, second):
    value = "private" if "auth" in first else "simulate"
    line = refused({**GOOD, first: value, second: value})
    assert f"is set twice, as {first} and as {second}; remove one of them" in line


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("3/min", "3/minute"), ("100/m", "100/minute"), ("5/s", "5/second"), ("5/SEC", "5/second"), ("9/h", "9/hour"),
        ("1/d", "1/day"), ("10/15 min", "10/15 minute"), ("10 / minutes", "10/minute"),
    ],
)  # fmt: skip
def test_a_rate_has_short_units(text, rate):
    assert load({**GOOD, "default_throttle_rates.anon": text}, {}).throttle_anon == rate


@pytest.mark.parametrize("text", ["0/min", "3/fortnight", "3/", "/min", "3/min/h", "3 min", "-1/m"])
def test_what_is_no_rate_is_refused(text):
    assert "expected a rate" in refused({**GOOD, "default_throttle_rates.anon": text})


@pytest.mark.parametrize("environment", ["development", "production"])
@pytest.mark.parametrize("name", ["secret", "jwt_secret_key", "jwt_secret_key_previous"])
@pytest.mark.parametrize(
    ("value", "reason"), [("ChangeMe", "is a well-known default"), ("short one", "is shorter than 32")]
)
def test_a_secret_that_can_be_guessed_stops_the_start_everywhere(environment, name, value, reason):
    assert reason in refused({**GOOD, "environment": environment, name: value})


def test_secrets_that_others_made_have_no_least_length():
    assert load({**GOOD, "oidc_client_secret": "short"}, {}).oidc_client_secret == "short"


@pytest.mark.parametrize("secret", ["one two three four five six seven eight", f" {'x' * 16},{'y' * 16} "])
def test_a_secret_is_the_whole_value(secret):
    settings = load({}, {"SECRET": secret, "JWT_SECRET_KEY": secret})
    assert (settings.secret, settings.jwt_secret_key) == (secret, secret)


def test_earlier_secrets_stand_between_commas():
    settings = load({**GOOD, "jwt_secret_key_previous": f"{'a b' * 20}, {'c' * 40}"}, {})
    assert settings.jwt_secret_key_previous == ("a b" * 20, "c" * 40)


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
