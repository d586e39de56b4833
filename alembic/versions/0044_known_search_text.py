"""The list of known aircraft is searched and filtered by one index of the database.

Revision ID: 0044
Revises: 0043
"""

import unicodedata

import sqlalchemy as sa
from alembic import op

from skywatch.airframes.military import is_military_address

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

TABLE, INDEX = "cannonball_known_aircraft", "ix_cannonball_known_aircraft_search"
COLUMNS = ["icao_hex", "search_text", "agency_type", "agency_state", "source", "verified", "military"]
LENGTH = 500
BLOCK = 10_000


def upgrade() -> None:
    # The defaults serve the version before, which writes rows without the columns.
    op.add_column(TABLE, sa.Column("military", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column(TABLE, sa.Column("search_text", sa.String(LENGTH), nullable=False, server_default=""))
    _fill(op.get_bind())
    op.create_index(INDEX, TABLE, COLUMNS)


def _fill(connection: sa.Connection) -> None:
    names = ("id", "icao_hex", "registration", "agency_name", "military", "search_text")
    known = sa.table(TABLE, *map(sa.column, names))
    update = sa.update(known).where(known.c.id == sa.bindparam("row_id"))
    update = update.values(military=sa.bindparam("is_military"), search_text=sa.bindparam("text"))
    query = sa.select(known.c.id, known.c.icao_hex, known.c.registration, known.c.agency_name).order_by(known.c.id)
    last = 0
    while rows := connection.execute(query.where(known.c.id > last).limit(BLOCK)).all():
        connection.execute(update, [_derived(*row) for row in rows])
        last = rows[-1].id


def _derived(known_id: int, icao_hex: str, registration: str, agency_name: str) -> dict[str, object]:
    text = "\n".join(map(_fold, (icao_hex, registration, agency_name)))
    return {"row_id": known_id, "is_military": is_military_address(icao_hex), "text": text[:LENGTH]}


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(c for c in plain if not unicodedata.combining(c))


def downgrade() -> None:
    op.drop_index(INDEX, TABLE)
    op.drop_column(TABLE, "search_text")
    op.drop_column(TABLE, "military")
