"""The pages of alerts in a real browser: rules, geofences, watch lists, channels, deliveries and what was announced."""

from __future__ import annotations

import pytest

from tests.integration.web.pages import ALERTS_ARE_TOLD
from tests.integration.web.stage import Stage
from tests.waiting import until

NAME = "<b>Low</b><img src=x onerror=hacked=1>"
EVERYTHING = {"field": "hex", "op": "ne", "value": "000000"}
NOBODY = {"field": "squawk", "op": "eq", "value": "0077"}
SET = """
const input = document.querySelector(%s);
input.value = %s;
for (const kind of ['input', 'change']) input.dispatchEvent(new Event(kind, { bubbles: true }));
"""
PRESS = "[...document.querySelectorAll('main button')].find((one) => one.textContent.trim() === '%s')?.click()"


@pytest.fixture(scope="module")
def stage(shared_page, tmp_path_factory):
    made = Stage.begin(
        tmp_path_factory.mktemp("alerts"),
        shared_page,
        ("operator", "viewer", "superadmin"),
        notify_allow_networks="127.0.0.0/8",
        roles="api, tracker, realtime, worker",
    )
    yield made
    made.end()


def fill(stage, selector, value):
    stage.shows(f"document.querySelector({selector!r}) !== null")
    stage.page.run(SET % (repr(selector), repr(value)))


def test_a_rule_is_made_tried_out_saved_and_announces_what_it_finds(stage):
    stage.sign_in("operator")
    stage.go("alerts?tab=rules&id=new")
    fill(stage, "input[name=name]", NAME)
    stage.press("Critical")
    # Two tests of a new rule, the second one made a group of its own with a test that is turned round.
    fill(stage, ".test input", "90000")
    stage.page.run("document.querySelector('.test select').value = 'alt_baro'")
    stage.page.run("document.querySelector('.test select').dispatchEvent(new Event('change'))")
    fill(stage, ".test input", "60000")
    fill(stage, ".test + .test input", "not a number")
    stage.press("Now")
    assert stage.shows("document.querySelector('.field-fault')?.textContent").startswith("must be a number")
    stage.page.run("document.querySelectorAll('.test')[1].querySelector('button').click()")
    stage.press("Now")
    count = stage.shows("document.querySelector('.trial-count b')?.textContent")
    assert int(count) > 5, "the dry run finds the aircraft of the simulation"
    assert stage.page.run("return document.querySelectorAll('.trial .cards li').length") == int(count)
    stage.press("Save")
    stage.shows("document.querySelector('sw-alert-rules .cards b')?.textContent === " + repr(NAME))
    api = stage.api("operator")
    made = api.get("/alerts/rules").json()["rules"][0]
    assert made["priority"] == "critical"
    assert made["conditions"] == {"all": [{"field": "alt_baro", "op": "lt", "value": 60000}]}
    # What it announces comes by itself, as a number in the head and on the page that is open.
    stage.press("History")
    stage.shows("document.querySelectorAll('sw-alert-history .cards li').length > 5")
    assert NAME in stage.text("sw-alert-history")
    stage.shows("Number(document.querySelector('.head .badge')?.textContent) > 5")
    # The aircraft bear a mark on the map and in the list for as long as it lasts.
    stage.page.run("location.hash = '#/map'")
    stage.shows("document.querySelectorAll('.window .row .flag-mark').length > 3")
    stage.shows("document.querySelector('sw-map').stage.marked.length > 3")
    stage.page.run("location.hash = '#/alerts'")
    stage.shows("document.querySelectorAll('sw-alert-history .cards li').length > 5")
    stage.press("Acknowledge")
    until(lambda: api.get("/alerts/history?acknowledged=true").json()["count"] == 1)

    def nothing_waits():
        """Presses, and again where another aircraft came meanwhile, whose alert is one more."""
        stage.page.run(PRESS % "Acknowledge all")
        return stage.page.run("return document.querySelector('.head .badge') === null")

    until(nothing_waits, "no number in the head", every_s=1.0)
    assert api.delete(f"/alerts/rules/{made['id']}").status_code == 204
    assert stage.page.run("return document.querySelectorAll('sw-alert-history .cards b b, .cards img').length") == 0
    assert stage.page.run("return window.hacked ?? null") is None


