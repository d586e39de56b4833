"""Clients by network: an IPv6 site is limited, however many networks it has."""

from skywatch.core.network.client_counts import ClientCounts


def networks(count):
    return [f"2001:db8:1:{number:x}::/64" for number in range(count)]


def test_one_site_has_four_times_as_much_as_a_network_whatever_its_networks():
    counts = ClientCounts(3, 1000)
    assert sum(counts.take(network) for network in networks(100)) == 12
    assert counts.take("2001:db8:2:1::/64")
    assert all(counts.take(f"198.51.100.{number}/32") for number in range(100))
    assert len(counts) == 113


def test_one_site_has_no_more_than_half_and_no_less_than_one_network():
    counts = ClientCounts(500, 2000)
    assert sum(counts.take(network) for network in networks(20) for _ in range(500)) == 1000
    counts = ClientCounts(500, 400)
    assert sum(counts.take(network) for network in networks(2) for _ in range(500)) == 500


def test_what_is_released_is_free_again_and_nothing_is_remembered():
    counts = ClientCounts(1, 100)
    taken = [network for network in networks(9) if counts.take(network)]
    assert taken == networks(4)
    counts.release(taken[0])
    assert counts.take(networks(9)[8])
    for network in (*taken[1:], networks(9)[8]):
        counts.release(network)
    assert len(counts) == 0
    assert not counts._of_network
    assert not counts._of_site
