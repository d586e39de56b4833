"""The console's pages of what the service receives, stores and runs on."""

from __future__ import annotations

import tempfile
from ipaddress import IPv4Interface
from pathlib import Path
from unittest import mock

import sqlalchemy as sa

from skywatch.backup.schedule.rotation import WholeBackup
from skywatch.backup.schedule.state import note_failed
from skywatch.console.views.service import backups, region_map
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import StoredSetting
from skywatch.core.network import interfaces
from skywatch.history.models import Flight
from skywatch.notify.models import Delivery
from skywatch.picture.settings import PictureSettings
from skywatch.web.region import job as jobs
from tests.clocks import doubted
from tests.functional.auditing.api_alerts import CHANNEL, dead_delivery, made
from tests.functional.auditing.api_data import ROWS, add_known
from tests.functional.auditing.world import Write
from tests.functional.console.visitor import ORIGIN, find_form, main_form, send
from tests.unit.history.stored import row


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


def remove_simulator(world):
    form = {"name": "sky", "text": "simulate aircraft=1"}
    press(world.console.get("/receivers/input"), "save", form)
    with writing(world.runtime.sessions) as session:
        session.execute(sa.insert(Flight), [row(world.number(), "4B1620", simulated=True)])
    press(world.console.get("/receivers/input?name=receiver.sky"), "remove")


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


def upload_airspaces(world):
    form = find_form(world.console.get("/maps"), airspaces="")
    form["airspaces"] = (
        "swiss.txt",
        b"AC R\nAN LS-R4\nDP 47:00:00 N 008:00:00 E\nDP 47:15:00 N 008:00:00 E\nDP 47:15:00 N 008:30:00 E\n",
    )
    form.submit(headers=ORIGIN)


def add_base_map(world):
    form = next(form for form in world.console.get("/maps/base-map").forms.values() if "address" in form.fields)
    form["name"], form["address"] = f"map-{world.number()}", "https://maps.example/a.pmtiles"
    form.submit("do", value="save", headers=ORIGIN)


def set_military(world):
    form = main_form(world.console.get("/airframes/military"))
    form["icao_hex"], form["military"] = f"A{world.number():05}", "yes"
    form.submit(headers=ORIGIN)


def allow_network(world):
    """A network of this machine, which has one with this interface alone."""
    own = [interfaces.Interface("eth0", IPv4Interface("192.168.1.5/24"), False)]
    with mock.patch.object(interfaces, "own_interfaces", return_value=own):
        press(world.console.get("/channels/networks"), "allow")


def on_backups(do):
    """Press a button of the page of backups; one that was asked for before is done."""

    def perform(world):
        with writing(world.runtime.sessions) as session:
            note_failed(session, "", utcnow())
        # A database in memory has no folder beside it.
        folder = Path(tempfile.mkdtemp())
        whole = WholeBackup(folder, mock.Mock(began_at=utcnow(), bytes=1))
        (folder / "manifest.json").write_text("{}")
        (folder / "passphrase").write_text("some words that are long\n")
        path = folder / ("new" if do == "begin" else "passphrase")
        with (
            mock.patch.object(backups, "folder_of", return_value=folder),
            mock.patch.object(backups, "passphrase_file_of", return_value=path),
            mock.patch.object(backups, "has_passphrase", return_value=do != "begin"),
            mock.patch.object(backups, "whole_backups", return_value=[whole]),
        ):
            press(world.console.get("/backups"), do)

    return perform


def on_region(do):
    """Press a button of the page of the detailed map, where the worker has done what comes before."""
    before = {"measure": "done", "get": "measured", "stop": "fetching", "discard": "measured", "remove": "done"}

    def perform(world):
        # A database in memory has no place beside it.
        path = Path(tempfile.mkdtemp()) / "map"
        if do == "remove":
            path.write_bytes(b"")
        with (
            mock.patch.object(region_map, "region_file", return_value=path),
            mock.patch.object(PictureSettings, "station", (47.0, 8.0)),
        ):
            with writing(world.runtime.sessions) as session:
                session.execute(sa.delete(StoredSetting).where(StoredSetting.name == jobs.ROW))
                region = jobs.Region(47.0, 8.0, 50, 11)
                jobs.ask_size(session, jobs.Actor("root", "console"), region, "https://a.example")
                jobs.note(session, jobs.read_job(session), phase=before[do], bytes=1)
            press(world.console.get("/maps/region"), do)

    return perform


WRITES = (
    *(
        Write("POST /console/maps/region", f"region_map.{action}", on_region(do))
        for do, action in (
            ("measure", "measured"),
            ("get", "begun"),
            ("stop", "stopped"),
            ("discard", "removed"),
            ("remove", "removed"),
        )
    ),
    Write("POST /console/backups", "backup.set_up", on_backups("begin")),
    Write("POST /console/backups", "backup.requested", on_backups("make")),
    Write("POST /console/backups", "backup.downloaded", on_backups("download")),
    Write("POST /console/channels/networks", "setting.changed", allow_network),
    Write("POST /console/maps", "airspaces.uploaded", upload_airspaces),
    Write("POST /console/maps", "airspaces.removed", lambda world: press(world.console.get("/maps"), "remove")),
    Write(
        "POST /console/maps",
        "setting.changed",
        lambda world: send(world.console.get("/maps"), map_attribution="Somebody"),
    ),
    Write("POST /console/maps/base-map", "setting.changed", add_base_map),
    Write("POST /console/receivers/discovery", "receivers.discovery", look_for_receivers),
    Write("POST /console/airframes", "airframes.imported", import_airframes),
    Write("POST /console/airframes/military", "airframe.military_set", set_military),
    Write("POST /console/receivers/input", "setting.changed", on_receiver("save")),
    Write("POST /console/receivers/input", "setting.changed", remove_receiver),
    Write("POST /console/receivers/input", "simulated.removed", remove_simulator),
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
