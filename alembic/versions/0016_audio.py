"""Audio: recordings, transmissions, and the files of folders that were taken.

Revision ID: 0016
Revises: 0015
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
WHEN = sa.DateTime(timezone=True)
DOCUMENT = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "audio_recordings",
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("path", sa.String(120), nullable=False),
        sa.Column("media_type", sa.String(16), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("duration_s", sa.Double(), nullable=False),
        sa.Column("peak_db", sa.Double()),
        sa.Column("loudness_lufs", sa.Double()),
        sa.Column("waveform", sa.LargeBinary(), nullable=False),
        sa.Column("is_truncated", sa.Boolean(), nullable=False),
        sa.Column("stored_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_audio_recordings"),
    )
    _transmissions()
    op.create_table(
        "audio_folder_entries",
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("stamp", sa.String(64), nullable=False),
        sa.Column("seen_at", WHEN, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_audio_folder_entries"),
    )
    op.create_index("ix_audio_folder_entries_stamp", "audio_folder_entries", ["stamp"])


def _transmissions() -> None:
    name = "audio_transmissions"
    op.create_table(
        name,
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("at", WHEN, nullable=False),
        sa.Column("received_at", WHEN, nullable=False),
        sa.Column("channel", sa.String(120), nullable=False),
        sa.Column("frequency_hz", sa.BigInteger()),
        sa.Column("source", sa.String(80), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("duration_s", sa.Double(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("flags", DOCUMENT, nullable=False),
        sa.Column("status", sa.String(12), nullable=False),
        sa.Column("reason", sa.String(200)),
        sa.Column("transcript", sa.Text()),
        sa.Column("segments", DOCUMENT, nullable=False),
        sa.Column("icao_hex", sa.String(7)),
        sa.Column("callsign", sa.String(8)),
        sa.Column("military", sa.Boolean(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", WHEN),
        sa.Column("lease", sa.String(32)),
        sa.Column("leased_until", WHEN),
        sa.PrimaryKeyConstraint("id", name="pk_audio_transmissions"),
        sa.ForeignKeyConstraint(
            ["sha256"], ["audio_recordings.sha256"], name="fk_audio_transmissions_sha256_audio_recordings"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audio_transmissions_at", name, ["at"])
    op.create_index("ix_audio_transmissions_channel_at", name, ["channel", "at"])
    op.create_index("ix_audio_transmissions_sha256", name, ["sha256"])
    op.create_index("ix_audio_transmissions_status_at", name, ["status", "at"])
    op.create_index("ix_audio_transmissions_icao_hex", name, ["icao_hex"])


def downgrade() -> None:
    op.drop_table("audio_folder_entries")
    op.drop_table("audio_transmissions")
    op.drop_table("audio_recordings")
