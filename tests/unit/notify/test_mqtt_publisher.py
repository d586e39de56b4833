"""What the publisher of MQTT reads from the database, and how often."""

from __future__ import annotations

from skywatch.notify.mqtt import publisher
from skywatch.notify.mqtt.publisher import MqttPublisher


class Source:
    """A feature with neither rules nor alerts that counts how often it is asked for statistics."""

    asked = 0

    def rules(self, session):
        return []

    def last_alert_id(self, session):
        return 0

    def events_after(self, session, alert_id, limit):
        return []

    def statistics(self, session):
        self.asked += 1
        return {"asked": self.asked}


def test_statistics_are_counted_once_in_their_interval(make_runtime, monkeypatch):
    source = Source()
    publishing = MqttPublisher(make_runtime(), source)
    assert [publishing._collect().statistics for _ in range(3)] == [{"asked": 1}] * 3
    monkeypatch.setattr(publisher, "STATISTICS_EVERY_S", 0.0)
    assert publishing._collect().statistics == {"asked": 2}
