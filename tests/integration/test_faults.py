"""A short form of ``make faults``: one process with Redis of its own, whose connections die without a word."""

from __future__ import annotations

from tests.drills.causes import REDIS
from tests.drills.faults import drill
from tests.drills.installation import one_process_with_redis
from tests.servers import skip_or_fail

NAME = "Redis: dies without a word"


def test_a_bus_that_is_broken_costs_no_commit_and_everything_is_well_again_by_itself(tmp_path):
    try:
        installation = one_process_with_redis(tmp_path)
    except FileNotFoundError:
        skip_or_fail("redis-server is not here")
    (outcome,) = list(drill(installation, [fault for fault in REDIS if fault.name == NAME], seconds=1))
    assert outcome.lost == 0, outcome
    assert outcome.acknowledged > 0, outcome
    # The long form holds this against 10 s; a test machine may be busy.
    assert outcome.well_after_s is not None, outcome
    assert outcome.log_lines <= 20, outcome
