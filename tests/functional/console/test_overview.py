"""The first page: what needs attention comes first, in words of people, and the rest is folded."""

import time
from datetime import timedelta

import msgspec
import pytest
import time_machine

from skywatch.console.sessions.session import BY_SCRIPT
from skywatch.core.bus import Message, topics
from skywatch.core.clock import utcnow
from skywatch.core.storage.retention import Extent
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.receivers.base import ReceiverStatus
from skywatch.reception.series import ReceiverRecorder, publish_reception
from skywatch.system.extents import publish_extents


def concerns(page):
    """Title of each thing that needs attention, with the page that it leads to."""
    return {
        entry.b.text: entry.a["href"] if entry.a is not None else None for entry in page.html.select(".concerns li")
    }


def publish(runtime, topic, document):
    runtime.bus.publish(Message(topic, "x", msgspec.json.encode(document), snapshot=True))


def tracks(runtime, **more):
    now = time.time()
    publish(runtime, topics.TRACKER, TrackerStatistics(at=now, started_at=now - 3700, aircraft=1234, **more))


def receiver(name="roof", state="connected", **more):
    return ReceiverStatus(name=name, kind="beast", address="localhost:30005", state=state, **more)


def test_what_does_not_work_comes_first_with_what_to_do_about_it(root):
    page = root.get("")
    assert concerns(page) == {
        "The live picture stands still.": "/console/health",
        "There is no receiver yet.": "/console/receivers",
    }
    assert "Start the tracker" in page.html.find(class_="concerns").text
    assert "No picture has been computed yet" in page.html.find(class_="concerns").text
    text = page.html.find("main").text
    assert text.index("needs attention") < text.index("Receivers") < text.index("Installation")
    # The parts that work are there, folded.
    fold = page.html.find("details", id="parts")
    assert not fold.has_attr("open")
    assert {row.td.text for row in fold("tr") if row.td is not None} >= {"Database", "Link between processes"}


def test_where_everything_works_it_says_so(root):
    tracks(root.runtime)
    publish(root.runtime, topics.RECEIVERS, [receiver()])
    page = root.get("")
    assert concerns(page) == {}
    assert "Everything works." in page.text


def test_receivers_show_their_state_and_the_last_24_hours(root):
    tracks(root.runtime)
    roof = receiver(state="waiting", message_rate=812.0)
    roof.last_error = "connection refused"
    publish(root.runtime, topics.RECEIVERS, [roof, receiver("attic")])
    recorder = ReceiverRecorder()
    recorder.take(time.time(), [roof], None)
    publish_reception(root.runtime.bus, recorder.series)
    page = root.get("")
    assert "1,234" in page.text
    assert "1 h 1 min" in page.text
    assert concerns(page) == {"A receiver is not connected.": "/console/receivers"}
    rows = {row.td.text: row for row in page.html("tr") if row.td is not None}
    assert "connection refused" in rows["roof"].text
    line = rows["roof"].svg
    assert line["aria-label"] == "Messages/s, 24 h: at most 812"
    assert line.path["d"].startswith("M")
    assert rows["attic"].svg is None
    assert "not known yet" in rows["attic"].text


def test_who_is_signed_in_is_for_those_who_may_see_users(visitor):
    visitor.people.login(visitor.people.numbers["viewer"])
    visitor.sign_in("superadmin")
    text = " ".join(visitor.get("").html.find("main").text.split())
    assert "5 users, 2 signed in" in text
    assert "viewer 1 session" in text
    visitor.people.role("keeps", ["system.manage", "system.view_status"])
    visitor.people.user("keeper", "keeps")
    keeper = visitor.another_browser()
    keeper.sign_in("keeper")
    page = keeper.get("")
    assert "signed in" not in page.html.find("main").text
    assert page.html.find(class_="figures") is not None


@pytest.mark.parametrize(
    ("hours", "size", "words"),
    [
        (1, 1_000_000, "not known yet"),
        (240, 10_000_000, "the room will do"),
        (24, 10**15, "the disk is full about"),
    ],
)
def test_when_the_disk_is_full_is_said_where_it_is_known(root, hours, size, words):
    assert "not known yet" in root.get("").html.find("main").text
    oldest = utcnow() - timedelta(hours=hours)
    publish_extents(root.runtime.bus, {"flights": Extent(1000, size, oldest)})
    assert words in root.get("").html.find("main").text


def test_a_page_that_its_script_asks_for_again_does_not_keep_the_session_alive(root):
    before = root.cookie
    with time_machine.travel(utcnow() + timedelta(minutes=10)):
        root.get("", headers={BY_SCRIPT: "script"})
        assert root.cookie == before
        root.get("")
        assert root.cookie != before


def test_the_page_can_be_refreshed_with_and_without_script(root):
    page = root.get("")
    figures = page.html.find(id="figures")
    assert int(figures["data-refresh"]) == 15
    assert figures.find("time") is not None
    assert page.click("Refresh").html.find(id="figures") is not None
    assert "connect-src 'self'" in page.headers["Content-Security-Policy"]
