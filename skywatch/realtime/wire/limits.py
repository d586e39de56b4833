"""Limits that protect clients from each other: times, sizes, message rates."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.realtime.settings import RealtimeSettings


@dataclass(frozen=True)
class Limits:
    """The limits of one client, from the settings."""

    connections: int
    message_bytes: int
    messages_per_s: float
    queue_frames: int
    queue_bytes: int
    # Longest time from the open WebSocket to the credential (s).
    connect_s: float = 10.0
    # Longest time from a ping to its answer (s).
    pong_s: float = 20.0
    # Longest time a client may leave data unread (s).
    stall_s: float = 30.0

    @classmethod
    def of(cls, settings: RealtimeSettings) -> Limits:
        """The limits that the settings name."""
        return cls(
            connections=settings.realtime_max_connections,
            message_bytes=settings.realtime_max_message_bytes,
            messages_per_s=settings.realtime_messages_per_s,
            queue_frames=settings.realtime_queue_events,
            queue_bytes=settings.realtime_queue_bytes,
        )
