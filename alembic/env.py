"""Runs the migrations on the engine or connection that ``skywatch.core.database.migrations`` hands over."""

import importlib
import pkgutil

from alembic import context

import skywatch
from skywatch.core.database.engine import Base, without_foreign_keys

for room in pkgutil.iter_modules(skywatch.__path__):
    if room.ispkg:
        try:
            importlib.import_module(f"skywatch.{room.name}.models")
        except ModuleNotFoundError as error:
            if error.name != f"skywatch.{room.name}.models":
                raise


def run_on(connection):
    """Run the migrations; within a transaction that is under way they are a part of it."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
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
