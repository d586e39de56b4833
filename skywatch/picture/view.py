"""``View``: what one receiver knows of one aircraft, gathered from the single messages it hands on.

A receiver whose reports are snapshots needs none of this: its last report is its view.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from skywatch.picture.fields import AIRFRAME_FIELDS, LIFETIME_S, STALE_S, trust
from skywatch.receivers.report import Report

# What is taken over from messages; times, counts and the source have rules of their own.
FIELDS: tuple[str, ...] = (*LIFETIME_S, *AIRFRAME_FIELDS)


class Heard(msgspec.Struct, array_like=True, gc=False):
    """When a field was last heard (unix s) and from how trusted a source.

    ``frames`` counts the messages that carried it, where that matters (resolution advisories).
    """

    at: float
    trust: int
    frames: int = 0


class View(Report, gc=False):
    """A report that grew from increments; ``heard`` has an entry for each field that ages."""

    heard: dict[str, Heard] = msgspec.field(default_factory=dict)
    type_at: float = 0.0
    expires_at: float = float("inf")  # no field expires before


def view_of(address: str) -> View:
    """A view that knows nothing yet."""
    return View(address, messages=0, heard={})


def absorb(view: View, said: Report) -> None:
    """Take over what one message said, field by field, where nothing fresher or more trusted is known."""
    at = said.at
    level = trust(said.type)
    heard = view.heard
    for name in FIELDS:
        value = getattr(said, name)
        if value is UNSET:
            continue
        before = heard.get(name)
        if before is not None:
            if at < before.at or (level > before.trust and at - before.at <= STALE_S):
                continue
            before.at = at
            before.trust = level
        elif name in LIFETIME_S:
            heard[name] = Heard(at, level)
            view.expires_at = min(view.expires_at, at + LIFETIME_S[name])
        setattr(view, name, value)
    if said.acas_ra is not UNSET and "acas_ra" in heard:
        heard["acas_ra"].frames += 1
    if said.lat is not UNSET:
        position = heard.get("lat")
        if position is not None and position.at == at:
            view.position_at = said.position_at or at
    if level <= trust(view.type) or view.type is UNSET or at - view.type_at > STALE_S:
        view.type, view.type_at = said.type, at
    view.at = max(view.at, at)
    if said.rssi is not UNSET:
        view.rssi = said.rssi
    view.messages = (view.messages or 0) + (1 if said.messages is UNSET else said.messages)


def expire(view: View, now: float) -> None:
    """Forget the fields whose lifetime has passed."""
    if now < view.expires_at:
        return
    view.expires_at = float("inf")
    for name, heard in list(view.heard.items()):
        expires_at = heard.at + LIFETIME_S[name]
        if expires_at <= now:
            setattr(view, name, UNSET)
            del view.heard[name]
        elif expires_at < view.expires_at:
            view.expires_at = expires_at
