"""``skywatch deliveries FILE.ini``: the state of channels, and their pending and dead deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import to_iso
from skywatch.core.database.migrations import check_schema
from skywatch.core.runtime import Runtime
from skywatch.core.terminal.command import ini_argument, one_line_errors, read_ini
from skywatch.notify.models import Channel, Delivery
from skywatch.notify.vocabulary import OPEN_STATES, DeliveryState

STATES = [state.value for state in DeliveryState]


@click.command()
@ini_argument
@click.option("--state", type=click.Choice(STATES), help="List the deliveries in this state.")
@click.option("--channel", type=int, help="Only this channel, by its number.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Deliveries listed.")
@one_line_errors
def deliveries(ini: Path, state: str | None, channel: int | None, limit: int) -> None:
    """Show the channels of all users with their pending and dead deliveries; no address and no secret."""
    settings, _ = read_ini(ini)
    runtime = Runtime.open(settings)
    try:
        check_schema(runtime.engine)
        with runtime.sessions() as session:
            if state is None:
                _show_channels(session, channel)
            else:
                _show_deliveries(session, state, channel, limit)
    finally:
        runtime.close()


def _show_channels(session: Session, only: int | None) -> None:
    counts: dict[tuple[int, str], int] = {}
    query = sa.select(Delivery.channel_id, Delivery.state, sa.func.count()).group_by(
        Delivery.channel_id, Delivery.state
    )
    for channel_id, state, count in session.execute(query):
        counts[channel_id, state] = count
    channels = sa.select(Channel).order_by(Channel.id)
    rows = [("channel", "user", "kind", "state", "waiting", "dead", "delivered", "last success", "last error")]
    for channel in session.scalars(channels if only is None else channels.where(Channel.id == only)):
        waiting = sum(counts.get((channel.id, state), 0) for state in OPEN_STATES)
        rows.append(
            (
                f"{channel.id} {channel.name}",
                str(channel.user_id),
                channel.kind,
                channel.state if channel.enabled else "off",
                str(waiting),
                str(counts.get((channel.id, DeliveryState.DEAD.value), 0)),
                str(counts.get((channel.id, DeliveryState.DELIVERED.value), 0)),
                _moment(channel.last_success_at),
                channel.last_error or "",
            )
        )
    _print(rows, "There are no channels.")


def _show_deliveries(session: Session, state: str, channel: int | None, limit: int) -> None:
    query = sa.select(Delivery).where(Delivery.state == state).order_by(Delivery.id.desc()).limit(limit)
    if channel is not None:
        query = query.where(Delivery.channel_id == channel)
    rows = [("delivery", "channel", "kind", "subject", "attempts", "written", "next", "last error")]
    rows += [
        (
            str(delivery.id),
            str(delivery.channel_id),
            delivery.kind,
            str(delivery.subject_id or ""),
            str(delivery.attempts),
            _moment(delivery.created_at),
            _moment(delivery.next_at),
            delivery.last_error or "",
        )
        for delivery in session.scalars(query)
    ]
    _print(rows, f"There are no {state} deliveries.")


def _moment(at: datetime | None) -> str:
    return to_iso(at.replace(microsecond=0)) if at is not None else ""


def _print(rows: Sequence[Sequence[str]], empty_text: str) -> None:
    if len(rows) == 1:
        click.echo(empty_text)
        return
    # Users choose the names: control characters are not printed.
    printable = [["".join(c if c.isprintable() else "?" for c in cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in printable) for column in range(len(printable[0]))]
    for row in printable:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
