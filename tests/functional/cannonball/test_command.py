"""``skywatch known-aircraft import``: files of every form, dry runs, refusals, and that nothing is half done."""

import zipfile

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from skywatch.cannonball.models import KnownAircraft
from skywatch.cli import group
from skywatch.core.database.engine import create_engine, create_session_factory
from tests.unit.cannonball.known.test_formats import ACFTREF, MASTER, OPENSKY, PLANE_ALERT

pytestmark = pytest.mark.portable("sends what others send", but=["test_the_faa_registry_as_it_is_downloaded"])

GOOD = "icao_hex,registration,agency_name\nA68A37,N520PD,Pasadena Police Dept\n"


@pytest.fixture
def ini(tmp_path, database_url):
    path = tmp_path / "test.ini"
    path.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"secret = only-for-tests-0123456789abcdef0123456789\ndatabase_url = {database_url}\n"
    )
    return path


def run(ini, file, form, *options):
    return CliRunner().invoke(group, ["known-aircraft", "import", str(ini), str(file), "--format", form, *options])


def listed(database_url):
    engine = create_engine(database_url)
    with create_session_factory(engine)() as db:
        found = {entry.icao_hex: entry for entry in db.scalars(sa.select(KnownAircraft))}
    engine.dispose()
    return found


@pytest.mark.parametrize(
    ("text", "form", "addresses"),
    [
        (GOOD, "skywatch", {"A68A37"}),
        (PLANE_ALERT, "plane-alert", {"0081A9", "A006AF"}),
        (OPENSKY, "opensky", {"A68A37"}),
        (MASTER, "faa", {"A68A37", "A00998"}),
    ],
)
def test_a_file_of_each_form(ini, tmp_path, database_url, text, form, addresses):
    file = tmp_path / "list.csv"
    file.write_text(text, encoding="utf-8")
    result = run(ini, file, form)
    assert result.exit_code == 0, result.output
    assert f"{len(addresses)} were added" in result.output
    assert set(listed(database_url)) == addresses


def test_the_faa_registry_as_it_is_downloaded(ini, tmp_path, database_url):
    path = tmp_path / "ReleasableAircraft.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("MASTER.txt", MASTER)
        archive.writestr("ACFTREF.txt", ACFTREF)
    assert run(ini, path, "faa").exit_code == 0
    assert listed(database_url)["A68A37"].aircraft_model == "BELL HELICOPTER TEXTRON OH-58A+"


def test_a_dry_run_and_a_refusal_change_nothing(ini, tmp_path, database_url):
    file = tmp_path / "list.csv"
    file.write_text(GOOD + "nonsense,,\n")
    dry = run(ini, file, "skywatch", "--dry-run")
    assert dry.exit_code == 0
    assert "1 would be added" in dry.output
    refused = run(ini, file, "skywatch")
    assert refused.exit_code == 1
    assert "line 3" in refused.output
    assert "--keep-good" in refused.output
    assert listed(database_url) == {}
    assert run(ini, file, "skywatch", "--keep-good").exit_code == 0
    assert set(listed(database_url)) == {"A68A37"}


def test_what_cannot_be_read_is_one_line(ini, tmp_path):
    file = tmp_path / "list.csv"
    file.write_text(GOOD.replace(",", ";"))
    for result in (run(ini, file, "skywatch"), run(ini, tmp_path / "none.csv", "skywatch")):
        assert result.exit_code == 1
        assert "Traceback" not in result.output
        assert len([line for line in result.output.splitlines() if line.startswith("skywatch:")]) == 1
