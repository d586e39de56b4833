"""A feature's inputs from its settings to the bus: opened, run, reported."""

from __future__ import annotations

import asyncio
import dataclasses
import socket
from collections.abc import Callable
from typing import Any

import pytest

from skywatch.core.bus import topics
from skywatch.core.feature import Feature, FeatureSet
from skywatch.core.hooks import InputFamily
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health, metrics
from skywatch.features import FEATURES
from skywatch.inputs.base import Input
from skywatch.inputs.factory import open_input
from skywatch.inputs.runner import InputRunner, open_inputs, published_statuses
from skywatch.settings import SettingsError, load_with_origins, setting
from tests.functional.inputs.collector import Collector, Lines
from tests.waiting import eventually


@dataclasses.dataclass(frozen=True, kw_only=True)
class BalloonSettings:
    """The settings of a feature with inputs."""

    balloons: dict[str, str] = setting({}, "an input", name="balloon.*")


def open_balloon(runtime: Runtime, name: str, text: str) -> Input:
    """An input whose messages go to the one collector of the process."""
    return open_input("balloon", name, text, Lines, runtime.shared(make_collector))


def make_collector(runtime: Runtime) -> Collector[str]:
    return Collector()


FEATURE = Feature(
    name="balloons",
    settings=BalloonSettings,
    provides=(InputFamily(prefix="balloon.", title="Balloon", open=open_balloon),),
)
OpenRuntime = Callable[..., Runtime]


@pytest.fixture
def open_runtime(tmp_path: Any) -> Any:
    opened: list[Runtime] = []

    def open_with(**inputs: str) -> Runtime:
        texts = {f"balloon.{name}": text for name, text in inputs.items()}
        kind = FeatureSet([*FEATURES, FEATURE]).settings()
        texts |= {"secret": "x" * 40, "database_url": f"sqlite:///{tmp_path}/balloons.sqlite"}
        opened.append(Runtime.open(load_with_origins(kind, texts, {})[0]))
        return opened[-1]

    yield open_with
    for runtime in opened:
        runtime.close()


def test_inputs_run_and_their_states_are_published(open_runtime: OpenRuntime) -> None:
    runtime = open_runtime(red="udp 127.0.0.1:0", blue="file /no/such/file")

    async def play() -> None:
        inputs = open_inputs(runtime)
        runner = InputRunner(runtime.bus, inputs)
        await runner.start()
        red_input: Any = inputs["balloon.red"]
        await eventually(lambda: red_input.port)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"one\ntwo\nbad\n", ("127.0.0.1", red_input.port))
        await eventually(lambda: [one.messages for one in published_statuses(runtime.bus)] == [2, 0])
        red, blue = published_statuses(runtime.bus)
        assert (red.family, red.name, red.state, red.invalid) == ("balloon", "red", "listening", {"bad": 1})
        assert (blue.state, blue.last_error) == ("waiting", "no such file or directory")
        assert runtime.shared(make_collector).messages == ["one", "two"]
        assert any(component.name == "input_tasks" and component.ok for component in health.components())
        figures = metrics.exposition({"test": metrics.export()}).decode()
        assert 'skywatch_input_received{family="balloon",input="red",process="test"} 2.0' in figures
        await runner.stop()
        assert not any(component.name == "input_tasks" for component in health.components())

    asyncio.run(play())


def test_a_wrong_input_stops_the_start_by_name(open_runtime: OpenRuntime) -> None:
    with pytest.raises(SettingsError, match=r"setting balloon\.red: unknown kind of balloon 'upd'"):
        open_inputs(open_runtime(red="upd 127.0.0.1:1"))


def test_states_are_published_while_changes_cannot_be_followed(open_runtime: OpenRuntime, monkeypatch: Any) -> None:
    monkeypatch.setattr("skywatch.inputs.runner.FOLLOW_EVERY_S", 0.01)
    monkeypatch.setattr("skywatch.inputs.runner.PUBLISH_EVERY_S", 0.01)
    runtime, answers = open_runtime(), [{"balloon.red": "udp 127.0.0.1:0"}]

    def declared() -> dict[str, str]:
        return answers[0]

    def detail() -> str | None:
        return next((one.detail for one in health.components() if one.name == "input_tasks"), None)

    async def play() -> None:
        runner = InputRunner(runtime.bus, {}, declared, lambda name, text: open_balloon(runtime, "red", text))
        await runner.start()
        await eventually(lambda: [one.state for one in published_statuses(runtime.bus)] == ["listening"])
        answers.clear()
        await eventually(lambda: detail() == "changed inputs are not followed")
        before = runtime.bus.last(topics.INPUTS)
        await eventually(lambda: runtime.bus.last(topics.INPUTS) is not before)
        assert [one.state for one in published_statuses(runtime.bus)] == ["listening"]
        answers.append({})
        await eventually(lambda: published_statuses(runtime.bus) == [] and detail() is None)
        await runner.stop()

    asyncio.run(play())
