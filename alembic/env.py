"""Runs the migrations on the engine that ``skywatch.core.database.migrations`` hands over."""

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

engine = context.config.attributes.get("engine")
if engine is None:
    raise SystemExit("migrations run through `skywatch init FILE.ini`")

with engine.connect() as connection, without_foreign_keys(connection):
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
