"""What the builder of the Debian package does to the environment in it."""

from __future__ import annotations

import importlib.util

import pytest

from tests.conftest import ROOT


@pytest.fixture(scope="module")
def module():
    spec = importlib.util.spec_from_file_location("debian_build", ROOT / "deploy/debian/build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("text", "number"), [("12.11\n", "12"), ("13.0\n", "13")])
def test_the_release_is_that_of_debian_whoever_made_something_of_it(module, tmp_path, text, number):
    (tmp_path / "debian_version").write_text(text)
    assert module.release(tmp_path / "debian_version") == number


@pytest.mark.parametrize("text", ["trixie/sid\n", "kali-rolling\n", None])
def test_a_system_of_no_release_of_debian_is_refused(module, tmp_path, text):
    if text is not None:
        (tmp_path / "debian_version").write_text(text)
    with pytest.raises(module.Failure, match="Debian 12 or newer"):
        module.release(tmp_path / "debian_version")


def test_what_packages_put_beside_themselves_is_left_out(module, tmp_path):
    for folder in ("bin", "lib/python3.13", "share/man"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("pyvenv.cfg", ".gitignore", "airports.csv.gz", "lib/python3.13/a.py"):
        (tmp_path / name).touch()
    (tmp_path / "lib64").symlink_to("lib")
    module.remove_others(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bin", "lib", "pyvenv.cfg"]
    assert (tmp_path / "lib/python3.13/a.py").exists()


def test_the_lists_of_packages_name_nothing_that_carries_the_path_of_the_build(module, tmp_path):
    record = tmp_path / "python3.11/site-packages/skywatch-1.0.0.dist-info/RECORD"
    record.parent.mkdir(parents=True)
    (record.parent.parent / "skywatch").mkdir()
    (record.parent.parent / "skywatch/__init__.py").touch()
    path_of_build = "../../../bin/skywatch,sha256=a,258\nskywatch-1.0.0.dist-info/direct_url.json,sha256=b,150\n"
    record.write_text(f"{path_of_build}skywatch/__init__.py,sha256=c,75\n")
    module.forget_removed(tmp_path)
    assert record.read_text() == "skywatch/__init__.py,sha256=c,75\n"
