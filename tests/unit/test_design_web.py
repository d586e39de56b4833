"""The browser's half of a feature: one folder of the web application's sources, which nothing else names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from skywatch.features import FEATURES
from tests.conftest import ROOT

WEB = ROOT / "web" / "src"
FOLDERS = {path.name for path in (WEB / "features").iterdir()}
# Why a feature of the service has no folder of its own in the browser.
SERVER_ONLY = {
    "http": "how REST answers; the browser's half is the room session",
    "inputs": "a base of receivers, acars and audio",
    "receivers": "their state stands on the page of system, their settings in the console",
    "airframes": "an aircraft's registration and type, shown by the panel",
    "patterns": "detections are part of what history, cannonball and aircraft answer",
    "picture": "the base of aircraft",
    "readsb": "files and addresses for other programs",
    "outputs": "streams for other programs",
    "sso": "signing on stands on the page of accounts that signs in",
    "archive": "files of whole days that history reads; commands and a service of the worker",
    "backup": "commands and a schedule; that one failed is a source of channels, under the name of system",
    "notify": "channels and deliveries are tabs of the page of alerts, whose addresses they have",
    "realtime": "the channel; the browser's half is the room live",
    "console": "pages that the service makes itself",
    "web": "hands out the application itself",
}
NAMED = ("alerts", "safety", "acars", "audio", "cannonball")
MAX_FILES = 2
# Folders in which the word means something else: Cannonball has alerts of its own.
OTHER_MEANING = {"alerts": ("cannonball",)}


def names(path: Path, feature: str) -> bool:
    """Whether a file names a feature; what people read in a text is no such name, its key is."""
    text = path.read_text(encoding="utf-8")
    if path.name == "texts.json":
        text = "\n".join(json.loads(text))
    return re.search(rf"(?<![a-z]){feature}(?![a-z])", text, re.IGNORECASE) is not None


def sources() -> list[Path]:
    return [path for path in WEB.rglob("*") if path.suffix in {".ts", ".js", ".css", ".json", ".html"}]


def test_a_feature_of_one_half_exists_in_the_other():
    service = {feature.name for feature in FEATURES}
    assert service - FOLDERS == set(SERVER_ONLY), "a feature without a folder says why; one with a folder does not"
    assert FOLDERS - service == set()


def test_every_folder_declares_its_feature_and_is_listed():
    listed = re.findall(r'import \{ (\w+) \} from "\./features/(\w+)/feature"', (WEB / "features.ts").read_text())
    assert {folder for _, folder in listed} == FOLDERS
    for value, folder in listed:
        declaration = (WEB / "features" / folder / "feature.ts").read_text(encoding="utf-8")
        assert f'export const {value}: Feature = {{\n  name: "{folder}",' in declaration


@pytest.mark.parametrize("feature", NAMED)
def test_outside_its_folder_a_feature_is_hardly_named(feature):
    own = [WEB / "features" / folder for folder in (feature, *OTHER_MEANING.get(feature, ()))]
    outside = [path for path in sources() if not any(path.is_relative_to(folder) for folder in own)]
    found = [str(path.relative_to(WEB)) for path in outside if names(path, feature)]
    assert "features.ts" in found
    assert len(found) <= MAX_FILES, found


def test_topics_and_permissions_are_those_of_the_service():
    for folder in FOLDERS:
        declaration = (WEB / "features" / folder / "feature.ts").read_text(encoding="utf-8")
        assert ("hasTopic: true" in declaration) == (folder in FEATURES.topics), folder
        for permission in re.findall(r'permission: "([\w.]+)"', declaration):
            assert permission == FEATURES.topics[folder].permission


def test_styles_are_split_by_feature():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in WEB.rglob("*.css")}
    assert [str(path) for path, length in lengths.items() if length > 400] == []
