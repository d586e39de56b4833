"""Ready-made lines: what a person enters so that readsb, ultrafeeder or ``socat`` feeds this service."""

from __future__ import annotations

from urllib.parse import urlsplit

from skywatch.feeders.settings import parse_feeders_address
from skywatch.inputs.options import join_address

# Seconds until readsb connects again: a quarter of what it waits by itself.
RECONNECT_S = 5
# Where readsb and dump1090 serve plain Beast.
LOCAL_BEAST_PORT = 30005


def endpoint_of(feeders_address: str, base_url: str, receivers: dict[str, str]) -> tuple[str, int] | None:
    """Host and port that feeders connect to; None where nothing listens for Beast.

    The host is that of the setting, else that of ``base_url``. The port is the setting's, which names a proxy before
    the listeners, else that of the first listener for Beast.
    """
    host, proxied = parse_feeders_address(feeders_address)
    port = beast_port(receivers)
    if port is None:
        return None
    return host or urlsplit(base_url).hostname or "localhost", proxied or port


def beast_port(receivers: dict[str, str]) -> int | None:
    """The port of the first listener for Beast among the settings ``receiver.*``; None without one."""
    for text in receivers.values():
        words = text.split()
        if len(words) < 2 or words[0] != "listen":
            continue
        formats = [word.removeprefix("format=") for word in words[2:] if word.startswith("format=")]
        port = words[1].rpartition(":")[2]
        if (not formats or formats[-1] == "beast") and port.isdecimal():
            return int(port)
    return None


def lines_of(host: str, port: int, uuid: str) -> dict[str, str]:
    """The line for each program; ``uuid`` is written with hyphens."""
    address = join_address(host, port)
    bracketed = address.rpartition(":")[0]
    return {
        "readsb": f"--net-connector={host},{port},beast_reduce_plus_out,uuid={uuid}"
        f" --net-connector-delay={RECONNECT_S}",
        "ultrafeeder": f"adsb,{host},{port},beast_reduce_plus_out,uuid={uuid}",
        "socat": f"while :; do (printf '\\032\\344{uuid}'; exec socat -u TCP:localhost:{LOCAL_BEAST_PORT} -)"
        f" | socat -u - TCP:{bracketed}:{port}; sleep {RECONNECT_S}; done",
    }