def test_a_channel_is_made_within_the_form_of_a_rule_and_what_was_written_is_not_lost(stage):
    stage.sign_in("operator")
    page, api = stage.page, stage.api("operator")
    stage.go("alerts?tab=rules&id=new")
    fill(stage, "input[name=name]", "To the phone")
    # The ring of the distance is on the map while it is typed.
    rings = (
        "document.querySelector('sw-map').map.getLayers().getArray().flatMap((one) => one.getSource?.().getFeatures?.()"
        " ?? []).map((one) => one.getStyle?.()?.getText?.()?.getText()).filter(Boolean)"
    )
    stage.shows(f"{rings}.includes('5\\u00a0nm')")
    page.run(
        "const input = document.querySelector('.test input'); input.value = '12';"
        "input.dispatchEvent(new Event('input', { bubbles: true }))"
    )
    stage.shows(f"{rings}.includes('12\\u00a0nm') && !{rings}.includes('5\\u00a0nm')")
    # A step away and back: all of it is there.
    stage.press("Watch lists")
    stage.shows("document.querySelector('sw-watchlists') !== null")
    assert not page.run(f"return {rings}.includes('12\\u00a0nm')"), "the ring goes with the form"
    page.run("history.back()")
    stage.shows("document.querySelector('sw-rule-editor input[name=name]')?.value === 'To the phone'")
    assert page.run("return document.querySelector('.test input').value") == "12"
    stage.press("Rules")
    stage.shows("document.querySelector('sw-alert-rules .notice-line a') !== null")
    page.click("sw-alert-rules .notice-line a")
    stage.shows("document.querySelector('sw-rule-editor input[name=name]')?.value === 'To the phone'")
    # The channel is made here, and is one of those that the rule sends to.
    stage.press("New channel")
    stage.press("Webhook")
    fill(stage, ".channel-form input[name=name]", "House")
    fill(stage, ".channel-form input[name=address]", "http://127.0.0.1:9/hook")
    stage.press("Add channel")
    stage.shows("document.querySelector('.channel-form') === null")
    stage.shows("document.querySelector('.rule-form .secret')?.textContent.length > 10")
    stage.press("Save")
    stage.shows("document.querySelector('sw-rule-editor') === null && document.querySelector('sw-alert-rules .cards')")
    assert page.run("return document.querySelector('sw-alert-rules .notice-line')") is None, "nothing is unfinished"
    [rule] = [one for one in api.get("/alerts/rules").json()["rules"] if one["name"] == "To the phone"]
    [channel] = [one for one in api.get("/alerts/channels").json()["channels"] if one["name"] == "House"]
    assert rule["channels"] == [channel["id"]]
    assert rule["conditions"]["all"][0] == {"field": "distance_nm", "op": "lt", "value": 12}
    for path in (f"/alerts/rules/{rule['id']}", f"/alerts/channels/{channel['id']}"):
        assert api.delete(path).status_code == 204


def test_an_alert_is_told_wherever_the_person_is(stage):
    stage.sign_in("operator")
    # Simulated aircraft disturb nobody unless it is asked for.
    stage.go("settings")
    label = "[...document.querySelectorAll('sw-settings .check')].find(one => one.innerText.includes('simulated'))"
    stage.shows(f"{label} !== undefined")
    stage.page.run(f"{label}.click()")
    stage.go("acars")
    api = stage.api("operator")
    rule = {"name": "All", "conditions": EVERYTHING, "count": {"op": "ge", "value": 1}, "for_s": 0}
    made = api.post("/alerts/rules", json=rule).json()
    stage.shows(f"(() => {{{ALERTS_ARE_TOLD}}})()")
    api.delete(f"/alerts/rules/{made['id']}")


