"""``browsers``: a user's Web Push subscriptions, and the key that browsers subscribe with."""

from __future__ import annotations

from typing import Any

from skywatch.http.clients.audit import actor_of
from skywatch.http.lists.pagination import PageQuery, page_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER, ApiService
from skywatch.notify import schemas
from skywatch.notify.area import CREATE, VIEW, within
from skywatch.notify.owner import owner_of, settings_of, user_of
from skywatch.notify.push import browsers as service
from skywatch.notify.push.vapid import public_key

browsers = ApiService(**within("browsers", "/browsers"))
push_key = ApiService(**within("push_key", "/browsers/key"))
browser = ApiService(**within("browser", f"/browsers/{{id:{NUMBER}}}"))


@browsers.get(permission=VIEW, query=PageQuery(), responses={200: schemas.BrowserList()})
def list_browsers(request: Request) -> dict[str, Any]:
    """List the caller's browsers that are subscribed to Web Push"""
    rows = service.find_browsers(request.db, owner_of(request).user_id)
    return page_of(request, "browsers", [service.browser_answer(row) for row in rows])


@browsers.post(permission=CREATE, body=schemas.NewBrowser(), responses={201: schemas.BrowserRecord()}, errors=(409,))
def subscribe_browser(request: Request) -> dict[str, Any]:
    """Subscribe a browser to Web Push

    The body is the result of `PushSubscription.toJSON()`. The caller's channels of kind `web_push` send to all of the
    caller's browsers; one whose push service answers that the subscription has expired is removed.
    """
    user_id, actor = user_of(request), actor_of(request)
    row = service.subscribe(
        request.db, user_id, actor, settings_of(request), body_of(request, schemas.NewBrowserFields)
    )
    request.response.status_code = 201
    return service.browser_answer(row)


@push_key.get(permission=VIEW, responses={200: schemas.PushKey()})
def get_push_key(request: Request) -> dict[str, Any]:
    """Show the key that browsers subscribe with (VAPID)"""
    return {"public_key": public_key(request.runtime.sessions)}


@browser.delete(permission=CREATE, path=RowId(), responses={204: None}, errors=(404,))
def unsubscribe_browser(request: Request) -> None:
    """Remove a browser's subscription to Web Push"""
    service.unsubscribe(request.db, user_of(request), actor_of(request), row_id(request))
    request.response.status_code = 204
