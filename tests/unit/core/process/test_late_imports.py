"""Libraries that are imported at their first use: a missing one is told at the start, a broken one by `doctor`."""

import importlib
import subprocess
import sys

import pytest

from skywatch.cli.doctor.means import check_libraries
from skywatch.core.process import late_imports


def test_a_missing_library_is_told_at_the_start(monkeypatch):
    late_imports.check_installed()
    monkeypatch.setitem(late_imports.LATE, "no_such_library", "geofences")
    with pytest.raises(ModuleNotFoundError, match=r"no_such_library.*geofences"):
        late_imports.check_installed()


def test_doctor_names_a_library_that_cannot_be_imported(monkeypatch, tmp_path):
    assert [finding.level for finding in check_libraries()] == ["ok"]
    (tmp_path / "broken_library.py").write_text("raise OSError('libgeos.so is missing')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setitem(late_imports.LATE, "broken_library", "geofences")
    (finding,) = check_libraries()
    assert finding.level == "fault"
    assert "broken_library" in finding.text
    assert "libgeos.so is missing" in finding.text


def test_a_service_imports_httpx_without_its_command_line():
    code = "\n".join(
        [
            "import sys",
            "from skywatch.core.process import late_imports",
            "late_imports.skip_unused()",
            "import httpx",
            "print('rich' in sys.modules, httpx.URL('http://example.org/').host)",
        ]
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "example.org"]


def test_a_part_that_a_library_imports_stays_whole_for_others(tmp_path, monkeypatch):
    (tmp_path / "library_of_parts").mkdir()
    (tmp_path / "library_of_parts" / "__init__.py").write_text("from . import heavy")
    (tmp_path / "library_of_parts" / "heavy.py").write_text("weight = 7")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for name in ("library_of_parts", "library_of_parts.heavy"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with late_imports.emptied("library_of_parts.heavy"):
        library = importlib.import_module("library_of_parts")
    assert not hasattr(library.heavy, "weight")
    assert importlib.import_module("library_of_parts.heavy").weight == 7
    with late_imports.emptied("library_of_parts.heavy"):
        assert sys.modules["library_of_parts.heavy"].weight == 7


def test_a_service_reads_tokens_and_counts_requests_without_ciphers_and_asyncio():
    code = "\n".join(
        [
            "import sys",
            "import skywatch.accounts.identity.tokens, skywatch.http.limits.limiter",
            "print([name for name in ('cryptography', 'limits.aio') if name in sys.modules])",
            "import cryptography.fernet, limits.aio.storage",
            "print(bool(limits.aio.storage.MemoryStorage))",
        ]
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "True"]


def test_a_module_is_hidden_only_while_another_is_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "this", raising=False)
    with late_imports.without("this"):
        assert sys.modules["this"] is None
    assert "this" not in sys.modules
    monkeypatch.setitem(sys.modules, "this", sys)
    with late_imports.without("this"):
        assert sys.modules["this"] is sys
    assert sys.modules["this"] is sys
