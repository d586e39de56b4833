"""The IPv4 interfaces of this machine, and which of them lead to containers or through a tunnel (Linux).

The kernel's answers come from ``ioctl`` (netdevice(7)) and from ``/sys/class/net`` (ABI/testing/sysfs-class-net). An
interface that cannot be judged counts as one of containers, so that nobody behind it is asked.
"""

from __future__ import annotations

import re
import socket
import struct
import sys
from ipaddress import IPv4Interface
from pathlib import Path
from typing import NamedTuple

SYSFS = Path("/sys/class/net")
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
    address: IPv4Interface
    is_closed: bool


def own_interfaces() -> list[Interface]:
    """The interfaces with an IPv4 address; none on systems other than Linux."""
    if not sys.platform.startswith("linux"):
        return []
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
