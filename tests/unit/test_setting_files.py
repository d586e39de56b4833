"""Settings of the environment: members of families, and values in files (suffix ``_FILE``)."""

import pytest

from skywatch.features import load, load_origins
from skywatch.settings import SettingsError
from skywatch.settings.variables import FILE_BYTES

SECRET = "s" * 40
DEVELOPMENT = {"environment": "development"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "value"


def refused(environ):
    with pytest.raises(SettingsError) as caught:
        load(DEVELOPMENT, environ)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_file_gives_the_value(path, end):
    path.write_bytes((SECRET + end).encode())
    settings, origins = load_origins(DEVELOPMENT, {"SECRET_FILE": str(path)})
    assert settings.secret == SECRET
    assert next(origin.source for origin in origins if origin.name == "secret") == "environment"


def test_a_file_wins_over_the_ini_file(path):
    path.write_text("private\n")
    assert load({**DEVELOPMENT, "auth_mode": "public"}, {"AUTH_MODE_FILE": str(path)}).auth_mode == "private"


def test_a_byte_order_mark_is_no_part_of_the_value(path):
    path.write_bytes(b"\xef\xbb\xbfprivate")
    assert load(DEVELOPMENT, {"AUTH_MODE_FILE": str(path)}).auth_mode == "private"


def test_members_of_families_by_value_and_by_file(path):
    path.write_text("sbs b:30003\n")
    settings = load(DEVELOPMENT, {"RECEIVER_ROOF": "beast a:30005", "RECEIVER_FAR_SITE_FILE": str(path)})
    assert settings.receivers == {"roof": "beast a:30005", "far_site": "sbs b:30003"}


def test_a_name_with_a_dot_is_written_with_an_underscore(path):
    path.write_text("7/minute")
    names = ("DEFAULT_THROTTLE_RATES_ANON", "DEFAULT_THROTTLE_RATES.ANON")
    for environ in ({names[0]: "7/minute"}, {names[1]: "7/minute"}, {f"{names[0]}_FILE": str(path)}):
        assert load(DEVELOPMENT, environ).throttle_anon == "7/minute"
    assert load(DEVELOPMENT, {names[0]: "7/minute", names[1]: "8/minute"}).throttle_anon == "7/minute"


def test_an_empty_file_is_an_empty_value(path):
    path.write_text("")
    assert refused({"LISTEN_FILE": str(path)}) == refused({"LISTEN": ""})


def test_variables_of_other_programs_are_not_read():
    load(DEVELOPMENT, {"OIDC_FILE": "/nowhere", "SSL_CERT_FILE": "/nowhere", "_FILE": "/nowhere"})


def test_a_setting_by_value_and_by_file_is_refused(path):
    path.write_text(SECRET)
    line = refused({"SECRET": SECRET, "SECRET_FILE": str(path)})
    assert line == "setting secret: is set by SECRET and by SECRET_FILE; remove one of them"


def test_a_file_that_is_not_there_is_named():
    line = refused({"RECEIVER_ROOF_FILE": "/nowhere/roof"})
    assert line == (
        "setting receiver.roof: the file '/nowhere/roof' (RECEIVER_ROOF_FILE) cannot be read: No such file or directory"
    )


def test_a_folder_is_no_file(tmp_path):
    assert "cannot be read: Is a directory" in refused({"SECRET_FILE": str(tmp_path)})


def test_bytes_that_are_no_text_are_refused(path):
    path.write_bytes(b"\xff\xfe" * 30)
    assert refused({"SECRET_FILE": str(path)}).endswith("(SECRET_FILE) is not UTF-8 text")


def test_a_file_without_end_is_not_read_to_its_end():
    assert refused({"SECRET_FILE": "/dev/zero"}) == (
        f"setting secret: the file '/dev/zero' (SECRET_FILE) is longer than {FILE_BYTES} bytes"
    )


def test_what_is_wrong_in_a_file_is_named_by_its_setting(path):
    path.write_text("often")
    assert refused({"PICTURE_TIMEOUT_S_FILE": str(path)}) == "setting picture_timeout_s: expected a number"
