"""The manual's examples: every request is made, and its answer has every member that the manual shows.

``make examples`` regenerates the page.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from typing import Any

import pytest

from skywatch.acars.envelopes import Burst
from skywatch.acars.intake import AcarsIntake
from skywatch.airframes.models import AirframeRecord
from skywatch.core.database.engine import writing
from skywatch.features import FEATURES
from skywatch.inputs.base import Origin
from skywatch.safety.detection.finding import Finding, Position, Quantity
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.accounts import PASSWORD, Population
from tests.audio import sound
from tests.conftest import ROOT
from tests.functional.examples import EXAMPLES, Example
from tests.functional.history.recorded import record
from tests.skies import NOW, show, sky_of
from tests.waiting import until

PAGE = ROOT / "docs" / "reference" / "examples.md"
HOST = "https://sky.example.org"
SHOWN = "a long password"
# Of longer lists and texts the beginning is shown.
ENTRIES, CHARACTERS, LINES = 2, 120, 8
# Groups that are a page for people, files of past days, or asked once only, before there is any user.
WITHOUT = {"docs", "globe_history", "mcp", "setup"}
SKY = [
    {
        "hex": "4b1620", "flight": "SWR12", "r": "HB-JJA", "t": "A320", "alt_baro": 34975, "gs": 451.2, "track": 271.0,
        "baro_rate": -640, "squawk": "2150", "lat": 47.21, "lon": 8.02, "seen": 0.4, "seen_pos": 0.9, "messages": 812,
        "rssi": -12.3, "type": "adsb_icao", "category": "A3",
    },
    {
        "hex": "3c6444", "flight": "DLH9", "r": "D-AIAB", "t": "A321", "alt_baro": "ground", "gs": 4.0, "lat": 47.46,
        "lon": 8.55, "seen": 1.2, "seen_pos": 1.2, "messages": 97, "type": "adsb_icao",
    },
]  # fmt: skip
SHAPES: list[tuple[type, ...]] = [(bool,), (int, float), (str,)]


@pytest.fixture
def client(make_client):
    found = make_client(auth_mode="hybrid", station_lat=47.45, station_lon=8.56, base_url=HOST)
    sessions = found.runtime.sessions
    people = Population(found.runtime)
    people.user("ada", "superadmin")
    record(sessions, 120)
    show(found.runtime, sky_of(*SKY, now=NOW))
    finding = Finding(
        type="emergency_squawk", key="4b1620", severity="critical", message="SWR12 declares an emergency (7700)",
        hexes=("4b1620",), callsigns=("SWR12",), numbers={"squawk": Quantity("7700")},
        position=Position(47.2, 8.0, 9000),
    )  # fmt: skip
    with writing(sessions) as session:
        for address, registration, kind in (("4B1620", "HB-JJA", "A320"), ("A12345", "N12345", "B738")):
            session.add(
                AirframeRecord(
                    icao_hex=address, source="tar1090", registration=registration, type_code=kind, type_name="",
                    operator="SWISS", owner="", year=2008, flags=0,
                )
            )  # fmt: skip
        storage.write(session, EventTracker().update((finding,), NOW, Thresholds()))
    intake = AcarsIntake(found.runtime)
    intake.start()
    intake.put([_burst()], Origin("vhf", "host", NOW))
    until(lambda: not intake.waiting)
    intake.close()
    return found


def _burst() -> Burst:
    return Burst(
        source="acars", at=NOW, station="A", label="H1", text="#M1BPOSN47327E008034,,123456", frequency_mhz=131.55,
        registration="N12345", flight="AB0123", direction="downlink", block_id="3", raw={},
    )  # fmt: skip


class Session:
    """Makes the requests in order, each with what the answers before gave."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known: dict[str, Any] = {"password": PASSWORD}
        self._token = ""

    def ask(self, example: Example) -> Any:
        """The response."""
        path, body = self.fill(example.path), self.fill(example.body)
        headers = {} if example.is_anonymous else {"Authorization": f"Bearer {self._token}"}
        if example.files:
            files = [("audio", name, sound()) for name in example.files]
            response = self._client.post(path, body, upload_files=files, headers=headers)
        elif body is not None:
            response = getattr(self._client, f"{example.method.lower()}_json")(path, body, headers=headers)
        else:
            response = self._client.request(path, method=example.method, headers=headers)
        if path.endswith("/auth/login"):
            self._token = response.json["access"]
        if example.keep:
            self._known[example.keep] = response.json["id"]
        return response

    def fill(self, value: Any, **others: Any) -> Any:
        """A path or body with what is known in place of ``{name}``."""
        known = {**self._known, **others}
        if isinstance(value, dict):
            return {name: self.fill(part, **others) for name, part in value.items()}
        if isinstance(value, list):
            return [self.fill(part, **others) for part in value]
        if isinstance(value, str) and (whole := re.fullmatch(r"\{(\w+)\}", value)):
            return known[whole[1]]
        return re.sub(r"\{(\w+)\}", lambda m: str(known[m[1]]), value) if isinstance(value, str) else value


