"""The web application in a headless Chromium: the first aircraft on a slow phone, the main thread, memory.

The processor is slowed four times by the browser itself; WebGL is drawn by the
processor, as there is no graphics card, in a process of its own that is not counted. ``TAR1090_DIR`` names a checkout
of tar1090, whose page is then measured on the same aircraft in the same run.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchmarks._web_feed import feeding
from tests.chromium import Browser, chromium
from tests.integration.web.conftest import WITH_WEBGL
from tests.processes import Service
from tests.waiting import until

SLOWED = 4
# 1.6 Mbit/s and 40 ms, as browsers' own "slow 4G" has it.
BYTES_PER_S, LATENCY_MS = 200_000, 40
FIRST_S, SCRIPTS_BYTES, FIRST_VIEW_BYTES = 3.0, 260_000, 700_000
# With the trails of all aircraft and the range outline on; 30,000 are the largest sky.
MAIN_THREAD_MS = {5_000: 60, 15_000: 150, 30_000: 200}
CHOSEN = {"allTrails": 5, "overlays": ["outline"], "simulatedDismissed": True}
TRAILS = "return document.querySelector('sw-map').stage.ring?.head ?? 0"
# Coast lines and airports come after the first aircraft, and are not what an hour of watching costs.
SETTLE_S = 10.0
WATCHED_S = 20.0
FIRST_AIRCRAFT, MEMORY_AIRCRAFT = 200, 1500
# An hour of them.
PICTURES, MEMORY_MB = 3600, 100
# A browser that has just been started is still at work for itself.
BROWSER_START_S = 5.0
# Notes when the first row is there, and when aircraft are drawn where the map has them.
WATCH = """
window.marks = {};
const look = () => {
  if (!marks.list && document.querySelector('.window .row')) marks.list = performance.now();
  const stage = document.querySelector('sw-map')?.stage;
  if (!marks.map && stage?.picture?.count > 0 && stage.view) marks.map = performance.now();
  if (!marks.list || !marks.map) requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
SHOWN = "return document.querySelector('sw-map')?.stage?.picture?.count ?? 0"
TAR1090_SHOWN = "return typeof g === 'undefined' ? 0 : (g.planesOrdered ?? []).length"
# The reader's choice, as the page stores it.
PREFER = f"localStorage.setItem('skywatch.preferences', {json.dumps(json.dumps(CHOSEN))})"
PARTS = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")


@contextmanager
def browser() -> Iterator[Browser]:
    """A browser with WebGL and a desk's window."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        raise SystemExit("there is no chromium with its driver here")
    with chromium(binary, driver, (*WITH_WEBGL, "--window-size=1440,900")) as opened:
        # Processor time of the thread: what other programs take of the machine counts for nothing.
        opened.cdp("Performance.setTimeDomain", timeDomain="threadTicks")
        opened.cdp("Performance.enable")
        opened.cdp("Network.enable")
        yield opened


@contextmanager
def service(aircraft: int, **settings: object) -> Iterator[Service]:
    """A service with so many simulated aircraft, all of them moving."""
    with tempfile.TemporaryDirectory() as folder:
        running = Service(
            Path(folder),
            receiver__demo=f"simulate aircraft={aircraft} ground=0 radius_nm=250",
            station_lat=47.45,
            station_lon=8.56,
            **{"picture_max_aircraft": max(20_000, 2 * aircraft), **settings},
        ).init()
        try:
            yield running.start()
        finally:
            running.stop()


def first_aircraft(page: Browser, running: Service) -> dict[str, float]:
    """Seconds until the first aircraft is in the list and on the map, and what was fetched for it."""
    page.open("about:blank")
    time.sleep(BROWSER_START_S)
    page.cdp("Network.clearBrowserCache")
    page.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    page.cdp(
        "Network.emulateNetworkConditions", offline=False, latency=LATENCY_MS, downloadThroughput=BYTES_PER_S,
        uploadThroughput=BYTES_PER_S,
    )  # fmt: skip
    page.cdp("Emulation.setCPUThrottlingRate", rate=SLOWED)
    page.open(f"http://127.0.0.1:{running.port}/")
    marks = until(lambda: page.run("return window.marks?.list && window.marks?.map && window.marks"), wait_s=120)
    fetched = page.run("return performance.getEntriesByType('resource').map(e => [e.name, e.transferSize])")
    page.cdp("Network.emulateNetworkConditions", offline=False, latency=0, downloadThroughput=-1, uploadThroughput=-1)
    later = (".cell",)
    return {
        "list_s": marks["list"] / 1000,
        "map_s": marks["map"] / 1000,
        "scripts": sum(size for name, size in fetched if name.endswith(".js")),
        "first_view": sum(size for name, size in fetched if not any(part in name for part in later)),
    }


def metrics(page: Browser) -> dict[str, float]:
    return {one["name"]: one["value"] for one in page.cdp("Performance.getMetrics")["metrics"]}


def main_thread(page: Browser, seconds: float) -> dict[str, float]:
    """Milliseconds a second that the main thread spends on scripts, layout and style while nobody touches anything."""
    page.cdp("Emulation.setCPUThrottlingRate", rate=SLOWED)
    before, began = metrics(page), time.monotonic()
    time.sleep(seconds)
    after, elapsed = metrics(page), time.monotonic() - began
    spent = {part: 1000 * (after[part] - before[part]) / elapsed for part in (*PARTS, "TaskDuration")}
    page.cdp("Emulation.setCPUThrottlingRate", rate=1)
    return {"counted": sum(spent[part] for part in PARTS), **spent}


def used_mb(page: Browser) -> float:
    """What the page itself holds once all that can go is gone."""
    for _ in range(2):
        page.cdp("HeapProfiler.collectGarbage")
    return metrics(page)["JSHeapUsedSize"] / 1e6


def memory(page: Browser, aircraft: int, pictures: int) -> list[float]:
    """Megabytes at the beginning, after a third, two thirds and all of an hour of pictures that come quickly."""
    with feeding(aircraft, pictures, 0.015) as feed, service(1, realtime_url=f"ws://127.0.0.1:{feed.port}") as running:
        page.open(f"http://127.0.0.1:{running.port}/")
        until(lambda: page.run(SHOWN) > aircraft // 2, wait_s=120)
        found = [used_mb(page)]
        feed.go.set()
        for part in (1, 2, 3):
            goal = pictures * part // 3
            until(lambda goal=goal: feed.sent >= goal, wait_s=900)  # type: ignore[misc]
            found.append(used_mb(page))
        return found


class _Tar1090(SimpleHTTPRequestHandler):
    """tar1090's own page, with the data of the service."""

    def __init__(self, *arguments: Any, source: str, **named: Any) -> None:
        self._source = source
        super().__init__(*arguments, **named)

    def do_GET(self) -> None:
        if self.path.startswith("/data/"):
            with urlopen(self._source + self.path, timeout=30) as answer:
                body = answer.read()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def tar1090(folder: str, running: Service) -> Iterator[str]:
    """The address of tar1090's page over the service's ``/data``."""
    handler = partial(_Tar1090, directory=f"{folder}/html", source=f"http://127.0.0.1:{running.port}")
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()


def verdict(value: float, limit: float) -> str:
    return "within" if value <= limit else "OVER"


def report(spent: dict[str, float]) -> str:
    parts = ", ".join(f"{name.removesuffix('Duration').lower()} {spent[name]:.0f}" for name in (*PARTS, "TaskDuration"))
    return f"{spent['counted']:.0f} ms a second ({parts})"


def main() -> None:
    """Print the figures."""
    with service(FIRST_AIRCRAFT) as running, browser() as page:
        first = first_aircraft(page, running)
        print(
            f"first aircraft: list {first['list_s']:.1f} s, map {first['map_s']:.1f} s"
            f" (first: {verdict(min(first['list_s'], first['map_s']), FIRST_S)} {FIRST_S:g} s);"
            f" scripts {first['scripts'] / 1000:.0f} kB ({verdict(first['scripts'], SCRIPTS_BYTES)}),"
            f" first view {first['first_view'] / 1000:.0f} kB ({verdict(first['first_view'], FIRST_VIEW_BYTES)})"
        )
    for aircraft, limit in MAIN_THREAD_MS.items():
        with service(aircraft) as running, browser() as page:
            page.cdp("Page.addScriptToEvaluateOnNewDocument", source=PREFER)
            page.open(f"http://127.0.0.1:{running.port}/")
            until(lambda page=page, n=aircraft: page.run(SHOWN) > 0.8 * n, wait_s=180)  # type: ignore[misc]
            time.sleep(SETTLE_S)
            spent = main_thread(page, WATCHED_S)
            segments = page.run(TRAILS)
            if not segments:
                raise SystemExit("no trail was drawn: the figures would say nothing")
            print(
                f"{aircraft} aircraft, {segments} segments of trails: {report(spent)},"
                f" {verdict(spent['counted'], limit)} {limit}"
            )
            if folder := os.environ.get("TAR1090_DIR"):
                with tar1090(folder, running) as address:
                    page.open(f"{address}?allTracks")
                    until(lambda page=page, n=aircraft: page.run(TAR1090_SHOWN) > 0.8 * n, wait_s=180)  # type: ignore[misc]
                    time.sleep(SETTLE_S)
                    print(f"  tar1090: {report(main_thread(page, WATCHED_S))}")
    with browser() as page:
        found = memory(page, MEMORY_AIRCRAFT, PICTURES)
        print(
            f"memory over {PICTURES:,} pictures of a second: "
            + ", ".join(f"{one:.1f}" for one in found)
            + f" MB ({verdict(max(found), MEMORY_MB)} {MEMORY_MB} MB)"
        )


if __name__ == "__main__":
    main()
