"""The search of many ACARS messages on both databases: processor time of pages, and whether the answers agree."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from benchmarks._acars_texts import AIRPORTS, FIXES, WORDS, Texts
from benchmarks._history import postgresql_cpu_s
from skywatch.acars.models import AcarsMessage
from skywatch.acars.resources.service import find
from skywatch.acars.searching.search import words_of
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.migrations import upgrade
from skywatch.security.visibility import Visibility
from tests.servers import postgresql_database

ROWS = int(os.environ.get("SKYWATCH_BENCH_ACARS_ROWS", "200000"))
# Drawn ones; beyond them they are repeated, which takes a fraction of the time.
DRAWN = int(os.environ.get("SKYWATCH_BENCH_ACARS_DRAWN", "200000"))
BATCH = 10_000
_messages: Any = AcarsMessage.__table__
EVERYTHING = Visibility(None, frozenset({"acars.view_full", "aircraft.view_military", "aircraft.view_details"}))
START = datetime(2026, 1, 1, tzinfo=UTC)


def queries() -> dict[str, list[str]]:
    """What people search: words that are frequent and rare, beginnings, phrases, and all together."""
    words, rng = WORDS[::6], np.random.default_rng(3)
    numbers = [str(n) for n in rng.integers(1, 99_999, 10)]
    return {
        "words": [*words, *AIRPORTS[:10], *FIXES[:10], *numbers, "weather icing", f"{AIRPORTS[1]} delay"],
        "prefixes": ["maint*", "posn35*", "k*", "fpn*", "w1*", "dep* arr*", "ka* crew", "278*", "fnabc12*", "visib*"],
        "phrases": [f'"{a} {b}"' for a, b in pairwise(words)]
        + ['"gate fuel weather"', f'"{FIXES[0]} {FIXES[1]}"', '"captain contact operations"', '"278034 1481234"'],
        "together": [
            "weather -snow",
            "gate OR stand",
            '"medical divert" OR "oxygen inop"',
            "nothinglikethis",
            "278034",
        ],
    }


def rows(count: int) -> Iterator[list[dict[str, Any]]]:
    """Batches of rows as the service stores them."""
    texts, batch = Texts(11), []
    for number in range(count):
        envelope = texts.envelope(START.timestamp() + number)
        acars = envelope["vdl2"]["avlc"]["acars"] if "vdl2" in envelope else envelope
        text, at = acars.get("msg_text") or acars["text"], START + timedelta(seconds=number)
        batch.append({
            "id": number + 1, "at": at, "received_at": at, "source": "vdl2" if "vdl2" in envelope else "acars",
            "station": "NORTH", "icao_hex": f"A{number % 9000:05X}", "registration": f"N{number % 9000}AB",
            "flight": acars["flight"], "label": acars["label"], "text": text, "incomplete": False,
            "heard_by": [{"station": "NORTH", "at": at.isoformat(), "level_db": -20.0, "frequency_mhz": 136.975}],
            "repeats": 0, "military": False, "search_text": words_of(text), "raw": envelope,
        })  # fmt: skip
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def main() -> None:
    """Both databases, one after the other; the answers are compared."""
    answers = []
    for kind in ("sqlite", "postgresql"):
        with _database(kind) as url:
            engine = create_engine(url)
            began = time.process_time()
            _fill(engine, url)
            print(f"\n{kind}: {ROWS:,} messages made in {time.process_time() - began:.0f} s of processor time")
            with create_session_factory(engine)() as session:
                answers.append(_measure(session))
            engine.dispose()
    same = sum(a == b for a, b in zip(*answers, strict=True))
    print(f"\nthe same first pages on both databases: {same} of {len(answers[0])} searches")


@contextmanager
def _database(kind: str) -> Iterator[str]:
    if kind == "postgresql":
        with postgresql_database() as url:
            yield url
        return
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{folder}/a.sqlite"


def _fill(engine: sa.Engine, url: str) -> None:
    upgrade(engine)
    names = list(next(rows(1))[0])
    if engine.dialect.name == "sqlite":
        for batch in rows(min(ROWS, DRAWN)):
            with engine.begin() as connection:
                connection.execute(sa.insert(_messages), batch)
        _repeat(engine)
        with engine.begin() as connection:
            connection.exec_driver_sql("ANALYZE")
        return
    # COPY is many times faster than INSERT.
    with engine.connect() as connection:
        raw: Any = connection.connection.driver_connection
        for batch in rows(min(ROWS, DRAWN)):
            with raw.cursor().copy(f"COPY acars_messages ({', '.join(names)}) FROM STDIN") as copy:
                for row in batch:
                    copy.write_row([json.dumps(v) if isinstance(v, dict | list) else v for v in row.values()])
            raw.commit()
    _repeat(engine)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM ANALYZE acars_messages")


def _repeat(engine: sa.Engine) -> None:
    """The drawn messages again and again, with identifiers of their own."""
    others = [column for column in _messages.c if column.name != "id"]
    for first in range(DRAWN, ROWS, DRAWN):
        again = sa.select(_messages.c.id + first, *others).where(_messages.c.id <= min(DRAWN, ROWS - first))
        with engine.begin() as connection:
            connection.execute(sa.insert(_messages).from_select([_messages.c.id, *others], again))


def _measure(session: Session) -> list[Any]:
    """Two pages of each search; prints medians and 95th percentiles, returns the identifiers of the first pages."""
    server = None
    if session.get_bind().dialect.name == "postgresql":
        server = session.scalar(sa.text("SELECT pg_backend_pid()"))
    firsts = []
    for group, searches in queries().items():
        took: list[tuple[float, str]] = []
        for q in searches:
            after = None
            for page in range(2):
                repeats = 1 if server is None else 3
                began = _cpu_s(server)
                for _ in range(repeats):
                    found, count, following = find(session, EVERYTHING, {"q": q}, 100, 0, after)
                took.append(((_cpu_s(server) - began) / repeats * 1e3, f"{q} page {page + 1} of {count}"))
                if page == 0:
                    firsts.append(([row.id for row in found], count))
                session.expunge_all()
                if following is None:
                    break
                after = following
        times = [ms for ms, _ in took]
        slowest = ", ".join(f"{q} {ms:.0f} ms" for ms, q in sorted(took, reverse=True)[:3])
        p95 = np.percentile(times, 95)
        print(f"  {group}: median {np.median(times):.1f} ms, p95 {p95:.1f} ms (at most 50)")
        print(f"    slowest: {slowest}")
    return firsts


def _cpu_s(server: int | None) -> float:
    """Processor time of this process and, if on this machine, of the database server's that works for it (10 ms)."""
    return time.process_time() + (0.0 if server is None else postgresql_cpu_s(server))


if __name__ == "__main__":
    main()
