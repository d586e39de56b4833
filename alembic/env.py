"""Runs the migrations on the engine or connection that ``skywatch.core.database.migrations`` hands over, or on the
database of the ini file that ``alembic -c FILE.ini`` names."""

import importlib
import pkgutil
from pathlib import Path

from alembic import context

import skywatch
from skywatch.core.database.columns import seal_columns
from skywatch.core.database.engine import Base, check_connection, create_engine, without_foreign_keys
from skywatch.core.database.migrations import record_compatible_from
from skywatch.core.process.secret_file import with_secret
from skywatch.core.terminal.command import one_line_errors, read_section

# A small feature has its tables in the one module of its server half.
for module in (
    f"skywatch.{room.name}.{part}"
    for room in pkgutil.iter_modules(skywatch.__path__)
    if room.ispkg
    for part in ("models", "slice")
):
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise


# Two installations of one release may begin at the same time; and what runs must not wait long behind a lock.
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('skywatch schema'), hashtext(coalesce(current_schema(), '')))"
LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'"


def note_step(ctx, step, heads, run_args):
    """Write from which revision on code runs on the schema that a step has led to."""
    for revision in heads:
        record_compatible_from(ctx.connection, context.script, revision)


def is_modelled(name, kind, parents):
    """Whether a table, column or index is in the models; the full-text index of each database is not."""
    return not str(name).startswith(("acars_search", "ix_acars_messages_words"))


def run_on(connection):
    """Run the migrations; within a transaction that is under way they are a part of it."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        include_name=is_modelled,
        transactional_ddl=True,
        on_version_apply=note_step,
    )
    with context.begin_transaction():
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(ONE_AT_A_TIME)
            connection.exec_driver_sql(LOCK_TIMEOUT)
        context.run_migrations()


def run_on_engine(engine):
    """Run the migrations on a connection of their own."""
    with engine.connect() as connection, without_foreign_keys(connection):
        run_on(connection)
        connection.commit()


@one_line_errors
def run_on_ini(path):
    """Run the migrations on the database that an ini file and the environment name."""
    from skywatch.features import load
    from skywatch.serving.preparation import make_folder

    settings = load(read_section(path))
    make_folder(settings)
    engine = create_engine(settings.database_url)
    check_connection(engine)
    seal_columns(engine, with_secret(settings).secret)
    run_on_engine(engine)


engine, given = (context.config.attributes.get(name) for name in ("engine", "connection"))
if given is not None:
    run_on(given)
elif engine is not None:
    run_on_engine(engine)
elif context.config.config_file_name is None:
    raise SystemExit("migrations run through `skywatch init FILE.ini` or `alembic -c FILE.ini upgrade head`")
elif context.is_offline_mode():
    raise SystemExit("migrations read the database, so that there is no script of them (--sql)")
else:
    run_on_ini(Path(context.config.config_file_name))
