"""The texts of the web application for the errors of the service."""

from __future__ import annotations

import json

from skywatch.core.problems import KINDS
from skywatch.features import FEATURES
from tests.conftest import ROOT

# Errors of API keys, of clients that are no browser, and of the service's own pages.
NOT_MET = {"scope_denied", "method_not_allowed", "headers_too_large", "range_not_satisfiable", "origin_not_allowed"}


def test_every_error_that_people_meet_in_the_web_application_has_a_text_in_each_language():
    texts = json.loads((ROOT / "web" / "src" / "i18n" / "texts.json").read_text(encoding="utf-8"))
    codes = {key.removeprefix("error."): forms for key, forms in texts.items() if key.startswith("error.")}
    assert set(codes) <= set(KINDS), "a code that the service does not have"
    of_features = set(FEATURES.problems)
    assert set(KINDS) - of_features - NOT_MET <= set(codes)
    assert [code for code, forms in codes.items() if len(forms) != 4] == []
