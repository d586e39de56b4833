"""How much a writer does at a time where others wait for the same lock."""

from skywatch.core.storage.batches import FIRST_ENTRIES, LOCK_PAUSE_S, MAX_ENTRIES, MAX_LOCK_S, MIN_ENTRIES, Pacer


def test_transactions_come_to_take_as_long_as_they_may():
    pacer = Pacer(is_shared=True)
    assert pacer.limit == FIRST_ENTRIES
    for _ in range(20):
        # Two milliseconds an entry.
        pacer.measure(pacer.limit, 0.002 * pacer.limit)
    assert 0.5 * MAX_LOCK_S <= 0.002 * pacer.limit <= MAX_LOCK_S
    for _ in range(20):
        pacer.measure(pacer.limit, 0.00001 * pacer.limit)
    assert pacer.limit == MAX_ENTRIES
    pacer.measure(MAX_ENTRIES, 60.0)
    assert pacer.limit == MIN_ENTRIES


def test_a_transaction_with_few_entries_says_nothing_of_many():
    pacer = Pacer(is_shared=True)
    pacer.measure(1, 0.0001)
    assert pacer.limit == FIRST_ENTRIES


def test_the_lock_is_left_to_others_after_a_while_with_it():
    pacer = Pacer(is_shared=True)
    pacer.measure(10, 0.4 * MAX_LOCK_S)
    assert pacer.pause_s() == 0.0
    pacer.measure(10, 0.4 * MAX_LOCK_S)
    assert pacer.pause_s() == LOCK_PAUSE_S
    assert pacer.pause_s() == 0.0


def test_where_nobody_waits_batches_are_as_large_as_they_may_be():
    pacer = Pacer(is_shared=False)
    pacer.measure(MAX_ENTRIES, 60.0)
    assert (pacer.limit, pacer.pause_s()) == (MAX_ENTRIES, 0.0)
