"""The browser's half of a feature: one folder of the web application's sources."""

from __future__ import annotations

import re

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
    "mcp": "an address for assistants, whose tools are calls of the API",
    "roots": "addresses for programs: what is below the root of an area",
}


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


def test_topics_and_permissions_are_those_of_the_service():
    for folder in FOLDERS:
        declaration = (WEB / "features" / folder / "feature.ts").read_text(encoding="utf-8")
        assert ("hasTopic: true" in declaration) == (folder in FEATURES.topics), folder
        for permission in re.findall(r'permission: "([\w.]+)"', declaration):
            assert permission == FEATURES.topics[folder].permission
