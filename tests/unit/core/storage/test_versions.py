"""Versions of stored state, which the forms of the console carry."""

from skywatch.core.storage.versions import is_version, opened_at, version_of


def test_versions_name_values_and_when_the_form_was_opened():
    version = version_of({"b": 1, "a": [2]})
    assert is_version(version, {"a": [2], "b": 1})
    assert not is_version(version, {"a": [3], "b": 1})
    assert not is_version("", {})
    assert opened_at(version) is not None
    assert opened_at("x.y") is None
    assert opened_at("") is None
