"""Safety events go, once each, through the channels whose owners want them and may see them."""

from skywatch.core.database.engine import writing
from skywatch.safety.detection.finding import Finding
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import LiveEvent, change_of
from tests.notifying import add_channel, add_user, deliveries, delivering
from tests.receiving import receiving
from tests.statements import counting
from tests.waiting import until


def write(sessions, *changes):
    with writing(sessions) as session:
        storage.write(session, changes)


def live(key="abc123", severity="critical", **fields):
    finding = Finding(
        type="emergency_squawk", key=key, severity=severity, message="SWR1 squawks 7700", hexes=("abc123",), **fields
    )
    return LiveEvent(finding, 1_777_600_000.0, 1_777_600_000.0, 1_777_600_000.0, raised=True)


def test_an_event_is_sent_once_to_whom_wants_it(runtime, sessions, ada, receiver):
    add_channel(sessions, ada, receiver.url)  # wants none
    add_channel(sessions, ada, receiver.url + "/ada", sources=["safety"])
    ben = add_user(sessions, "ben")
    add_channel(sessions, ben, receiver.url + "/ben", sources=["safety"], minimum_priority="critical")
    event, small = live(), live("def456", "info")
    held_back = LiveEvent(live("00aa11").finding, 1_777_600_000.0, 1_777_600_000.0, 0.0, raised=False)
    write(sessions, change_of("began", event, first_raised=True), change_of("began", small, first_raised=True))
    write(sessions, change_of("began", held_back))
    # The same again, after a commit whose answer was lost, and its further life.
    write(
        sessions, change_of("began", event, first_raised=True), change_of("updated", event), change_of("ended", event)
    )
    with delivering(runtime):
        until(lambda: {d.state for d in deliveries(sessions)} == {"delivered"})
    assert sorted(request["path"] for request in receiver.requests) == ["/ada", "/ada", "/ben"]
    document = next(d for r, d in zip(receiver.requests, receiver.documents, strict=True) if r["path"] == "/ben")
    assert document["type"] == "safety.event"
    assert document["data"]["message"] == "SWR1 squawks 7700"


def test_the_notifications_of_many_events_take_as_many_statements_as_those_of_a_few(sessions, ada):
    add_channel(sessions, ada, "https://example.org/", sources=["safety"])
    counts = []
    for number in (5, 300):
        changes = [change_of("began", live(f"{number}:{n}"), first_raised=True) for n in range(number)]
        with counting(sessions.kw["bind"]) as statements:
            write(sessions, *changes)
        counts.append(len(statements))
    assert counts[0] == counts[1]
    assert len(deliveries(sessions)) == 305


def test_who_may_not_see_military_aircraft_is_sent_none(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url, auth_mode="hybrid", notify_allow_networks="127.0.0.0/8")
    sessions = runtime.sessions
    with receiving() as receiver:
        add_channel(sessions, add_user(sessions), receiver.url, sources=["safety"])
        write(sessions, change_of("began", live(military=True), first_raised=True))
        with delivering(runtime):
            until(lambda: [d.state for d in deliveries(sessions)] == ["dead"])
        assert receiver.requests == []
    assert deliveries(sessions)[0].last_error == "not permitted"
