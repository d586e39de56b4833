"""``browsers``: a user's Web Push subscriptions, and the key that browsers subscribe with."""

from __future__ import annotations

from typing import Any

from skywatch.http.clients.audit import actor_of
from skywatch.http.lists.pagination import PageQuery, page_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId
from skywatch.http.resources.service import Resource, view
from skywatch.notify import schemas
from skywatch.notify.area import CREATE, VIEW, NotificationService, notification_resource
from skywatch.notify.owner import owner_of, settings_of, user_of
from skywatch.notify.push import browsers as service
from skywatch.notify.push.vapid import public_key

push_key = NotificationService("alerts.push_key", "/alerts/browsers/key")


@notification_resource("browser", "/alerts/browsers")
class Browsers(Resource):
    """Browsers of users that are subscribed to Web Push."""

    @view(permission=VIEW, query=PageQuery(), responses={200: schemas.BrowserList()})
    def collection_get(self) -> dict[str, Any]:
        """List the caller's browsers that are subscribed to Web Push"""
        rows = service.find_browsers(self.request.db, owner_of(self.request).user_id)
        return page_of(self.request, "browsers", [service.browser_answer(row) for row in rows])

    @view(
        operation_id="subscribe_browser",
        permission=CREATE,
        body=schemas.NewBrowser(),
        responses={201: schemas.BrowserRecord()},
        errors=(409,),
    )
    def collection_post(self) -> dict[str, Any]:
        """Subscribe a browser to Web Push

        The body is the result of `PushSubscription.toJSON()`. The caller's channels of kind `web_push` send to all of
        the caller's browsers; one whose push service answers that the subscription has expired is removed.
        """
        user_id, actor, settings = user_of(self.request), actor_of(self.request), settings_of(self.request)
        fields = body_of(self.request, schemas.NewBrowserFields)
        row = service.subscribe(self.request.db, user_id, actor, settings, fields)
        self.request.response.status_code = 201
        return service.browser_answer(row)

    @view(operation_id="unsubscribe_browser", permission=CREATE, path=RowId(), responses={204: None}, errors=(404,))
    def delete(self) -> None:
        """Remove a browser's subscription to Web Push"""
        service.unsubscribe(self.request.db, user_of(self.request), actor_of(self.request), self.id)
        self.request.response.status_code = 204


@push_key.get(permission=VIEW, responses={200: schemas.PushKey()})
def get_push_key(request: Request) -> dict[str, Any]:
    """Show the key that browsers subscribe with (VAPID)"""
    return {"public_key": public_key(request.runtime.sessions)}
