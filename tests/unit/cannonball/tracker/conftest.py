"""A stage for the tracking of sessions."""

import pytest

from tests.cannonball import Stage, add_known, add_users


@pytest.fixture
def stage(make_runtime):
    """A stage with users 1 and 2 and one police helicopter on the list."""
    runtime = make_runtime()
    add_users(runtime, 1, 2)
    add_known(runtime, "3C1234,D-HBPA,Bundespolizei\n")
    stage = Stage(runtime)
    stage.start()
    yield stage
    stage.close()
