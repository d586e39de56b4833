"""`skywatch serve` with its role worker: what another process writes into the outbox is delivered."""

import urllib.request

import pytest

from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import create_engine, create_session_factory
from tests.notifying import add_channel, add_user, deliveries, notification, send
from tests.processes import Service
from tests.waiting import until


@pytest.fixture
def service(tmp_path):
    service = Service(tmp_path, notify_allow_networks="127.0.0.0/8").init()
    yield service
    service.stop()


@pytest.mark.smoke
def test_a_service_delivers_what_waits_and_what_comes(service, receiver, tmp_path):
    engine = create_engine(f"sqlite:///{tmp_path}/skywatch.sqlite")
    seal_columns(engine, "")
    sessions = create_session_factory(engine)
    user = add_user(sessions)
    channel = add_channel(sessions, user, receiver.url)
    send(sessions, notification(user, channel))
    service.start()
    until(lambda: len(receiver.requests) == 1)
    send(sessions, notification(user, channel, subject_id=2))
    until(lambda: [d.state for d in deliveries(sessions)] == ["delivered"] * 2)
    metrics = urllib.request.urlopen(f"http://127.0.0.1:{service.port}/api/v1/system/metrics").read().decode()
    assert 'skywatch_deliveries_total{kind="webhook",outcome="delivered"' in metrics
    assert service.stop() == 0
    assert "Traceback" not in service.log.read_text()
    assert "whsec_" not in service.log.read_text()
    engine.dispose()
