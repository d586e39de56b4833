"""``channels``: where a user's notifications go."""

from __future__ import annotations

from typing import Any

from skywatch.alerts.notifications import schemas
from skywatch.alerts.notifications.owner import owner_of, settings_of
from skywatch.http.paging import page
from skywatch.http.request import Request
from skywatch.http.service import NUMBER, ApiService
from skywatch.notify import channel_service as service
from skywatch.notify.testing import try_in_turn
from skywatch.security.permissions import Permission

VIEW, CREATE = Permission.ALERTS_VIEW, Permission.ALERTS_CREATE
EDIT, DELETE = Permission.ALERTS_EDIT, Permission.ALERTS_DELETE
BASE = "/api/v1/alerts"

channels = ApiService("alerts.channels", "/alerts/channels", feature="alerts", canonical=f"{BASE}/channels/")
channel = ApiService(
    "alerts.channel",
    f"/alerts/channels/{{id:{NUMBER}}}",
    feature="alerts",
    canonical=f"{BASE}/channels/{{id:{NUMBER}}}/",
)
channel_test = ApiService(
    "alerts.channel_test",
    f"/alerts/channels/{{id:{NUMBER}}}/test",
    feature="alerts",
    canonical=f"{BASE}/channels/{{id:{NUMBER}}}/test/",
)
channel_rotation = ApiService(
    "alerts.channel_rotation",
    f"/alerts/channels/{{id:{NUMBER}}}/rotate-secret",
    feature="alerts",
    canonical=f"{BASE}/channels/{{id:{NUMBER}}}/rotate-secret/",
)


@channels.get(permission=VIEW, query=schemas.ChannelQuery(), responses={200: schemas.ChannelList()})
def list_channels(request: Request) -> dict[str, Any]:
    """List the caller's channels

    Those who manage all alerts see everybody's.
    """
    found, count = service.find_channels(request.db, owner_of(request), request.validated["querystring"])
    return page(request, "channels", [service.shown_channel(one) for one in found], count)


@channels.post(
    permission=CREATE,
    body=schemas.NewChannel(),
    responses={201: schemas.NewChannelRecord()},
    errors=(409,),
    creates=channel,
)
def create_channel(request: Request) -> dict[str, Any]:
    """Create a channel

    The secret of a webhook is made by the service and shown in this answer only. A user has at most 20 channels.
    """
    created = service.create_channel(request.db, owner_of(request), settings_of(request), request.validated["body"])
    return {**service.shown_channel(created), "secret": created.secret or None}


@channel.get(permission=VIEW, path=schemas.ThingId(), responses={200: schemas.ChannelRecord()}, errors=(404,))
def get_channel(request: Request) -> dict[str, Any]:
    """Show a channel"""
    return service.shown_channel(service.get_channel(request.db, owner_of(request), request.validated["path"]["id"]))


@channel.patch(
    permission=EDIT,
    path=schemas.ThingId(),
    body=schemas.ChannelChanges(),
    responses={200: schemas.ChannelRecord()},
    errors=(404,),
)
def update_channel(request: Request) -> dict[str, Any]:
    """Change a channel

    `{"enabled": true}` brings a channel back that the service has disabled.
    """
    changed = service.change_channel(
        request.db,
        owner_of(request),
        settings_of(request),
        request.validated["path"]["id"],
        request.validated["body"],
    )
    return service.shown_channel(changed)


@channel.delete(permission=DELETE, path=schemas.ThingId(), responses={204: None}, errors=(404,))
def delete_channel(request: Request) -> None:
    """Delete a channel and its deliveries"""
    service.delete_channel(request.db, owner_of(request), request.validated["path"]["id"])
    request.response.status_code = 204


@channel_test.post(permission=EDIT, path=schemas.ThingId(), responses={200: schemas.TestResult()}, errors=(404, 503))
def test_channel(request: Request) -> dict[str, Any]:
    """Send a test message

    The answer comes within 20 s and says whether the message was accepted.
    """
    with request.runtime.sessions() as session:
        # A session of its own: the request's would hold the database's lock while somebody else's server answers.
        service.get_channel(session, owner_of(request), request.validated["path"]["id"])
    detail = try_in_turn(request.runtime, request.validated["path"]["id"])
    return {"delivered": detail is None, "detail": detail or ""}


@channel_rotation.post(
    permission=EDIT, path=schemas.ThingId(), responses={200: schemas.NewChannelRecord()}, errors=(404, 409)
)
def rotate_channel_secret(request: Request) -> dict[str, Any]:
    """Give a webhook a new secret

    The new secret is shown in this answer only. For 24 hours messages are signed with both.
    """
    rotated = service.rotate_secret(request.db, owner_of(request), request.validated["path"]["id"])
    return {**service.shown_channel(rotated), "secret": rotated.secret}
