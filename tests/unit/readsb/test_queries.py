"""readsb's query language: what each parameter picks, and which queries are refused."""

import json

import pytest

from skywatch.core.problems import Problem
from skywatch.readsb.queries import answer, parse, select
from skywatch.security.visibility import EVERYTHING, Visibility
from tests.skies import NOW, sky_of

SWISS = {"hex": "4b1620", "flight": "SWR123", "r": "HB-IJS", "t": "A320", "alt_baro": 34000, "lat": 47.5, "lon": 8.6}
EASY = {"hex": "406a90", "flight": "EZY45AB", "t": "A20N", "alt_baro": 5000, "squawk": "7700", "lat": 46.2, "lon": 6.1}
TAXI = {"hex": "4b0001", "alt_baro": "ground", "lat": 47.458, "lon": 8.548}
SILENT = {"hex": "3c6444", "flight": "SWR99"}
FIGHTER = {"hex": "4b7f01", "dbFlags": 1, "military": True, "alt_baro": 25000, "lat": 46.9, "lon": 8.0}
PRIVATE = {"hex": "a00001", "dbFlags": 4, "t": "GLF6", "alt_baro": 41000, "lat": 40.0, "lon": -100.0}
FIJI = {"hex": "~088001", "flight": "FJI11", "dbFlags": 8, "alt_baro": 39000, "lat": -17.7, "lon": -179.9}
SKY = sky_of(SWISS, EASY, TAXI, SILENT, FIGHTER, PRIVATE, FIJI)
EVERYBODY = "4b1620 406a90 4b0001 3c6444 4b7f01 a00001 ~088001"


@pytest.mark.parametrize(
    ("query", "hexes"),
    [
        ("all", EVERYBODY),
        ("json&all", EVERYBODY),
        ("all=&nobody_knows=this&neither_this", EVERYBODY),
        ("all_with_pos", "4b1620 406a90 4b0001 4b7f01 a00001 ~088001"),
        ("all&filter_with_pos", "4b1620 406a90 4b0001 4b7f01 a00001 ~088001"),
        ("box=46,48,7.5,9", "4b1620 4b0001 4b7f01"),
        ("box=-20,-10,170,-170", "~088001"),
        ("box=46,48,8.5,9&find_hex=~088001,000000", "4b1620 4b0001 ~088001"),
        ("circle=47.45,8.56,5", "4b1620 4b0001"),
        ("closest=47.45,8.56,50", "4b0001"),
        ("closest=0,0,1", ""),
        ("find_hex=4B1620,406a90", "4b1620 406a90"),
        ("hexList=4b1620", "4b1620"),
        ("find_callsign=swr123,FJI11", "4b1620 ~088001"),
        ("find_callsign=SWR", ""),
        ("find_reg=hb-ijs", "4b1620"),
        ("find_type=A320,GLF6", "4b1620 a00001"),
        ("all&filter_type=A20N", "406a90"),
        ("all&filter_callsign_prefix=swr", "4b1620 3c6444"),
        ("all&filter_callsign_exact=SWR99", "3c6444"),
        ("all&filter_squawk=7700", "406a90"),
        ("all&above_alt_baro=34000", "4b1620 a00001 ~088001"),
        ("all&above_alt_baro=-100&below_alt_baro=5000", "406a90 4b0001"),
        ("all&filter_mil", "4b7f01"),
        ("all&filter_pia&filter_ladd", "a00001 ~088001"),
        ("all&filter_pia&below_alt_baro=40000", ""),
    ],
)
def test_what_a_query_picks(query, hexes):
    rows, _ = select(SKY, parse(query), military=True)
    assert [SKY.hexes[row] for row in rows] == hexes.split()


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("", "query"),
        ("filter_mil", "query"),
        ("all&box=46,48,7,9", "box"),
        ("circle=1,2,3&closest=1,2,3", "closest"),
        ("box=48,46,7,9", "box"),
        ("box=46,48,7", "box"),
        ("box=a,b,c,d", "box"),
        ("circle=91,0,5", "circle"),
        ("circle=0,0,nan", "circle"),
        ("circle=0,0,-1", "circle"),
        ("find_hex=xyz", "find_hex"),
        ("find_hex=", "find_hex"),
        ("find_type=" + ",".join(f"T{n}" for n in range(1001)), "find_type"),
        ("all&filter_squawk=8888", "filter_squawk"),
        ("all&filter_callsign_exact=TOOLONGBYFAR", "filter_callsign_exact"),
        ("all&above_alt_baro=high", "above_alt_baro"),
        ("&".join(["all"] * 101), "query"),
    ],
)
def test_what_is_wrong_is_named(query, name):
    with pytest.raises(Problem) as refused:
        parse(query)
    assert [error["name"] for error in refused.value.errors] == [name]


def test_nobody_sees_military_aircraft_by_asking_for_them():
    for query in ("all", "find_hex=4b7f01", "all&filter_mil", "box=46,48,7,9", "closest=46.9,8,5", "circle=46.9,8,5"):
        rows, _ = select(SKY, parse(query), military=False)
        assert "4b7f01" not in [SKY.hexes[row] for row in rows]


def test_readsbs_form():
    found = json.loads(answer(SKY, parse("circle=47.45,8.56,5"), EVERYTHING))
    assert (found["now"], found["resultCount"]) == (NOW, 2)
    assert found["ptime"] >= 0
    swiss = found["aircraft"][0]
    assert (swiss["hex"], swiss["flight"], swiss["r"]) == ("4b1620", "SWR123  ", "HB-IJS")
    assert swiss["dst"] == pytest.approx(3.4, abs=0.1)
    assert swiss["dir"] == pytest.approx(28.4, abs=0.5)
    assert "dst" not in json.loads(answer(SKY, parse("all"), EVERYTHING))["aircraft"][0]


def test_v2_form():
    found = json.loads(answer(SKY, parse("find_hex=4b1620&jv2"), EVERYTHING))
    assert found["now"] == found["ctime"] == NOW * 1000
    assert (found["total"], found["msg"], [one["hex"] for one in found["ac"]]) == (1, "No error", ["4b1620"])
    nothing = json.loads(answer(SKY, parse("find_hex=000000&jv2"), Visibility()))
    assert (nothing["ac"], nothing["total"]) == ([], 0)


def test_the_same_question_has_the_same_key():
    assert parse("all&filter_mil&x=1").key == parse("_=2&filter_mil&all").key
    assert parse("find_hex=4b1620,406a90").key == parse("find_hex=406A90,4B1620").key
    assert parse("all").key != parse("all&jv2").key
