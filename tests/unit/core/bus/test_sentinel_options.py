"""What a client is given that Sentinel leads to the master."""

from __future__ import annotations

import pytest

from skywatch.core.bus import BusError, open_bus
from skywatch.core.bus.redis import bus as redis_bus


class Led(Exception):
    """The master was asked for."""


@pytest.mark.parametrize(("scheme", "is_tls"), [("redis+sentinel", False), ("rediss+sentinel", True)])
def test_the_master_is_spoken_to_as_the_address_says(monkeypatch, scheme, is_tls):
    given = {}

    class Sentinel:
        def __init__(self, hosts, sentinel_kwargs, **kw):
            given.update(kw, hosts=hosts, of_sentinel=sentinel_kwargs)

        def master_for(self, service):
            given["service"] = service
            raise Led

    monkeypatch.setattr(redis_bus, "Sentinel", Sentinel)
    with pytest.raises((Led, BusError)):
        open_bus(f"{scheme}://ada:secret@10.0.0.1:26379,10.0.0.2:26379/sky/3?sentinel_password=other")
    assert given["hosts"] == [("10.0.0.1", 26379), ("10.0.0.2", 26379)]
    assert (given["service"], given["db"], given["username"], given["password"]) == ("sky", 3, "ada", "secret")
    assert (given.get("ssl", False), given["of_sentinel"].get("ssl", False)) == (is_tls, is_tls)
    assert given["of_sentinel"]["password"] == "other"