def command(session: Session, example: Example) -> str:
    """The request as curl makes it."""
    words = ["curl"] if example.method in ("GET", "POST") else ["curl", "-X", example.method]
    text = " ".join(words)
    if not example.is_anonymous:
        text += ' -H "Authorization: Bearer $TOKEN"'
    body = session.fill(example.body, password=SHOWN)
    if example.files:
        fields = [f"-F {shlex.quote(f'{name}={value}')}" for name, value in body.items()]
        text += " " + " ".join([*fields, *(f"-F audio=@{name}" for name in example.files)])
    elif body is not None:
        text += f" --json {shlex.quote(json.dumps(body))}"
    return f"{text} {shlex.quote(HOST + session.fill(example.path))}"


def shortened(value: Any) -> Any:
    """As the manual shows it."""
    if isinstance(value, dict):
        return {name: shortened(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shortened(part) for part in value[:ENTRIES]]
    if isinstance(value, str):
        # What opens doors is not printed, not even where it opens none.
        value = re.sub(r"^(sk_|eyJ)[\w.-]{8,}", r"\1...", value)
        return value if len(value) <= CHARACTERS else f"{value[:CHARACTERS]}..."
    return value


def answer(example: Example, response: Any) -> tuple[str, str]:
    """The kind of block and the text that the manual shows."""
    if response.content_type.endswith("json"):
        shown = response.json
        if example.only:
            shown = {name: shown[name] for name in example.only}
        return "json", json.dumps(shortened(shown), indent=2, ensure_ascii=False)
    return "text", "\n".join(response.text.splitlines()[:LINES])


def page(client: Any) -> str:
    """The whole page."""
    session = Session(client)
    parts = [
        "# Examples\n\nA request and its answer for every group of endpoints, in an order that works: `$TOKEN` is the "
        f"member\n`access` of the login's answer. Lists are cut after {ENTRIES} entries, long texts and secrets with "
        "`...`. A test makes every\nrequest and looks for every member in its answer.\n"
    ]
    for tag, examples in EXAMPLES.items():
        parts.append(f"## {tag}\n\n{FEATURES.tags[tag]}\n")
        for example in examples:
            response = session.ask(example)
            kind, text = answer(example, response)
            parts.append(
                f"**{example.title}**\n\n```console\n$ {command(session, example)}\n```\n\n"
                f"`{response.status_code} {response.content_type}`\n\n```{kind}\n{text}\n```\n"
            )
    return "\n".join(parts)


def differences(answered: Any, shown: Any, where: str = "") -> list[str]:
    """Where an answer is not as it is shown: a member that is not there, or a value of another kind.

    Null and an empty list are like anything.
    """
    if answered is None or shown is None:
        return []
    if isinstance(answered, dict) and isinstance(shown, dict):
        found = [f"{where}/{name} is not there" for name in set(shown) - set(answered)]
        for name in set(answered) & set(shown):
            found += differences(answered[name], shown[name], f"{where}/{name}")
        return found
    if isinstance(answered, list) and isinstance(shown, list):
        return differences(answered[0], shown[0], f"{where}[]") if answered and shown else []
    alike = any(isinstance(answered, kinds) and isinstance(shown, kinds) for kinds in SHAPES)
    return [] if alike else [f"{where}: {type(answered).__name__} and {type(shown).__name__}"]


def entries(text: str) -> list[tuple[str, str, str, str]]:
    """Title, request, status and answer of each example of a page."""
    return re.findall(r"\*\*(.+?)\*\*\n\n```console\n\$ (.+?)\n```\n\n`(.+?)`\n\n```\w+\n(.*?)\n```\n", text, re.S)


def without_ids(request: str) -> str:
    return re.sub(r"\d+", "0", request)


@pytest.mark.deep("costs over a processor second")
def test_every_answer_is_as_the_manual_shows_it(client):
    now = page(client)
    if os.environ.get("SKYWATCH_EXAMPLES"):
        PAGE.write_text(now, encoding="utf-8")
    ours, theirs = entries(now), entries(PAGE.read_text(encoding="utf-8"))
    assert len(ours) == sum(map(len, EXAMPLES.values()))
    assert [(title, without_ids(request)) for title, request, *_ in ours] == [
        (title, without_ids(request)) for title, request, *_ in theirs
    ], "run make examples"
    for (title, _, status, text), (_, _, shown_status, shown) in zip(ours, theirs, strict=True):
        assert status == shown_status, title
        assert status.startswith("2"), title
        if "json" in status:
            assert not differences(json.loads(text), json.loads(shown)), f"{title}: run make examples"


def test_every_group_has_an_example():
    assert set(EXAMPLES) == set(FEATURES.tags) - WITHOUT


def test_differences_are_seen():
    answered = {"a": 1, "b": [{"c": "x"}], "d": None, "more": 1}
    assert not differences(answered, {"a": 2.5, "b": [], "d": "y"})
    assert differences(answered, {"a": 1, "b": [{"e": "x"}]}) == ["/b[]/e is not there"]
    assert differences(answered, {"a": "1", "b": [], "d": None}) == ["/a: int and str"]
    assert differences({"a": True}, {"a": "no"}) == ["/a: bool and str"]
