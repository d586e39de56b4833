"""How often history is written."""

import pytest

from skywatch.history.monitor import TICK_S, pause_after


@pytest.mark.parametrize(("flush_s", "took_s"), [(5.0, 0.0), (5.0, 0.7), (60.0, 3.0), (3.0, 0.2)])
def test_what_a_crash_may_lose_is_what_the_setting_says(flush_s, took_s):
    # Heard before the tick that the first of two flushes missed, until the second has been committed.
    assert TICK_S + took_s + pause_after(flush_s, took_s) + took_s <= flush_s + 1e-9


def test_slow_flushes_leave_time_to_others():
    assert pause_after(5.0, 20.0) == 2.5
    assert pause_after(1.0, 0.1) == 0.5
