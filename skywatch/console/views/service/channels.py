"""Notification channels of everybody: their state and deliveries; switched on and off, tested and deleted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa
from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.accounts.models import User
from skywatch.console.forms.changes import changing, done, refused
from skywatch.console.forms.form import read_form, read_query
from skywatch.console.page import FormPage, Page
from skywatch.console.pages.pagination import PAGE_SIZE, address, turn_pages
from skywatch.console.routes import HOME
from skywatch.console.texts.language import translate
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Target
from skywatch.http.lists.cursor import encode_cursor
from skywatch.http.requests.request import Request
from skywatch.http.requests.view_config import view_config
from skywatch.http.resources.service import NUMBER
from skywatch.notify.area import FEATURE, MANAGE_ALL
from skywatch.notify.channels import service as channel_service
from skywatch.notify.channels.channel_test import try_in_turn
from skywatch.notify.deliveries import service as delivery_service
from skywatch.notify.owner import owner_of, settings_of
from skywatch.notify.schemas import ChannelChangesFields, ChannelQuery, DeliveryQuery
from skywatch.notify.vocabulary import ChannelKind, ChannelState, DeliveryState
from skywatch.sentences import sentence

LIST = f"{HOME}/channels"
PAGES = (
    Page(
        route="console.channels",
        path="/channels",
        feature=FEATURE,
        title="Notifications",
        group="Alerts and channels",
        permission=MANAGE_ALL,
    ),
    Page(route="console.channel", path=f"/channels/{{channel:{NUMBER}}}", feature=FEATURE),
)


@view_config(route_name="console.channels", request_method="GET", permission=MANAGE_ALL, renderer="channels.jinja2")
def show_channels(request: Request) -> dict[str, Any]:
    """Everybody's notification channels, by kind, state and user"""
    query = read_query(request, ChannelQuery())
    channels, count = channel_service.find_channels(request.db, owner_of(request), {**query, "limit": PAGE_SIZE})
    return {
        "channels": [channel_service.channel_answer(channel) for channel in channels],
        "names": _names(request.db, (channel.user_id for channel in channels)),
        "query": query,
        "kinds": [str(kind) for kind in ChannelKind],
        "states": [str(state) for state in ChannelState],
        "pages": turn_pages(request, query["offset"], count),
    }


channel_page = FormPage("console.channel", "channel.jinja2", MANAGE_ALL)


@channel_page.get
def show_channel(request: Request) -> dict[str, Any]:
    """One channel with its deliveries, the newest first"""
    return _page(request)


@channel_page.post
def post_channel(request: Request) -> dict[str, Any] | Response:
    """Switch a channel on or off, test or delete it, or send a delivery again"""
    form = read_form(request, "do", "delivery")
    what = form.get("do", "")
    try:
        if what == "test":
            return _test(request)
        text = _change(request, what, form.get("delivery", ""))
    except Problem as problem:
        if problem.kind.code == "not_found":
            raise
        return refused(request, problem, _page(request))
    return done(request, LIST if what == "delete" else request.path, text)


def _change(request: Request, what: str, delivery: str) -> str:
    target = Target("channel", _id(request))
    with changing(request, "channel.changed", target) as (session, caller):
        caller.begin(session, MANAGE_ALL)
        owner = owner_of(request)
        name = channel_service.get_channel(session, owner, _id(request)).name
        if what == "delete":
            channel_service.delete_channel(session, owner, _id(request))
            return translate(request, "{name} is deleted.", name=name)
        if what in ("on", "off"):
            fields = ChannelChangesFields(enabled=what == "on")
            channel_service.change_channel(session, owner, settings_of(request), _id(request), fields)
            if what == "on":
                return translate(request, "{name} is switched on.", name=name)
            return translate(request, "{name} is switched off.", name=name)
        if what == "retry":
            return _retry(request, session, delivery)
    raise invalid("do", sentence("console.do_channel", "must be on, off, test, retry or delete"))


def _retry(request: Request, session: Session, delivery: str) -> str:
    if not delivery.isdecimal() or len(delivery) > 18:
        raise invalid("delivery", sentence("field.number", "must be a number"))
    again = delivery_service.retry_delivery(session, owner_of(request), int(delivery))
    return translate(request, "Delivery {number} is sent again.", number=str(again.id))


def _test(request: Request) -> Response:
    fault = try_in_turn(request.runtime, owner_of(request), request.person, _id(request))
    if fault is None:
        text = translate(request, "The test message was accepted.")
    else:
        text = translate(request, "The test message was not accepted: {fault}", fault=fault)
    return done(request, request.path, text)


def _page(request: Request) -> dict[str, Any]:
    owner = owner_of(request)
    channel = channel_service.get_channel(request.db, owner, _id(request))
    query = read_query(request, DeliveryQuery())
    filters = {**query, "limit": PAGE_SIZE, "channel": channel.id}
    deliveries, count, last = delivery_service.find_deliveries(request.db, owner, filters)
    return {
        "channel": channel_service.channel_answer(channel),
        "owner": _names(request.db, [channel.user_id])[channel.user_id],
        "deliveries": [delivery_service.delivery_answer(delivery) for delivery in deliveries],
        "count": count,
        "query": query,
        "states": [str(state) for state in DeliveryState],
        "newest": address(request) if query["cursor"] is not None else None,
        "older": address(request, cursor=encode_cursor(*last)) if last is not None else None,
        "problem": None,
    }


def _names(session: Session, user_ids: Iterable[int]) -> dict[int, str]:
    rows = session.execute(sa.select(User.id, User.username).where(User.id.in_(set(user_ids))))
    return {row.id: row.username for row in rows}


def _id(request: Request) -> int:
    return int(request.matchdict["channel"])
