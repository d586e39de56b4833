"""Imports by name go down too: what a module names as text in order to import it later stands on no higher floor."""

import ast
import re
import tomllib

import pytest

from skywatch.features import FEATURES
from tests.conftest import ROOT
from tests.naming import names_in_code, naming

PACKAGE = ROOT / "skywatch"
NAMED = re.compile(r"skywatch\.([a-z_]+)[.:a-zA-Z_]*")
QUOTED = re.compile(r"[\"']skywatch\.")
GROUND = ("core", "settings", "security", "http", "realtime", "inputs")
PERMISSION_ROWS = "security/permissions.py"

# Features whose names mean nothing else; those of the others are everyday words (aircraft, system, history).
DISTINCT_FEATURES = ("alerts", "safety", "acars", "audio", "cannonball", "sso", "readsb")
# What can only be a feature: its package, a permission, an address or a permission's constant of it.
EVERYDAY = "aircraft|history|system|accounts"
NAMES_A_FEATURE = re.compile(
    rf"skywatch\.(?:{EVERYDAY})\b|(?:{EVERYDAY})\.(?:view|manage|export)\w*|/api/v1/(?:{EVERYDAY})\b"
    r"|(?:AIRCRAFT|HISTORY|SYSTEM)_(?:VIEW|MANAGE|EXPORT)\w*"
)
# File -> what it names of a feature, and why.
REASONS = {
    "security/visibility.py": {
        "AIRCRAFT_VIEW_MILITARY": "military aircraft are hidden wherever aircraft are shown",
        "AIRCRAFT_VIEW_DETAILS": "details are hidden wherever aircraft are shown",
        "SYSTEM_MANAGE": "administrators know where the antenna is",
    },
    "http/limits/throttle.py": {"/api/v1/system": "probes of the state of the service are not limited"},
    "realtime/transports/handshake.py": {"skywatch.accounts": "the session's cookie is a credential"},
    "realtime/subscribers/commands.py": {"skywatch.aircraft": "the fields that columns of the picture may be of"},
    "realtime/topics/schemas.py": {"skywatch.aircraft": "the aircraft of its events are those of REST"},
}


def floors():
    """Room -> its floor, 0 the lowest, as the import-linter contract says it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return {
        room: number
        for number, layer in enumerate(reversed(layers))
        for room in re.findall(r"skywatch\.([a-z_]+)", layer)
    }


def feature_rooms():
    """The rooms on the floor of the features, and single sign-on, which stands alone above them."""
    floor = floors()
    return {*(room for room, number in floor.items() if number == floor["aircraft"]), "sso"}


FEATURE_ROOMS = feature_rooms()


def modules():
    return [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent != PACKAGE]


def room_of(path):
    return path.relative_to(PACKAGE).parts[0]


def texts(path):
    """The text constants of a module that are not docstrings."""
    source = path.read_text(encoding="utf-8")
    # Most modules name none, and are not parsed.
    if not QUOTED.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.fullmatch(node.value):
            yield node.value


def test_every_room_has_a_floor():
    rooms = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert rooms - {"client"} <= set(floors())


@pytest.mark.parametrize("room", sorted(floors()))
def test_what_is_named_as_text_is_no_higher(room):
    height = floors()
    for path in modules():
        if room_of(path) != room:
            continue
        for text in texts(path):
            named = NAMED.fullmatch(text)[1]
            assert height.get(named, 0) <= height[room], f"{path.relative_to(ROOT)} names {text}"
            if named in FEATURE_ROOMS and room in FEATURE_ROOMS:
                assert named == room, f"{path.relative_to(ROOT)} names {text} of another feature"


@pytest.mark.parametrize("room", GROUND)
def test_the_ground_floors_name_no_feature(room):
    """Neither in an import, nor by name, nor in a text, a setting, an error code or a metric of theirs."""
    declared = {name for feature in FEATURES if feature.name in FEATURE_ROOMS for name in _names_of(feature)}
    for path in modules():
        place = path.relative_to(PACKAGE).as_posix()
        if room_of(path) == room and place != PERMISSION_ROWS:
            names = names_in_code(path)
            assert not declared & names, place
            named = {feature for feature in DISTINCT_FEATURES if naming(feature, names)}
            named |= {text for name in names for text in NAMES_A_FEATURE.findall(name)}
            assert named <= set(REASONS.get(place, ())), place


def test_every_exception_is_needed():
    for place, reasons in REASONS.items():
        names = names_in_code(PACKAGE / place)
        found = {text for name in names for text in NAMES_A_FEATURE.findall(name)}
        found |= {feature for feature in DISTINCT_FEATURES if naming(feature, names)}
        assert set(reasons) <= found, place


def _names_of(feature):
    """What only this feature may name: its settings, error codes and events."""
    yield from (kind.code for kind in feature.problems)
    yield from (event.name for event in feature.events)
    if feature.settings is not None:
        yield from vars(feature.settings).get("__annotations__", {})
