"""Channels of users, their deliveries, and browsers."""

from __future__ import annotations

from datetime import timedelta

from benchmarks._endpoint_costs.entry import Entries, on_row, prepared, read, send
from skywatch.core.clock import to_iso, utcnow
from skywatch.notify.models import BrowserSubscription, Channel, Delivery

CHANNEL = {"name": "Hook", "kind": "webhook", "address": "https://hooks.example.org/bench"}
BROWSER_KEY = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
SPAN = {"from": to_iso(utcnow() - timedelta(days=365)), "to": to_iso(utcnow() + timedelta(days=1))}

ENTRIES: Entries = {
    "GET /api/v1/alerts/channels/": [read("a page of 1,000", "/alerts/channels/?limit=1000")],
    "POST /api/v1/alerts/channels/": [send("a webhook", "/alerts/channels/", CHANNEL)],
    "GET /api/v1/alerts/channels/{id}/": [on_row("one channel", "/alerts/channels/{id}/", Channel)],
    "PATCH /api/v1/alerts/channels/{id}/": [
        on_row("switched off with its deliveries", "/alerts/channels/{id}/", Channel, {"enabled": False}),
    ],
    "DELETE /api/v1/alerts/channels/{id}/": [
        on_row("one channel with its deliveries", "/alerts/channels/{id}/", "last channel"),
    ],
    "POST /api/v1/alerts/channels/{id}/rotate-secret/": [
        on_row("one channel", "/alerts/channels/{id}/rotate-secret/", Channel),
    ],
    "POST /api/v1/alerts/channels/{id}/test/": [
        on_row("a host that cannot be reached", "/alerts/channels/{id}/test/", "channel"),
    ],
    "GET /api/v1/alerts/deliveries/": [
        read("a page of 1,000", "/alerts/deliveries/?limit=1000"),
        read("a late page of 1,000", "/alerts/deliveries/?limit=1000&offset=15000&state=dead"),
    ],
    "POST /api/v1/alerts/deliveries/retry/": [
        prepared(send("all of a year", "/alerts/deliveries/retry/", SPAN), lambda i: i.set_all(Delivery, state="dead")),
    ],
    "POST /api/v1/alerts/deliveries/{id}/retry/": [
        on_row("one delivery", "/alerts/deliveries/{id}/retry/", "dead delivery"),
    ],
    "GET /api/v1/alerts/browsers/": [read("a page of 1,000", "/alerts/browsers/?limit=1000")],
    "POST /api/v1/alerts/browsers/": [
        send(
            "a browser",
            "/alerts/browsers/",
            lambda number: {
                "endpoint": f"https://push.example.org/new/{number}",
                "keys": {"p256dh": BROWSER_KEY, "auth": "5I2Bu2oKdyy9CwL8QVF0NQ"},
            },
        ),
    ],
    "GET /api/v1/alerts/browsers/key/": [read("as it is", "/alerts/browsers/key/")],
    "DELETE /api/v1/alerts/browsers/{id}/": [
        on_row("one browser", "/alerts/browsers/{id}/", BrowserSubscription),
    ],
}
