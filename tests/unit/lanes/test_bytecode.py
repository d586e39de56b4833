"""What is compiled ahead is what pytest would write: else each of its processes compiles all of it again."""

import shutil
import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

from tests.lanes.bytecode import compile_test, rewritten


@pytest.mark.skipif(sys.dont_write_bytecode, reason="pytest writes none here")
def test_bytecode_is_where_pytest_looks_and_as_it_writes_it(tmp_path):
    here = Path(__file__)
    by_pytest = here.parent / "__pycache__" / f"{here.stem}{rewrite.PYC_TAIL}"
    copy = shutil.copy(here, tmp_path / here.name)
    cached = compile_test(Path(copy))
    assert cached == tmp_path / "__pycache__" / by_pytest.name
    assert cached.read_bytes()[:16] == by_pytest.read_bytes()[:16]
    code = rewrite._read_pyc(Path(copy), cached)
    assert code.co_code == rewrite._read_pyc(here, by_pytest).co_code
    assert "@pytest_ar" in code.co_names


def test_only_what_has_changed_is_compiled(tmp_path):
    path = tmp_path / "test_one.py"
    path.write_text("assert 1\n")
    written = compile_test(path).stat()
    assert compile_test(path).stat().st_ino == written.st_ino
    path.write_text("assert 2\n")
    assert compile_test(path).stat().st_ino != written.st_ino


def test_a_fault_is_left_to_pytest(tmp_path):
    path = tmp_path / "conftest.py"
    path.write_text("def\n")
    assert not compile_test(path).exists()


def test_what_pytest_does_not_rewrite_is_compiled_as_it_is(tmp_path):
    for name in ("conftest.py", "test_one.py", "helpers.py", "__init__.py", "latest_one.py"):
        (tmp_path / name).touch()
    assert [path.name for path in rewritten(tmp_path)] == ["conftest.py", "test_one.py"]
