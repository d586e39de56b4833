"""The settings of notifications."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from skywatch.core.network.certificates import Trust, read_trust
from skywatch.settings import RETENTION_DAYS, RETENTION_MB, Settings, setting
from skywatch.settings.kinds import parse_networks

# Apprise services on the internet, and self-hosted ones. None that acts on this machine (dbus, syslog, macosx,
# windows) and none that posts to arbitrary addresses (json, xml, form, apprise).
DEFAULT_SCHEMES = (
    "discord",
    "gchat",
    "gotify",
    "gotifys",
    "mailto",
    "mailtos",
    "matrix",
    "matrixs",
    "mmost",
    "mmosts",
    "msteams",
    "ntfy",
    "ntfys",
    "opsgenie",
    "pagerduty",
    "pbul",
    "pover",
    "rocket",
    "rockets",
    "signal",
    "signals",
    "slack",
    "tgram",
    "zulip",
)


def parse_schemes(text: str) -> tuple[str, ...]:
    """Apprise schemes, separated by spaces or commas."""
    schemes = tuple(item.lower() for item in re.split(r"[\s,]+", text) if item)
    for scheme in schemes:
        if not re.fullmatch(r"[a-z][a-z0-9]*", scheme):
            raise ValueError(f"{scheme} is not the name of an Apprise scheme such as ntfys")
    return schemes


def parse_mqtt_url(text: str) -> str:
    """``mqtt://`` or ``mqtts://`` with optional user, password, port and ``?ca=FILE&fingerprint=SHA256``; or empty."""
    parts = urlsplit(text)
    port = parts.port  # Raises ValueError for an invalid port.
    if text and (parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path.strip("/") or port == 0):
        raise ValueError("expected mqtt://host:1883 or mqtts://user:password@host:8883")
    broker_trust(text)
    return text


def broker_trust(url: str) -> Trust:
    """Which certificate the broker may have; raises ValueError with a reason for people."""
    options = dict(parse_qsl(urlsplit(url).query, keep_blank_values=True))
    if options.keys() - {"ca", "fingerprint"}:
        raise ValueError("after the ? may stand ca=FILE and fingerprint=SHA256")
    return read_trust(options.get("ca"), options.get("fingerprint"), url)


def parse_topic(text: str) -> str:
    """An MQTT topic without wildcards and empty levels."""
    if not re.fullmatch(r"[^\s/+#$\x00][^\s/+#\x00]*(/[^\s/+#\x00]+)*", text) or len(text) > 100:
        raise ValueError("expected an MQTT topic such as skywatch or house/skywatch")
    return text


@dataclass(frozen=True, kw_only=True)
class NotifySettings(Settings):
    """Channels, deliveries and the broker of the installation."""

    notify_allow_networks: tuple[str, ...] = setting(
        (),
        "private networks that users' channels may reach, such as 192.168.1.0/24",
        parse=parse_networks,
    )
    notify_own_networks: tuple[str, ...] = setting(
        (),
        "private networks of this machine that an administrator has allowed in the console, beside "
        "notify_allow_networks",
        parse=parse_networks,
        stored=True,
    )
    notify_apprise_schemes: tuple[str, ...] = setting(
        DEFAULT_SCHEMES, "Apprise services that users may choose, by their scheme", parse=parse_schemes
    )
    notify_mqtt_url: str = setting(
        "", "MQTT broker of the installation: mqtt://host:1883 or mqtts://user:password@host:8883",
        secret=True, parse=parse_mqtt_url,
    )  # fmt: skip
    notify_mqtt_prefix: str = setting("skywatch", "prefix of Skywatch's MQTT topics", parse=parse_topic)
    notify_ha_discovery_prefix: str = setting(
        "homeassistant", "prefix of Home Assistant's MQTT discovery topics", parse=parse_topic
    )
    notify_push_contact: str = setting(
        "", "contact of the administrator for push services: mailto:somebody@example.org or an https:// address"
    )
    retention_deliveries_days: float = setting(
        30.0, "retention of delivered and dead notifications (days; 0: unlimited)", **RETENTION_DAYS
    )
    retention_deliveries_mb: float = setting(
        0.0, "largest size of delivered and dead notifications (MB; 0: unlimited)", **RETENTION_MB
    )

    @property
    def allowed_networks(self) -> tuple[str, ...]:
        """The private networks that channels may reach."""
        return tuple(dict.fromkeys((*self.notify_allow_networks, *self.notify_own_networks)))
