"""The console's pages of what the service receives, stores and runs on."""

from __future__ import annotations

from skywatch.notify.models import Delivery
from tests.clocks import doubted
from tests.functional.auditing.api_alerts import CHANNEL, dead_delivery, made
from tests.functional.auditing.api_data import ROWS, add_known
from tests.functional.auditing.world import Write
from tests.functional.console.visitor import ORIGIN, main_form, send


def press(page, do, fields=None):
    """Press a button of a page, in the first form that has it."""
    for form in page.forms.values():
        if any(button.value_if_submitted() == do for button in form.fields.get("do", [])):
            for name, value in (fields or {}).items():
                form[name] = value
            return form.submit("do", value=do, headers=ORIGIN)
    raise AssertionError(f"there is no button {do}")


def on_channel(do):
    """Press a button of a channel's page."""

    def perform(world):
        number = made(world, "channels", CHANNEL).strip("/").rpartition("/")[2]
        press(world.console.get(f"/channels/{number}"), do)

    return perform


def retry(world):
    with world.runtime.sessions() as session:
        channel = session.get_one(Delivery, dead_delivery(world)).channel_id
    press(world.console.get(f"/channels/{channel}"), "retry")


def on_known(do, **fields):
    """Press a button of a known aircraft's page."""
    return lambda world: press(world.console.get(f"/known-aircraft/{add_known(world)}"), do, fields)


def import_list(world):
    form = main_form(world.console.get("/known-aircraft/import"))
    form["list"] = ("list.csv", ROWS)
    form.submit("do", value="import", headers=ORIGIN)


def on_receiver(do):
    """Press a button of a new input's page."""
    return lambda world: press(
        world.console.get("/receivers/input"), do, {"name": f"attic-{do}", "text": "beast 127.0.0.1:9"}
    )


def remove_receiver(world):
    press(world.console.get("/receivers/input?name=receiver.attic-save"), "remove")


def look_for_receivers(world):
    """One minute after the round before."""
    main_form(world.console.get("/receivers/discovery")).submit(headers=ORIGIN)


def confirm_clock(world):
    doubted(world.runtime.sessions, 1095)
    press(world.console.get("/retention"), "confirm")


def import_airframes(world):
    form = main_form(world.console.get("/airframes"))
    form["list"] = ("aircraft.csv", b"4b1620;HB-ABC;A320;00;AIRBUS A-320;2010;Swiss;\n")
    form.submit("do", value="import", headers=ORIGIN)


def set_military(world):
    form = main_form(world.console.get("/airframes/military"))
    form["icao_hex"], form["military"] = f"A{world.number():05}", "yes"
    form.submit(headers=ORIGIN)


WRITES = (
    Write("POST /console/receivers/discovery", "receivers.discovery", look_for_receivers),
    Write("POST /console/airframes", "airframes.imported", import_airframes),
    Write("POST /console/airframes/military", "airframe.military_set", set_military),
    Write("POST /console/receivers/input", "setting.changed", on_receiver("save")),
    Write("POST /console/receivers/input", "setting.changed", remove_receiver),
    Write("POST /console/receivers/input", "input.tried", on_receiver("try")),
    Write(
        "POST /console/station",
        "setting.changed",
        lambda world: send(world.console.get("/station"), station_name="Roof"),
    ),
    Write(
        "POST /console/retention",
        "setting.changed",
        lambda world: send(world.console.get("/retention"), retention_flights_days="100"),
    ),
    Write("POST /console/retention", "retention.clock_confirmed", confirm_clock),
    Write(
        "POST /console/settings/{setting}",
        "setting.changed",
        lambda world: send(world.console.get("/settings/station_name"), station_name="Ridge"),
    ),
    Write(
        "POST /console/thresholds",
        "safety.settings_changed",
        lambda world: send(world.console.get("/thresholds"), proximity_low_nm="0.7"),
    ),
    Write("POST /console/channels/{channel}", "channel.changed", on_channel("off")),
    Write("POST /console/channels/{channel}", "channel.tested", on_channel("test")),
    Write("POST /console/channels/{channel}", "channel.deleted", on_channel("delete")),
    Write("POST /console/channels/{channel}", "delivery.retried", retry),
    Write(
        "POST /console/known-aircraft/new",
        "known_aircraft.created",
        lambda world: send(world.console.get("/known-aircraft/new"), icao_hex="C12345"),
    ),
    Write("POST /console/known-aircraft/{known}", "known_aircraft.changed", on_known("save", notes="Seen")),
    Write("POST /console/known-aircraft/{known}", "known_aircraft.changed", on_known("verify")),
    Write("POST /console/known-aircraft/{known}", "known_aircraft.deleted", on_known("remove")),
    Write("POST /console/known-aircraft/import", "known_aircraft.imported", import_list),
)
