"""The table of routes: what is taken and what is refused of a file, in the API and by the command."""

import zipfile

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.cli import group
from skywatch.core.database.models import AuditEntry
from skywatch.routes.models import TableRoute
from tests.functional.routes.drawing import ADMIN, HEADER, upload
from tests.identities import install

URL = "/api/v1/routes"


def routes(client):
    with client.runtime.sessions() as session:
        return dict(session.execute(sa.select(TableRoute.callsign, TableRoute.airports)).all())


def test_an_import_replaces_the_table_and_says_where_it_came_from(client):
    assert client.get(f"{URL}/status").json["table"] == {"routes": 0, "source": None, "imported_at": None}
    report = upload(client, HEADER + "SWR100,SWR,100,SWR,LSZH-EGLL\nSWR200,SWR,200,SWR,LSZH-KJFK-KBOS\n").json
    assert report == {"routes": 2, "refused": 0, "errors": []}
    assert routes(client) == {"SWR100": "LSZH-EGLL", "SWR200": "LSZH-KJFK-KBOS"}
    table = client.get(f"{URL}/status").json["table"]
    assert (table["routes"], table["source"]) == (2, "upload")
    assert table["imported_at"].endswith("Z")
    upload(client, "BAW1,BAW,1,BAW,EGLL-KJFK\n")
    assert routes(client) == {"BAW1": "EGLL-KJFK"}


def test_the_forms_of_a_file(client):
    text = (
        "\ufeffCallsign,Code,Number,AirlineCode,AirportCodes\r\n"
        "swr100 ,SWR,100,SWR,ZRH-lhr\r\n"  # IATA codes, lower case, a blank
        "\r\n"
        '"BAW1","BAW","1","BAW","EGLL-KJFK"\r\n'
        "BAW1,BAW,1,BAW,EGLL-KBOS"  # the last row of a callsign counts, and no line end
    )
    assert upload(client, text).json["routes"] == 2
    assert routes(client) == {"SWR100": "LSZH-EGLL", "BAW1": "EGLL-KBOS"}
    # Other columns and another order, by their names.
    upload(client, "AirportCodes,Note,Callsign\nEGLL-EDDF,x,DLH1\n")
    assert routes(client) == {"DLH1": "EGLL-EDDF"}


@pytest.mark.parametrize(
    ("row", "detail"),
    [
        ("SWR1234567,S,1,S,LSZH-EGLL", "has a callsign that is not 2 to 8 letters and digits"),
        ("S,S,1,S,LSZH-EGLL", "has a callsign that is not 2 to 8 letters and digits"),
        ("SW-1,S,1,S,LSZH-EGLL", "has a callsign that is not 2 to 8 letters and digits"),
        ("SWR1,S,1,S,LSZH-QQQQ", "names an airport that is not known: QQQQ"),
        ("SWR1,S,1,S,LSZH-E", "names an airport that is not known: E"),
        ("SWR1,S,1,S,LSZH", "has fewer than two airports"),
        ("SWR1,S,1,S,", "has fewer than two airports"),
        ("SWR1,S,1,S," + "-".join(["LSZH", "EGLL"] * 20), "has more than 24 airports"),
        ("SWR1,S", "has 2 columns"),
    ],
)
def test_a_bad_row_is_refused_alone(client, row, detail):
    report = upload(client, f"{HEADER}{row}\nBAW1,BAW,1,BAW,EGLL-KJFK\n").json
    assert (report["routes"], report["refused"]) == (1, 1)
    (error,) = report["errors"]
    assert (error["line"], error["detail"]) == (2, detail)
    assert routes(client) == {"BAW1": "EGLL-KJFK"}


def test_without_a_good_row_nothing_is_changed(client):
    upload(client, "BAW1,BAW,1,BAW,EGLL-KJFK\n")
    for text in ("", HEADER, f"{HEADER}SWR1,S,1,S,LSZH\n", "\x00\xff\n", '"unclosed\n'):
        problem = upload(client, text, status=400).json
        assert problem["code"] == "validation_failed"
    assert routes(client) == {"BAW1": "EGLL-KJFK"}
    with client.runtime.engine.connect() as connection:
        tables = connection.execute(sa.text("SELECT name FROM sqlite_temp_master")).all()
    assert not tables


def test_only_the_first_hundred_refused_rows_are_named(client):
    text = "".join(f"SWR{number},S,1,S,LSZH\n" for number in range(150)) + "BAW1,BAW,1,BAW,EGLL-KJFK\n"
    report = upload(client, text).json
    assert (report["refused"], len(report["errors"])) == (150, 100)
    assert [error["line"] for error in report["errors"]] == list(range(1, 101))


def test_the_body_has_a_type_and_a_largest_size(make_client):
    client = install(make_client(routes_import_max_bytes=2000))
    upload(client, "x", content_type="application/json", status=415)
    upload(client, "x" * 3000, status=413)
    upload(client, HEADER + "BAW1,BAW,1,BAW,EGLL-KJFK\n", content_type="text/csv; charset=utf-8")


