"""Which channels a user has: what features ask when they name channels or send to them."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.notify.models import Channel


def foreign_channels(session: Session, user_id: int, channel_ids: Iterable[int]) -> list[int]:
    """Those of the channels that are not the user's own or do not exist, in the order they were named."""
    asked = list(dict.fromkeys(channel_ids))
    if not asked:
        return []
    own = set(session.scalars(sa.select(Channel.id).where(Channel.user_id == user_id, Channel.id.in_(asked))))
    return [channel_id for channel_id in asked if channel_id not in own]


def channels_for_source(session: Session, user_ids: Iterable[int], source: str) -> dict[int, tuple[int, ...]]:
    """For each user the enabled channels that want a source (``cannonball``, ``safety``) without any rule."""
    wanted: dict[int, tuple[int, ...]] = dict.fromkeys(user_ids, ())
    for channel in session.scalars(
        sa.select(Channel).where(Channel.user_id.in_(wanted), Channel.enabled).order_by(Channel.id)
    ):
        if source in channel.sources:
            wanted[channel.user_id] += (channel.id,)
    return wanted


def subscribers_of(session: Session, source: str) -> dict[int, tuple[int, ...]]:
    """The users whose enabled channels want a source that belongs to nobody in particular, with those channels."""
    wanted: dict[int, tuple[int, ...]] = {}
    for channel in session.scalars(sa.select(Channel).where(Channel.enabled).order_by(Channel.id)):
        if source in channel.sources:
            wanted[channel.user_id] = (*wanted.get(channel.user_id, ()), channel.id)
    return wanted