# The one that leaves something open; `web/test/ready_made.test.ts` has the others. Military aircraft are offered to
# those who may see them, which an operator may not.
def test_a_ready_made_rule_is_tried_out_and_saved(stage):
    stage.sign_in("operator")
    api = stage.api("operator")
    stage.go("alerts?tab=rules")
    stage.shows("document.querySelector('[data-ready=watched]') !== null")
    assert stage.page.run("return document.querySelector('[data-ready=military]')") is None
    stage.page.click("[data-ready=watched]")
    stage.shows("document.querySelector('sw-rule-editor input[name=name]')?.value.length > 3")
    # What it leaves open is asked for, and named where it is missing.
    stage.shows("document.activeElement.closest('.test') !== null")
    stage.press("Save")
    stage.shows("document.querySelector('.test .field-fault') !== null")
    fill(stage, ".test input", api.get("/aircraft?limit=1").json()["aircraft"][0]["flight"])
    stage.press("Now")
    stage.shows("document.querySelector('.trial-count b') !== null")
    stage.press("Save")
    stage.shows("document.querySelector('sw-rule-editor') === null && document.querySelector('sw-alert-rules .cards')")
    [rule] = api.get("/alerts/rules").json()["rules"]
    assert rule["fault"] is None
    assert rule["name"] in stage.text("sw-alert-rules .cards")
    assert api.delete(f"/alerts/rules/{rule['id']}").status_code == 204


def click_map(page, points):
    for x, y in points:
        for kind in ("mousePressed", "mouseReleased"):
            page.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


def draw_on_map(stage, ring):
    """Click the corners of a ring; begun again where the map moved meanwhile, so that the last was not the first."""
    page = stage.page
    at_rest = "(({ camera: { isPlaced }, map }) => isPlaced && map.isRendered() && !map.getView().getAnimating())"
    stage.shows(f"{at_rest}(document.querySelector('sw-map'))")
    corners = page.run("return document.querySelector('textarea').value.split('\\n').length")

    def is_drawn():
        return page.run("return document.querySelector('textarea').value.split('\\n').length") > corners

    for _ in range(5):
        stage.press("Draw on the map")
        stage.shows("document.querySelector('.bar .on') !== null")
        click_map(page, ring)
        try:
            until(is_drawn, "the ring", wait_s=15)
        except AssertionError:
            stage.press("Stop drawing")
        else:
            return
    pytest.fail("the ring is not closed")


def is_drawn_on_still_map(stage, *rings):
    """Draw rings on the form of a new geofence; whether the map stood still meanwhile."""
    view = "return JSON.stringify(document.querySelector('sw-map').map.getView().getCenter())"
    stage.go("alerts?tab=geofences&id=new")
    fill(stage, "input[name=name]", "Drawn")
    stage.shows("document.querySelector('sw-map')?.camera.isPlaced")
    before = stage.page.run(view)
    for ring in rings:
        draw_on_map(stage, ring)
    return stage.page.run(view) == before


def test_a_geofence_is_drawn_on_the_map_with_a_hole_and_a_band_of_altitude(stage):
    stage.sign_in("operator")
    outline = [(200, 200), (600, 200), (600, 600), (200, 600), (200, 200)]
    hole = [(300, 300), (500, 300), (500, 500), (300, 300)]
    # Again where the map has moved between the two, so that the second does not lie in the first.
    assert any(is_drawn_on_still_map(stage, outline, hole) for _ in range(4))
    fill(stage, "input[placeholder='no limit']", "1500")
    stage.press("Save")
    stage.shows("document.querySelector('sw-geofences .cards b')?.textContent === 'Drawn'")
    api = stage.api("operator")
    fence = api.get("/alerts/geofences").json()["geofences"][0]
    outline, hole = fence["geometry"]["coordinates"]
    assert (len(outline), len(hole)) == (5, 4)
    west, north = outline[0]
    assert all(lon > west and lat < north for lon, lat in hole)
    assert (fence["floor_ft"], fence["ceiling_ft"]) == (1500, None)
    # The keyboard alone does the same: corners as text, a circle by a button.
    stage.go(f"alerts?tab=geofences&id={fence['id']}")
    stage.shows("document.querySelector('textarea')?.value.split('\\n').length === 8")
    fill(stage, "textarea", "47, 8\n47, x")
    assert "Line 2" in stage.shows("document.querySelector('.field-fault')?.textContent")
    fill(stage, "textarea", "46, 6\n46, 12\n50, 8")
    stage.press("Circle around the station")
    stage.press("Save")
    stage.shows("document.querySelector('sw-geofences .cards') !== null")
    changed = api.get(f"/alerts/geofences/{fence['id']}").json()["geometry"]
    assert changed["type"] == "Polygon"
    assert [len(ring) for ring in changed["coordinates"]] == [4, 49], "the circle lies within the triangle"


