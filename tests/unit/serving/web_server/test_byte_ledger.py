"""Bytes of bodies: counted for each holder and in all."""

import threading

from skywatch.core.limits import CountLimit
from skywatch.serving.web_server.byte_ledger import ByteLedger, Reservation


class Gauge:
    def set(self, value):
        self.value = value


def make(each, total=None):
    gauge = Gauge()
    limit = CountLimit(each) if total is None else CountLimit(each, total, of_sites=True)
    return ByteLedger(limit, gauge), gauge


def test_each_holder_and_all_together_are_limited():
    ledger, gauge = make(100, 150)
    first, second, third = (Reservation(ledger, name) for name in ("a", "a", "b"))
    assert first.grow_to(60)
    assert not second.grow_to(41)
    assert second.grow_to(40)
    assert not third.grow_to(51)
    assert third.grow_to(50)
    assert (ledger.limit.in_use, gauge.value) == (150, 150)
    first.release()
    assert third.grow_to(100)
    assert gauge.value == 140


def test_an_ipv6_site_has_half_of_all_at_most():
    ledger, _ = make(100, 600)
    bodies = [Reservation(ledger, f"2001:db8:1:{number}::/64") for number in range(5)]
    assert [body.grow_to(80) for body in bodies] == [True, True, True, False, False]
    assert Reservation(ledger, "2001:db8:2:1::/64").grow_to(100)
    assert Reservation(ledger, "198.51.100.7/32").grow_to(100)
    bodies[0].release()
    assert bodies[4].grow_to(100)


def test_what_was_refused_holds_what_it_held():
    ledger, _ = make(100)
    one = Reservation(ledger, "a")
    assert one.grow_to(80)
    assert one.grow_to(70)
    assert not one.grow_to(101)
    assert ledger.limit.in_use == 80


def test_the_only_body_of_a_holder_may_be_larger_where_that_is_allowed():
    ledger, _ = make(100, 500)
    first, second = (Reservation(ledger, "a", may_be_alone=True) for _ in range(2))
    assert first.grow_to(400)
    assert first.grow_to(450)
    assert not second.grow_to(1)
    assert not Reservation(ledger, "b", may_be_alone=True).grow_to(101)
    first.release()
    assert second.grow_to(300)


def test_a_release_is_final_and_counts_once():
    ledger, gauge = make(100)
    one = Reservation(ledger, "a")
    assert one.grow_to(50)
    one.release()
    one.release()
    assert not one.grow_to(1)
    assert (ledger.limit.in_use, gauge.value) == (0, 0)


def test_nothing_is_lost_between_threads():
    ledger, _ = make(10**9, 10**9)

    def work():
        for _ in range(500):
            one = Reservation(ledger, "a")
            for size in (1, 10, 100):
                assert one.grow_to(size)
            one.release()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.limit.in_use == 0
