"""Whose alerts are announced and stored where one person has too many: turns, an end a minute, and an end in size."""

import json

import pytest
import sqlalchemy as sa

from skywatch.acars.topics import RECEIVED
from skywatch.accounts.models import User
from skywatch.alerts.engine.rule import Tick, Unstored
from skywatch.alerts.metrics import UNSTORED, WAITING
from skywatch.alerts.models import Alert, AlertRule
from skywatch.alerts.revision import raise_revision
from skywatch.alerts.tracker import quota
from skywatch.alerts.tracker.change_queue import ChangeQueue
from skywatch.alerts.tracker.quota import size_of
from skywatch.core.bus.base import Message
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import StoredEvent
from skywatch.core.telemetry import health
from skywatch.notify.models import Delivery
from tests.alerts import LOW, START, AlertStage, aircraft, test_of
from tests.functional.alerts.conftest import URL

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_a_service_account_has_its_part_of_what_its_owner_has",
        "test_acknowledged_alerts_make_room_the_oldest_first",
        "test_critical_alerts_are_stored_whatever_there_is",
        "test_strangers_fill_a_quarter_of_the_bytes_and_make_way_for_what_is_sure",
        "test_the_size_of_an_alert_is_near_what_the_database_takes_with_its_events_and_deliveries",
    ],
)

LABEL = test_of("acars_label", "eq", "H1")
# Instead of 600, so that the tests are short.
PER_MINUTE = 60


@pytest.fixture(autouse=True)
def _few_a_minute(request, monkeypatch):
    if "deep" not in request.keywords:
        monkeypatch.setattr(quota, "PER_MINUTE", PER_MINUTE)


@pytest.fixture
def add_rules(client, stage):
    """Stores many rules of somebody at once, and puts them in force."""

    def add(who, count, conditions=LOW, priority="info", cooldown_s=0):
        rule = {
            "user_id": client.ids[who], "name": f"{who}'s", "description": "", "enabled": True, "priority": priority,
            "conditions": conditions, "for_s": 0.0, "cooldown_s": cooldown_s, "quiet_hours": [], "channels": [],
            "visibility": "private", "message": "", "mqtt": False, "revision": 1, "adopted_revision": 1,
            "created_at": utcnow(), "updated_at": utcnow(),
        }  # fmt: skip
        with writing(stage.runtime.sessions) as session:
            session.execute(sa.insert(AlertRule), [rule] * count)
            raise_revision(session)
        stage.reload()

    return add


def crowd(count, **members):
    return [aircraft(hex=f"{0x4C0000 + number:06x}", flight=f"X{number}", **members) for number in range(count)]


def say(stage, *addresses, label="H1"):
    for address in addresses:
        data = json.dumps({"icao_hex": address, "label": label, "text": "ENGINE"}).encode()
        stage.runtime.bus.publish(Message(RECEIVED, "message", data))


def stored(stage, user_id):
    with stage.runtime.sessions() as session:
        return session.scalar(sa.select(sa.func.count()).where(Alert.user_id == user_id))


def set_size(stage, megabytes):
    """Set ``alerts_mb_per_user`` for this stage."""
    stage.monitor._quota._megabytes = lambda: megabytes


def test_a_hundred_rules_of_one_operator_do_not_silence_the_critical_rule_of_another(stage, add_rules, history, client):
    health.watch("alerts_turns", stage.monitor._turns)
    add_rules("olga", 100)
    add_rules("otto", 1, test_of("squawk", "eq", "7700"), priority="critical")
    sky = crowd(8)
    stage.tick(*sky)
    stage.tick(*sky, aircraft(squawk="7700", alt_baro=9000))
    (alert,) = history("otto")
    assert alert["icao_hex"] == "4B1601"
    for _ in range(2):
        stage.tick(*sky, seconds=5)
    (turns,) = [part for part in health.components() if part.name == "alerts_turns"]
    assert turns.ok is False
    waiting = 100 * 8 - 4 * 100 + 1
    assert turns.detail == f"{waiting} waiting (people: 1, the first for 11 s), 0 not stored in the last minute"
    assert WAITING.labels("info")._value.get() == waiting
    stage.tick()
    stage.tick(seconds=61)
    assert [part.ok for part in health.components() if part.name == "alerts_turns"] == [True]


