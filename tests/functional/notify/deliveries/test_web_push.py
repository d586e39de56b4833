"""Web Push to a push service of the test's own, which checks VAPID and decrypts."""

import pytest

from skywatch.core.database.engine import writing
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.notify.push.browsers import find_browsers, subscribe
from skywatch.notify.push.vapid import install, public_key
from skywatch.notify.schemas import NewBrowserFields
from skywatch.notify.settings import NotifySettings
from tests.notifying import add_channel, channel_of, deliveries, delivering, make_due, notification, send
from tests.push_service import FakeBrowser, check_vapid
from tests.receiving import receiving
from tests.waiting import until


@pytest.fixture
def runtime(make_runtime, database_url):
    return make_runtime(
        database_url=database_url, auth_mode="public", notify_allow_networks="127.0.0.0/8",
        notify_push_contact="mailto:tower@example.org",
    )  # fmt: skip


@pytest.fixture
def add_browser(runtime, ada):
    def add(browser):
        with writing(runtime.sessions) as session:
            fields = NewBrowserFields(name="Phone", **browser.subscription)
            return subscribe(session, ada, COMMAND_LINE, runtime.settings.of(NotifySettings), fields).id

    return add


def state(sessions):
    return deliveries(sessions)[-1].state


def test_a_browser_gets_what_only_it_can_read(runtime, sessions, ada, receiver, add_browser):
    browser = FakeBrowser(receiver)
    add_browser(browser)
    channel = add_channel(sessions, ada, "", kind="web_push")
    with delivering(runtime):
        send(sessions, notification(ada, channel, priority="critical"))
        until(lambda: state(sessions) == "delivered")
    (message,) = browser.messages()
    (delivery,) = deliveries(sessions)
    assert message == {
        "tag": delivery.message_id,
        "title": "Low helicopter",
        "body": "alert 1",
        "priority": "critical",
    }
    (request,) = browser.requests()
    headers = request["headers"]
    assert (headers["content-encoding"], headers["urgency"], headers["ttl"]) == ("aes128gcm", "high", "259200")
    claims = check_vapid(request, browser.subscription["endpoint"], public_key(runtime.sessions))
    assert claims["sub"] == "mailto:tower@example.org"


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_gone_is_removed_and_the_others_get_it(runtime, sessions, ada, receiver, add_browser, status):
    with receiving() as other:
        gone, here = FakeBrowser(receiver, "gone"), FakeBrowser(other, "here")
        add_browser(gone)
        kept = add_browser(here)
        receiver.status = status
        channel = add_channel(sessions, ada, "", kind="web_push")
        with delivering(runtime):
            send(sessions, notification(ada, channel))
            until(lambda: state(sessions) == "delivered")
        assert len(here.messages()) == 1
    with sessions() as session:
        assert [row.id for row in find_browsers(session, ada)] == [kept]
    assert channel_of(sessions, channel).state == "healthy"


def test_a_browser_that_has_it_does_not_get_it_again(runtime, sessions, ada, receiver, add_browser, unhurried):
    with receiving() as other:
        works, down = FakeBrowser(receiver, "works"), FakeBrowser(other, "down")
        add_browser(works)
        add_browser(down)
        other.answers = [503]
        channel = add_channel(sessions, ada, "", kind="web_push")
        with delivering(runtime):
            send(sessions, notification(ada, channel))
            until(lambda: deliveries(sessions)[0].last_error)
            make_due(sessions)
            until(lambda: state(sessions) == "delivered")
        assert len(works.messages()) == 1
        assert [m["tag"] for m in down.messages()] == [deliveries(sessions)[0].message_id] * 2


def test_without_a_browser_nothing_is_tried_again(runtime, sessions, ada):
    channel = add_channel(sessions, ada, "", kind="web_push")
    with delivering(runtime):
        send(sessions, notification(ada, channel))
        until(lambda: state(sessions) == "dead")
    assert deliveries(sessions)[0].last_error == "No browser has subscribed."


def test_the_key_of_the_installation_stays(runtime):
    first = public_key(runtime.sessions)
    with writing(runtime.sessions) as session:
        assert install(session) is False
    assert public_key(runtime.sessions) == first
