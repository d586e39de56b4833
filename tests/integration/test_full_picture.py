"""Somebody transmits invented addresses to the antenna until the picture is full: real aircraft still enter it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request

from tests.feeds import FeedServer
from tests.processes import Service
from tests.waiting import until

MAXIMUM = 100
ESTABLISHED, NEW = [f"4b16{n:02x}" for n in range(20)], [f"3c65{n:02x}" for n in range(10)]
INVENTED = [f"80{n:04x}" for n in range(MAXIMUM)]
SECONDS = 600


def line(address):
    return f"MSG,3,1,1,{address.upper()},1,,,,,,36000,,,47.5,8.5,,,0,0,0,0\r\n".encode()


def played():
    """Established aircraft every second, from 5 s on invented addresses each 8 s, from 12 s on new aircraft."""
    for half_second in range(2 * SECONDS):
        at = half_second / 2
        addresses = ESTABLISHED if half_second % 2 else []
        if at == 5.5:
            addresses = [*addresses, *INVENTED]
        if at >= 6:
            addresses = [*addresses, *INVENTED[half_second % 16 :: 16]]
        if at >= 12:
            addresses = [*addresses, *NEW]
        yield at, b"".join(map(line, addresses))


def test_aircraft_enter_a_picture_that_invented_addresses_fill(tmp_path):
    feed = FeedServer(list(played()))
    settings = {"receiver__antenna": f"sbs 127.0.0.1:{feed.port}", "picture_max_aircraft": MAXIMUM}
    service = Service(tmp_path, bus="memory", **settings).init().start()

    def fault():
        try:
            health = service.get("/api/v1/system/health")
        except urllib.error.HTTPError as error:
            health = json.load(error)
        return "".join(check["detail"] for check in health["checks"] if check["name"] == "picture" and not check["ok"])

    try:
        until(lambda: feed.accepted, "the connection to the antenna")
        feed.play()
        until(lambda: set(ESTABLISHED) <= service.aircraft().keys(), "the established aircraft")
        until(lambda: fault().startswith(f"full: {MAXIMUM} aircraft"), "a full picture in health")
        until(lambda: set(NEW) <= service.aircraft().keys(), "the new aircraft")
        assert set(ESTABLISHED) <= service.aircraft().keys()
        assert len(service.aircraft()) <= MAXIMUM
    finally:
        service.stop()
        feed.close()