def flood(stage, add_rules, rules, seconds):
    """Messages that so many rules of olga's, and one of otto's, are about: five a second."""
    add_rules("olga", rules, LABEL)
    add_rules("otto", 1, LABEL)
    stage.tick()
    for second in range(seconds):
        say(stage, *(f"4d{second:02x}{number:02x}" for number in range(5)))
        stage.tick(aircraft())
    while stage.monitor._backlog.people:
        stage.tick(aircraft())


def test_label_rules_and_messages_have_an_end_a_minute(stage, add_rules, history, client):
    before = sum(UNSTORED.labels(reason)._value.get() for reason in ("minute", "waiting"))
    flood(stage, add_rules, 12, 4)
    assert stored(stage, client.ids["otto"]) == 20
    assert stored(stage, client.ids["olga"]) == PER_MINUTE
    stage.tick(aircraft(), seconds=60)
    notes = history("olga", "?limit=1000&q=not+stored")
    assert len({alert["rule_id"] for alert in notes}) == len(notes) <= 12
    left_out = 12 * 20 - PER_MINUTE
    assert sum(alert["matched"][0]["actual"] for alert in notes) == left_out
    (matched,) = notes[0]["matched"]
    assert (matched["field"], notes[0]["icao_hex"], notes[0]["aircraft"]) == ("not_stored", None, {})
    assert notes[0]["cleared_at"] == notes[0]["triggered_at"]
    assert len(stage.told("alert:triggered")) == PER_MINUTE + 20 + len(notes)
    assert sum(UNSTORED.labels(reason)._value.get() for reason in ("minute", "waiting")) - before == left_out
    say(stage, "4d9999")
    stage.tick(aircraft())
    assert stored(stage, client.ids["olga"]) > PER_MINUTE + len(notes), "a new minute"


@pytest.mark.deep("costs over a processor second")
def test_five_hundred_label_rules_and_seventy_five_messages_store_600_alerts(stage, add_rules, client):
    flood(stage, add_rules, 500, 15)
    assert stored(stage, client.ids["otto"]) == 75
    assert stored(stage, client.ids["olga"]) == 600
    stage.tick(aircraft(), seconds=60)
    assert stored(stage, client.ids["olga"]) <= 600 + 500


def test_a_note_says_how_many_and_why(stage, add_rules, history, client):
    add_rules("olga", 1)
    for _ in range(2):
        stage.tick(*crowd(100))
    stage.tick(seconds=60)
    note, *others = history("olga", "?limit=1000")
    assert note["message"] == "olga's: 40 more alerts were not stored: you had more than 60 in a minute"
    assert len(others) == PER_MINUTE
    assert "40 not stored in the last minute" in stage.monitor._turns().detail
    stage.tick(seconds=61)
    assert stage.monitor._turns().detail == ""


def test_critical_alerts_are_stored_beyond_the_end_of_a_minute(stage, add_rules, client):
    add_rules("olga", 1)
    add_rules("olga", 1, test_of("squawk", "eq", "7700"), priority="critical")
    stage.tick(*crowd(65))
    stage.tick(*crowd(65), *(aircraft(number, squawk="7700", alt_baro=9000) for number in range(40)))
    assert stored(stage, client.ids["olga"]) == PER_MINUTE + 40


def test_what_was_not_stored_is_said_at_a_stop(stage, add_rules, history):
    add_rules("olga", 1)
    stage.tick(*crowd(61))
    stage.monitor.close()
    assert history("olga")[0]["message"].endswith("1 more alert was not stored: you had more than 60 in a minute")


def test_the_end_of_a_minute_holds_over_a_restart(stage, add_rules, client):
    add_rules("olga", 2)
    stage.tick(*crowd(25))
    stage.restart()
    stage.tick(*crowd(40))
    assert stored(stage, client.ids["olga"]) == PER_MINUTE


@pytest.fixture
def away(client):
    """A tracker for which the database is away."""
    stage = AlertStage(client.runtime, is_away=True)
    yield stage
    stage.close()


def new_crowd(minute, count):
    return [aircraft(hex=f"4d{minute:02x}{number:02x}") for number in range(count)]


def test_alerts_that_waited_for_the_database_count_in_their_own_minutes(away, add_rules, client, history):
    add_rules("olga", 1)
    away.reload()
    for minute in range(4):
        away.tick(*new_crowd(minute, 40), seconds=60)
    away.tick(*new_crowd(4, 70), seconds=60)
    away.come_back()
    assert stored(away, client.ids["olga"]) == 4 * 40 + PER_MINUTE
    away.tick(seconds=60)
    assert "olga's: 10 more alerts were not stored: you had more than 60" in history("olga")[0]["message"]


