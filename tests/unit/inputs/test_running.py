"""Inputs that follow what the settings declare."""

import asyncio
import contextlib

from skywatch.inputs.running_inputs import MAX_NAMES, RunningInputs, described_failures
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


def test_failures_beyond_those_that_are_named_are_counted():
    names = [f"acars.{number}" for number in range(MAX_NAMES + 2)]
    assert described_failures(names).endswith("acars.4 and 2 more")
    assert "more" not in described_failures(names[:MAX_NAMES])


def test_inputs_that_were_ending_when_their_follower_was_cancelled_are_stopped():
    async def play():
        may_end, ended = asyncio.Event(), []

        async def slow_to_end(text):
            try:
                await asyncio.Event().wait()
            finally:
                while not may_end.is_set():
                    with contextlib.suppress(asyncio.CancelledError):
                        await may_end.wait()
                ended.append(text)

        inputs = RunningInputs(open_one, slow_to_end, lambda name, reason: name)
        inputs.add("acars.old", "old", "old")
        inputs.start()
        await asyncio.sleep(0)
        following = asyncio.create_task(inputs.follow({}))
        await asyncio.sleep(0)
        following.cancel()
        await asyncio.wait([following])
        stopping = asyncio.create_task(inputs.stop())
        await asyncio.sleep(0)
        has_waited = not stopping.done()
        may_end.set()
        await stopping
        assert has_waited
        assert ended == ["old"]

    asyncio.run(play())
