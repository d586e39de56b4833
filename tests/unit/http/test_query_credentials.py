"""Credentials in an address are refused, also after the same caller sent addresses without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from webob import Request

from skywatch.core.problems import Problem
from skywatch.http import authentication


def request(query: str) -> Any:
    found = Request.blank(f"/api/v1/aircraft?{query}")
    return SimpleNamespace(environ=found.environ, GET=found.GET)


def test_what_was_harmless_is_remembered_and_a_credential_never(monkeypatch):
    monkeypatch.setattr(authentication, "_harmless", {})
    for _ in range(2):
        authentication.refuse_query_credentials(request("limit=200"))
        for query in ("limit=200&token=x", "TOKEN=x", "%74oken=x", "a=1&api_key="):
            with pytest.raises(Problem) as refused:
                authentication.refuse_query_credentials(request(query))
            assert refused.value.kind.code == "token_invalid"
    assert list(authentication._harmless) == ["limit=200"]


def test_addresses_fill_no_memory(monkeypatch):
    monkeypatch.setattr(authentication, "_harmless", {})
    for number in range(2 * authentication.MAX_REMEMBERED + 5):
        authentication.refuse_query_credentials(request(f"q={number}"))
    authentication.refuse_query_credentials(request("q=" + "x" * authentication.MAX_REMEMBERED_LENGTH))
    assert len(authentication._harmless) == 5
