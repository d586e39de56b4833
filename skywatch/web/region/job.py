"""What was asked for of the map of the region, and how far it is: one row beside the stored settings."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import insert_into
from skywatch.core.database.models import StoredSetting
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.sentences import codes_of, reworded, sentence, sentence_of
from skywatch.web.region.cut import Region
from skywatch.web.region.errors import Stopped

ROW = "(region map)"
TARGET = Target("region_map")
MEASURED, BEGUN, STOPPED, REMOVED = (
    "region_map.measured",
    "region_map.begun",
    "region_map.stopped",
    "region_map.removed",
)
Phase = Literal["measuring", "measured", "fetching", "done", "failed", "stopped"]
UNDER_WAY = ("measuring", "fetching")


class Job(msgspec.Struct, frozen=True):
    """A map: where, from which address, how large (bytes; 0 while nobody knows), and how much of it is there.

    ``address`` and ``version`` are those of the archive whose size was said. The place is one that everybody may know,
    and the station is within ``margin_nm`` of it.
    """

    asked_at: datetime
    phase: Phase
    latitude: float
    longitude: float
    radius_nm: int
    max_zoom: int
    source: str
    margin_nm: float = 0.0
    address: str = ""
    version: str = ""
    tiles: int = 0
    bytes: int = 0
    done_bytes: int = 0
    reason: str = ""
    reason_codes: dict[str, Any] = {}

    @property
    def region(self) -> Region:
        """The circle that has all within the radius of the station."""
        return Region(self.latitude, self.longitude, self.radius_nm + self.margin_nm, self.max_zoom)

    @property
    def why(self) -> str:
        """The reason of a failure, as the sentence that it was made of."""
        return reworded(self.reason, **sentence_of(self.reason_codes, "reason", self.reason))

    @property
    def is_under_way(self) -> bool:
        """Whether the worker has something to do."""
        return self.phase in UNDER_WAY

    @property
    def goes_on(self) -> bool:
        """Whether fetching it can begin, or go on."""
        return self.bytes > 0 and self.phase in ("measured", "failed", "stopped")


def read_job(session: Session, *, to_change: bool = False) -> Job | None:
    """What was asked for last; ``to_change`` it, other processes wait."""
    query = sa.select(StoredSetting.value).where(StoredSetting.name == ROW)
    body = session.scalar(query.with_for_update() if to_change else query)
    return None if body is None else msgspec.json.decode(body, type=Job)


def ask_size(session: Session, actor: Actor, region: Region, source: str, *, margin_nm: float = 0.0) -> None:
    """Ask for the size of a map, so much larger on all sides; raises Problem (409) while one is measured or fetched."""
    job = read_job(session, to_change=True)
    if job is not None and job.is_under_way:
        raise _under_way()
    asked = Job(
        asked_at=utcnow(),
        phase="measuring",
        latitude=region.latitude,
        longitude=region.longitude,
        radius_nm=round(region.radius_nm),
        max_zoom=region.max_zoom,
        source=source,
        margin_nm=margin_nm,
    )
    if job is not None:
        _write(session, asked)
    elif not _insert(session, asked):
        raise _under_way()
    after = {"radius_nm": asked.radius_nm, "max_zoom": asked.max_zoom, "source": source}
    record(session, actor, MEASURED, TARGET, after=after)


def begin(session: Session, actor: Actor) -> None:
    """Fetch the map whose size is known, or go on with it; raises Problem (409) where there is none."""
    job = read_job(session, to_change=True)
    if job is None or not job.goes_on:
        raise Problem("conflict", sentence("region.no_size", "The size of the map is not known: ask for it first."))
    _write(session, msgspec.structs.replace(job, phase="fetching", reason="", reason_codes={}))
    record(session, actor, BEGUN, TARGET, after={"address": job.address, "bytes": job.bytes})


def stop(session: Session, actor: Actor) -> None:
    """Stop; what is there stays, so that it can go on. Raises Problem (409) where nothing is under way."""
    job = read_job(session, to_change=True)
    if job is None or not job.is_under_way:
        raise Problem("conflict", sentence("region.nothing_to_stop", "No map is being fetched."))
    _write(session, msgspec.structs.replace(job, phase="stopped"))
    record(session, actor, STOPPED, TARGET)


def forget(session: Session, actor: Actor) -> None:
    """Remove what was asked for; the worker removes what is there of it. The audit log has it as removed.

    Raises Problem (409) while it is measured or fetched.
    """
    job = read_job(session, to_change=True)
    if job is not None and job.is_under_way:
        raise Problem("conflict", sentence("region.stop_first", "A map is being fetched: stop that first."))
    session.execute(sa.delete(StoredSetting).where(StoredSetting.name == ROW))
    record(session, actor, REMOVED, TARGET)


def end_restored(session: Session) -> None:
    """Fetch nothing after a restore: nobody asked for it on this machine."""
    session.execute(sa.delete(StoredSetting).where(StoredSetting.name == ROW))


def note(session: Session, job: Job, **changes: Any) -> Job:
    """What the worker found out; raises Stopped where somebody stopped it or asked for another map."""
    now = read_job(session, to_change=True)
    if now is None or (now.asked_at, now.phase) != (job.asked_at, job.phase):
        raise Stopped
    if "reason" in changes:
        changes["reason_codes"] = codes_of(reason=changes["reason"])
        changes["reason"] = str.__str__(changes["reason"])
    changed = msgspec.structs.replace(now, **changes)
    _write(session, changed)
    return changed


def _write(session: Session, job: Job) -> None:
    """Change the row, which is there: to replace it would hide it from processes that wait for it."""
    values = {"value": _text(job), "updated_at": utcnow()}
    session.execute(sa.update(StoredSetting).where(StoredSetting.name == ROW).values(values))


def _insert(session: Session, job: Job) -> bool:
    """Whether there was no row, and now is this one."""
    values = {"name": ROW, "value": _text(job), "sealed": False, "updated_at": utcnow(), "updated_by": ""}
    inserted = insert_into(session, StoredSetting).values(values).on_conflict_do_nothing()
    return bool(session.execute(inserted).rowcount)  # type: ignore[attr-defined]


def _text(job: Job) -> str:
    return msgspec.json.encode(job).decode()


def _under_way() -> Problem:
    return Problem("conflict", sentence("region.under_way", "A map is being fetched already."))
