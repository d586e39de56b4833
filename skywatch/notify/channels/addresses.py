"""Addresses of channels: their form by kind, and the part that may be shown."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from skywatch.core.database.columns import UNREADABLE
from skywatch.core.network.targets import NOT_ALLOWED, AddressRefused, TargetPolicy, read_url
from skywatch.notify.senders.apprise_urls import check_apprise_url
from skywatch.notify.settings import NotifySettings
from skywatch.notify.vocabulary import ChannelKind

MAX_TOPIC = 200
_TOPIC = re.compile(r"[^/+#$\x00-\x20\x7f][^/+#\x00-\x1f\x7f]*(/[^/+#\x00-\x1f\x7f]+)*")
# Apprise services whose host is a server; for all others it is part of a secret.
_SERVERS = frozenset({"gotify", "gotifys", "mailto", "mailtos", "matrix", "matrixs", "mmost", "mmosts", "rocket"})


def check_address(kind: str, address: str, settings: NotifySettings) -> str | None:
    """The fault of a channel's address, or None; host names are resolved only when something is sent."""
    policy = TargetPolicy(settings.notify_allow_networks)
    if kind == ChannelKind.WEB_PUSH:
        return "must be empty: the channel reaches the browsers that have subscribed" if address else None
    if not address:
        return "is needed"
    try:
        if kind == ChannelKind.WEBHOOK:
            policy.check_host(read_url(address).host)
        elif kind == ChannelKind.APPRISE:
            return check_apprise_url(address, settings.notify_apprise_schemes, policy)
    except AddressRefused:
        return NOT_ALLOWED
    if kind == ChannelKind.MQTT:
        if not settings.notify_mqtt_url:
            return "cannot be used: this installation has no MQTT broker (setting notify_mqtt_url)"
        if len(address) > MAX_TOPIC or not _TOPIC.fullmatch(address):
            return "must be an MQTT topic without wildcards such as kitchen/display"
    return None


def shown_address(kind: str, address: str) -> str:
    """The part of an address that may be shown: the scheme, and the host unless it is a secret itself."""
    if kind == ChannelKind.MQTT:
        return f"mqtt:{address}"
    if kind == ChannelKind.WEB_PUSH:
        return "web_push"
    if address == UNREADABLE:
        return f"{kind}: cannot be read"
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return kind
    if kind == ChannelKind.APPRISE and parts.scheme.lower() not in _SERVERS:
        return f"{parts.scheme.lower()}://"
    return f"{parts.scheme.lower()}://{f'[{host}]' if ':' in host else host}"
