"""Alembic's entry: runs the migrations over the connection that `journal.migrate` hands in."""

from alembic import context

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=None, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
