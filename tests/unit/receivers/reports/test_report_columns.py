"""Documents read to columns say what their aircraft said, one by one."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET

from skywatch.receivers.reports import aircraft_json
from skywatch.receivers.reports.aircraft_json import DocumentError, read_document
from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.reports.duplicates import without_duplicates
from skywatch.receivers.reports.json_columns import ColumnReader
from skywatch.receivers.reports.normalisation import finish
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import ReportColumns
from tests.unit.receivers.reports.test_bincraft import drawn

NOW = 1_700_000_000.0


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aircraft_json, "BLOCK_BYTES", 2_000)


def fields(reports: Any) -> list[dict[str, Any]]:
    ignored = ("seen", "seen_pos")
    return [
        {name: getattr(report, name) for name in Report.__struct_fields__ if name not in ignored} for report in reports
    ]


def aircraft(chance: random.Random, number: int) -> dict[str, Any]:
    said = {"hex": f"4b{number:04x}"} | drawn(chance, number)
    odd = {
        "flight": ["  ", "@@", "swr9"], "type": [None], "lat": [None, 0.0], "gs": ["fast", -1], "hex": ["zz", "4B0001"],
        "seen_pos": [None], "acas_ra": [{"advisory": "climb"}], "mlat": [["lat", "lon"], []], "messages": [12.0],
        "alt_baro": ["ground", None],
    }  # fmt: skip
    for name in chance.sample(sorted(odd), 2):
        said[name] = chance.choice(odd[name])
    return {name: value for name, value in said.items() if value is not None}


def document(chance: random.Random, numbers: range, second: int) -> bytes:
    said = [aircraft(chance, number) for number in numbers]
    if chance.random() < 0.3:
        said.append(dict(said[0], squawk="1234"))
    return json.dumps({"now": NOW + second, "messages": second, "aircraft": said}).encode()


def one_by_one(body: bytes, now: float, invalid: Counter[str]) -> list[Report]:
    """The reports of a document, each completed for itself, as that of a line is."""
    return [report for report in read_document(body, invalid).aircraft if finish(report, now, invalid)]


@pytest.mark.parametrize("seed", range(8))
def test_columns_are_the_reports_of_the_document_second_by_second(seed: int) -> None:
    chance, reader = random.Random(seed), ColumnReader()
    for second in range(6):
        body, now = document(chance, range(second, second + 40), second), NOW + second
        invalid: Counter[str] = Counter()
        counted: Counter[str] = Counter()
        reports, newer, positions = reader.read(body, invalid).finish(now, now - 1.0)
        expected = one_by_one(body, now, counted)
        counts = [sum(getattr(one, name) > now - 1.0 for one in expected) for name in ("at", "position_at")]
        assert fields(reports) == fields(without_duplicates(expected))
        assert ([newer, positions], +invalid) == (counts, +counted)


def test_what_an_aircraft_says_again_is_kept_once_however_its_callsign_is_padded() -> None:
    reader, invalid = ColumnReader(), Counter[str]()
    spoken = [{"hex": "4b0001", "type": "adsb_icao", "flight": flight, "t": "A320"} for flight in ("SWR9    ", "SWR9")]
    steady = [
        reader.read(json.dumps({"now": NOW + second, "aircraft": [said]}).encode(), invalid).steady[0]
        for second, said in enumerate(spoken)
    ]
    assert steady[0] is steady[1]
    assert "SWR9" in steady[0]


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("}, {", "},, {", 1),
        lambda text: text.replace('"now"', '"aircraft": [], "now"', 1),
        lambda text: text.replace('"now"', '"ac": [], "now"', 1),
        lambda text: text.replace('"now"', '"history": [1], "now"', 1),
        lambda text: text[:-1] + ', "history": [1]}',
        lambda text: text.replace('{"hex"', '{"first": {"hex": 1}, "hex"', 1),
        lambda text: text.replace('"A320"', '"]}{\\\\"', 1),
        lambda text: text[: len(text) * 2 // 3],
        lambda text: text.replace("}, {", "} {", 3),
    ],
)
def test_a_document_that_is_cut_wrongly_is_read_as_a_whole(change: Any) -> None:
    body = change(document(random.Random(9), range(40), 0).decode()).encode()
    invalid: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    reports, *_ = ColumnReader().read(body, invalid).finish(NOW, 0.0)
    assert fields(reports) == fields(without_duplicates(one_by_one(body, NOW, counted)))
    assert +invalid == +counted


@pytest.mark.parametrize(
    "body",
    [
        b'{"now":1700000000,"aircraft":[],"removed":[{"hex":"4b0001"}]}',
        b'{"now":1700000000,"aircraft":[{"flight":"SWR1","hex":"4b0001","gs":400}],"removed":[{"hex":"4b0002"}]}',
        b'{"now":1700000000,"ac":[{ "hex":"4b0001","gs":400}],"x":{"ac":[{"hex":"4b0002"}]}}',
        b'{"aircraft":[{"hex":"4b0001"}],"ac":[{"hex":"4b0002"}]}',
    ],
)
def test_another_list_is_not_taken_for_the_aircraft(body: bytes) -> None:
    reports, *_ = ColumnReader().read(body, Counter()).finish(NOW, 0.0)
    assert fields(reports) == fields(one_by_one(body, NOW, Counter()))


def test_nothing_is_kept_of_documents_that_are_refused() -> None:
    reader = ColumnReader()
    for number in range(50):
        listed = ",".join(f'{{"hex":"{number:02x}{each:04x}"}}' for each in range(200))
        with pytest.raises(DocumentError):
            reader.read(f'{{"aircraft":[{listed}],"aircraft":5,"z":[]}}'.encode(), Counter())
    assert not reader._known


def test_what_is_wrong_in_a_repeated_document_is_counted_once() -> None:
    invalid: Counter[str] = Counter()
    reader = DocumentReader(invalid)
    body = b'{"now":1700000000,"aircraft":[{"hex":"zz"},{"hex":"4b0001","flight":"S?R","lat":0,"lon":0}]}'
    for _ in range(3):
        reader.read(body, NOW, 0.0)
    assert invalid == {"hex": 1, "flight": 1, "position": 1}


def test_what_is_no_document_is_refused() -> None:
    for body in (b"", b"{}", b'{"hex":"4b0001"}', b'[{"hex":"4b0001"}]', b'{"aircraft":{"hex":"4b0001"}}'):
        with pytest.raises(DocumentError):
            ColumnReader().read(body, Counter())


def test_reports_are_made_of_columns_and_columns_of_reports() -> None:
    reports, *_ = ColumnReader().read(document(random.Random(3), range(30), 0), Counter()).finish(NOW, 0.0)
    assert isinstance(reports, ReportColumns)
    assert fields(ReportColumns.of(reports.make(range(len(reports))))) == fields(reports)
    some = [5, 2, 11]
    assert fields(reports.take(some)) == [fields(reports)[row] for row in some]
    joined = ReportColumns.joined([reports.take(some), reports.take([1, 7])])
    assert fields(joined) == fields(reports.take([*some, 1, 7]))
    assert fields([reports[-1]]) == fields(reports)[-1:]


def test_numbers_keep_their_kind() -> None:
    reports = [
        Report("4b0001", alt_baro="ground", gs=12.0, messages=3, rssi=-4.5),
        Report("4b0002", alt_baro=36_000, baro_rate=-64),
        Report("4b0003"),
    ]
    columns = ReportColumns.of(reports)
    assert np.isnan(columns.column("mach")).all()
    again = columns.make(range(3))
    assert [report.alt_baro for report in again] == ["ground", 36_000, UNSET]
    assert [type(again[1].baro_rate), type(again[0].gs), type(again[0].messages)] == [int, float, int]
