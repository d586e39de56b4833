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
    "portable(reason, but=()): statements that other tests send to PostgreSQL by day, as those named in `but` do",
    "nightly(reason): what only repetition or the passing of time shows: `make test-night`",
)
BROWSER = Path(__file__).resolve().parents[1] / "integration" / "web"
# Marks that hold for all tests of a file.
_WHOLLY_LATER = re.compile(rb"^pytestmark = \[?\s*pytest\.mark\.(?:deep|nightly)\(", re.MULTILINE)
SERVERS = {"migrated_postgresql", "nats_url", "own_nats", "postgresql_url", "redis_url"}


def tier_of(item: pytest.Item) -> str:
    """The one tier of a test."""
    if item.get_closest_marker("nightly") or is_portable(item):
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
        return b"mark.nightly(" not in text and b"mark.portable(" not in text
    return tier == "test" and (
        b"mark.smoke" not in text if lane == "integration" else _WHOLLY_LATER.search(text) is not None
    )


def needs_server(item: pytest.Item) -> bool:
    """Whether a test talks to a server that Python alone does not bring."""
    of_server = {"postgresql", "redis", "nats", *SERVERS}
    return bool(SERVERS & set(getattr(item, "fixturenames", ()))) or any(
        isinstance(value, str) and value in of_server for value in _parameters(item)
    )


def is_portable(item: pytest.Item) -> bool:
    """Whether it is the variant on PostgreSQL of a test that says nothing there which others do not say by day."""
    mark = item.get_closest_marker("portable")
    if mark is None or item.originalname in mark.kwargs.get("but", ()):  # type: ignore[attr-defined]
        return False
    return any(isinstance(value, str) and value == "postgresql" for value in _parameters(item))


def _parameters(item: pytest.Item) -> list[object]:
    called = getattr(item, "callspec", None)
    return [] if called is None else list(called.params.values())


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
