"""aircraft.json as a file of this machine."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

from skywatch.readsb.bincraft import encode_rows, packed
from skywatch.receivers.factory import open_receiver
from skywatch.security.visibility import EVERYTHING
from tests.functional.receivers.documents import document
from tests.skies import sky_of
from tests.unit.receivers.collector import running
from tests.waiting import eventually


def test_a_file_that_is_rewritten_by_rename(tmp_path: Path) -> None:
    path, fresh = tmp_path / "aircraft.json", tmp_path / "aircraft.new"

    async def play() -> None:
        receiver = open_receiver("roof", f"readsb {path} every=0.2", None)
        async with running(receiver) as heard:
            # Not there yet: tried again.
            await eventually(lambda: receiver.status.last_error)
            assert "no such file" in str(receiver.status.last_error)
            for count in range(1, 4):
                addresses = tuple(f"4b1a{n:02x}" for n in range(count))
                fresh.write_bytes(document(addresses=addresses))
                fresh.rename(path)
                await eventually(lambda count=count: heard.batches and len(heard.batches[-1]) == count)
            batches = len(heard.batches)
            await asyncio.sleep(0.6)
            assert len(heard.batches) == batches
            # A writer caught in the act: never half a picture.
            whole = document(addresses=tuple(f"4b1a{n:02x}" for n in range(9)))
            path.write_bytes(whole[: len(whole) // 2])
            await asyncio.sleep(0.3)
            path.write_bytes(whole)
            await eventually(lambda: len(heard.batches[-1]) == 9)
            assert {len(batch) for batch in heard.batches} == {1, 2, 3, 9}

    asyncio.run(play())


def test_an_old_file_brings_nobody_back(tmp_path: Path) -> None:
    path = tmp_path / "aircraft.json"
    path.write_bytes(document(now=time.time() - 7200))
    os.utime(path, (time.time() - 7200,) * 2)

    async def play() -> None:
        receiver = open_receiver("roof", f"readsb {path} every=0.2", None)
        async with running(receiver) as heard:
            await eventually(lambda: receiver.status.state == "connected")
            await asyncio.sleep(0.5)
        assert all(report.at < time.time() - 7100 for report in heard.reports)

    asyncio.run(play())


def test_a_folder_will_do(tmp_path: Path) -> None:
    async def play() -> None:
        receiver = open_receiver("roof", f"readsb {tmp_path} every=0.2", None)
        async with running(receiver) as heard:
            await eventually(lambda: receiver.status.last_error)
            assert "a folder without aircraft.json" in str(receiver.status.last_error)
            (tmp_path / "aircraft.json").write_bytes(document())
            await eventually(lambda: heard.batches)

    asyncio.run(play())


def test_bincraft_in_a_folder(tmp_path: Path) -> None:
    rows = encode_rows(sky_of({"hex": "4b1a99"}, now=time.time()), [0], EVERYTHING)
    (tmp_path / "aircraft.json").write_bytes(document())
    (tmp_path / "receiver.json").write_bytes(b'{"refresh":200,"binCraft":true}')
    (tmp_path / "aircraft.binCraft.zst").write_bytes(packed(rows))

    async def play(text: str) -> set[str]:
        receiver = open_receiver("roof", text, None)
        async with running(receiver) as heard:
            await eventually(lambda: heard.batches)
        return heard.hexes

    assert asyncio.run(play(f"readsb {tmp_path} format=auto")) == {"4b1a99"}
    assert asyncio.run(play(f"readsb {tmp_path}/aircraft.binCraft.zst every=0.2")) == {"4b1a99"}
    assert asyncio.run(play(f"readsb {tmp_path}")) == {"4b1a23"}
    (tmp_path / "aircraft.binCraft.zst").unlink()
    assert asyncio.run(play(f"readsb {tmp_path} format=bincraft")) == {"4b1a23"}
