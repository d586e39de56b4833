"""The test of the design: few files outside a feature's own folder name it, so that a feature comes and goes alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.naming import names_in_code, naming

SERVER = ROOT / "skywatch"
FEATURES = ("alerts", "safety", "acars", "audio", "cannonball")
SERVER_LIMIT = 6
# The same word for something else: word -> file or folder -> what it means there.
HOMONYMS: Mapping[str, Mapping[str, str]] = {
    "alerts": {
        "cannonball/models.py": "its own alerts",
        "cannonball/retention.py": "its own alerts",
        "cannonball/sessions": "its own alerts",
        "cannonball/settings.py": "its own alerts",
        "cannonball/tracking": "its own alerts",
        "console/views/service/channels.py": "the entry of the menu for whatever notifies",
        "console/views/service/thresholds.py": "the entry of the menu for whatever notifies",
        "notify/messages.py": "the member of a digest with notifications of every kind",
    },
    "safety": {"cannonball/identification": "agencies called Department of Public Safety"},
}


def files_naming(
    word: str, files: Iterable[Path], root: Path, names_of: Callable[[Path], Iterable[str]]
) -> dict[str, list[str]]:
    """The files below ``root`` outside the feature's folders that name it, and how; for either half of the house."""
    hits = {}
    for path in sorted(files):
        place = path.relative_to(root)
        if place.parts[0] == word or is_homonym(word, place.as_posix()):
            continue
        if names := naming(word, names_of(path)):
            hits[place.as_posix()] = names
    return hits


def is_homonym(word: str, place: str) -> bool:
    """Whether the word stands for something else in a file."""
    return any(place == other or place.startswith(f"{other}/") for other in HOMONYMS.get(word, {}))


def described(word: str, hits: Mapping[str, list[str]]) -> str:
    """The count, and each file with some of the names."""
    lines = [f"{len(hits)} files name {word}:"]
    lines += [f"  {place}: {', '.join(name[:60] for name in names[:4])}" for place, names in hits.items()]
    return "\n".join(lines)


@pytest.mark.parametrize("word", FEATURES)
def test_few_files_of_the_server_name_a_feature(word):
    hits = files_naming(word, SERVER.rglob("*.py"), SERVER, names_in_code)
    assert len(hits) <= SERVER_LIMIT, described(word, hits)


def test_every_homonym_is_one():
    for word, places in HOMONYMS.items():
        for place in places:
            path = SERVER / place
            files = path.rglob("*.py") if path.is_dir() else [path]
            assert any(naming(word, names_in_code(file)) for file in files), f"{place} does not name {word}"


def test_a_name_is_found_wherever_it_stands(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(
        '"""Balloons in a docstring."""\nfrom skywatch.balloons import x\nsettings.balloons_limit\n'
        'def f(balloons=1): pass\nclass Ballooning: pass\na = "balloons.view"\nb = BALLOONS_VIEW\n'
    )
    found = naming("balloons", names_in_code(path))
    assert found == ["BALLOONS_VIEW", "balloons", "balloons.view", "balloons_limit", "skywatch.balloons"]
    assert described("balloons", files_naming("balloons", [path], tmp_path, names_in_code)).startswith("1 files name")
