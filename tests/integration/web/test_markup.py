"""What others write is shown as text: registrations, ACARS messages, and names that stand in settings."""

from __future__ import annotations

import json
import os
import socket
import time

from tests.ports import free_port
from tests.waiting import until

HEX, CALLSIGN, REGISTRATION = "a6b1c2", "<B>X</B>", "<I>Y</I>"
EVIL = "<img src=x onerror=hacked=1>"
RECEIVER = "<i>roof"
# Elements that are there only where one of these texts was read as markup.
MARKUP = """
return [...document.querySelectorAll('img[src="x"], b, i')]
  .filter((one) => one.tagName === 'IMG' || ['X', 'Y', 'roof'].includes(one.textContent)).length + (window.hacked ?? 0)
"""


class Feed:
    """A receiver's file with one aircraft, and a station that hears its messages."""

    def __init__(self, folder):
        self.path = folder / "aircraft.json"
        self.port = free_port()
        self.write()

    def write(self):
        now = time.time()
        aircraft = {
            "hex": HEX, "flight": CALLSIGN, "r": REGISTRATION, "desc": EVIL, "ownOp": EVIL, "alt_baro": 9000,
            "lat": 47.46, "lon": 8.57, "seen": 0.1, "seen_pos": 0.1,
        }  # fmt: skip
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps({"now": now, "messages": int(now), "aircraft": [aircraft]}))
        os.replace(fresh, self.path)

    def send(self):
        message = {
            "timestamp": time.time(), "station_id": "ROOF", "freq": 131.55, "label": "80", "block_id": "1",
            "tail": "N520PD", "hex": HEX.upper(), "flight": CALLSIGN, "text": EVIL,
        }  # fmt: skip
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(json.dumps(message).encode(), ("127.0.0.1", self.port))

    def until(self, condition, what):
        """Wait while the aircraft is received again and again."""

        def met():
            self.write()
            return condition()

        return until(met, what)


def test_markup_in_registrations_messages_and_names_is_shown_as_text(page, service, tmp_path):
    feed = Feed(tmp_path)
    settings = {f"receiver__{RECEIVER}": f"readsb {feed.path}", "acars__vhf": f"udp 127.0.0.1:{feed.port}"}
    house = service(**settings).start()

    def received():
        feed.send()
        return house.get("/api/v1/acars/messages")["count"]

    feed.until(received, "the message")

    def shows(selector, *texts):
        script = f"return document.querySelector({json.dumps(selector)})?.textContent ?? ''"
        feed.until(lambda: all(text in page.run(script) for text in texts), f"{selector}: {texts}")
        assert page.run(MARKUP) == 0, selector

    page.media(prefers_reduced_motion="reduce")
    page.visit(house, f"/#/map?hex={HEX}")
    shows(".panel", REGISTRATION, EVIL, RECEIVER)
    shows(".panel .acars-text", EVIL)
    page.run("location.hash = '#/acars'")
    shows("sw-acars .acars-text", EVIL)
    page.run("location.hash = '#/stats'")
    shows("sw-stats", RECEIVER)
    # A callsign of letters, digits and hyphens alone gets in.
    (receiver,) = (one for one in house.get("/api/v1/system/receivers")["receivers"] if one["name"] == RECEIVER)
    assert receiver["invalid"]["flight"] > 0
    assert "flight" not in house.aircraft()[HEX]