def test_a_secret_is_shown_once_and_a_test_says_whether_it_arrived(stage):
    stage.sign_in("operator")
    stage.go("alerts?tab=channels&id=new")
    stage.press("Webhook")
    fill(stage, "input[name=name]", "Desk")
    fill(stage, "input[name=address]", "http://127.0.0.1:9/nobody")
    stage.press("Save")
    secret = stage.shows("document.querySelector('.secret')?.textContent")
    assert secret.startswith("whsec_")
    stage.press("Send a test")
    assert stage.shows("document.querySelector('.cards .tag.danger')?.textContent") == "not delivered"
    stage.go("alerts?tab=channels")
    stage.shows("document.querySelector('sw-channels .cards') !== null")
    assert secret not in stage.page.run("return document.documentElement.outerHTML + JSON.stringify(localStorage)")
    assert "nobody" not in stage.text("sw-channels"), "the address is shown as scheme and host"
    api = stage.api("operator")
    channel = api.get("/alerts/channels").json()["channels"][0]["id"]
    rule = {"name": "Sent", "conditions": EVERYTHING, "count": {"op": "ge", "value": 1}, "channels": [channel]}
    made = api.post("/alerts/rules", json={**rule, "for_s": 0}).json()
    until(lambda: api.get("/alerts/deliveries").json()["count"] > 0)
    stage.press("Deliveries")
    stage.shows("document.querySelector('sw-deliveries .cards')?.textContent.includes('Desk')")
    api.delete(f"/alerts/rules/{made['id']}")


def sources(stage):
    """What a new channel of whoever is signed in may subscribe to."""
    stage.go("alerts?tab=channels&id=new")
    stage.press("Webhook")
    stage.page.run("document.querySelector('sw-channels details').open = true")
    return stage.page.run(
        "return [...document.querySelectorAll('sw-channels .checks label')].map(l => l.innerText.trim())"
    )


def test_administrators_alone_are_offered_the_state_of_the_service(stage):
    stage.sign_in("operator")
    assert sources(stage) == ["The week in summary", "Cannonball", "Safety"]
    stage.sign_in("superadmin")
    assert sources(stage) == ["The week in summary", "State of the service", "Cannonball", "Safety"]
    fill(stage, "input[name=name]", "Duty")
    fill(stage, "input[name=address]", "http://127.0.0.1:9/nobody")
    stage.page.run("document.querySelectorAll('sw-channels .checks input')[1].click()")
    stage.press("Save")
    stage.shows("document.querySelector('.secret')?.textContent")
    api = stage.api("superadmin")
    [channel] = [c for c in api.get("/alerts/channels").json()["channels"] if c["name"] == "Duty"]
    assert channel["sources"] == ["system"]


def test_who_may_only_look_is_offered_nothing_else(stage):
    api = stage.api("operator")
    shared = {"name": "For all", "conditions": NOBODY, "visibility": "shared"}
    made = api.post("/alerts/rules", json=shared).json()
    stage.sign_in("viewer")
    stage.go("alerts?tab=rules")
    stage.shows("document.querySelector('sw-alert-rules .cards')?.textContent.includes('For all')")
    changes = {"New rule", "Edit", "Delete", "Follow", "Import a file", "New geofence", "New channel", "New secret"}
    for tab in ("rules", "geofences", "watchlists", "channels", "deliveries"):
        stage.go(f"alerts?tab={tab}")
        stage.shows(f"document.querySelector('#tab-{tab}[aria-selected=true]') !== null")
        stage.shows("document.querySelector('[role=tabpanel]').innerText.length > 20")
        assert changes & set(stage.offers()) == set(), tab
    api.delete(f"/alerts/rules/{made['id']}")


def test_the_keyboard_alone_walks_through_the_parts(stage):
    stage.sign_in("operator")
    stage.go("alerts")
    stage.shows("document.querySelector('#tab-history') !== null")
    stage.page.run("document.querySelector('#tab-history').focus()")
    for tab in ("rules", "geofences", "watchlists"):
        stage.page.keys("\ue014")  # Arrow right
        stage.shows(f"document.activeElement.id === 'tab-{tab}'")
    stage.shows("document.querySelector('sw-watchlists button') !== null")
    stage.page.keys("\ue004\ue007")  # Tab, Enter: the button of the part
    stage.shows("location.hash === '#/alerts?tab=watchlists&id=new'")
