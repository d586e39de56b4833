"""Credentials in an address are refused, also after the same caller sent addresses without one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from webob import Request

from skywatch.accounts.identity import methods
from skywatch.core.problems import Problem


def request(query: str) -> Any:
    found = Request.blank(f"/api/v1/aircraft?{query}")
    return SimpleNamespace(environ=found.environ, GET=found.GET)


def test_what_was_harmless_is_remembered_and_a_credential_never(monkeypatch):
    monkeypatch.setattr(methods, "_harmless", {})
    for _ in range(2):
        methods.refuse_query_credentials(request("limit=200"))
        for query in ("limit=200&token=x", "TOKEN=x", "%74oken=x", "a=1&api_key="):
            with pytest.raises(Problem) as refused:
                methods.refuse_query_credentials(request(query))
            assert refused.value.kind.code == "validation_failed"
    assert list(methods._harmless) == ["limit=200"]


def test_addresses_fill_no_memory(monkeypatch):
    monkeypatch.setattr(methods, "_harmless", {})
    for number in range(2 * methods.MAXIMUM_REMEMBERED + 5):
        methods.refuse_query_credentials(request(f"q={number}"))
    methods.refuse_query_credentials(request("q=" + "x" * methods.MAXIMUM_REMEMBERED_LENGTH))
    assert len(methods._harmless) == 5
