"""The manual's recipes for the archive have answers that are right, each as it stands on the page."""

from __future__ import annotations

import json

import duckdb
import numpy as np
import pytest

from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.history.storage.points import identity
from tests.archives import archive, fill
from tests.functional.history.recorded import ANALYST
from tests.identities import install
from tests.recipes import recipes


@pytest.fixture(scope="module")
def years(migrated_sqlite, tmp_path_factory):
    """An installation's settings, and all points that are in its archive."""
    import shutil

    folder = tmp_path_factory.mktemp("recipes")
    shutil.copy(migrated_sqlite, folder / "a.sqlite")
    settings = {"database_url": f"sqlite:///{folder}/a.sqlite", "archive_url": f"file://{folder}/archive"}
    engine = create_engine(settings["database_url"])
    loaded = load({"secret": "x" * 40, "bus": "memory", "auth_mode": "public", **settings}, {})
    runtime = Runtime(loaded, engine, create_session_factory(engine), open_bus("memory"))
    points = fill(runtime.sessions)
    archive(runtime.sessions, loaded)
    runtime.close()
    return settings, folder / "archive", points


@pytest.fixture
def here(years, monkeypatch):
    monkeypatch.chdir(years[1])
    return years[2]


def python(section, number):
    names: dict = {}
    exec(recipes(section)[number].text, names)
    answer = names["answer"]
    assert len(answer) > 0
    return answer


def test_every_recipe_of_the_page_is_run_here_or_by_the_drill():
    counts = {name: len(recipes(name)) for name in ("DuckDB", "pandas", "Polars", "Spark", "Grafana")}
    assert counts == {"DuckDB": 3, "pandas": 2, "Polars": 1, "Spark": 1, "Grafana": 1}


def test_duckdb(here):
    with duckdb.connect() as database:
        types, area, days = (database.execute(recipe.text).fetchall() for recipe in recipes("DuckDB"))
    assert {row[0] for row in types} == {"A320", "B738", "GLF6"}
    assert sum(row[1] for row in types) > 20
    assert {len(row[0]) for row in area} == {6}
    assert all(row[2].year == 2026 for row in area)
    assert [str(row[0]) for row in days] == ["2026-03-01", "2026-03-02", "2026-03-03"]
    assert [row[1] for row in days] == [18, 18, 18]


@pytest.mark.deep("pandas is a large package")
def test_pandas(here):
    flights = python("pandas", 0)
    assert flights["flights"].tolist() == [18, 18, 18]
    assert flights["aircraft"].tolist() == [12, 12, 12]
    track = python("pandas", 1)
    of_day = here[(identity(here) == 0x3C4000) & (here["at"] < 177240960000)]
    assert len(track) == len(of_day) > 20
    np.testing.assert_allclose(track["lat"], of_day["lat"] / 1e5)
    assert track["at"].dt.tz is not None


@pytest.mark.deep("polars is a large package")
def test_polars(here):
    cells = python("Polars", 0)
    assert cells.height == 20
    expected = np.unique(np.stack((here["lat"] // 100_000, here["lon"] // 100_000)), axis=1, return_counts=True)[1]
    assert cells["points"][0] == expected.max()


@pytest.mark.deep("archives three days")
def test_grafana_gets_its_columns_from_the_api(years, make_client):
    settings, _, _ = years
    [recipe] = recipes("Grafana")
    panel = json.loads(recipe.text)
    client = install(make_client(auth_mode="hybrid", **settings))
    url = panel["url"].replace("${__from:date:iso}", "2026-02-01T00:00:00.000Z")
    rows = client.get(url.replace("${__to:date:iso}", "2026-03-10T00:00:00.000Z"), headers=ANALYST).json
    rows = rows[panel["root_selector"]]
    columns = {column["text"]: [row[column["selector"]] for row in rows] for column in panel["columns"]}
    assert columns == {
        "day": ["2026-03-01", "2026-03-02", "2026-03-03"], "flights": [18, 18, 18], "aircraft": [12, 12, 12],
    }  # fmt: skip
