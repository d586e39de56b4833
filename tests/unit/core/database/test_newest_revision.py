"""A start reads the newest revision from the names of the migrations; alembic reads it from what is in them."""

from alembic.script import ScriptDirectory

from skywatch.core.database.migrations import configuration, newest_revision


def test_the_names_of_migrations_say_what_is_in_them():
    scripts = ScriptDirectory.from_config(configuration())
    assert [newest_revision()] == scripts.get_heads()
    for script in scripts.walk_revisions():
        assert script.path.rpartition("/")[2].startswith(f"{script.revision}_")
