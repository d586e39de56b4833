"""The rules of channels: validation, representation and visibility."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.columns import UNREADABLE
from skywatch.core.network.targets import NOT_ALLOWED, AddressRefused, TargetPolicy, read_url
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.core.storage import audit
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import UNSET
from skywatch.notify.models import Channel, Delivery
from skywatch.notify.owner import Owner
from skywatch.notify.schemas import ChannelChangesFields, ChannelRecord, NewChannelFields
from skywatch.notify.senders.apprise_urls import check_apprise_url
from skywatch.notify.senders.signatures import new_secret
from skywatch.notify.settings import NotifySettings
from skywatch.notify.vocabulary import OPEN_STATES, ChannelKind, ChannelState, DeliveryState
from skywatch.sentences import sentence

MAX_CHANNELS = 20
OVERLAP = timedelta(hours=24)
SWITCHED_OFF = sentence("notify.channel_off", "The channel is switched off.")
PLAIN_FIELDS = ("name", "enabled", "minimum_priority", "rate_per_minute", "digest_s", "send_cleared", "sources")


def find_channels(session: Session, owner: Owner, filters: Mapping[str, Any]) -> tuple[list[Channel], int]:
    """A page of the channels visible to the caller, and the count of all."""
    where = [_visible(owner)]
    if filters["kind"] is not None:
        where.append(Channel.kind == filters["kind"])
    if filters["state"] is not None:
        where.append(Channel.state == filters["state"])
    if filters["user"] is not None:
        where.append(Channel.user_id == filters["user"])
    count = session.scalar(sa.select(sa.func.count()).select_from(Channel).where(*where)) or 0
    query = sa.select(Channel).where(*where).order_by(Channel.id).offset(filters["offset"]).limit(filters["limit"])
    return list(session.scalars(query)), count


def get_channel(session: Session, owner: Owner, channel_id: int) -> Channel:
    """A channel; raises Problem (404) if it does not exist or is not the caller's."""
    channel = session.scalar(sa.select(Channel).where(Channel.id == channel_id, _visible(owner)))
    if channel is None:
        raise not_found(sentence("thing.channel", "channel"))
    return channel


def create_channel(session: Session, owner: Owner, settings: NotifySettings, fields: NewChannelFields) -> Channel:
    """A new channel of the caller's own; raises Problem (400, 409)."""
    if owner.user_id is None:
        raise Problem("authentication_required")
    fault = check_address(fields.kind, fields.address, settings)
    if fault:
        raise invalid_fields({"address": fault})
    count = session.scalar(sa.select(sa.func.count()).select_from(Channel).where(Channel.user_id == owner.user_id))
    if (count or 0) >= MAX_CHANNELS:
        raise Problem(
            "conflict",
            sentence(
                "notify.channel_quota", "A user has at most {most} channels; delete one first.", most=MAX_CHANNELS
            ),
        )
    channel = Channel(user_id=owner.user_id, kind=fields.kind, address=fields.address)
    for name in PLAIN_FIELDS:
        setattr(channel, name, getattr(fields, name))
    if channel.kind == ChannelKind.WEBHOOK:
        channel.secret = new_secret()
    session.add(channel)
    session.flush()
    audit.record(session, owner.actor, "channel.created", _target(channel), after=_audited(channel))
    return channel


def change_channel(
    session: Session, owner: Owner, settings: NotifySettings, channel_id: int, fields: ChannelChangesFields
) -> Channel:
    """Update the given fields; enabling a disabled channel makes it healthy. Raises Problem (400, 404)."""
    channel = get_channel(session, owner, channel_id)
    before = _audited(channel)
    if fields.address is not UNSET:
        fault = check_address(channel.kind, fields.address, settings)
        if fault:
            raise invalid_fields({"address": fault})
    given = fields.given()
    for name in PLAIN_FIELDS:
        if name in given:
            setattr(channel, name, given[name])
    changes = {}
    if fields.address is not UNSET and fields.address != channel.address:
        channel.address = fields.address
        # The shown part of both addresses may be the same.
        changes = {"address_changed": True}
    after = _audited(channel) | changes
    if fields.enabled and channel.state == ChannelState.DISABLED:
        channel.state, channel.failures = ChannelState.HEALTHY.value, 0
        channel.last_error = None
    if not channel.enabled:
        # Pending deliveries would be outdated when the channel is enabled again; they can be retried.
        session.execute(
            sa.update(Delivery)
            .where(Delivery.channel_id == channel.id, Delivery.state.in_(OPEN_STATES))
            .values(state=DeliveryState.DEAD.value, next_at=None, last_error=SWITCHED_OFF)
        )
    channel.updated_at = utcnow()
    audit.record(session, owner.actor, "channel.changed", _target(channel), before=before, after=after)
    return channel


