"""Libraries that are imported at their first use: a missing one is told at the start, a broken one by `doctor`."""

import sys

import pytest

from skywatch.cli.doctor.means import check_libraries
from skywatch.core.process import late_imports


def test_a_missing_library_is_told_at_the_start(monkeypatch):
    late_imports.check_installed()
    monkeypatch.setitem(late_imports.LATE, "no_such_library", "geofences")
    with pytest.raises(ModuleNotFoundError, match=r"no_such_library.*geofences"):
        late_imports.check_installed()


@pytest.mark.deep("imports every library")
def test_doctor_names_a_library_that_cannot_be_imported(monkeypatch, tmp_path):
    assert [finding.level for finding in check_libraries()] == ["ok"]
    (tmp_path / "broken_library.py").write_text("raise OSError('libgeos.so is missing')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setitem(late_imports.LATE, "broken_library", "geofences")
    (finding,) = check_libraries()
    assert finding.level == "fault"
    assert "broken_library" in finding.text
    assert "libgeos.so is missing" in finding.text
