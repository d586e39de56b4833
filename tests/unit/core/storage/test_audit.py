"""The audit log where the database is out of reach."""

import pytest
from sqlalchemy.exc import OperationalError

from skywatch.core.storage import audit
from skywatch.core.storage.audit import Actor


@pytest.mark.parametrize(
    ("actor", "named"), [(Actor("", "anonymous"), "by anonymous"), (Actor("ada", "jwt", 1), "by ada")]
)
def test_an_entry_that_is_lost_is_in_the_log_with_who_it_was(actor, named, monkeypatch, caplog):
    def out_of_reach(sessions):
        raise OperationalError("insert", {}, Exception("gone"))

    monkeypatch.setattr(audit, "writing", out_of_reach)
    audit.record_apart(None, actor, "login.failed")
    assert f"login.failed {named} could not be written" in caplog.text
