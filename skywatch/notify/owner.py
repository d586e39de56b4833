"""The caller of the resources of channels and deliveries."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.http.clients.audit import actor_of
from skywatch.http.requests.request import Request
from skywatch.notify.area import MANAGE_ALL
from skywatch.notify.settings import NotifySettings


@dataclass(frozen=True)
class Owner:
    """The caller: user id (None: anonymous), and whether they manage the channels of others."""

    user_id: int | None
    manages: bool
    military: bool
    actor: audit.Actor


def owner_of(request: Request) -> Owner:
    """The caller as an owner; an anonymous one owns nothing."""
    identity, actor = request.identity, actor_of(request)
    manages = MANAGE_ALL in request.visibility.manages
    if identity is None:
        return Owner(None, False, request.visibility.military, actor)
    return Owner(identity.user_id, manages, request.visibility.military, actor)


def user_of(request: Request) -> int:
    """The caller's user id; raises Problem (401)."""
    if request.identity is None:
        raise Problem("authentication_required")
    user_id: int = request.identity.user_id
    return user_id


def settings_of(request: Request) -> NotifySettings:
    """The settings of notifications that are in force."""
    settings: NotifySettings = request.runtime.current.of(NotifySettings)
    return settings
