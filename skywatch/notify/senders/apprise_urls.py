"""Which Apprise addresses users may enter: allowed services, and no option that opens another destination.

Apprise reads options of many services from the query string, among them ones that read files, follow templates or
redirects, or name another server. So only listed options are accepted, and the child process that sends may connect
only where the policy allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, unquote

from skywatch.core.network.targets import NOT_ALLOWED, AddressRefused, TargetPolicy
from skywatch.sentences import sentence

LONGEST = 2000
# Options for the look of a message or its recipient within the service; none that names a server or a file.
OPTIONS = frozenset(
    {
        "avatar", "bcc", "botname", "cc", "channels", "delay", "device", "expire", "fields", "footer", "format", "from",
        "group", "image", "mdv", "mode", "name", "overflow", "preview", "priority", "reply", "retry", "silent", "sound",
        "tags", "thread", "title", "to", "topic", "ttl", "user", "workflow",
    }
)  # fmt: skip
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9]*)://")


def check_apprise_url(address: str, schemes: Iterable[str], policy: TargetPolicy) -> str | None:
    """The fault of an Apprise address, or None; raises AddressRefused for a target that is not allowed."""
    match = _SCHEME.match(address)
    if match is None:
        return sentence("notify.apprise_address", "must be an Apprise address such as ntfys://topic")
    scheme = match.group(1).lower()
    allowed = sorted(schemes)
    if scheme not in allowed:
        return sentence(
            "notify.apprise_scheme",
            "{scheme} is not an allowed service; allowed are {names}",
            scheme=scheme,
            names=", ".join(allowed),
        )
    if len(address) > LONGEST or not address.isascii() or not address.isprintable() or set(address) & {" ", "\\"}:
        raise AddressRefused
    target, _, query = address[match.end() :].partition("?")
    for name, _ in parse_qsl(query, keep_blank_values=True, max_num_fields=50):
        if name.lower() not in OPTIONS:
            return NOT_ALLOWED
    # Several addresses in one, and an address within the path or an option.
    if "://" in unquote(unquote(target)) or "://" in unquote(unquote(query)) or re.search(r"[,;]\s*[a-z]+:/", target):
        raise AddressRefused
    host = target.split("/")[0].rpartition("@")[2]
    name = host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    policy.check_host(unquote(name))
    return None
