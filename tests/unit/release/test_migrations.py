"""Steps of the schema that take away what the release before uses are refused, unless they are contract steps."""

import pytest

from release.checks import schema_revisions
from release.migrations import problems_of
from release.record import Release
from skywatch.core.database.engine import create_engine
from skywatch.core.database.migrations import compatible_from, configuration, oldest_compatible

STEP = """
import sqlalchemy as sa
from alembic import op
revision, down_revision, branch_labels, depends_on = {revision!r}, {before!r}, None, None
{contracts}
def upgrade():
    {upgrade}

def downgrade():
    pass
"""
FIRST = (
    'op.create_table("users", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.String(64),'
    ' nullable=False), sa.Column("mail", sa.String(64)), sa.Column("kind", sa.String(8), nullable=False,'
    ' server_default="p")); op.create_table("schema_properties", sa.Column("name", sa.String(64), primary_key=True),'
    ' sa.Column("value", sa.String(64)))'
)
ALTER = 'with op.batch_alter_table("users") as users: users.'


@pytest.fixture
def schema(tmp_path):
    """An empty database, and a function that judges these steps (what each does, and which expansion it completes)."""
    engine = create_engine(f"sqlite:///{tmp_path}/schema.sqlite")

    def judge(*steps, released="0100"):
        before = None
        for number, step in enumerate([FIRST, *steps]):
            does, contracts = step if isinstance(step, tuple) else (step, None)
            revision = f"{100 + number:04}"
            named = f"contracts = {contracts!r}" if contracts is not None else ""
            text = STEP.format(revision=revision, before=before, upgrade=does, contracts=named)
            (tmp_path / f"{revision}.py").write_text(text)
            before = revision
        config = configuration(engine)
        config.set_main_option("version_locations", str(tmp_path))
        config.set_main_option("path_separator", "os")
        return problems_of(config, engine, [Release("0.2.0", "0" * 40, released)])

    yield engine, judge
    engine.dispose()


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ('op.drop_table("users")', "the table users is dropped or renamed"),
        ('op.rename_table("users", "people")', "the table users is dropped or renamed"),
        ('op.drop_column("users", "mail")', "users.mail is dropped or renamed"),
        (f'{ALTER}alter_column("mail", new_column_name="email")', "users.mail is dropped or renamed"),
        (f'{ALTER}alter_column("name", type_=sa.String(32))', "from VARCHAR(64) to VARCHAR(32)"),
        (f'{ALTER}alter_column("name", type_=sa.Integer)', "from VARCHAR(64) to INTEGER"),
        (f'{ALTER}alter_column("mail", nullable=False)', "users.mail takes no NULL any more"),
        (f'{ALTER}alter_column("kind", server_default=None)', "users.kind loses its default"),
        (f'{ALTER}create_unique_constraint("uq", ["name"])', "older code does not keep: unique (name)"),
        ('op.create_index("ix", "users", ["mail"], unique=True)', "older code does not keep: unique (mail)"),
        (f'{ALTER}create_check_constraint("ck", "id > 0")', "older code does not keep: check (id > 0)"),
        (f'{ALTER}create_foreign_key("fk", "users", ["id"], ["id"])', "older code does not keep: foreign key (id)"),
        (f'{ALTER}add_column(sa.Column("age", sa.Integer, nullable=False))', "older code inserts rows without it"),
        ('op.execute("ALTER TABLE users DROP COLUMN mail")', "users.mail is dropped or renamed"),
    ],
)
def test_a_step_that_takes_something_away_is_refused(schema, step, problem):
    _, judge = schema
    (found,) = judge(step)
    assert found.startswith("0101: ")
    assert problem in found
    assert 'name there the revision that added it (contracts = "...")' in found


@pytest.mark.parametrize(
    "step",
    [
        'op.create_table("more", sa.Column("id", sa.Integer, primary_key=True), sa.Column("n", sa.Text))',
        'op.add_column("users", sa.Column("age", sa.Integer))',
        'op.add_column("users", sa.Column("age", sa.Integer, nullable=False, server_default="0"))',
        'op.create_index("ix", "users", ["mail"])',
        f'{ALTER}alter_column("name", type_=sa.String(128))',
        f'{ALTER}alter_column("name", type_=sa.Text)',
        f'{ALTER}alter_column("name", nullable=True)',
    ],
)
def test_a_step_that_adds_or_widens_is_accepted(schema, step):
    engine, judge = schema
    assert judge(step) == []
    with engine.connect() as connection:
        assert compatible_from(connection) == "0100"


def test_the_migrations_of_this_release_form_one_line():
    revisions = schema_revisions()
    assert revisions == sorted(set(revisions), reverse=True)


ADD, DROP = 'op.add_column("users", sa.Column("email", sa.String(64)))', 'op.drop_column("users", "mail")'


def test_a_contract_step_follows_the_release_of_its_expansion(schema):
    engine, judge = schema
    assert judge(ADD, (DROP, "0101"), released="0101") == []
    with engine.connect() as connection:
        # Releases from before the expansion do not run on it any more.
        assert compatible_from(connection) == "0101"


@pytest.mark.parametrize(
    ("contracts", "released", "problem"),
    [
        ("0101", "0100", "it removes what revision 0101 replaces, and 0101 is in no release yet"),
        ("0101", "", "0101 is in no release yet"),
        ("0102", "0101", "contracts must name an earlier revision, not '0102'"),
    ],
)
def test_a_contract_step_without_a_released_expansion_is_refused(schema, contracts, released, problem):
    _, judge = schema
    (found,) = judge(ADD, (DROP, contracts), released=released)
    assert found.startswith("0102: ")
    assert problem in found


def test_the_newest_of_several_contract_steps_counts():
    class Script:
        def __init__(self, contracts):
            self.module = type("Module", (), {} if contracts is None else {"contracts": contracts})

    class Scripts:
        def get_bases(self):
            return ["0028"]

        def iterate_revisions(self, upper, lower):
            return [Script(None), Script("0030"), Script("0033"), Script(None)]

    assert oldest_compatible(Scripts(), "0040") == "0033"