def test_what_is_beyond_the_minute_is_said_at_a_stop_after_all_that_waited(away, add_rules, history):
    add_rules("olga", 2)
    away.reload()
    for minute in range(2):
        away.tick(*new_crowd(minute, 40), seconds=60)
    queue = away.monitor._queue

    def put_and_come_back(*args):
        ChangeQueue.put(queue, *args)
        away.monitor._writer.start()

    queue.put = put_and_come_back
    away.monitor.close()
    notes = history("olga", "?limit=1000&q=not+stored")
    assert sum(note["matched"][0]["actual"] for note in notes) == 2 * (80 - PER_MINUTE)


def test_an_alert_ends_whose_rule_became_critical_while_the_database_was_away(away, client, history):
    body = {"name": "Low", "conditions": LOW, "for_s": 0}
    rule = client.post_json(f"{URL}rules", body, headers=client.people["olga"]).json
    away.reload()
    away.tick(aircraft())
    client.patch_json(f"{URL}rules/{rule['id']}", {"priority": "critical"}, headers=client.people["olga"])
    away.reload()
    away.tick(aircraft(alt_baro=9000))
    away.come_back()
    assert [alert["cleared_at"] is not None for alert in history("olga")] == [True]


def fill(stage, add_rules, megabytes):
    """Alerts of olga up to this size, fifty each minute; returns how many there are."""
    set_size(stage, megabytes)
    add_rules("olga", 1)
    count = -1
    number = 0
    while count < (count := stored(stage, stage.olga)):
        sky = [aircraft(hex=f"{0x4C0000 + number + one:06x}", desc="A" * 3000) for one in range(50)]
        number += 50
        stage.tick(*sky)
        stage.tick(seconds=61)
    return count


@pytest.fixture
def full(stage, add_rules, client):
    """Olga has all the alerts that she may have, which are 1 MB."""
    stage.olga = client.ids["olga"]
    fill(stage, add_rules, 1.0)
    return stage


def sizes(stage, user_id):
    with stage.runtime.sessions() as session:
        return session.scalar(sa.select(sa.func.sum(Alert.size_bytes)).where(Alert.user_id == user_id))


def test_beyond_the_size_nothing_is_stored_but_how_many_there_were(full, client, history):
    assert sizes(full, full.olga) <= 1_000_000
    assert "yours take 1 MB, the most that a user may have; acknowledged ones make room" in history()[0]["message"]
    ids = {alert["id"] for alert in history("olga", "?limit=1000")}
    for _ in range(3):
        full.tick(*crowd(20, desc="A" * 3000))
        full.tick(seconds=61)
    full.tick(seconds=61)
    new = [alert for alert in history("olga", "?limit=1000") if alert["id"] not in ids]
    assert {alert["matched"][0]["field"] for alert in new} == {"not_stored"}
    assert sizes(full, full.olga) <= 1_000_000


def test_acknowledged_alerts_make_room_the_oldest_first(full, client, history):
    oldest = history("olga", "?limit=1000")[::-1][:20]
    kept = oldest[::2]
    for alert in oldest[1::2]:
        client.post(f"{URL}history/{alert['id']}/acknowledge", headers=client.people["olga"])
    full.tick(*crowd(10), seconds=61)
    after = history("olga", "?limit=1000")
    assert {f"4C{number:04X}" for number in range(10)} <= {alert["icao_hex"] for alert in after[:11]}
    remaining = {alert["id"] for alert in after}
    assert {alert["id"] for alert in kept} <= remaining
    gone = [alert["id"] not in remaining for alert in oldest[1::2]]
    assert gone == sorted(gone, reverse=True)
    assert 1 <= sum(gone) < len(gone)


def test_critical_alerts_are_stored_whatever_there_is(full, client, history, add_rules):
    add_rules("olga", 1, test_of("squawk", "eq", "7700"), priority="critical")
    full.tick(*(aircraft(number, squawk="7700", alt_baro=9000) for number in range(60)))
    assert len(history("olga", "?limit=1000&priority=critical")) == 60
    assert sizes(full, full.olga) <= 1_000_000


