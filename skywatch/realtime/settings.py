"""The settings of the real-time channel."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class RealtimeSettings(Settings):
    """The settings of the real-time channel."""

    realtime_compression: bool = setting(
        False, "offer permessage-deflate; each frame is compressed once for all who share it"
    )
    realtime_heartbeat_s: float = setting(25.0, "interval of pings to a silent client (s)", minimum=1, maximum=300)
    realtime_max_connections: int = setting(
        10_000, "largest number of connections to one process", minimum=1, maximum=100_000
    )
    realtime_connections_per_address: int = setting(
        200,
        "largest number of connections from one client address (IPv6: one /64); one IPv6 /48 has four times as many, at"
        " most half of realtime_max_connections",
        minimum=1,
        maximum=100_000,
    )
    realtime_connections_per_user: int = setting(
        50, "largest number of connections of one user", minimum=1, maximum=100_000
    )
    realtime_messages_per_s: float = setting(
        20.0, "message rate limit of a client (per second; twice that in a burst)", minimum=1, maximum=10_000
    )
    realtime_snapshots_per_s: float = setting(
        4.0,
        "whole pictures that one person receives as snapshots (per second; 15 times that in a burst);"
        " parts count as parts",
        minimum=0.1,
        maximum=10_000,
    )
    realtime_max_message_bytes: int = setting(
        65_536, "largest message a client may send (bytes)", minimum=1024, maximum=16_777_216
    )
    realtime_queue_events: int = setting(
        256,
        "largest number of queued writes to a slow client, above which it is closed (4008)",
        minimum=8,
        maximum=100_000,
    )
    realtime_queue_bytes: int = setting(
        4_194_304,
        "largest size of queued writes to a slow client, above which it is closed (bytes; 4008)",
        minimum=65_536,
        maximum=1_073_741_824,
    )
    realtime_return_s: float = setting(
        10.0, "time over which clients return after a stop, at random (s)", minimum=0, maximum=600
    )
    retention_events_hours: float = setting(
        24.0,
        "retention of events, from which processes read what they missed on the bus (h)",
        minimum=1,
        maximum=8760,
        stored=True,
    )
