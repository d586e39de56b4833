"""The factory that other servers than ours start the application by."""

import pytest

from skywatch import main
from skywatch.core.database.engine import DatabaseError


def test_another_server_does_not_start_without_a_schema_either(tmp_path):
    with pytest.raises(DatabaseError, match="run `skywatch init"):
        main(environment="development", database_url=f"sqlite:///{tmp_path}/empty.sqlite")
