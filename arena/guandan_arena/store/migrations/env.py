"""Run migrations on the connection that ``store.migrate`` hands over."""

from alembic import context

from guandan_arena.store.schema import metadata

connection = context.config.attributes["connection"]
# SQLite cannot alter most of a table in place: batch mode copies it.
context.configure(connection=connection, target_metadata=metadata, render_as_batch=connection.dialect.name == "sqlite")
context.run_migrations()
