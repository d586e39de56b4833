"""``file`` and ``folder``: followed through rotation, truncation and restarts; closed files alone."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import cast

import pytest
import sqlalchemy as sa

from skywatch.inputs.base import FilePosition
from skywatch.inputs.factory import open_input
from skywatch.inputs.transports import files as files_module
from skywatch.inputs.transports import folders as folders_module
from skywatch.inputs.transports.files import FileInput
from skywatch.inputs.transports.folders import FolderFile, create
from tests.functional.inputs.collector import Collector, Lines, running
from tests.waiting import eventually


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "FOLLOW_EVERY_S", 0.01)
    monkeypatch.setattr(folders_module, "SCAN_EVERY_S", 0.02)


def follow(path: Path, consumer: Collector[str], position: FilePosition | None = None) -> FileInput[str]:
    source = cast(FileInput[str], open_input("acars", "log", f"file '{path}'", Lines, consumer, lambda: position))
    source.first_pause_s = 0.01
    return source


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_a_file_is_read_to_the_end_and_followed(tmp_path: Path) -> None:
    path = tmp_path / "acars.log"

    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = follow(path, consumer)
        async with running(source):
            await eventually(lambda: source.status.last_error == "no such file or directory")
            append(path, "one\ntwo\nthr")
            await eventually(lambda: consumer.messages == ["one", "two"])
            append(path, "ee\n")
            await eventually(lambda: consumer.messages == ["one", "two", "three"])
            assert source.status.state == "connected"

    asyncio.run(play())


def test_without_the_stored_position_nothing_is_read(tmp_path: Path) -> None:
    path = tmp_path / "acars.log"
    path.write_text("one\n")
    answers: list[Exception | None] = [sa.exc.OperationalError("", None, Exception("away")), None]

    def stored() -> FilePosition | None:
        answer = answers[0] if len(answers) == 1 else answers.pop(0)
        if answer is not None:
            raise answer
        return None

    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = cast(FileInput[str], open_input("acars", "log", f"file '{path}'", Lines, consumer, stored))
        source.first_pause_s = 0.01
        async with running(source):
            await eventually(lambda: source.status.last_error == "where to go on cannot be read: away")
            await eventually(lambda: consumer.messages == ["one"])
        assert source.status.reconnects == 1

    asyncio.run(play())


def test_rotation_loses_nothing_and_reads_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "acars.log"
    path.write_text("one\n")

    async def play() -> None:
        consumer: Collector[str] = Collector()
        async with running(follow(path, consumer)):
            await eventually(lambda: consumer.messages == ["one"])
            path.rename(tmp_path / "acars.log.1")
            append(tmp_path / "acars.log.1", "two\nthree without an end")
            await eventually(lambda: consumer.messages == ["one", "two"])
            append(path, "four\n")
            await eventually(lambda: consumer.messages == ["one", "two", "three without an end", "four"])
            # copytruncate, with more than before
            path.write_text("five\nsix\nseven\n")
            await eventually(lambda: consumer.messages[4:] == ["five", "six", "seven"])
            path.write_text("8\n")
            await eventually(lambda: consumer.messages[7:] == ["8"])

    asyncio.run(play())


@pytest.mark.parametrize("meanwhile", ["append", "rotate", "rotate twice", "truncate", "replace"])
def test_a_restart_goes_on_where_it_was(tmp_path: Path, meanwhile: str) -> None:
    path = tmp_path / "acars.log"
    path.write_text("one\ntwo\nunfini")

    async def play() -> None:
        consumer: Collector[str] = Collector()
        async with running(follow(path, consumer)):
            await eventually(lambda: len(consumer.messages) == 2)
        position = consumer.origins[-1].position
        if meanwhile == "truncate":
            path.write_text("new\n")
        elif meanwhile == "replace":
            path.unlink()
            path.write_text("other\nthings\nin a new file\n")
        else:
            append(path, "shed\n")
            if meanwhile.startswith("rotate"):
                path.rename(tmp_path / "acars.log.1")
                path.write_text("new\n")
            if meanwhile == "rotate twice":
                (tmp_path / "acars.log.1").rename(tmp_path / "acars.log.2")
        expected = {
            "append": ["unfinished"],
            "rotate": ["unfinished", "new"],
            "rotate twice": ["unfinished", "new"],
            "truncate": ["new"],
            "replace": ["other", "things", "in a new file"],
        }[meanwhile]
        again: Collector[str] = Collector()
        async with running(follow(path, again, position)):
            await eventually(lambda: len(again.messages) >= len(expected))
            append(path, "later\n")
            await eventually(lambda: again.messages == [*expected, "later"])

    asyncio.run(play())


def test_an_endless_line_is_counted_once_and_costs_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MAX_LINE", 10_000)
    monkeypatch.setattr(files_module, "READ_BYTES", 4096)
    path = tmp_path / "acars.log"
    path.write_text("one\n" + "x" * 100_000 + "\ntwo\n")

    async def play() -> None:
        consumer: Collector[str] = Collector()
        source = follow(path, consumer)
        async with running(source):
            await eventually(lambda: consumer.messages == ["one", "two"])
        assert source.status.invalid["too_long"] == 1

    asyncio.run(play())


def test_what_is_no_file_is_named_and_does_not_hang(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def play() -> None:
        for path in (pipe, tmp_path):
            source = follow(path, Collector())
            async with running(source):
                await eventually(lambda source=source: source.status.last_error == "is not a regular file")

    asyncio.run(play())


def test_a_folder_gives_closed_files_alone_and_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Longer than a busy machine makes a writer stand still.
    monkeypatch.setattr(folders_module, "CLOSED_AFTER_S", 3.0)
    folder = tmp_path / "recordings"

    async def play() -> None:
        consumer: Collector[FolderFile] = Collector()
        source = create("audio", "tower", str(folder), consumer)
        source.first_pause_s = 0.01
        async with running(source):
            await eventually(lambda: source.status.last_error == "no such file or directory")
            (folder / "2026/11/22").mkdir(parents=True)
            (folder / ".hidden").write_text("x")
            (folder / "empty.mp3").touch()
            (folder / "2026/11/22/a.mp3").write_text("sound")
            (folder / "link.mp3").symlink_to(tmp_path / "elsewhere.mp3")
            (tmp_path / "elsewhere.mp3").write_text("sound")
            await eventually(lambda: [file.name for file in consumer.messages] == ["2026/11/22/a.mp3"])
            growing = folder / "growing.mp3"
            for _ in range(30):
                append(growing, "more")
                await asyncio.sleep(0.02)
            assert len(consumer.messages) == 1
            await eventually(lambda: len(consumer.messages) == 2)
            assert consumer.messages[1] == FolderFile(growing, "growing.mp3", 120, growing.stat().st_mtime_ns / 1e9)
            growing.rename(folder / "renamed later.mp3")
            await asyncio.sleep(4.0)
            assert len(consumer.messages) == 2
            assert source.status.state == "connected"

    asyncio.run(play())


def test_a_renamed_file_is_closed_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders_module, "CLOSED_AFTER_S", 3600.0)

    async def play() -> None:
        consumer: Collector[FolderFile] = Collector()
        source = create("audio", "tower", str(tmp_path), consumer)
        async with running(source):
            for temporary in ("a.mp3.tmp", ".b.mp3", "c.wav"):
                (tmp_path / temporary).write_text("sound")
            await eventually(lambda: source.status.state == "connected")
            await asyncio.sleep(0.2)
            for name, final in (("a.mp3.tmp", "a.mp3"), (".b.mp3", "b.mp3"), ("c.wav", "d.wav")):
                (tmp_path / name).rename(tmp_path / final)
            await eventually(lambda: {file.name for file in consumer.messages} == {"a.mp3", "b.mp3", "d.wav"})

    asyncio.run(play())
