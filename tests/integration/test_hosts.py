"""Short form of ``make drill NAME=hosts``: hosts in namespaces lose a tracker and change the database's leader."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.drills.hosts.cluster import missing
from tests.servers import skip_or_fail

pytestmark = pytest.mark.nightly("short form of a drill")


def test_hosts_lose_nothing_over_a_lost_tracker_and_a_database_that_is_switched_over():
    if os.geteuid() != 0:
        pytest.skip("only root may make namespaces")
    if absent := missing("nats"):
        skip_or_fail("programs of three hosts", ", ".join(absent))
    name = f"skytest{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"no namespaces here: {made.stderr.strip()}")
    subprocess.run(["ip", "netns", "delete", name], check=True)
    # A process of its own: it enters the callers' namespace. How long things take is shown by the long form.
    done = subprocess.run(
        [sys.executable, "-m", "tests.drills.hosts", "--short", "--load", "1000"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing was lost, doubled or wrong" in done.stdout
    for fault in ("tracker-killed", "database-switched"):
        assert f"nats {fault} 1: gap" in done.stdout
