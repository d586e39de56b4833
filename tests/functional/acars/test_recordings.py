"""The recordings of real decoders, from their bytes to rows: linked, merged, counted."""

import gzip
from collections import Counter
from itertools import pairwise

import sqlalchemy as sa

from skywatch.acars.decoder import StreamDecoder
from skywatch.acars.decoding import decode
from skywatch.acars.envelopes import Burst
from skywatch.acars.intake import AcarsIntake
from skywatch.acars.messages.assembler import Assembler
from skywatch.acars.models import AcarsMessage
from skywatch.airframes.models import AirframeRecord
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import writing
from skywatch.core.geo import distance_nm
from skywatch.inputs.base import Origin

# Bursts in each recording, and the messages that they are.
RECORDINGS = {
    "acars_router_acarsdec_perth2022": (17, 15),
    "acars_router_dumpvdl2_kabq2022": (8, 8),
    "acarsdec_kabq": (250, 152),
    "dumphfdl_kabq": (122, 120),
    "dumpvdl2_kabq": (128, 106),
    "vdlm2dec_readme": (2, 1),
}


def bursts_of(path):
    invalid = Counter()
    decoder = StreamDecoder(invalid)
    contents = [content for line in path.read_bytes().splitlines(True) for content in decoder.feed(line, 0.0)]
    assert set(invalid) <= {"frame"}
    return [content for content in contents if isinstance(content, Burst)]


def places_of(path):
    """When and where each aircraft says that it was."""
    assembler, drafts, places = Assembler(is_live=False), {}, {}
    for burst in bursts_of(path):
        for step in assembler.add(burst, burst.at):
            drafts[id(step.draft)] = step.draft
    assembler.finish()
    for draft in drafts.values():
        one = draft.snapshot()
        decoded = decode(one.burst.label, one.text, one.burst.sublabel or "", one.application)
        if decoded is not None and decoded.position is not None and one.burst.direction != "uplink":
            name = one.burst.registration or one.burst.icao_hex
            places.setdefault(name, []).append((one.at, decoded.position))
    return places


def test_no_aircraft_leaps_between_the_positions_that_it_names(shared_data):
    pairs = 0
    for name in RECORDINGS:
        for places in places_of(shared_data / "acars" / f"{name}.jsonl").values():
            for (earlier, a), (later, b) in pairwise(sorted(places, key=lambda place: place[0])):
                pairs += 1
                # The fastest airliner with a jet stream, and reports that are five minutes old.
                assert distance_nm(a.lat, a.lon, b.lat, b.lon) <= 650 * (later - earlier + 300) / 3600, (name, a, b)
    assert pairs > 20


def airframes_of(folder, registrations):
    """Those of the imported list that these recordings name."""
    with gzip.open(folder / "aircraft_db" / "aircraft.csv.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            address, registration, _ = line.split(";", 2)
            if registration in registrations:
                yield address.upper(), registration


def test_recordings_are_counted_and_linked_to_the_aircraft_of_the_airframes(shared_data, runtime):
    recordings = {name: bursts_of(shared_data / "acars" / f"{name}.jsonl") for name in RECORDINGS}
    registrations = {burst.registration for bursts in recordings.values() for burst in bursts if burst.registration}
    known = dict(airframes_of(shared_data, registrations))
    assert len(known) > 50
    with writing(runtime.sessions) as session:
        empty = dict.fromkeys(("type_code", "type_name", "operator", "owner"), "") | {"year": 0, "flags": 0}
        for address, registration in known.items():
            session.add(AirframeRecord(icao_hex=address, source="tar1090", registration=registration, **empty))
    intake = AcarsIntake(runtime)
    intake.start()
    for name, bursts in recordings.items():
        intake.register(name, None, is_file=True)
        intake.put(bursts, Origin(name, "file", unix_now()))
    # Texts of which parts are missing are stored at the stop.
    intake.close()
    assert {name: len(bursts) for name, bursts in recordings.items()} == {n: c[0] for n, c in RECORDINGS.items()}
    with runtime.sessions() as session:
        rows = session.scalars(sa.select(AcarsMessage)).all()
    assert len(rows) == sum(messages for _, messages in RECORDINGS.values())
    named = [row for row in rows if row.registration in known.values()]
    assert len(named) > 150
    assert sum(row.icao_hex is not None for row in named) / len(named) >= 0.95
