"""readsb's files, as the programs that read them see them."""

import gzip
import itertools
import struct
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
import pytest
from msgspec import UNSET
from webob import Request

from skywatch.core import geo
from skywatch.core.bus import Message
from skywatch.core.database.engine import writing
from skywatch.history.settings import HistorySettings
from skywatch.picture.counted import record_real_sky
from skywatch.picture.state.own_antenna import radio_horizon_nm
from skywatch.readsb.monitor import create
from skywatch.readsb.tar1090 import past_pictures, replay
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.reports.bincraft import RowReader, unpacked
from tests.functional.readsb.conftest import FIGHTER, RECORDED_S, SWISS, present
from tests.identities import as_role
from tests.skies import STATION, show, sky_of

VIEWER, OPERATOR, ANALYST = (as_role(role) for role in ("viewer", "operator", "analyst"))
FULL = "/data/traces/20/trace_full_4b1620.json"
RECENT = "/data/traces/20/trace_recent_4b1620.json"
# readsb's bits of a position: nothing was received before it, and it begins a flight.
NEW_LEG = 2


def by_hex(answer):
    return {aircraft["hex"]: aircraft for aircraft in answer.json["aircraft"]}


def half_hours(ended):
    """The addresses of the half hours that are over and in which two minutes or more were recorded."""
    at = datetime.fromtimestamp(ended - RECORDED_S + 120, UTC)
    at = at.replace(minute=at.minute // 30 * 30, second=0, microsecond=0)
    while at + timedelta(minutes=30) <= datetime.fromtimestamp(ended, UTC) - timedelta(seconds=30):
        yield at, f"/globe_history/{at:%Y/%m/%d}/heatmap/{at.hour * 2 + at.minute // 30:02}.bin.ttf"
        at += timedelta(minutes=30)


class TestAircraft:
    def test_names_and_forms_are_readsbs(self, client, recorded):
        answer = client.get("/data/aircraft.json?_=1795000000123", headers=ANALYST)
        assert answer.json["now"] == recorded[1]
        swiss = by_hex(answer)[SWISS]
        assert swiss["flight"] == "SWR22   "
        assert (swiss["messages"], swiss["mlat"], swiss["tisb"]) == (0, [], [])
        assert (swiss["r"], swiss["rssi"]) == ("HB-JJA", -12.5)

    def test_one_without_callsign_and_position_has_what_readsb_always_writes(self, client):
        silent = by_hex(client.get("/data/aircraft.json", headers=ANALYST))["3c6444"]
        assert (silent["messages"], silent["mlat"], silent["tisb"]) == (0, [], [])
        assert "flight" not in silent

    def test_no_file_is_kept_by_a_shared_cache(self, client, recorded):
        for name in ("aircraft.json", "receiver.json", "history_3.json", "outline.json", "stats.json"):
            policy = client.get(f"/data/{name}", headers=ANALYST).headers["Cache-Control"]
            assert "private" in policy or policy == "no-store", name
        assert client.get(FULL, headers=ANALYST).headers["Cache-Control"] == "no-store"

    def test_with_and_without_a_trailing_slash(self, client):
        for name in ("aircraft.json", "receiver.json", "history_3.json", "outline.json"):
            one, other = (client.get(f"/data/{name}{end}?_=1", headers=ANALYST).json for end in ("", "/"))
            assert one == other


def test_the_station_is_named_before_there_is_a_picture(make_client):
    """A map that is opened right after the start asks once."""
    client = make_client(auth_mode="public", station_lat=47.45, station_lon=8.56)
    described = client.get("/data/receiver.json").json
    assert (described["lat"], described["lon"]) == STATION


BINARY = (
    "/data/aircraft.binCraft",
    "/data/aircraft.binCraft.zst?_=1",
    "/re-api/?binCraft&all",
    "/re-api/?all&binCraft&zstd",
)


class TestBinCraft:
    """The picture in rows of fixed width: what tar1090 asks for where receiver.json offers it."""

    @staticmethod
    def read(answer):
        document = RowReader().read(unpacked(answer.body), Counter())
        reports, _, _ = document.finish(document.now, 0.0)
        return document.now, {report.hex: report for report in reports}

    @pytest.mark.parametrize("address", BINARY)
    def test_says_what_the_json_says(self, client, recorded, address):
        assert {"binCraft": True, "zstd": True}.items() <= client.get(
            "/data/receiver.json", headers=ANALYST
        ).json.items()
        now, aircraft = self.read(client.get(address, headers=ANALYST))
        assert now == recorded[1]
        described = by_hex(client.get("/data/aircraft.json", headers=ANALYST))
        assert aircraft.keys() == described.keys()
        swiss = described[SWISS]
        assert aircraft[SWISS].flight == swiss["flight"].rstrip()
        for name in ("r", "t", "squawk", "alt_baro", "gs", "track", "lat", "lon"):
            assert getattr(aircraft[SWISS], name) == pytest.approx(swiss[name], abs=1e-6), name

    @pytest.mark.parametrize("address", BINARY)
    def test_rights_are_those_of_the_json(self, client, address):
        _, seen = self.read(client.get(address, headers=VIEWER))
        assert FIGHTER not in seen
        assert seen[SWISS].r is UNSET
        client.get(address, status=401)

    def test_media_types_and_validators(self, client):
        for address, kind in zip(BINARY, ("application/octet-stream", "application/zstd") * 2, strict=True):
            answer = client.get(address, headers=ANALYST)
            assert answer.content_type == kind
            client.get(address, headers={**ANALYST, "If-None-Match": answer.headers["ETag"]}, status=304)

    def test_json_may_be_packed_too(self, client):
        answer = client.get("/re-api/?all&zstd", headers=ANALYST)
        assert SWISS in unpacked(answer.body).decode()


class TestWhatTar1090AsksFor:
    """The requests of tar1090's page, in its order."""

    def test_trails_at_page_load(self, client, recorded):
        receiver = client.get("/data/receiver.json?_=1", headers=ANALYST).json
        assert receiver["history"] == 120
        assert (receiver["lat"], receiver["lon"]) == STATION
        assert receiver["haveTraces"]
        assert receiver["outlineJson"]
        client.get("/data/aircraft.json?_=2", headers=ANALYST)
        pictures = [
            client.get(f"/data/history_{number}.json?_=3", headers=ANALYST).json
            for number in range(receiver["history"], -1, -1)
        ]
        times = [picture["now"] for picture in pictures]
        assert times == sorted(times)
        assert {later - earlier for earlier, later in itertools.pairwise(times)} == {30}
        assert recorded[1] - 60 < times[-1] <= recorded[1] + 60
        with_swiss = [picture for picture in pictures if SWISS in {a["hex"] for a in picture["aircraft"]}]
        assert len(with_swiss) > 110
        path = [next(a for a in picture["aircraft"] if a["hex"] == SWISS) for picture in with_swiss]
        assert {a["flight"] for a in path} == {"SWR1    ", "SWR22   "}
        assert "ground" in {a["alt_baro"] for a in path}
        for at, aircraft in zip([picture["now"] for picture in with_swiss], path, strict=True):
            if aircraft["seen_pos"] == 0:
                assert aircraft["lat"] == pytest.approx(47.0 + (at - recorded[1] + RECORDED_S) * 0.002, abs=3e-4)

    def test_track_of_the_selected_aircraft(self, client, recorded):
        recent, full = client.get(RECENT, headers=ANALYST).json, client.get(FULL, headers=ANALYST).json
        assert recent["icao"] == full["icao"] == SWISS
        assert full["r"] == "HB-JJA"
        assert full["timestamp"] == pytest.approx(recorded[1] - RECORDED_S, abs=1)
        ages = [entry[0] for entry in full["trace"]]
        assert ages == sorted(ages)
        assert ages[-1] == pytest.approx(RECORDED_S, abs=3)
        for age, lat, *_ in full["trace"]:
            assert lat == pytest.approx(47.0 + age * 0.002, abs=3e-4)
        legs = [entry for entry in full["trace"] if entry[6] & NEW_LEG]
        assert [leg[8]["flight"] for leg in legs] == ["SWR22   "]
        assert full["trace"][0][8]["flight"] == "SWR1    "
        assert any(entry[3] == "ground" for entry in full["trace"])
        assert recent["trace"][-1][8]["squawk"] == "1000"
        assert recent["timestamp"] + recent["trace"][-1][0] == pytest.approx(recorded[1], abs=1)

    def test_one_that_has_left_the_sky_still_has_its_track(self, client, recorded):
        show(client.runtime, sky_of(seq=2, now=float(recorded[1])))
        recent, full = client.get(RECENT, headers=ANALYST).json, client.get(FULL, headers=ANALYST).json
        assert recent["trace"][-1][1:] == full["trace"][-1][1:]

    def test_range_outline(self, client):
        points = client.get("/data/outline.json", headers=ANALYST).json["actualRange"]["last24h"]["points"]
        distances = [float(geo.distance_nm(*STATION, lat, lon)) for lat, lon, _ in points]
        # It flew on beyond the radio horizon of its altitude.
        assert 200 < max(distances) <= radio_horizon_nm(36_000)
        directions = [int(geo.bearing_deg(*STATION, lat, lon)) for lat, lon, _ in points]
        assert directions == sorted(set(directions))

    def test_track_of_a_past_day(self, client, recorded):
        begin = datetime.fromtimestamp(recorded[1] - RECORDED_S, UTC)
        address = f"/globe_history/{begin:%Y/%m/%d}/traces/20/trace_full_4b1620.json"
        trace = client.get(address, headers=ANALYST).json
        midnight = begin.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        assert trace["timestamp"] + trace["trace"][-1][0] <= midnight.timestamp()
        client.get("/globe_history/2019/01/01/traces/20/trace_full_4b1620.json", headers=ANALYST, status=404)

    def test_replay_and_heatmap(self, client, recorded):
        addresses = list(half_hours(recorded[1]))
        assert addresses
        squawks, callsigns = set(), set()
        for begin, address in addresses:
            answer = client.get(address, headers=ANALYST)
            table = np.frombuffer(answer.body, "<i4").reshape(-1, 4)
            places = table[:60, 0]
            assert (table[places, 0] == 0xE7F7C9D).all()
            assert np.flatnonzero(table[:, 0] == 0xE7F7C9D).tolist() == places.tolist()
            for number, place in enumerate(places):
                high, low, interval = struct.unpack_from("<IIH", answer.body, int(place) * 16 + 4)
                assert interval == 30_000
                at = ((high << 32) + low) / 1000
                assert at == begin.timestamp() + 30 * number
                end = places[number + 1] if number + 1 < len(places) else len(table)
                for entry in range(place + 1, end):
                    address, lat, lon = table[entry, :3].tolist()
                    if address & 0xFFFFFF != int(SWISS, 16):
                        continue
                    if lat >= 1 << 30:
                        squawks.add(lat & 0xFFFF)
                        callsigns.add(answer.body[entry * 16 + 8 : entry * 16 + 16])
                    else:
                        assert lon == pytest.approx(8.32e6, abs=100)
                        expected = 47.0 + (at - recorded[1] + RECORDED_S) * 0.002
                        assert lat / 1e6 == pytest.approx(expected, abs=0.13)
                        altitude = struct.unpack_from("<h", answer.body, entry * 16 + 12)[0]
                        assert altitude in (36000 // 25, -123, -124)
        assert squawks == {1000}
        assert callsigns <= {b"SWR1    ", b"SWR22   "}
        request = Request.blank(addresses[0][1], headers={**ANALYST, "Accept-Encoding": "gzip"})
        packed = request.get_response(client.app)
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body) == client.get(addresses[0][1], headers=ANALYST).body

    def test_a_half_hour_that_is_not_over_is_not_there(self, client):
        now = datetime.fromtimestamp(time.time(), UTC)
        for day, number in ((now, now.hour * 2 + now.minute // 30), (now + timedelta(days=400), 3)):
            client.get(f"/globe_history/{day:%Y/%m/%d}/heatmap/{number:02}.bin.ttf", headers=ANALYST, status=404)
        client.get("/globe_history/2019/01/01/heatmap/03.bin.ttf", headers=ANALYST, status=404)

    def test_a_half_hour_is_there_from_the_moment_at_which_all_of_it_is_written(self, client, recorded, monkeypatch):
        begin, address = next(half_hours(recorded[1]))
        settled = begin.timestamp() + 1800 + past_pictures.MARGIN_S
        settled += client.runtime.settings.of(HistorySettings).history_flush_s
        for now, status in ((settled - 1, 404), (settled, 200)):
            monkeypatch.setattr(replay, "unix_now", lambda now=now: now)
            client.get(address, headers=ANALYST, status=status)


class TestStatistics:
    """What graphs1090 and dump1090-exporter read."""

    @pytest.fixture
    def stats(self, client, recorded):
        monitor = create(client.runtime)
        statuses = [ReceiverStatus(name="roof", kind="beast", address="", messages=12, positions=3)]
        client.runtime.bus.publish(Message("receivers", "status", msgspec.json.encode(statuses), snapshot=True))
        monitor.on_tick(present(recorded[1], lat=49.5))
        return lambda headers: client.get("/data/stats.json?_=1", headers=headers).json

    def test_every_member_that_graphs1090_reads_is_there(self, stats):
        read = stats(ANALYST)
        total, minute = read["total"], read["last1min"]
        assert sum(total["remote"]["accepted"]) + total["remote"]["basestation"] == total["messages"] == 12
        assert total["cpr"]["global_ok"] + total["cpr"]["local_ok"] == 0
        assert total["position_count_total"] == 3
        assert total["tracks"]["all"] == 3
        assert total["end"] >= total["start"]
        assert set(total["cpu"]) >= {"demod", "reader", "background"}
        assert minute["local"]["signal"] == -12.5
        assert minute["max_distance"] > 100_000

    def test_every_member_that_dump1090_exporter_reads_is_there(self, stats):
        read = stats(ANALYST)["last1min"]
        cpr = "airborne surface filtered global_bad global_ok global_range global_skipped global_speed"
        cpr += " local_aircraft_relative local_ok local_range local_receiver_relative local_skipped local_speed"
        local = "accepted strong_signals bad modes modeac samples_dropped samples_processed unknown_icao"
        assert set(cpr.split()) <= set(read["cpr"])
        assert set(local.split()) <= set(read["local"])
        assert {"accepted", "bad", "modeac", "modes", "unknown_icao"} <= set(read["remote"])

    def test_figures_leave_out_what_a_caller_may_not_see(self, stats):
        every, civil = stats(ANALYST), stats(VIEWER)
        assert (every["aircraft_with_pos"], every["aircraft_without_pos"]) == (2, 1)
        assert (civil["aircraft_with_pos"], civil["aircraft_without_pos"]) == (1, 1)
        assert (every["total"]["tracks"]["all"], civil["total"]["tracks"]["all"]) == (3, 2)
        assert sum(civil["aircraft_count_by_type"].values()) == 2

    def test_simulated_aircraft_count_until_a_real_one_was_heard(self, client, recorded):
        sky = present(recorded[1], lat=49.5, seq=2)
        sky.columns["simulated"][:] = True
        show(client.runtime, sky)
        assert client.get("/data/stats.json", headers=ANALYST).json["aircraft_with_pos"] == 2
        with writing(client.runtime.sessions) as session:
            record_real_sky(session)
        read = client.get("/data/stats.json", headers=ANALYST).json
        assert (read["aircraft_with_pos"], sum(read["aircraft_count_by_type"].values())) == (0, 0)

    def test_before_the_first_tick_everything_is_zero(self, client):
        read = client.get("/data/stats.json", headers=ANALYST).json
        assert {read[name]["messages"] for name in ("last1min", "last5min", "last15min", "total")} == {0}


def test_military_aircraft_are_nowhere_for_who_may_not_see_them(client, recorded):
    number = f"{int(FIGHTER, 16):x}".encode()
    begin = datetime.fromtimestamp(recorded[1] - RECORDED_S, UTC)
    traces = [
        "/data/traces/01/trace_recent_43c001.json",
        "/data/traces/01/trace_full_43c001.json",
        f"/globe_history/{begin:%Y/%m/%d}/traces/01/trace_full_43c001.json",
    ]
    for address in traces:
        assert client.get(address, headers=ANALYST).json["icao"] == FIGHTER
        unseen = client.get(address, headers=VIEWER, status=404).json
        unknown = client.get(address.replace("43c001", "43c701"), headers=VIEWER, status=404).json
        assert unseen["detail"] == unknown["detail"]
    for number in (0, 50, 100):
        shown = {
            role: by_hex(client.get(f"/data/history_{number}.json", headers=as_role(role)))
            for role in ("viewer", "analyst")
        }
        assert FIGHTER not in shown["viewer"]
        assert number == 100 or FIGHTER in shown["analyst"]
    for _, address in half_hours(recorded[1]):
        seen = np.frombuffer(client.get(address, headers=ANALYST).body, "<u4")[::4] & 0xFFFFFF
        unseen = np.frombuffer(client.get(address, headers=VIEWER).body, "<u4")[::4] & 0xFFFFFF
        assert int(FIGHTER, 16) in seen
        assert int(FIGHTER, 16) not in unseen
    outlines = [client.get("/data/outline.json", headers=role).text for role in (VIEWER, ANALYST)]
    assert outlines[0] != outlines[1]
    assert "8.01" not in outlines[0]
    assert FIGHTER not in client.get("/data/aircraft.json", headers=VIEWER).text


def test_registrations_need_their_permission(client):
    for address in ("/data/aircraft.json", FULL, "/data/history_1.json"):
        assert "HB-JJA" not in client.get(address, headers=VIEWER).text
        assert "HB-JJA" in client.get(address, headers=OPERATOR).text


def test_a_key_for_aircraft_reaches_all_of_it(client, recorded):
    key, other = as_role("analyst", scopes=["aircraft"]), as_role("analyst", scopes=["safety"])
    half_hour = next(iter(half_hours(recorded[1])))[1]
    for address in ("/data/receiver.json", "/data/history_1.json", "/data/outline.json", FULL, RECENT, half_hour):
        client.get(address, headers=key)
        assert client.get(address, headers=other, status=403).json["code"] == "scope_denied"


def test_what_is_not_there(client):
    for address, status in (
        ("/data/history_121.json", 404),
        ("/data/history_-1.json", 404),
        ("/data/history_x.json", 400),
        ("/data/traces/21/trace_full_4b1620.json", 404),
        ("/data/traces/zz/trace_full_4b16zz.json", 400),
        ("/data/traces/22/trace_full_000022.json", 404),
        ("/globe_history/2025/13/01/heatmap/00.bin.ttf", 404),
        ("/globe_history/2025/02/30/traces/20/trace_full_4b1620.json", 404),
        ("/globe_history/2025/01/01/heatmap/48.bin.ttf", 400),
        ("/globe_history/1969/12/31/heatmap/47.bin.ttf", 404),
        ("/globe_history/9999/12/31/traces/20/trace_full_4b1620.json", 404),
        ("/globe_history/99999999/01/01/heatmap/01.bin.ttf", 404),
    ):
        assert client.get(address, headers=ANALYST, status=status).json["status"] == status


@pytest.mark.parametrize("setting", ["readsb_history", "history_enabled"])
def test_without_the_past_there_is_the_live_trail(make_past, setting):
    client = make_past(**{setting: False})
    receiver = client.get("/data/receiver.json", headers=ANALYST).json
    assert (receiver["history"], receiver["outlineJson"]) == (0, False)
    for address in ("/data/history_0.json", "/data/outline.json", "/globe_history/2025/01/01/heatmap/01.bin.ttf"):
        client.get(address, headers=ANALYST, status=404)
    assert len(client.get(FULL, headers=ANALYST).json["trace"]) == 1
