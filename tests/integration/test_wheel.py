"""What is installed from a wheel works without the checkout: the command, the migrations, the data files."""

import subprocess
import sys
import zipfile

import pytest

from tests.conftest import ROOT
from tests.processes import ENVIRONMENT
from tests.waiting import PATIENCE_S


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    # Built from a copy of what is committed, so that nothing lying about gets in and parallel builds do not collide.
    copy = folder / "copy"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(copy)], check=True)
    # What pip calls, without pip.
    build = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=copy, check=True, capture_output=True)
    wheel = next(folder.glob("skywatch-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "skywatch", *arguments],
        cwd=installed,
        env={**ENVIRONMENT, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=5 * PATIENCE_S,
        check=False,
    )


def test_the_migrations_travel_in_the_wheel(installed, tmp_path):
    ini = tmp_path / "wheel.ini"
    ini.write_text(
        f"[app:main]\nuse = egg:skywatch\nenvironment = development\ndatabase_url = sqlite:///{tmp_path}/w.db\n"
    )
    done = run(installed, "init", str(ini))
    assert done.returncode == 0, done.stderr
    assert (installed / "skywatch" / "migrations" / "env.py").is_file()
    assert (installed / "skywatch" / "migrations" / "script.py.mako").is_file()


def test_data_files_travel_in_the_wheel(installed):
    source = {
        p.relative_to(ROOT) for p in (ROOT / "skywatch").rglob("*") if p.suffix in (".html", ".css", ".js", ".csv")
    }
    # The web application is built in the checkout and in no clone of it.
    source = {path for path in source if path.parts[:3] != ("skywatch", "web", "built")}
    assert source
    missing = [str(path) for path in source if not (installed / path).is_file()]
    assert not missing


def test_tests_and_documents_stay_at_home(installed):
    top = {path.name for path in installed.iterdir() if not path.name.endswith(".dist-info")}
    assert top == {"skywatch"}
