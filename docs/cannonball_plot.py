"""Draws how a recorded flight looked to a user beneath it and to one 20 nm away: docs/cannonball-session.svg.

``python docs/cannonball_plot.py RECORDING ICAO LAT LON [OUT.svg]`` plays the recording through the real picture and
the real monitor.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.migrations import upgrade
from skywatch.core.geo import destination
from skywatch.core.runtime import Runtime
from skywatch.features import load
from tests.cannonball import Stage, add_known, add_users

WIDTH, PANEL, LEFT, TOP, GAP = 900, 150, 60, 40, 34
COLOURS = {1: "#c2185b", 2: "#1565c0"}
LEVELS = {"info": 0, "warning": 1, "critical": 2}


def play(recording: Path, icao: str, lat: float, lon: float) -> Stage:
    """The stage after the recording and the silence behind it."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load({"secret": "x" * 40, "database_url": f"sqlite:///{folder}/plot.sqlite"}, environ={})
        engine = create_engine(settings.database_url)
        upgrade(engine)
        runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
        add_users(runtime, 1, 2)
        add_known(runtime, f"{icao},,Police\n")
        far = destination(lat, lon, 180.0, 20.0)
        users = ((1, lat, lon), (2, float(far[0]), float(far[1])))
        stage = Stage(runtime)
        stage.start()
        stage.replay(recording, users)
        stage.silence(400, users)
        stage.close()
        runtime.close()
        return stage


def draw(stage: Stage) -> str:
    """The picture as SVG: distance, closing speed, urgency and level over time, with the alerts of the near user."""
    begin, end = stage.timeline[0]["at"], stage.timeline[-1]["at"]
    panels = (
        ("distance (nm)", "distance_nm"),
        ("closing speed (kt)", "closing_kt"),
        ("urgency", "urgency"),
        ("level", "level"),
    )
    parts = [f'<text x="{LEFT}" y="20" font-size="15">Beneath the orbit (red) and 20 nm away (blue)</text>']
    for number, (title, name) in enumerate(panels):
        top = TOP + number * (PANEL + GAP)
        parts += panel(stage, title, name, top, begin, end)
    height = TOP + len(panels) * (PANEL + GAP)
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="11"><rect width="{WIDTH}" height="{height}" fill="white"/>\n{body}\n</svg>\n'
    )


def panel(stage: Stage, title: str, name: str, top: float, begin: float, end: float) -> list[str]:
    """One curve for each user, and the alerts of the near one as lines."""
    values = [number(row[name]) for row in stage.timeline]
    low, high = min(0.0, *values), max(values) or 1.0

    def x(at: float) -> float:
        return LEFT + (WIDTH - LEFT - 20) * (at - begin) / (end - begin)

    def y(value: float) -> float:
        return top + PANEL * (1 - (value - low) / (high - low))

    parts = [
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT - 20}" height="{PANEL}" fill="none" stroke="#bbb"/>',
        f'<text x="{LEFT}" y="{top - 4}">{title}</text>',
        f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{high:.0f}</text>',
        f'<text x="{LEFT - 6}" y="{top + PANEL}" text-anchor="end">{low:.0f}</text>',
        f'<text x="{WIDTH - 20}" y="{top + PANEL + 12}" text-anchor="end">{(end - begin) / 60:.0f} min</text>',
    ]
    for user, colour in COLOURS.items():
        rows = [row for row in stage.timeline if row["user"] == user][::5]
        points = " ".join(f"{x(row['at']):.1f},{y(number(row[name])):.1f}" for row in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.3"/>')
    if name == "urgency":
        parts += marks(stage.alerts(1), x, top, begin)
    return parts


def marks(alerts: Iterable[dict[str, Any]], x: Any, top: float, begin: float) -> list[str]:
    """A line for each alert, with its kind."""
    parts = []
    for number_, alert in enumerate(alerts):
        at = x(datetime.fromisoformat(alert["created_at"]).timestamp())
        parts.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{top + PANEL}" stroke="#777" stroke-dasharray="3"/>'
        )
        parts.append(
            f'<text x="{at + 3:.1f}" y="{top + 12 + 12 * (number_ % 4)}" fill="#444">{alert["alert_type"]}</text>'
        )
    return parts


def number(value: Any) -> float:
    """A value of the timeline as a height."""
    return float(LEVELS[value]) if isinstance(value, str) else float(value)


def main(arguments: Sequence[str]) -> None:
    """Play and draw."""
    recording, icao, lat, lon = arguments[:4]
    out = Path(arguments[4]) if len(arguments) > 4 else Path(__file__).with_name("cannonball-session.svg")
    out.write_text(draw(play(Path(recording), icao, float(lat), float(lon))), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
