"""The picture of a real process after SIGTERM and after SIGKILL, from every kind of receiver."""

from __future__ import annotations

import re
from typing import Any

import pytest

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.picture.storage.saved_picture import decode, read
from tests.every_receiver import every_receiver
from tests.processes import Service
from tests.waiting import until

# They play on after the restart; the sources of the others are silent then.
PLAYING = ("tape", "demo")
# What goes on counting while nothing is received.
AGES = ("seen", "seen_pos")
PATIENT_S = 1800


def installation(folder, receivers: dict[str, str], **settings: Any) -> Service:
    receiver_settings = {f"receiver__{name}": text for name, text in receivers.items()}
    return Service(
        folder,
        station_lat=47.45,
        station_lon=8.56,
        picture_save_s=1,
        picture_timeout_s=PATIENT_S,
        **receiver_settings,
        **settings,
    )


def by_receiver(service: Service) -> dict[str, dict[str, dict[str, Any]]]:
    """The aircraft of the picture that have a position and, but for simulated ones, a squawk."""
    heard: dict[str, dict[str, dict[str, Any]]] = {}
    for address, aircraft in service.aircraft().items():
        if "lat" in aircraft and ("squawk" in aircraft or aircraft["receiver"] == "demo"):
            heard.setdefault(aircraft["receiver"], {})[address] = aircraft
    return heard


def saved_addresses(service: Service) -> set[str]:
    engine = create_engine(service.database_url)
    try:
        data = read(create_session_factory(engine), "picture", PATIENT_S)
    finally:
        engine.dispose()
    return set(decode(data).positions) if data is not None else set()


def without_ages(aircraft: dict[str, Any]) -> dict[str, Any]:
    # Receivers of frames count on between the last answer and the last save.
    return {n: v for n, v in aircraft.items() if n not in (*AGES, "messages", "rssi", "receiver")}


# By day `test_service` cuts the power, with one kind of receiver.
POWER_CUT = pytest.mark.nightly("the same restart after a power cut")


@pytest.mark.parametrize("end", ["SIGTERM", pytest.param("SIGKILL", marks=POWER_CUT)])
def test_the_picture_of_every_kind_of_receiver_survives_a_restart(tmp_path, end):
    with every_receiver(tmp_path) as sources:
        service = installation(tmp_path, sources.texts).init()
        service.start()
        before = until(
            lambda: heard if (heard := by_receiver(service)).keys() >= sources.texts.keys() else None,
            "an aircraft from every receiver",
            every_s=0.5,
        )
        addresses = {address for aircraft in before.values() for address in aircraft}
        if end == "SIGKILL":
            until(lambda: saved_addresses(service) >= addresses, "the picture is saved", every_s=0.5)
            service.kill()
        else:
            assert service.stop() == 0
    service.start()
    restored = re.findall(r"the picture was restored with (\d+) aircraft", service.log.read_text())
    after = service.aircraft()
    service.stop()
    assert len(restored) == 1
    assert int(restored[0]) >= len(addresses)
    assert after.keys() >= addresses
    for name, aircraft in before.items():
        for address, was in aircraft.items():
            assert after[address]["first_seen"] == was["first_seen"], name
            # Values expire 60 s after they were received, and so they may on a machine that is busy enough.
            if name not in PLAYING and after[address]["seen"] < 50:
                assert without_ages(after[address]) == without_ages(was), name
