"""Rules, geofences, watch lists, channels, deliveries and browsers."""

from __future__ import annotations

import sqlalchemy as sa

from skywatch.core.database.engine import writing
from skywatch.notify.models import Delivery
from tests.functional.auditing.world import V1, Write
from tests.functional.examples import SQUARE
from tests.notifying import add_channel, notification, send

BASE = f"{V1}/alerts"
RULE = {"name": "Low", "conditions": {"all": [{"field": "alt_baro", "op": "lt", "value": 3000}]}}
FENCE = {"name": "Airport", "geometry": SQUARE}
FEATURE = {"type": "Feature", "geometry": SQUARE, "properties": {"name": "Airport"}}
LIST = {"name": "Friends", "entries": ["4B1620"]}
# Nothing listens there: a test of the channel fails at once.
CHANNEL = {"name": "Hook", "kind": "webhook", "address": "http://127.0.0.1:9/hook"}
BROWSER = {
    "endpoint": "https://push.example.org/one",
    "keys": {
        "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        "auth": "5I2Bu2oKdyy9CwL8QVF0NQ",
    },
}
ALWAYS = {"from": "2000-01-01T00:00:00Z", "to": "2099-01-01T00:00:00Z"}


def made(world, what, body):
    """The path of a new record."""
    return f"/alerts/{what}/{world.post(f'/alerts/{what}/', body)['id']}/"


def dead_delivery(world):
    """A delivery that was given up; the id."""
    sessions = world.runtime.sessions
    channel = add_channel(sessions, world.root)
    send(sessions, notification(world.root, channel))
    with writing(sessions) as session:
        delivery = session.scalars(sa.select(Delivery).where(Delivery.channel_id == channel)).one()
        delivery.state = "dead"
        return delivery.id


def retry_all(world):
    assert dead_delivery(world)
    assert world.post("/alerts/deliveries/retry/", ALWAYS) == {"retried": 1}


def records(what, action, body, change):
    """The three writes of a kind of record."""
    return (
        Write(f"POST {BASE}/{what}/", f"{action}.created", lambda world: made(world, what, body)),
        Write(
            f"PATCH {BASE}/{what}/{{id}}/",
            f"{action}.changed",
            lambda world: world.patch(made(world, what, body), change),
        ),
        Write(
            f"DELETE {BASE}/{what}/{{id}}/", f"{action}.deleted", lambda world: world.delete(made(world, what, body))
        ),
    )


WRITES = (
    *records("rules", "rule", RULE, {"enabled": False}),
    *records("geofences", "geofence", FENCE, {"floor_ft": 1000}),
    *records("watchlists", "watchlist", LIST, {"name": "Neighbours"}),
    *records("channels", "channel", CHANNEL, {"name": "Pager"}),
    Write(
        f"POST {BASE}/rules/import/",
        "rule.imported",
        lambda world: world.post("/alerts/rules/import/", {"version": 1, "rules": [RULE]}),
    ),
    Write(
        f"POST {BASE}/geofences/import/",
        "geofence.imported",
        lambda world: world.post("/alerts/geofences/import/", {"type": "FeatureCollection", "features": [FEATURE]}),
    ),
    Write(
        f"POST {BASE}/watchlists/{{id}}/import/",
        "watchlist.imported",
        lambda world: world.send(f"{made(world, 'watchlists', LIST)}import/", b"HBJJA\n", "text/plain"),
    ),
    Write(
        f"POST {BASE}/channels/{{id}}/test/",
        "channel.tested",
        lambda world: world.post(f"{made(world, 'channels', CHANNEL)}test/"),
    ),
    Write(
        f"POST {BASE}/channels/{{id}}/rotate-secret/",
        "channel.secret_rotated",
        lambda world: world.post(f"{made(world, 'channels', CHANNEL)}rotate-secret/"),
    ),
    Write(f"POST {BASE}/deliveries/retry/", "delivery.retried", retry_all),
    Write(
        f"POST {BASE}/deliveries/{{id}}/retry/",
        "delivery.retried",
        lambda world: world.post(f"/alerts/deliveries/{dead_delivery(world)}/retry/"),
    ),
    Write(f"POST {BASE}/browsers/", "browser.subscribed", lambda world: made(world, "browsers", BROWSER)),
    Write(
        f"DELETE {BASE}/browsers/{{id}}/",
        "browser.unsubscribed",
        lambda world: world.delete(made(world, "browsers", BROWSER)),
    ),
)
