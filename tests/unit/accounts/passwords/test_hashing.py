"""How passwords are kept, how many may hash them at a time, and what the others are told."""

import threading

import pytest

from skywatch.accounts.passwords import hashing
from skywatch.accounts.passwords.hashing import (
    DUMMY_HASH,
    HashingLimiter,
    hash_password,
    needs_rehash,
    verify_password,
)
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
    assert (limiter.slots, limiter.limiter.at_once) == (slots, concurrent)


def test_who_waits_too_long_is_told_to_come_back_and_gives_the_place_up(monkeypatch):
    monkeypatch.setattr(hashing, "_processors", lambda: 8)
    limiter, over, results = HashingLimiter(16), threading.Event(), []
    limiter.limiter.wait_s = 0.01

    def take(work, person="user 9"):
        try:
            with limiter.turn(person), limiter.turn(person):  # The second is within the first.
                work()
        except Problem as problem:
            results.append((problem.kind.code, problem.headers["Retry-After"]))

    threads = [threading.Thread(target=take, args=(over.wait, f"user {number}")) for number in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: limiter.limiter.running == 4)
    for _ in range(9):  # more than there are slots
        take(over.set)
    assert results == [("unavailable", "2")] * 9
    assert not over.is_set()
    over.set()
    for thread in threads:
        thread.join()
    take(lambda: results.append("works"))
    assert results[-1] == "works"


@pytest.mark.deep("costs over a processor second")
def test_a_burst_of_logins_leaves_workers_free_and_counts_no_guess(make_client, monkeypatch):
    api = make_client(auth_mode="hybrid", api_threads="4", password_guesses__place="3/hour")
    Population(api.runtime).user("ada")
    over, verify = threading.Event(), hashing.HASHER.verify
    monkeypatch.setattr(hashing.hashing.limiter, "wait_s", PATIENCE_S)  # of the two, one may have to wait for the other
    monkeypatch.setattr(
        hashing, "HASHER", type("Slow", (), {"verify": lambda self, *args: over.wait() and verify(*args)})()
    )
    threads = [threading.Thread(target=login, args=(api,), kwargs={"status": "*"}) for _ in range(2)]
    for thread in threads:
        thread.start()
    limiter = hashing.hashing.limiter
    until(lambda: limiter.running + limiter.waiting == 2)
    for _ in range(5):
        refused = login(api, status=503)
        assert (refused.json["code"], refused.headers["Retry-After"]) == ("unavailable", "2")
    assert api.get("/api/v1/auth/config").json["auth_mode"] == "hybrid"
    over.set()
    for thread in threads:
        thread.join()
    monkeypatch.undo()
    login(api, password=PASSWORD)  # not counted: the limit would be reached


def test_logins_of_one_network_leave_room_to_others(monkeypatch):
    monkeypatch.setattr(hashing, "_processors", lambda: 8)
    limiter = HashingLimiter(16)
    crowd = [limiter.limiter.enter("network 192.0.2.0/24") for _ in range(8)]
    assert limiter.limiter.running == 4
    with pytest.raises(Problem):
        limiter.check("network 192.0.2.0/24")
    limiter.check("network 198.51.100.0/24")
    other = limiter.limiter.enter("network 198.51.100.0/24")
    limiter.limiter.leave(crowd[0])
    assert other.is_running


def test_the_hash_for_missing_accounts_costs_what_others_cost_and_lets_nobody_in():
    assert not needs_rehash(DUMMY_HASH)
    assert not verify_password(None, PASSWORD)


def test_a_hash_is_argon2id_salted_and_verifies():
    one, two = hash_password(PASSWORD), hash_password(PASSWORD)
    assert one.startswith("$argon2id$")
    assert one != two
    assert verify_password(one, PASSWORD)
    assert not verify_password(one, "xK7#pq2!vRw9")
    assert not needs_rehash(one)
    assert needs_rehash("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$IMit9qkFULCMA/ViizL57cnTLOa5DiVM9eMwpAvPwr4")


def test_the_same_letters_composed_otherwise_are_the_same_password():
    assert verify_password(hash_password("caf\u00e9 au lait noir"), "cafe\u0301 au lait noir")


@pytest.mark.parametrize("broken", [None, "", "not a hash", "$argon2id$v=19$broken"])
def test_no_hash_or_a_broken_one_verifies_nothing(broken):
    assert not verify_password(broken, "no account has this password")
