"""The newest release runs next to this one, and this one is rolled through all processes: nothing fails or is lost."""

from __future__ import annotations

import pytest

from tests.drills import rolling
from tests.releases import build, build_next, has_nats, newest_release
from tests.servers import skip_or_fail

pytestmark = pytest.mark.nightly("short form of a drill")

SHORT = {"subscribers": 5, "requests_s": 8.0, "settle_s": 1.0}


@pytest.fixture(autouse=True)
def _proxy():
    if rolling.NGINX is None:
        skip_or_fail("nginx")


@pytest.mark.parametrize("bus", ["redis", "nats"])
def test_this_release_is_rolled_over_the_newest_one(bus, tmp_path, request):
    before = build(newest_release(), tmp_path / "before")
    if bus == "nats" and not has_nats(before):
        pytest.skip("the newest release has no bus on NATS")
    result = rolling.roll(request.getfixturevalue(f"{bus}_url"), [before, None], tmp_path, **SHORT)
    assert not result.lost, result
    assert not result.doubled, result
    # An api process of that release leaves its port open while it ends: each of the two may reset a POST that nginx may
    # not send again. This release closes its port first.
    assert len(result.failed) <= 2, result
    assert all("POST" in failed and failed.endswith(": 502") for failed in result.failed), result


def test_this_release_is_rolled_over_the_schema_of_the_next_one(tmp_path, nats_url):
    after = build_next(tmp_path / "after")
    result = rolling.roll(nats_url, [after, None], tmp_path, **SHORT)
    assert result.is_clean, result
