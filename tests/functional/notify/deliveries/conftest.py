"""A database of each kind, a user and a receiver of webhooks."""

import pytest

from skywatch.notify.deliveries import schedule
from tests.notifying import add_user
from tests.receiving import receiving


@pytest.fixture
def runtime(make_runtime, database_url):
    return make_runtime(database_url=database_url, auth_mode="public", notify_allow_networks="127.0.0.0/8")


@pytest.fixture
def sessions(runtime):
    return runtime.sessions


@pytest.fixture
def ada(sessions):
    return add_user(sessions)


@pytest.fixture
def unhurried(monkeypatch):
    """What failed is tried again when the test says so, and not by itself after five seconds."""
    monkeypatch.setattr(schedule, "PAUSES_S", (schedule.HOURLY_S,))


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver
