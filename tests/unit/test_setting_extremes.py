"""Every setting that is a number, with its extremes and beyond, from the ini file and from the environment."""

import math

import pytest

from skywatch.features import load
from skywatch.settings import SettingsError, setting
from tests.extremes import NAMES, NUMBERS, allowed, refused

GOOD = {"secret": "x" * 40}
TOGETHER = {"station_lat": {"station_lon": "8"}, "station_lon": {"station_lat": "47"}}


def load_from(source, name, text):
    ini = {**GOOD, **TOGETHER.get(name, {})}
    return load({**ini, name: text}, {}) if source == "ini" else load(ini, {name.upper(): text})


def test_there_are_numbers_and_each_has_bounds_that_its_default_keeps():
    assert len(NUMBERS) > 80
    for name, (minimum, maximum, _) in NUMBERS.items():
        default = NAMES.fields[NAMES.single[name]].default
        assert minimum is not None, name
        assert maximum is not None, name
        assert math.isfinite(minimum), name
        assert math.isfinite(maximum), name
        assert default is None or minimum <= default <= maximum, name


def test_a_number_without_bounds_cannot_be_declared():
    for bounds in ({}, {"minimum": 0}, {"maximum": 9}):
        for default in (1, 1.5):
            with pytest.raises(TypeError, match="needs a minimum and a maximum"):
                setting(default, "how many", **bounds)
    setting(True, "a switch is no number")


@pytest.mark.parametrize("source", ["ini", "environment"])
@pytest.mark.parametrize("name", NUMBERS)
def test_the_bounds_are_permitted_and_nothing_beyond(name, source):
    for text in allowed(name):
        assert getattr(load_from(source, name, text), NAMES.single[name]) == float(text)
    for text in refused(name):
        with pytest.raises(SettingsError) as caught:
            load_from(source, name, text)
        assert caught.value.name == name, text
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 200


def test_bounds_are_written_in_full():
    with pytest.raises(SettingsError, match=r"setting max_body_bytes: must be at most 1073741824$"):
        load_from("ini", "max_body_bytes", "2000000000")
