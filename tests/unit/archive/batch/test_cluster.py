"""A Dask cluster gives the same results; without workers or scheduler there is one line."""

from __future__ import annotations

import pytest

from skywatch.archive.batch.cluster import ClusterError, DaskCluster
from skywatch.cli.batch.worker import work
from tests.batches import results, run_job
from tests.ports import free_port
from tests.unit.archive.batch.conftest import AFTER, DAYS

pytestmark = pytest.mark.deep("archives, backups and their worker processes")


@pytest.fixture
def scheduler():
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None, scheduler_port=0
    )
    yield cluster
    cluster.close()


def test_results_of_a_cluster_are_those_of_this_process(days, folder, scheduler):
    told = []
    cluster = DaskCluster(scheduler.scheduler_address, work, told.append)
    try:
        outcome = run_job(days.sessions, days.settings, "coverage", DAYS[0], AFTER, cluster)
    finally:
        cluster.close()
    assert (len(outcome.days), outcome.faults, told) == (4, {}, [])
    found = results(folder, "coverage")
    for manifest in folder.glob("batch/coverage/day=*/manifest.json"):
        manifest.unlink()
    run_job(days.sessions, days.settings, "coverage", DAYS[0], AFTER)
    assert results(folder, "coverage") == found


def broken(data):
    raise RuntimeError("no Skywatch here")


def test_worker_that_cannot_do_it_is_a_fault_of_the_day(days, scheduler):
    cluster = DaskCluster(scheduler.scheduler_address, broken, print)
    try:
        outcome = run_job(days.sessions, days.settings, "coverage", DAYS[0], DAYS[1], cluster)
    finally:
        cluster.close()
    assert "no Skywatch here" in outcome.faults[DAYS[0]]


def test_scheduler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("skywatch.archive.batch.cluster.CONNECT_S", 0.5)
    url = f"tcp://127.0.0.1:{free_port()}"
    with pytest.raises(ClusterError, match=url):
        DaskCluster(url, work, print)
