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
    connection = op.get_bind()
    # Derived before the table is locked, so that those who read it wait for one update and not for a million.
    derived = _stage(connection)
    # The defaults serve the version before, which writes rows without the columns.
    op.add_column(TABLE, sa.Column("military", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column(TABLE, sa.Column("search_text", sa.String(LENGTH), nullable=False, server_default=""))
    known = sa.table(TABLE, *map(sa.column, ("id", "military", "search_text")))
    update = sa.update(known).where(known.c.id == derived.c.known_id)
    connection.execute(update.values(military=derived.c.military, search_text=derived.c.search_text))
    derived.drop(connection)
    op.create_index(INDEX, TABLE, COLUMNS)


def _stage(connection: sa.Connection) -> sa.Table:
    derived = sa.Table(
        "known_derived",
        sa.MetaData(),
        sa.Column("known_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("military", sa.Boolean()),
        sa.Column("search_text", sa.String(LENGTH)),
        prefixes=["TEMPORARY"],
    )
    derived.create(connection)
    known = sa.table(TABLE, *map(sa.column, ("id", "icao_hex", "registration", "agency_name")))
    query = sa.select(known.c.id, known.c.icao_hex, known.c.registration, known.c.agency_name).order_by(known.c.id)
    last = 0
    while rows := connection.execute(query.where(known.c.id > last).limit(BLOCK)).all():
        connection.execute(sa.insert(derived), [_derived(*row) for row in rows])
        last = rows[-1].id
    return derived


def _derived(known_id: int, icao_hex: str, registration: str, agency_name: str) -> dict[str, object]:
    text = "\n".join(map(_fold, (icao_hex, registration, agency_name)))
    return {"known_id": known_id, "military": is_military_address(icao_hex), "search_text": text[:LENGTH]}


def _fold(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.strip())
    return "".join(c for c in plain if not unicodedata.combining(c)).casefold()


def downgrade() -> None:
    op.drop_index(INDEX, TABLE)
    op.drop_column(TABLE, "search_text")
    op.drop_column(TABLE, "military")