def rotate_secret(session: Session, owner: Owner, channel_id: int) -> Channel:
    """Give a webhook a new secret; for a day messages are also signed with the old one. Raises Problem (404, 409)."""
    channel = get_channel(session, owner, channel_id)
    if channel.kind != ChannelKind.WEBHOOK:
        raise Problem("conflict", sentence("notify.webhooks_only", "Only webhooks have a secret."))
    channel.previous_secret, channel.secret = channel.secret, new_secret()
    channel.previous_secret_until = utcnow() + OVERLAP
    audit.record(session, owner.actor, "channel.secret_rotated", _target(channel))
    return channel


def delete_channel(session: Session, owner: Owner, channel_id: int) -> None:
    """Delete a channel with its deliveries; raises Problem (404)."""
    channel = get_channel(session, owner, channel_id)
    audit.record(session, owner.actor, "channel.deleted", _target(channel), before=_audited(channel))
    session.delete(channel)


def channel_answer(channel: Channel) -> dict[str, Any]:
    """A channel as the API returns it: no secret, and of the address only scheme and host."""
    address = shown_address(channel.kind, channel.address)
    return answer(ChannelRecord, channel, user=channel.user_id, address=address)


def _visible(owner: Owner) -> Any:
    if owner.manages:
        return sa.true()
    return sa.false() if owner.user_id is None else Channel.user_id == owner.user_id


def _audited(channel: Channel) -> dict[str, Any]:
    names = ("user_id", "kind", *PLAIN_FIELDS)
    address = shown_address(channel.kind, channel.address)
    return {**{name: getattr(channel, name) for name in names}, "address": address}


def _target(channel: Channel) -> audit.Target:
    return audit.Target("channel", channel.id, channel.name)


MAX_TOPIC = 200
_TOPIC = re.compile(r"[^/+#$\x00-\x20\x7f][^/+#\x00-\x1f\x7f]*(/[^/+#\x00-\x1f\x7f]+)*")
# Apprise services whose host is a server; for all others it is part of a secret.
_SERVERS = frozenset({"gotify", "gotifys", "mailto", "mailtos", "matrix", "matrixs", "mmost", "mmosts", "rocket"})


def check_address(kind: str, address: str, settings: NotifySettings) -> str | None:
    """The fault of a channel's address, or None; host names are resolved only when something is sent."""
    policy = TargetPolicy(settings.allowed_networks)
    if kind == ChannelKind.WEB_PUSH:
        return (
            sentence("notify.address_empty", "must be empty: the channel reaches the browsers that have subscribed")
            if address
            else None
        )
    if not address:
        return sentence("notify.address_needed", "is needed")
    try:
        if kind == ChannelKind.WEBHOOK:
            policy.check_host(read_url(address).host)
        elif kind == ChannelKind.APPRISE:
            return check_apprise_url(address, settings.notify_apprise_schemes, policy)
    except AddressRefused:
        return NOT_ALLOWED
    if kind == ChannelKind.MQTT:
        if not settings.notify_mqtt_url:
            return sentence(
                "notify.no_broker", "cannot be used: this installation has no MQTT broker (setting notify_mqtt_url)"
            )
        if len(address) > MAX_TOPIC or not _TOPIC.fullmatch(address):
            return sentence("notify.mqtt_topic", "must be an MQTT topic without wildcards such as kitchen/display")
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
