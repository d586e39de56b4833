"""Which tests `make test` runs, which `make test-all`, and which the night: ``pytest --tier test|rest|night|all``.

The two tiers and the night together are all tests, each in one of them. Without the option everything but the night
runs, so that a single file can be named without thinking of tiers.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TIERS = ("test", "rest", "night")
MARKERS = (
    "deep(reason): a corpus, a whole table, an archive with worker processes or a server of its own: `make test-all`",
    "smoke: the one test of a way in or out that `make test` runs of the integration tests",
    "dear(reason): is part of `make test` although it costs more than a processor second",
    "nightly(reason): what only repetition or the passing of time shows: `make test-nightly`",
)
BROWSER = Path(__file__).resolve().parents[1] / "integration" / "web"
# Marks that hold for all tests of a file.
_WHOLLY_LATER = re.compile(rb"^pytestmark = pytest\.mark\.(?:deep|nightly)\(", re.MULTILINE)
SERVERS = {"migrated_postgresql", "nats_url", "own_nats", "postgresql_url", "redis_url"}


def tier_of(item: pytest.Item) -> str:
    """The one tier of a test."""
    if item.get_closest_marker("nightly"):
        return "night"
    if needs_server(item):
        return "rest"
    if item.get_closest_marker("integration"):
        return "test" if item.get_closest_marker("smoke") else "rest"
    return "rest" if item.get_closest_marker("deep") else "test"


def has_none(path: Path, lane: str, tier: str | None) -> bool:
    """Whether a file says by its text that none of its tests are of a tier: it need not be imported.

    A third of the files have none for `make test`, and each process of the tests would import them all.
    """
    text = path.read_bytes()
    if tier == "night":
        return b"mark.nightly(" not in text
    return tier == "test" and (
        b"mark.smoke" not in text if lane == "integration" else _WHOLLY_LATER.search(text) is not None
    )


def needs_server(item: pytest.Item) -> bool:
    """Whether a test talks to a server that Python alone does not bring."""
    parameters = getattr(item, "callspec", None)
    of_server = {"postgresql", "redis", "nats", *SERVERS}
    return bool(SERVERS & set(getattr(item, "fixturenames", ()))) or (
        parameters is not None
        and any(isinstance(value, str) and value in of_server for value in parameters.params.values())
    )


def is_in_browser(item: pytest.Item) -> bool:
    """Whether a test opens pages of the web application."""
    return item.path.is_relative_to(BROWSER)


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the tier that the command line names."""
    tier = config.getoption("tier")
    wanted = {"all": TIERS, None: ("test", "rest")}.get(tier, (tier,))
    left_out = [item for item in items if tier_of(item) not in wanted]
    # Tests in a browser take longest, and those of a process share a browser and two services with a month of history:
    # they come first, so that one process has them while the others take what comes last from one another.
    items.sort(key=lambda item: not is_in_browser(item))
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if tier_of(item) in wanted]
