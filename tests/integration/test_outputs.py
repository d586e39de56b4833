"""Outputs of a running service, read by what reads such ports: nobody is missing."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from skywatch.receivers.factory import open_receiver
from tests.ports import free_port
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

# Form of the output -> kind of receiver that reads it.
READERS = {"beast": "beast", "raw": "avr", "sbs": "sbs", "json-lines": "readsb-lines"}


@pytest.fixture
def ports():
    return {form: free_port() for form in READERS}


@pytest.fixture
def service(tmp_path, shared_data, ports):
    outputs = {f"output__o{number}": f"{form} 127.0.0.1:{port}" for number, (form, port) in enumerate(ports.items())}
    tape = f"replay {shared_data}/raw/ulss7_61s.beast speed=5 loop"
    running = Service(tmp_path, receiver__tape=tape, receiver__demo="simulate aircraft=30", **outputs)
    running.init().start()
    yield running
    running.stop()


def test_readers_get_every_aircraft(service, ports, shared_data):
    heard_by_frames = set(json.loads((shared_data / "raw/EXPECTED.json").read_text())["ulss7_61s"]["aircraft_with_crc"])
    got = {form: set() for form in READERS}

    def picture():
        return {address for address, fields in service.aircraft().items() if fields["receiver"] == "demo"}

    def is_complete():
        simulated = picture()
        everybody = all(heard >= heard_by_frames for heard in got.values())
        return everybody and simulated and all(got[form] >= simulated for form in ("sbs", "json-lines"))

    async def read_all():
        tasks = []
        for form, kind in READERS.items():
            receiver = open_receiver(form, f"{kind} 127.0.0.1:{ports[form]}", None)
            sink = SimpleNamespace(
                put=lambda name, reports, *counts: got[name].update(report.hex for report in reports)
            )
            tasks.append(asyncio.create_task(receiver.run(sink)))
        try:
            async with asyncio.timeout(2 * PATIENCE_S):
                while not await asyncio.to_thread(is_complete):
                    await asyncio.sleep(0.2)
            shown = await asyncio.to_thread(until, outputs)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return shown

    def outputs():
        """The outputs as they are shown, once all of them have sent something; states are a second old."""
        shown = {
            one["kind"]: one for one in service.get("/api/v1/system/inputs")["inputs"] if one["family"] == "output"
        }
        return shown if all(one["received"] for one in shown.values()) else None

    shown = asyncio.run(read_all())
    # Simulated aircraft have no frames.
    assert got["beast"] == got["raw"] == heard_by_frames
    states = {form: (one["state"], one["connections"], one["dropped"]) for form, one in shown.items()}
    assert states == dict.fromkeys(READERS, ("listening", 1, 0))
    # What graphs1090 reads of every aircraft, without a default.
    aircraft = service.get("/data/aircraft.json")["aircraft"]
    assert aircraft
    assert all({"seen", "messages", "mlat", "tisb"} <= one.keys() for one in aircraft)
    assert all("lat" in one and "lon" in one for one in aircraft if "seen_pos" in one)
