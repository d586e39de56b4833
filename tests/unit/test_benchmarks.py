"""Benchmarks rot unseen: each has a short form, which runs here and by `python -m benchmarks --short`."""

import ast
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import endpoint_costs
from benchmarks._endpoint_costs.calibration import ALLOWED_MS
from benchmarks._endpoint_costs.entries import entries
from benchmarks._endpoint_costs.entry import read
from benchmarks._short import NEED_POSTGRESQL, SHORT, run
from tests.servers import POSTGRESQL_URL, browser_programs, require, skip_or_fail

pytestmark = pytest.mark.deep("runs benchmarks")

FOLDER = Path(benchmarks.__file__).parent
BUILT = FOLDER.parent / "skywatch" / "web" / "built" / "index.html"

# Endpoints that may cost more than others: uploads, streams, and evaluations of history.
EXCEPTIONS = {
    "POST /api/call-upload",
    "POST /api/v1/audio/transmissions",
    "GET /api/v1/audio/transmissions/{id}/file",
    "POST /api/v1/alerts/geofences/import/",
    "POST /api/v1/alerts/rules/import/",
    "POST /api/v1/cannonball/known-aircraft/import/",
    "POST /api/v1/routes/import",
    "GET /api/v1/acars/export",
    "GET /api/v1/history/export",
    "GET /api/v1/history/replay",
    "GET /api/v1/history/heatmap",
    "GET /api/v1/history/coverage",
    "POST /api/v1/alerts/rules/test/",
    "POST /api/v1/alerts/rules/{id}/test/",
    # Until conditions are parsed once.
    "POST /api/v1/alerts/rules/",
    "PATCH /api/v1/alerts/rules/{id}/",
}


def test_every_benchmark_has_a_short_form():
    assert sorted(SHORT) == sorted(benchmarks.names())


def names_of(module):
    """What a module of the benchmarks names at its top."""
    tree = ast.parse((FOLDER / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
    names |= {
        node.target.id for node in tree.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    return names | {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_what_short_forms_set_is_there():
    set_names = {tuple(path.rsplit(".", 1)) for constants, _ in SHORT.values() for path in constants}
    assert [f"{module}.{name}" for module, name in sorted(set_names) if name not in names_of(module)] == []


@pytest.mark.nightly("runs every benchmark in its short form")
@pytest.mark.parametrize("name", benchmarks.names())
def test_short_form_runs(name):
    if name in NEED_POSTGRESQL:
        require(POSTGRESQL_URL, "PostgreSQL")
    if name == "web":
        browser_programs()
        if not BUILT.exists():
            skip_or_fail("the built web application")
    outcome = run(name)
    assert outcome.is_complete, outcome.output


SMALL = {"AIRCRAFT": 3, "ROWS": 20, "KNOWN": 3, "FLOWN": 1, "IMPORTED": 2, "SOUNDS_S": 1}


@pytest.fixture
def costs(monkeypatch):
    """The benchmark of endpoint costs over next to nothing, which measures no request."""
    for name, value in SMALL.items():
        monkeypatch.setattr(endpoint_costs, name, value)
    monkeypatch.setattr(endpoint_costs, "populate", lambda made, folder: None)
    monkeypatch.setattr(endpoint_costs, "prepare", lambda: None)
    return endpoint_costs


def test_an_endpoint_without_an_entry_fails(costs, monkeypatch):
    known = entries()
    del known["GET /api/v1/aircraft"]
    known["GET /api/v1/photos"] = []
    monkeypatch.setattr(costs, "entries", lambda: known)
    with pytest.raises(RuntimeError, match=r"without an entry: \['GET /api/v1/aircraft'\].*\['GET /api/v1/photos'\]"):
        costs.main()


def test_a_request_over_its_limit_fails(costs, capsys):
    dear = [read("all", "/system/info", allowed_ms=0.001)]
    with pytest.raises(RuntimeError, match="1 requests cost more"):
        costs.judge({"GET /api/v1/system/info": dear})
    assert "over its limit: GET /api/v1/system/info, all" in capsys.readouterr().out


def test_an_answer_that_is_not_expected_fails(costs, capsys):
    with pytest.raises(RuntimeError, match="1 requests cost more"):
        costs.judge({"GET /api/v1/nothing": [read("none", "/nothing", allowed_ms=1e6)]})
    assert "not as expected: GET /api/v1/nothing, none: 404" in capsys.readouterr().out


def test_exceptions_have_a_reason():
    every = [(name, entry) for name, some in entries().items() for entry in some]
    assert [
        name for name, entry in every if (entry.allowed_ms > ALLOWED_MS or entry.is_stream) and not entry.reason
    ] == []
    assert {name for name, entry in every if entry.reason} <= EXCEPTIONS
