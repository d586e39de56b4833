"""``deliveries``: sent, pending and dead deliveries of channels."""

from __future__ import annotations

from typing import Any

from skywatch.core.problems import invalid
from skywatch.http.lists.cursor import cursor_page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.ids import RowId, row_id
from skywatch.http.resources.service import NUMBER
from skywatch.notify import schemas
from skywatch.notify.area import EDIT, VIEW, NotificationService
from skywatch.notify.deliveries import service
from skywatch.notify.owner import owner_of
from skywatch.sentences import sentence

deliveries = NotificationService("alerts.deliveries", "/alerts/deliveries")
retry_span = NotificationService("alerts.deliveries_retry", "/alerts/deliveries/retry")
delivery_retry = NotificationService("alerts.delivery_retry", f"/alerts/deliveries/{{id:{NUMBER}}}/retry")


@deliveries.get(permission=VIEW, query=schemas.DeliveryQuery(), responses={200: schemas.DeliveryList()})
def list_deliveries(request: Request) -> dict[str, Any]:
    """List deliveries, the newest first

    The caller's own; holders of `alerts.manage_all` see everybody's. Deliveries about military aircraft need
    `aircraft.view_military`.
    """
    rows, count, last = service.find_deliveries(request.db, owner_of(request), request.validated["querystring"])
    return cursor_page(request, "deliveries", [service.delivery_answer(row) for row in rows], count, last)


@retry_span.post(permission=EDIT, body=schemas.RetrySpan(), responses={200: schemas.RetryResult()})
def retry_deliveries(request: Request) -> dict[str, Any]:
    """Retry the dead deliveries of a time span

    All dead deliveries created between `from` and `to`, of one channel or of all enabled ones; at most the oldest
    10,000 with one request.
    """
    body = body_of(request, schemas.RetrySpanFields)
    if body.begin > body.end:
        raise invalid("to", sentence("notify.to_before_from", "must not be before from"))
    count = service.retry_span(request.db, owner_of(request), body.begin, body.end, body.channel)
    return {"retried": count}


@delivery_retry.post(permission=EDIT, path=RowId(), responses={200: schemas.DeliveryRecord()}, errors=(404, 409))
def retry_delivery(request: Request) -> dict[str, Any]:
    """Retry a delivery now

    A dead delivery is sent again, a pending one at once. The message id stays the same.
    """
    return service.delivery_answer(service.retry_delivery(request.db, owner_of(request), row_id(request)))
