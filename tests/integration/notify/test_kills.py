"""Workers that are killed in the middle of their work: nothing is lost, and only what was in flight comes twice."""

import itertools
import os
import random
import time
from collections import Counter

import pytest

from tests.notifying import add_channel, deliveries, notification, send
from tests.prefork import start_module
from tests.processes import ENVIRONMENT
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.nightly("short form of a drill")

# The promise is measured with KILLS=50; fewer find a mistake as well.
KILLS = int(os.environ.get("KILLS", "8"))
CHANNELS, EACH = 4, 60


def start(database_url):
    process = start_module("tests.integration.notify.worker_process", database_url, environment=ENVIRONMENT)
    with process.stdout:
        assert process.stdout.readline() == "ready\n"
    return process


def test_a_killed_worker_loses_nothing_and_repeats_only_what_was_in_flight(
    runtime, sessions, ada, receiver, database_url
):
    receiver.delay_s = 0.05
    channels = [add_channel(sessions, ada, f"{receiver.url}/{n}", rate_per_minute=600) for n in range(CHANNELS)]
    chance, kills, number = random.Random(7), [], 0
    for _ in range(KILLS):
        # Alerts fire while workers die.
        for _ in range(max(1, EACH // KILLS)):
            number += 1
            send(sessions, notification(ada, *channels, subject_id=number))
        process = start(database_url)
        time.sleep(chance.uniform(0.05, 0.8))
        process.kill()
        process.wait(PATIENCE_S)
        kills.append(time.time())
    process = start(database_url)
    try:
        until(lambda: {d.state for d in deliveries(sessions)} == {"delivered"}, "all deliveries", wait_s=3 * PATIENCE_S)
    finally:
        process.kill()
        process.wait(PATIENCE_S)
    rows = deliveries(sessions)
    received = Counter(receiver.ids)
    assert len(rows) == number * CHANNELS
    assert {row.message_id for row in rows} == set(received)  # each at least once, and nothing else
    repeated = [message_id for message_id, count in received.items() if count > 1]
    assert len(repeated) <= KILLS * CHANNELS  # one in flight a channel
    for message_id in repeated:
        times = [r["at"] for r in receiver.requests if r["headers"]["webhook-id"] == message_id]
        # Between one time and the next a worker was killed.
        for first, second in itertools.pairwise(times):
            assert any(first - 1 < kill < second for kill in kills)
    print(f"{KILLS} kills, {len(rows)} deliveries, {len(repeated)} came twice")
