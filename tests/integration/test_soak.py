"""A short form of ``make drill NAME=soak``: whether every subscriber hears every tick and every request is answered."""

from __future__ import annotations

import asyncio

import pytest

from tests.drills.soak import soak, start

pytestmark = pytest.mark.nightly("short form of a drill")


def test_a_short_form_of_the_soak(tmp_path):
    service = start(tmp_path, aircraft=100)
    try:
        done = asyncio.run(soak(service, 4, subscribers=10, a_second=10, every_s=2))
    finally:
        service.stop()
    assert (done.missed, dict(done.lost), dict(done.bad)) == (0, {}, {})
    assert len(done.rows) >= 2
    assert all(listener.received > 1 for listener in done.listeners)
    assert done.answers["200"] > 5