def test_the_table_is_deleted_and_both_are_in_the_audit_log(client):
    upload(client, "BAW1,BAW,1,BAW,EGLL-KJFK\n")
    client.delete(f"{URL}/table", headers=ADMIN, status=204)
    assert routes(client) == {}
    assert client.get(f"{URL}/status").json["table"]["source"] is None
    with client.runtime.sessions() as session:
        entries = session.scalars(sa.select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [(entry.action, entry.target_type) for entry in entries if entry.action.startswith("routes.")] == [
        ("routes.import", "route_table"),
        ("routes.delete", "route_table"),
    ]


@pytest.fixture
def ini(sqlite_url, tmp_path, monkeypatch):
    path = tmp_path / "test.ini"
    path.write_text(
        f"[app:main]\nuse = egg:skywatch\nenvironment = development\ndatabase_url = {sqlite_url}\nbus = memory\n"
    )
    return path


def run(*arguments):
    return CliRunner().invoke(group, ["routes", "import", *map(str, arguments)])


def stored(sqlite_url):
    engine = sa.create_engine(sqlite_url)
    with engine.connect() as connection:
        rows = dict(connection.execute(sa.text("SELECT callsign, airports FROM route_table")).all())
        source = connection.execute(sa.text("SELECT source FROM route_imports")).scalar()
    engine.dispose()
    return rows, source


def test_the_command_imports_a_file_a_folder_and_a_zip_file(ini, sqlite_url, tmp_path):
    folder = tmp_path / "standing-data"
    (folder / "routes" / "S").mkdir(parents=True)
    (folder / "routes" / "S" / "SWR-all.csv").write_text(HEADER + "SWR100,SWR,100,SWR,LSZH-EGLL\n")
    (folder / "routes" / "BAW-all.CSV").write_text("BAW1,BAW,1,BAW,EGLL-KJFK\n")
    # Files of the same collection about something else.
    (folder / "airports.csv").write_text("Code,Name,ICAO,IATA\nEGLL,Heathrow,EGLL,LHR\n")
    (folder / "README.md").write_text("Routes.\n")
    result = run(ini, folder)
    assert (result.exit_code, result.stdout) == (0, "2 routes; 0 rows refused.\n")
    assert stored(sqlite_url) == ({"SWR100": "LSZH-EGLL", "BAW1": "EGLL-KJFK"}, "standing-data")

    archive = tmp_path / "data.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("data/SWR.csv", HEADER + "SWR7,SWR,7,SWR,LSZH-EDDF\nSWR8,SWR,8,SWR,LSZH\n")
        packed.writestr("data/airlines.csv", "Code,Name\nSWR,Swiss\n")
    result = run(ini, archive)
    assert result.stdout == "1 routes; 1 rows refused.\n  data/SWR.csv, line 3 has fewer than two airports\n"
    assert stored(sqlite_url) == ({"SWR7": "LSZH-EDDF"}, "data.zip")

    single = tmp_path / "routes.txt"
    single.write_text("DLH1,DLH,1,DLH,FRA-JFK\n")
    assert run(ini, single).exit_code == 0
    assert stored(sqlite_url) == ({"DLH1": "EDDF-KJFK"}, "routes.txt")


def test_the_command_says_in_one_line_why_nothing_was_imported(ini, sqlite_url, tmp_path):
    empty, wrong, cut = tmp_path / "empty", tmp_path / "wrong.csv", tmp_path / "cut.zip"
    empty.mkdir()
    wrong.write_text("SWR1,S,1,S,LSZH\n")
    with zipfile.ZipFile(cut, "w") as packed:
        packed.writestr("a.csv", "SWR1,S,1,S,LSZH-EGLL\n" * 1000)
    cut.write_bytes(cut.read_bytes().replace(b"SWR1,S,1,S,LSZH-EGLL\n" * 3, b"SWR1,S,1,S,LSZH-EGLX\n" * 3, 1))
    damaged = tmp_path / "damaged.zip"
    with zipfile.ZipFile(damaged, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.csv", "SWR1,S,1,S,LSZH-EGLL\n" * 1000)
    # Behind the header of the member: a block of a kind that does not exist.
    data = bytearray(damaged.read_bytes())
    data[35:45] = b"\xff" * 10
    damaged.write_bytes(data)
    for path, words in (
        (damaged, "while decompressing"),
        (tmp_path / "none.csv", "No such file"),
        (empty, "contains no route"),
        (wrong, "1 row was refused; line 1 has fewer than two airports"),
        (cut, "CRC"),
    ):
        result = run(ini, path)
        assert result.exit_code == 1
        (line,) = result.stderr.strip().splitlines()
        assert words in line
    assert stored(sqlite_url) == ({}, None)


def test_both_databases_hold_the_same_table(make_client, database_url):
    client = install(make_client(database_url=database_url))
    upload(client, "BAW1,B,1,B,EGLL-KJFK\nSWR1,S,1,S,LSZH-EGLL\nBAW1,B,1,B,EGLL-KBOS\n")
    upload(client, "BAW1,B,1,B,EGLL-KORD\nSWR1,S,1,S,LSZH\n")
    assert routes(client) == {"BAW1": "EGLL-KORD"}
    assert client.get(f"{URL}/baw1").json["route"]["destination"]["icao"] == "KORD"
