"""Which hosts may be asked: nothing public, nothing link-local, no container, never more than a /24 of an interface."""

from ipaddress import IPv4Address, IPv4Interface

import pytest

from skywatch.core.network.interfaces import (
    Interface,
    ipv6_interfaces,
    is_private,
    leads_to_containers,
    own_interfaces,
    private_networks,
)
from skywatch.receivers.discovery.networks import hosts_of, networks_of


def networks(*addresses, closed=()):
    interfaces = [Interface(f"eth{at}", IPv4Interface(text), False) for at, text in enumerate(addresses)]
    interfaces += [Interface(f"docker{at}", IPv4Interface(text), True) for at, text in enumerate(closed)]
    return [str(network) for network in networks_of(interfaces)]


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.168.1.20/24", ["192.168.1.0/24"]),
        ("192.168.1.20/25", ["192.168.1.0/25"]),
        # A wide network is narrowed to the /24 around the own address.
        ("10.20.30.40/8", ["10.20.30.0/24"]),
        ("172.31.255.1/12", ["172.31.255.0/24"]),
        ("192.168.7.3/30", ["192.168.7.0/30"]),
        # Public, shared (RFC 6598), link-local, loopback, multicast, and just outside of private ranges.
        ("203.0.113.5/24", []),
        ("8.8.8.8/8", []),
        ("100.64.3.4/24", []),
        ("169.254.10.20/16", []),
        ("127.0.0.1/8", []),
        ("224.0.0.5/24", []),
        ("172.32.0.1/16", []),
        ("172.15.0.1/16", []),
        ("192.169.0.1/16", []),
        ("11.0.0.1/8", []),
        # The mask reaches beyond the private range; the /24 does not.
        ("192.168.0.1/8", ["192.168.0.0/24"]),
    ],
)
def test_the_networks_of_an_address(address, expected):
    found = networks(address)
    assert found == expected
    assert all(is_private(host) for host in hosts_of(networks_of([Interface("e", IPv4Interface(address), False)])))


def test_networks_of_containers_are_left_out_also_within_a_wide_one():
    assert networks("192.168.1.2/24", closed=["172.17.0.1/16"]) == ["192.168.1.0/24"]
    assert networks("172.17.0.9/16", closed=["172.17.0.1/16"]) == []
    assert networks("10.0.5.1/8", closed=["10.0.5.128/26"]) == []


def test_hosts_come_by_turns_without_network_and_broadcast_addresses_and_each_once():
    found = hosts_of(
        networks_of(
            [
                Interface("a", IPv4Interface("192.168.1.1/30"), False),
                Interface("b", IPv4Interface("10.0.0.1/30"), False),
                Interface("c", IPv4Interface("10.0.0.2/30"), False),
            ]
        )
    )
    assert list(map(str, found)) == ["192.168.1.1", "10.0.0.1", "192.168.1.2", "10.0.0.2"]
    assert len(hosts_of(networks_of([Interface("a", IPv4Interface("10.9.8.7/8"), False)]))) == 254
    assert IPv4Address("192.168.1.0") not in found


@pytest.fixture
def sysfs(tmp_path):
    """Interfaces as the kernel shows them: name, index, link, device, lower ones, ports, flags."""

    def add(name, index, link, *, device=False, lower=(), ports=None, flags=0x1003):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ifindex").write_text(f"{index}\n")
        (folder / "iflink").write_text(f"{link}\n")
        (folder / "flags").write_text(f"{flags:#x}\n")
        if device:
            (folder / "device").mkdir()
        for other in lower:
            (folder / f"lower_{other}").mkdir()
        if ports is not None:
            (folder / "bridge").mkdir()
            (folder / "brif").mkdir()
            for port in ports:
                (folder / "brif" / port).mkdir()

    add("eth0", 2, 2, device=True)
    add("eth0.10", 3, 2, lower=["eth0"])
    add("vmbr0", 4, 4, ports=["eth0"])
    add("tap5", 5, 5)
    add("mybridge", 6, 6, ports=["tap5"])
    add("emptybridge", 7, 7, ports=[])
    # As a container sees its own end of a pair.
    add("eth1", 8, 55)
    add("docker0", 9, 9, ports=[])
    add("br-0123456789ab", 10, 10, ports=[])
    # Up, point-to-point, no ARP.
    add("wg0", 11, 11, flags=0x10091)
    return tmp_path


@pytest.mark.parametrize("name", ["eth0", "eth0.10", "vmbr0"])
def test_devices_vlans_and_bridges_of_them_may_be_asked(sysfs, name):
    assert not leads_to_containers(name, sysfs)


@pytest.mark.parametrize(
    "name", ["mybridge", "emptybridge", "eth1", "docker0", "br-0123456789ab", "veth9", "cni0", "lxcbr0", "unknown"]
)
def test_bridges_of_containers_and_what_cannot_be_judged_may_not(sysfs, name):
    assert leads_to_containers(name, sysfs)


def test_this_machine_has_its_loopback_and_nothing_of_it_is_asked():
    found = own_interfaces()
    assert IPv4Address("127.0.0.1") in [one.address.ip for one in found]
    assert not any(network.is_loopback for network in networks_of(found))


def test_own_networks_by_ipv6_are_at_most_a_64_of_unique_local_addresses(tmp_path, sysfs):
    path = tmp_path / "if_inet6"
    lines = (
        "fd001234000000010000000000000005 02 30 00 80     eth0",
        "fd00abcd000000000000000000000001 09 40 00 80  docker0",
        "fd00ee00000000000000000000000001 0b 40 00 80      wg0",
        "fe800000000000000000000000000001 02 40 20 80     eth0",
        "20010db8000000000000000000000001 02 40 00 80     eth0",
        "00000000000000000000000000000001 01 80 10 80       lo",
    )
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    found = ipv6_interfaces(path, sysfs)
    assert len(found) == len(lines)
    assert [str(network) for network in private_networks(found)] == ["fd00:1234:0:1::/64"]
    assert ipv6_interfaces(tmp_path / "none", sysfs) == []
