"""Short forms of ``make drill NAME=faults``: one process with Redis or PostgreSQL of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.drills.causes import POSTGRESQL_DISK, REDIS
from tests.drills.conditions import small_disk
from tests.drills.faults import drill
from tests.drills.installation import one_process_with_postgresql, one_process_with_redis
from tests.drills.postgresql import find_programs
from tests.servers import skip_or_fail

pytestmark = pytest.mark.nightly("short form of a drill")

NAME = "Redis: dies without a word"


def test_a_bus_that_is_broken_costs_no_commit_and_everything_is_well_again_by_itself(tmp_path):
    installation = one_process_with_redis(tmp_path)
    (outcome,) = list(drill(installation, [fault for fault in REDIS if fault.name == NAME], seconds=1))
    assert outcome.lost == 0, outcome
    assert outcome.acknowledged > 0, outcome
    # The long form holds this against 10 s; a test machine may be busy.
    assert outcome.well_after_s is not None, outcome
    assert outcome.log_lines <= 20, outcome


@pytest.fixture
def disk():
    """A small disk of this test's own, where PostgreSQL's own user may go."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        folder = Path(name) / "disk"
        folder.mkdir()
        with small_disk(folder, megabytes=160) as is_small:
            if not is_small:
                pytest.skip("this user may not mount a small disk")
            yield folder


def test_a_full_disk_of_postgresql_costs_no_commit_and_recovers_by_itself(tmp_path, disk):
    if find_programs() is None:
        skip_or_fail("PostgreSQL's programs")
    fault = POSTGRESQL_DISK[0]
    (outcome,) = list(drill(one_process_with_postgresql(tmp_path, disk), [fault], seconds=4))
    assert outcome.lost == 0, outcome
    assert outcome.acknowledged > 0, outcome
    assert outcome.well_after_s is not None, outcome
    assert outcome.log_lines <= 20, outcome
    assert "history_writer" in outcome.seen, outcome
    assert "read" not in outcome.seen, outcome
