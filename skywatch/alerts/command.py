"""``skywatch rules test FILE.ini RULE.json``: what a rule would announce, without storing or sending anything."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click
import colander
import msgspec
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import references
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.program import Rights
from skywatch.alerts.history.answers import document
from skywatch.alerts.models import Geofence, Watchlist
from skywatch.alerts.rules.checks import with_duration
from skywatch.alerts.rules.schemas import NewRule, RuleFields
from skywatch.alerts.rules.trials.trial import Trial, past_messages, referenced_objects, run_past, step_of
from skywatch.alerts.watchlists.entries import Entries
from skywatch.archive.reader.archive_reader import bind, days_of
from skywatch.core.bus import Message, topics
from skywatch.core.clock import utcnow
from skywatch.core.database.migrations import check_schema
from skywatch.core.hooks import PastPictures
from skywatch.core.runtime import Runtime
from skywatch.core.terminal.command import fail, ini_argument, one_line_errors, read_ini
from skywatch.picture.settings import PictureSettings
from skywatch.picture.state.sky import Sky, from_bytes
from skywatch.security.visibility import EVERYTHING

LONGEST = timedelta(hours=24)
_encode = msgspec.json.Encoder().encode


@click.group()
def rules() -> None:
    """Alert rules."""


@rules.command(name="test")
@ini_argument
@click.argument("rule", metavar="RULE.json", type=click.Path(path_type=Path))
@click.option("--from", "begin", metavar="TIME", help="Over stored history from this time on (ISO 8601).")
@click.option("--to", "end", metavar="TIME", help="Until this time; the default is now.")
@one_line_errors
def test_rule(ini: Path, rule: Path, begin: str | None, end: str | None) -> None:
    """Print what the rule in RULE.json would announce, one JSON object a line, and a summary on stderr.

    On the live picture, for which the service must run with a shared bus, or over up to 24 hours of stored history.
    The rule may refer to any user's geofences and watch lists.
    """
    fields = _read_rule(rule)
    span = _span(begin, end)
    settings, _ = read_ini(ini)
    with closing(Runtime.open(settings)) as runtime:
        check_schema(runtime.engine)
        with runtime.sessions() as session:
            trial = _trial(session, fields, at_once=span is None)
            station = runtime.current.of(PictureSettings).station
            if span is None:
                trial.take(_live(runtime))
            else:
                _run(runtime, session, trial, span, station)
    answer = trial.answer()
    for alert in answer["alerts"]:
        click.echo(_encode(document(alert)))
    rate = f", {answer['per_hour']} an hour" if answer["per_hour"] is not None else ""
    shown_note = f" ({len(answer['alerts'])} shown)" if answer["truncated"] else ""
    click.echo(f"{answer['count']} alerts{rate}{shown_note}", err=True)


def _read_rule(path: Path) -> RuleFields:
    try:
        document = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        fail(f"{path}: {error.strerror or error}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        fail(f"{path}: is not JSON: {error}")
    if isinstance(document, dict):
        document = {"name": path.stem[:120] or "rule", **document}
    try:
        fields = RuleFields.of(NewRule().deserialize(document))
    except colander.Invalid as error:
        faults = [f"{name}: {detail}" if name else str(detail) for name, detail in error.asdict().items()]
        for fault in faults[1:]:
            click.echo(f"skywatch: {path}: {fault}", err=True)
        fail(f"{path}: {faults[0]}")
    return with_duration(fields)


def _span(begin: str | None, end: str | None) -> tuple[datetime, datetime] | None:
    if begin is None:
        if end is not None:
            fail("--to: needs --from")
        return None
    since = _time("--from", begin)
    until = _time("--to", end) if end is not None else utcnow()
    if until <= since:
        fail("--to: must be after --from")
    if until - since > LONGEST:
        fail("--to: must be at most 24 hours after --from")
    return since, until


def _time(option: str, text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        fail(f"{option}: {text} is not an ISO 8601 time such as 2026-01-31T12:00:00Z")
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _trial(session: Session, fields: RuleFields, *, at_once: bool) -> Trial:
    node = fields.conditions.tree
    fences: dict[int, Fence] = {}
    lists: dict[int, Entries] = {}
    for table, kind, noun in ((Geofence, Kind.GEOFENCE, "geofence"), (Watchlist, Kind.WATCHLIST, "watch list")):
        for number in sorted(references(node, kind)):
            row: Any = session.get(table, number)
            if row is None:
                fail(f"conditions: there is no {noun} {number}")
            more_fences, more_lists = referenced_objects(session, fields.conditions, row.user_id)
            fences |= more_fences
            lists |= more_lists
    return Trial(fields, Rights(), fences, lists, at_once=at_once)


def _live(runtime: Runtime) -> Sky:
    last: Message | None = runtime.bus.last(topics.PICTURE)
    if last is None:
        fail("there is no live picture: start the service with a shared bus, or name a past span with --from")
    return last.local or from_bytes(last.data)


def _run(runtime: Runtime, session: Session, trial: Trial, span: tuple[datetime, datetime], station: Any) -> None:
    past_pictures = runtime.features.only(PastPictures)
    if past_pictures is None:
        fail("this installation stores no history")
    begin, end = (at.timestamp() for at in span)
    trial.hours = (end - begin) / 3600
    bind(session, runtime, "command", is_stream=True, asked=days_of(begin, end))
    messages = past_messages(session, trial.fields.conditions, begin, end, EVERYTHING)
    run_past(trial, past_pictures.read(session, begin, end, step_of(end - begin), EVERYTHING), station, messages)
