"""Inputs that follow what the settings declare."""

import asyncio

from skywatch.inputs.running import RunningInputs, described_failures
from skywatch.settings import SettingsError

REASONS = {"wrong": SettingsError("acars.wrong", "is wrong"), "broken": OSError(24, "")}


def open_one(name, text):
    if text in REASONS:
        raise REASONS[text]
    return text


async def run(text):
    if text == "fails":
        raise ValueError("a fault of the program")
    await asyncio.Event().wait()


def test_one_that_cannot_be_opened_keeps_no_other_from_being_followed(caplog):
    async def play():
        inputs = RunningInputs(open_one, run, lambda name, reason: f"{name}: {reason}")
        inputs.add("acars.old", "old", "old")
        inputs.start()
        declared = {"acars.wrong": "wrong", "acars.broken": "broken", "acars.bad": "fails", "acars.new": "new"}
        assert await inputs.follow(declared) == ["acars.old"]
        assert list(inputs) == ["acars.wrong: is wrong", "acars.broken: too many open files", "fails", "new"]
        await asyncio.sleep(0)
        assert inputs.failures == ["acars.bad"]
        assert described_failures(inputs.failures) == "ended by a fault of the program: acars.bad"
        await inputs.stop()

    asyncio.run(play())
    assert "input acars.bad ended" in caplog.text
    assert described_failures([]) == ""
