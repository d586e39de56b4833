"""The interfaces of this machine, which of them lead to containers or through a tunnel, and their private networks.

The kernel's answers (Linux) come from ``ioctl`` (netdevice(7)), ``/proc/net/if_inet6`` and ``/sys/class/net``
(ABI/testing/sysfs-class-net). An interface that cannot be judged counts as one of containers.
"""

from __future__ import annotations

import re
import socket
import struct
import sys
from collections.abc import Iterable
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
    ip_network,
)
from pathlib import Path
from typing import NamedTuple

Network = IPv4Network | IPv6Network
# Private networks (RFC 1918) and unique local addresses (RFC 4193); of a wide one at most so many bits are ours.
PRIVATE: tuple[Network, ...] = tuple(map(ip_network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")))
WIDEST_BITS = {4: 24, 6: 64}
SYSFS = Path("/sys/class/net")
INET6 = Path("/proc/net/if_inet6")
# netdevice(7): requests of an interface's address, netmask and flags.
SIOCGIFADDR, SIOCGIFNETMASK, SIOCGIFFLAGS = 0x8915, 0x891B, 0x8913
IFF_UP, IFF_POINTOPOINT = 0x1, 0x10
NAME_BYTES, REQUEST = 15, "16s40x"
# Bridges and pairs that Docker, Podman, Kubernetes, LXC, Incus, libvirt and desktop hypervisors make.
CONTAINER_NAME = re.compile(
    r"(docker|br-[0-9a-f]{12}|veth|podman|cni|cbr|flannel|cali|cilium|kube|lxc|lxdbr|incusbr|virbr|vnet|nerdctl|vmnet|vboxnet)"
)


class Interface(NamedTuple):
    """One interface that is up; ``is_closed`` where nobody behind it may be asked."""

    name: str
    address: IPv4Interface | IPv6Interface
    is_closed: bool


def is_private(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address is of a private network (RFC 1918, RFC 4193)."""
    return any(address.version == network.version and address in network for network in PRIVATE)


def private_networks(interfaces: Iterable[Interface]) -> list[Network]:
    """The private networks of interfaces that lead to no containers, each once: at most a /24 or /64 around an address.

    Public and link-local addresses and this machine's loopback are of none.
    """
    interfaces = list(interfaces)
    closed = [interface.address.network for interface in interfaces if interface.is_closed]
    networks: dict[Network, None] = {}
    for interface in interfaces:
        address = interface.address
        if interface.is_closed or not is_private(address.ip):
            continue
        bits = max(address.network.prefixlen, WIDEST_BITS[address.version])
        network = ip_network((address.ip, bits), strict=False)
        # Within a wide network of our own there may be one of containers.
        if not any(
            network.version == other.version and network.overlaps(other)
            for other in closed
            if is_private(other.network_address)
        ):
            networks[network] = None
    return list(networks)


def own_interfaces() -> list[Interface]:
    """The interfaces with an address, by IPv4 and then by IPv6; none on systems other than Linux."""
    if not sys.platform.startswith("linux"):
        return []
    return [*_ipv4_interfaces(), *ipv6_interfaces(INET6, SYSFS)]


def ipv6_interfaces(path: Path, sysfs: Path) -> list[Interface]:
    """The interfaces with an IPv6 address, of the kernel's list: address, index, bits, scope, flags and name."""
    try:
        lines = path.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
    result = []
    for line in lines:
        text, _, bits, _, _, name = line.split()
        address = IPv6Interface((int(text, 16), int(bits, 16)))
        is_closed = _is_tunnel(sysfs / name) or leads_to_containers(name, sysfs)
        result.append(Interface(name, address, is_closed))
    return result


def _ipv4_interfaces() -> list[Interface]:
    result = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for _, name in socket.if_nameindex():
            try:
                flags = struct.unpack("H", _ask(control, name, SIOCGIFFLAGS)[16:18])[0]
                address, mask = (_address(_ask(control, name, request)) for request in (SIOCGIFADDR, SIOCGIFNETMASK))
            except OSError:
                # It has no IPv4 address, or has gone meanwhile.
                continue
            if flags & IFF_UP:
                is_closed = bool(flags & IFF_POINTOPOINT) or leads_to_containers(name, SYSFS)
                result.append(Interface(name, IPv4Interface(f"{address}/{mask}"), is_closed))
    return result


def leads_to_containers(name: str, sysfs: Path) -> bool:
    """Whether an interface is a bridge of containers, or an end of a pair of which a container has the other one."""
    if CONTAINER_NAME.match(name):
        return True
    folder = sysfs / name
    try:
        if (folder / "bridge").is_dir():
            ports = [port.name for port in (folder / "brif").iterdir()]
            return not any(_leads_out(sysfs / port) for port in ports)
        # The peer of a pair is an interface of another network namespace: this machine is a container itself.
        is_paired = _number(folder / "iflink") != _number(folder / "ifindex")
    except (OSError, ValueError):
        return True
    return is_paired and not _leads_out(folder)


def _is_tunnel(folder: Path) -> bool:
    """Whether an interface has one other end (VPN, PPP), or cannot be judged."""
    try:
        return bool(int((folder / "flags").read_text(encoding="ascii"), 16) & IFF_POINTOPOINT)
    except (OSError, ValueError):
        return True


def _leads_out(folder: Path) -> bool:
    """Whether an interface is a device, or lies on top of one of this machine (VLAN, bond)."""
    return (folder / "device").exists() or any(folder.glob("lower_*"))


def _number(path: Path) -> int:
    return int(path.read_text(encoding="ascii"))


def _ask(control: socket.socket, name: str, request: int) -> bytes:
    # Here: other systems have none.
    import fcntl

    return fcntl.ioctl(control.fileno(), request, struct.pack(REQUEST, name.encode()[:NAME_BYTES]))


def _address(answer: bytes) -> str:
    return socket.inet_ntoa(answer[20:24])
