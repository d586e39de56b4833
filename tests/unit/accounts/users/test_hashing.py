"""How many may hash passwords at a time, and what the others are told."""

import threading

import pytest

from skywatch.accounts.users import hashing, passwords
from skywatch.accounts.users.hashing import HashingLimiter
from skywatch.core.problems import Problem
from tests.accounts import PASSWORD, Population
from tests.functional.accounts.asking import login
from tests.waiting import PATIENCE_S, until


@pytest.mark.parametrize(
    ("workers", "processors", "slots", "concurrent"),
    [(1, 8, 1, 1), (2, 8, 1, 1), (8, 16, 4, 4), (64, 16, 32, 4), (8, 1, 4, 1), (8, 2, 4, 1), (8, 4, 4, 2)],
)
def test_at_most_half_of_the_workers_hash_or_wait_and_half_of_the_processors_hash(
    workers, processors, slots, concurrent, monkeypatch
):
    monkeypatch.setattr(hashing, "_processors", lambda: processors)
    limiter = HashingLimiter(workers)
    assert (limiter.slots, limiter.concurrent) == (slots, concurrent)


def test_who_waits_too_long_is_told_to_come_back_and_gives_the_place_up(monkeypatch):
    monkeypatch.setattr(hashing, "_processors", lambda: 8)
    limiter, over, results = HashingLimiter(16), threading.Event(), []
    monkeypatch.setattr(hashing, "WAIT_S", 0.01)

    def take(work):
        try:
            with limiter.turn(), limiter.turn():  # The second is within the first.
                work()
        except Problem as problem:
            results.append((problem.kind.code, problem.headers["Retry-After"]))

    threads = [threading.Thread(target=take, args=(over.wait,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: limiter._taken == 4)
    for _ in range(9):  # more than there are slots
        take(over.set)
    assert results == [("unavailable", "2")] * 9
    assert not over.is_set()
    over.set()
    for thread in threads:
        thread.join()
    take(lambda: results.append("works"))
    assert results[-1] == "works"


def test_a_burst_of_logins_leaves_workers_free_and_counts_no_guess(make_client, monkeypatch):
    api = make_client(auth_mode="hybrid", api_threads="4", password_guesses__place="3/hour")
    Population(api.runtime).user("ada")
    over, verify = threading.Event(), passwords.HASHER.verify
    monkeypatch.setattr(hashing, "WAIT_S", PATIENCE_S)  # of the two, one may have to wait for the other
    monkeypatch.setattr(
        passwords, "HASHER", type("Slow", (), {"verify": lambda self, *args: over.wait() and verify(*args)})()
    )
    threads = [threading.Thread(target=login, args=(api,), kwargs={"status": "*"}) for _ in range(2)]
    for thread in threads:
        thread.start()
    until(lambda: hashing.hashing._taken + hashing.hashing._waiting == 2)
    for _ in range(5):
        refused = login(api, status=503)
        assert (refused.json["code"], refused.headers["Retry-After"]) == ("unavailable", "2")
    assert api.get("/api/v1/auth/config").json["auth_mode"] == "hybrid"
    over.set()
    for thread in threads:
        thread.join()
    monkeypatch.undo()
    login(api, password=PASSWORD)  # not counted: the limit would be reached
