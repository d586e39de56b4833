"""Wrong passwords from many addresses at once: they take neither all workers nor all processors."""

from __future__ import annotations

import pytest

from tests.drills.passwords import GUESSED, drill, prepare

pytestmark = pytest.mark.nightly("short form of a drill")


@pytest.mark.parametrize("threads", [8, 2])
def test_all_other_requests_are_answered_during_a_burst_of_guesses(tmp_path, threads):
    service = prepare(tmp_path, api_threads=threads).start(wait=False)
    try:
        without, loaded = drill(service.port, seconds=1, guessers=30)
    finally:
        assert service.stop() == 0, service.log.read_text()
    for result in (without, loaded):
        ordinary = {kind for kind in result.answers if kind.split()[0] in ("read", "profile", "write")}
        assert ordinary == {"read 200", "profile 200", "write 201"}, result.answers
    guesses = {kind for kind in loaded.answers if kind.split()[0] in ("login", "change")}
    assert guesses == GUESSED, loaded.answers
    assert loaded.without_retry_after == 0
    assert len(service.log.read_text().splitlines()) <= 20, service.log.read_text()