def test_the_size_is_known_after_a_restart_and_is_not_summed_at_each_alert(full, client, history):
    full.restart()
    set_size(full, 1.0)
    statements = []
    engine = full.runtime.engine
    sa.event.listen(engine, "before_cursor_execute", lambda *args: statements.append(args[2]))
    before = {alert["id"] for alert in history("olga", "?limit=1000")}
    statements.clear()
    for _ in range(20):
        full.tick(*crowd(3, desc="A" * 3000))
        full.tick()
    new = [alert for alert in history("olga", "?limit=1000") if alert["id"] not in before]
    assert not [alert for alert in new if alert["icao_hex"]]
    assert len([text for text in statements if "sum(" in text.lower()]) <= 3


def test_alerts_of_a_shared_rule_count_for_who_has_them(stage, client, add_rule, history):
    rule = add_rule("olga", visibility="shared", cooldown_s=0)
    client.post_json(f"{URL}rules/{rule['id']}/subscribe", {}, headers=client.people["otto"])
    stage.reload()
    stage.tick(*crowd(50))
    assert [stored(stage, client.ids[who]) for who in ("olga", "otto")] == [50, 50]


def test_a_service_account_has_its_part_of_what_its_owner_has(stage, client, add_rules):
    with writing(stage.runtime.sessions) as session:
        session.execute(sa.update(User).where(User.id == client.ids["otto"]).values(owner_id=client.ids["olga"]))
    add_rules("olga", 1)
    add_rules("otto", 1)
    stage.tick(*crowd(40))
    assert sum(stored(stage, client.ids[who]) for who in ("olga", "otto")) == PER_MINUTE
    add_rules("ana", 1)
    stage.tick(*crowd(40))
    assert stored(stage, client.ids["ana"]) == 40


STRANGERS = {"single_source": True}


def test_strangers_have_a_quarter_of_a_minute_and_take_nothing_from_others(stage, add_rules, client, history):
    add_rules("olga", 1)
    stage.tick(*crowd(PER_MINUTE, **STRANGERS))
    assert stored(stage, client.ids["olga"]) == PER_MINUTE // 4
    stage.tick(*crowd(PER_MINUTE, **STRANGERS), *(aircraft(number) for number in range(PER_MINUTE)))
    assert stored(stage, client.ids["olga"]) == PER_MINUTE // 4 + PER_MINUTE
    stage.tick(seconds=60)
    assert "what only feeders report that managers do not trust" in history("olga", "?q=not+stored")[0]["message"]


def test_a_note_about_an_alert_of_ours_is_stored_where_only_strangers_would_have_no_room(full, history):
    # Less than there is: whatever is not stored in any case finds no room.
    set_size(full, sizes(full, full.olga) / 1e6 - 0.01)
    (rule,) = full.monitor._rules.values()

    def noted(*numbers):
        before = history("olga")[0]["id"]
        for change in (Unstored(rule.id, rule.revision, *numbers), None):
            full.now += 60
            full.monitor._queue.put(Tick(full.now), [(rule, change)] if change is not None else [])
        full.settle()
        return [alert["matched"][0]["actual"] for alert in history("olga") if alert["id"] > before]

    assert noted(7, 7) == []
    assert noted(7, 6) == [7]


def test_critical_alerts_take_nothing_from_the_minute_of_others(stage, add_rules, client):
    add_rules("olga", 1, test_of("squawk", "eq", "7700"), priority="critical")
    add_rules("olga", 1)
    stage.tick(*(aircraft(number, squawk="7700", alt_baro=9000) for number in range(70)))
    stage.tick(*crowd(PER_MINUTE + 5))
    assert stored(stage, client.ids["olga"]) == 70 + PER_MINUTE


def test_the_share_of_strangers_holds_over_a_restart(stage, add_rules, client):
    add_rules("olga", 1)
    stage.tick(*crowd(PER_MINUTE, **STRANGERS))
    stage.restart()
    stage.tick(*(aircraft(number, **STRANGERS) for number in range(PER_MINUTE)))
    assert stored(stage, client.ids["olga"]) == PER_MINUTE // 4


def strangers_bytes(stage, user_id):
    with stage.runtime.sessions() as session:
        of_strangers = sa.select(sa.func.sum(Alert.size_bytes)).where(Alert.user_id == user_id, Alert.of_strangers)
        return session.scalar(of_strangers) or 0


