"""Browsers subscribed to Web Push: each belongs to one user and is identified by its endpoint."""

from __future__ import annotations

import hashlib
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.database.columns import UNREADABLE
from skywatch.core.network.targets import NOT_ALLOWED, AddressRefused, TargetPolicy, read_literal, read_url
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.core.storage import audit
from skywatch.http.resources.answer import answer
from skywatch.notify.models import BrowserSubscription, Channel
from skywatch.notify.push.encryption import decode
from skywatch.notify.schemas import BrowserRecord, NewBrowserFields
from skywatch.notify.settings import NotifySettings
from skywatch.notify.vocabulary import ChannelKind, ChannelState
from skywatch.sentences import sentence

MAX_BROWSERS = 20
AUTH_BYTES = 16


def find_browsers(session: Session, user_id: int | None) -> list[BrowserSubscription]:
    """A user's browsers."""
    query = sa.select(BrowserSubscription).where(BrowserSubscription.user_id == user_id)
    return list(session.scalars(query.order_by(BrowserSubscription.id)))


def subscribe(
    session: Session, user_id: int, actor: audit.Actor, settings: NotifySettings, fields: NewBrowserFields
) -> BrowserSubscription:
    """Store a browser's subscription; one with the same endpoint is replaced. Raises Problem (400, 409).

    A browser that repeats its subscription leaves no audit entry.
    """
    endpoint, keys = fields.endpoint, fields.keys
    faults = {
        **_endpoint_fault(endpoint, settings),
        **_key_faults(keys["p256dh"], keys["auth"]),
    }
    if faults:
        raise invalid_fields(faults)
    digest = hashlib.sha256(endpoint.encode()).hexdigest()
    row = session.scalar(sa.select(BrowserSubscription).where(BrowserSubscription.endpoint_hash == digest))
    if row is None:
        count = session.scalar(
            sa.select(sa.func.count()).select_from(BrowserSubscription).where(BrowserSubscription.user_id == user_id)
        )
        if (count or 0) >= MAX_BROWSERS:
            raise Problem(
                "conflict",
                sentence(
                    "notify.browser_quota", "A user has at most {most} browsers; remove one first.", most=MAX_BROWSERS
                ),
            )
        row = BrowserSubscription(endpoint_hash=digest)
        session.add(row)
    before = (row.user_id, row.public_key, row.auth_secret)
    # A browser shared by several users belongs to the last who subscribed.
    row.user_id, row.name, row.endpoint = user_id, fields.name, endpoint
    row.public_key, row.auth_secret = keys["p256dh"].rstrip("="), keys["auth"].rstrip("=")
    session.flush()
    if before != (row.user_id, row.public_key, row.auth_secret):
        audit.record(session, actor, "browser.subscribed", _target(row), after=_audited(row))
    session.execute(
        sa.update(Channel)
        .where(Channel.user_id == user_id, Channel.kind == ChannelKind.WEB_PUSH.value)
        .where(Channel.state == ChannelState.DISABLED.value)
        .values(state=ChannelState.HEALTHY.value, failures=0, last_error=None)
    )
    return row


def unsubscribe(session: Session, user_id: int | None, actor: audit.Actor, browser_id: int) -> None:
    """Delete a browser's subscription; raises Problem (404)."""
    row = session.scalar(
        sa.select(BrowserSubscription).where(
            BrowserSubscription.id == browser_id, BrowserSubscription.user_id == user_id
        )
    )
    if row is None:
        raise not_found(sentence("thing.browser", "browser"))
    audit.record(session, actor, "browser.unsubscribed", _target(row), before=_audited(row))
    session.delete(row)


def browser_answer(row: BrowserSubscription) -> dict[str, Any]:
    """A browser without its keys and with only the host of its endpoint, since whoever has the endpoint can send."""
    return answer(BrowserRecord, row, service=_service_of(row))


def _service_of(row: BrowserSubscription) -> str:
    return "" if row.endpoint == UNREADABLE else str(read_url(row.endpoint).host)


def _audited(row: BrowserSubscription) -> dict[str, Any]:
    return {"user_id": row.user_id, "name": row.name, "service": _service_of(row)}


def _target(row: BrowserSubscription) -> audit.Target:
    return audit.Target("browser", row.id, row.name)


def _endpoint_fault(endpoint: str, settings: NotifySettings) -> dict[str, str]:
    policy = TargetPolicy(settings.allowed_networks)
    try:
        url = read_url(endpoint)
        policy.check_host(url.host)
        # Plain HTTP only to an address that the administrator has allowed by its network.
        if url.scheme != "https" and (read_literal(url.host) is None or not settings.allowed_networks):
            raise AddressRefused
    except AddressRefused:
        return {"endpoint": NOT_ALLOWED}
    return {}


def _key_faults(public_key: str, auth_secret: str) -> dict[str, str]:
    from cryptography.hazmat.primitives.asymmetric import ec

    faults: dict[str, str] = {}
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decode(public_key))
    except ValueError:
        faults["keys.p256dh"] = sentence("notify.public_key", "must be a point of the curve P-256 in base64url")
    try:
        if len(decode(auth_secret)) != AUTH_BYTES:
            raise ValueError
    except ValueError:
        faults["keys.auth"] = sentence("notify.auth_secret", "must be 16 bytes in base64url")
    return faults
