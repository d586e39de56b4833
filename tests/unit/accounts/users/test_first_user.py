"""Whether an installation has a user is asked again once that may have changed."""

from skywatch.accounts import first_user
from skywatch.accounts.first_user import SetupState, has_user
from tests.accounts import Population


def test_a_user_who_is_created_during_the_look_counts_the_next_time(make_runtime, monkeypatch):
    runtime = make_runtime(auth_mode="hybrid")
    state = SetupState(runtime)

    def look_before_the_change(session):
        monkeypatch.setattr(first_user, "has_user", has_user)
        found = has_user(session)
        Population(runtime).user("ada", "superadmin")
        state.expire()
        return found

    monkeypatch.setattr(first_user, "has_user", look_before_the_change)
    assert state.is_open
    assert not state.is_open
