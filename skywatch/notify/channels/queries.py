"""Queries of users' channels for features that refer to channels or send to them."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.notify.models import Channel


def foreign_channels(session: Session, user_id: int, channel_ids: Iterable[int]) -> list[int]:
    """The given channels that are not the user's own or do not exist, in the given order."""
    ids = list(dict.fromkeys(channel_ids))
    if not ids:
        return []
    own = set(session.scalars(sa.select(Channel.id).where(Channel.user_id == user_id, Channel.id.in_(ids))))
    return [channel_id for channel_id in ids if channel_id not in own]


def channels_for_source(session: Session, user_ids: Iterable[int], source: str) -> dict[int, tuple[int, ...]]:
    """For each user the enabled channels subscribed to a source (``cannonball``, ``safety``)."""
    channels_by_user: dict[int, tuple[int, ...]] = dict.fromkeys(user_ids, ())
    for channel in session.scalars(
        sa.select(Channel).where(Channel.user_id.in_(channels_by_user), Channel.enabled).order_by(Channel.id)
    ):
        if source in channel.sources:
            channels_by_user[channel.user_id] += (channel.id,)
    return channels_by_user


def subscribers_of(session: Session, source: str) -> dict[int, tuple[int, ...]]:
    """All users with enabled channels that subscribe to a source, with those channels: for events without an owner."""
    channels_by_user: dict[int, tuple[int, ...]] = {}
    for channel in session.scalars(sa.select(Channel).where(Channel.enabled).order_by(Channel.id)):
        if source in channel.sources:
            channels_by_user[channel.user_id] = (*channels_by_user.get(channel.user_id, ()), channel.id)
    return channels_by_user