def test_strangers_fill_a_quarter_of_the_bytes_and_make_way_for_what_is_sure(stage, add_rules, client, history):
    olga = client.ids["olga"]
    set_size(stage, 1.0)
    add_rules("olga", 1)
    for number in range(10):
        sky = [aircraft(hex=f"{0x4D0000 + 20 * number + one:06x}", desc="A" * 3000, **STRANGERS) for one in range(20)]
        stage.tick(*sky, seconds=61)
    of_strangers = strangers_bytes(stage, olga)
    assert 200_000 < of_strangers <= 250_000
    stage.restart()
    set_size(stage, 1.0)
    before = stored(stage, olga)
    stage.tick(*(aircraft(hex=f"4e00{one:02x}", desc="A" * 3000, **STRANGERS) for one in range(20)))
    assert strangers_bytes(stage, olga) <= 250_000
    for number in range(10):
        sky = [aircraft(hex=f"{0x4F0000 + 20 * number + one:06x}", desc="A" * 3000) for one in range(20)]
        stage.tick(*sky, seconds=61)
    assert strangers_bytes(stage, olga) < of_strangers / 3, "they made way"
    assert stored(stage, olga) > before
    sure = [alert for alert in history("olga", "?limit=1000") if alert["icao_hex"] and alert["icao_hex"] > "4F"]
    assert 800_000 < sum(len(json.dumps(alert)) for alert in sure) * 5 <= 1_100_000


def test_the_size_of_an_alert_is_near_what_the_database_takes_with_its_events_and_deliveries(stage, client, add_rule):
    body = {"name": "Hook", "kind": "webhook", "address": "https://hooks.example.com/1"}
    channels = [
        client.post_json(f"{URL}channels", body | {"name": name}, headers=client.people["olga"]).json["id"]
        for name in ("One", "Two")
    ]
    add_rule(channels=channels)
    stage.tick(*crowd(10, desc="A" * 700))
    stage.tick(*crowd(10, desc="A" * 700, alt_baro=9000))
    with stage.runtime.sessions() as session:
        alerts = session.scalars(sa.select(Alert)).all()
        values = [{name: getattr(a, name) for name in ("message", "aircraft", "matched", "words")} for a in alerts]
        assert [a.size_bytes for a in alerts] == [size_of(value, 2) for value in values]
        text = sum(sa.func.length(sa.cast(part, sa.Text)) for part in (Alert.aircraft, Alert.matched, Alert.words))
        rows = session.scalars(sa.select(text + sa.func.length(Alert.message) + 400)).all()
        is_alert = StoredEvent.topic == "alerts"
        events = session.scalars(sa.select(sa.func.length(StoredEvent.message)).where(is_alert)).all()
        body = sa.func.length(sa.cast(Delivery.body, sa.Text)) + sa.func.length(Delivery.text) + 400
        deliveries = session.scalars(sa.select(body)).all()
    assert (len(alerts), len(events), len(deliveries)) == (10, 20, 20)
    assert sum(a.size_bytes for a in alerts) == pytest.approx(sum([*rows, *events, *deliveries]), rel=0.25)


def test_an_alert_lists_few_of_many_values_and_has_a_size(stage, client, add_rule, history):
    addresses = [f"4B{number:04X}" for number in range(399)]
    listed = test_of("hex", "in", [*addresses, "4B1601"])
    conditions = {"any": [*(listed for _ in range(89)), LOW]}
    add_rule(conditions=conditions)
    stage.tick(aircraft())
    (alert,) = history()
    first = alert["matched"][0]
    assert (first["value"], first["more"], first["actual"]) == (addresses[:20], 380, "4b1601")
    assert len(json.dumps(alert["matched"])) <= 21_000
    assert alert["matched"][-1]["field"] == "not_listed"
    assert len(alert["matched"]) - 1 + alert["matched"][-1]["actual"] == 90


def test_while_the_database_is_away_people_take_turns_in_the_engine(client, add_rules, stage, monkeypatch):
    monkeypatch.setattr("skywatch.alerts.monitor.QUEUE_LIMIT", 1_000)
    add_rules("olga", 20)
    add_rules("otto", 1, test_of("squawk", "eq", "7700"), priority="critical")
    other = AlertStage(client.runtime, START)
    other.settle = lambda: None
    other.monitor._queue.take = lambda limit: []  # The writer gets nothing.
    sky = crowd(30)
    for _ in range(60):
        other.tick(*sky)
    assert other.monitor._queue.dropped == 0
    other.tick(*sky, aircraft(squawk="7700", alt_baro=9000))
    (key,) = [rule.id for rule in other.monitor._engine.rules.rules if rule.priority == "critical"]
    waiting = ChangeQueue.take(other.monitor._queue, 10_000)
    assert [change.address for change in waiting if getattr(change, "rule_id", None) == key] == ["4b1601"]
    other.monitor._subscription.close()
