"""Runs the migrations on the engine or connection that ``skywatch.core.database.migrations`` hands over."""

import importlib
import pkgutil

from alembic import context

import skywatch
from skywatch.core.database.compatibility import record
from skywatch.core.database.engine import Base, without_foreign_keys

for room in pkgutil.iter_modules(skywatch.__path__):
    if room.ispkg:
        try:
            importlib.import_module(f"skywatch.{room.name}.models")
        except ModuleNotFoundError as error:
            if error.name != f"skywatch.{room.name}.models":
                raise


# Two installations of one release may begin at the same time; and what runs must not wait long behind a lock.
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('skywatch schema'), hashtext(coalesce(current_schema(), '')))"
LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'"


def note_step(ctx, step, heads, run_args):
    """Write from which revision on code runs on the schema that a step has led to."""
    for revision in heads:
        record(ctx.connection, context.script, revision)


def run_on(connection):
    """Run the migrations; within a transaction that is under way they are a part of it."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transactional_ddl=True,
        on_version_apply=note_step,
    )
    with context.begin_transaction():
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(ONE_AT_A_TIME)
            connection.exec_driver_sql(LOCK_TIMEOUT)
        context.run_migrations()


engine, given = (context.config.attributes.get(name) for name in ("engine", "connection"))
if given is not None:
    run_on(given)
elif engine is not None:
    with engine.connect() as connection, without_foreign_keys(connection):
        run_on(connection)
        connection.commit()
else:
    raise SystemExit("migrations run through `skywatch init FILE.ini`")
