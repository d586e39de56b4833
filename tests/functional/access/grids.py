"""The grids: what each sort of caller gets from each kind of operation, in each mode and at each level.

``ok`` means that access is not what stops the call: it answers as for a caller who may do anything. The callers are

* ``nobody``: no credentials,
* ``lacking``: a user without the permission (another role, or a role that holds nothing),
* ``holding``: a user with the permission,
* ``key``: an API key of a user with the permission, whose scopes name the area,
* ``other key``: the same user's key for another area.

Wrong credentials (deactivated, expired, revoked) get 401 everywhere, except where credentials are exchanged, and
from what answers everybody alike (health, the providers of single sign-on).
"""

from __future__ import annotations

from dataclasses import dataclass

COLUMNS = ("public mode", "private mode", "public", "authenticated", "permission", "switched off")
CALLERS = ("nobody", "lacking", "holding", "key", "other key")


@dataclass(frozen=True)
class Kind:
    """A kind of operation: its name, what it is, and a line of the grid for each sort of caller."""

    name: str
    meaning: str
    grid: str
    looks_at_credentials: bool = True

    def expected(self, caller: str, column: str) -> str:
        """``ok``, ``401`` or ``403``."""
        lines = [line.rsplit(None, len(COLUMNS)) for line in self.grid.strip().splitlines()]
        return {line[0].strip(): line[1:] for line in lines}[caller][COLUMNS.index(column)]


# In private mode the levels are set to ``public``, which there counts as ``authenticated``.
OPEN = Kind(
    "open",
    "what everybody may know in every mode, even of a feature that is switched off",
    """
    nobody      ok   ok   ok   ok   ok   ok
    lacking     ok   ok   ok   ok   ok   ok
    holding     ok   ok   ok   ok   ok   ok
    key         ok   ok   ok   ok   ok   ok
    other key   403  403  403  403  403  403
    """,
)
PAGE = Kind(
    "page",
    "what everybody may know but in private mode",
    """
    nobody      ok   401  ok   ok   ok   ok
    lacking     ok   ok   ok   ok   ok   ok
    holding     ok   ok   ok   ok   ok   ok
    key         403  403  403  403  403  403
    other key   403  403  403  403  403  403
    """,
)
EXCHANGE = Kind(
    "exchange",
    "exchanges one credential for another; other credentials in the request are not looked at",
    """
    nobody      ok   ok   ok   ok   ok   ok
    lacking     ok   ok   ok   ok   ok   ok
    holding     ok   ok   ok   ok   ok   ok
    key         ok   ok   ok   ok   ok   ok
    other key   ok   ok   ok   ok   ok   ok
    """,
    looks_at_credentials=False,
)
EVERYBODY = Kind(
    "everybody",
    "answers everybody alike, also of a feature that is switched off; credentials are not looked at",
    EXCHANGE.grid,
    looks_at_credentials=False,
)
IDENTIFIED = Kind(
    "identified",
    "tells callers who they are",
    """
    nobody      401  401  401  401  401  401
    lacking     ok   ok   ok   ok   ok   ok
    holding     ok   ok   ok   ok   ok   ok
    key         ok   ok   ok   ok   ok   ok
    other key   ok   ok   ok   ok   ok   ok
    """,
)
OWN = Kind(
    "own account",
    "changes the caller's own account: a login, never a key",
    """
    nobody      401  401  401  401  401  401
    lacking     ok   ok   ok   ok   ok   ok
    holding     ok   ok   ok   ok   ok   ok
    key         403  403  403  403  403  403
    other key   403  403  403  403  403  403
    """,
)
READ = Kind(
    "read",
    "reads a feature, at its read level",
    """
    nobody      ok   401  ok   401  401  403
    lacking     ok   ok   ok   ok   403  403
    holding     ok   ok   ok   ok   ok   403
    key         ok   ok   ok   ok   ok   403
    other key   403  403  403  403  403  403
    """,
)
READ_MORE = Kind(
    "read more",
    "reads what needs a permission of its own (export, metrics); nobody in particular holds none",
    """
    nobody      ok   401  401  401  401  403
    lacking     ok   403  403  403  403  403
    holding     ok   ok   ok   ok   ok   403
    key         ok   ok   ok   ok   ok   403
    other key   403  403  403  403  403  403
    """,
)
ACKNOWLEDGE = Kind(
    "acknowledge",
    "marks as seen, with a permission of its own, at the feature's write level",
    """
    nobody      ok   401  ok   401  401  403
    lacking     ok   403  403  403  403  403
    holding     ok   ok   ok   ok   ok   403
    key         ok   ok   ok   ok   ok   403
    other key   403  403  403  403  403  403
    """,
)
WRITE = Kind(
    "write",
    "uploads, deletes or has transcribed, at the feature's write level; in mode public an identity with the permission",
    """
    nobody      401  401  ok   401  401  403
    lacking     403  403  403  403  403  403
    holding     ok   ok   ok   ok   ok   403
    key         ok   ok   ok   ok   ok   403
    other key   403  403  403  403  403  403
    """,
)
MANAGE = Kind(
    "manage",
    "manages the installation or other people's records: an identity with the permission, in every mode",
    """
    nobody      401  401  401  401  401  403
    lacking     403  403  403  403  403  403
    holding     ok   ok   ok   ok   ok   403
    key         ok   ok   ok   ok   ok   403
    other key   403  403  403  403  403  403
    """,
)
MANAGE_BY_LOGIN = Kind(
    "manage by login",
    "manages what no key may: as manage, and a key is refused whatever its scopes",
    """
    nobody      401  401  401  401  401  403
    lacking     403  403  403  403  403  403
    holding     ok   ok   ok   ok   ok   403
    key         403  403  403  403  403  403
    other key   403  403  403  403  403  403
    """,
)
SWITCH = Kind(
    "switch",
    "the access settings: as manage, and of no feature, so that the switch cannot be switched off",
    """
    nobody      401  401  401  401  401  401
    lacking     403  403  403  403  403  403
    holding     ok   ok   ok   ok   ok   ok
    key         403  403  403  403  403  403
    other key   403  403  403  403  403  403
    """,
)
PEOPLE = Kind(
    "people",
    "reads names and addresses of people: always an identity, and one with the permission where everybody may come",
    """
    nobody      401  401  401  401  401  403
    lacking     403  ok   ok   ok   403  403
    holding     ok   ok   ok   ok   ok   403
    key         403  403  403  403  403  403
    other key   403  403  403  403  403  403
    """,
)
PERSONAL = Kind(
    "personal",
    "reads or writes the caller's own records of a feature: always an identity, then the level",
    """
    nobody      401  401  401  401  401  403
    lacking     ok   ok   ok   ok   403  403
    holding     ok   ok   ok   ok   ok   403
    key         ok   ok   ok   ok   ok   403
    other key   403  403  403  403  403  403
    """,
)
DELETE_OWN = Kind(
    "delete own",
    "deletes the caller's own records or imports many: an identity with the permission, in every mode",
    MANAGE.grid,
)
EDIT_OWN = Kind(
    "edit own",
    "writes the caller's own records, with a permission of its own: always an identity",
    """
    nobody      401  401  401  401  401  403
    lacking     ok   403  403  403  403  403
    holding     ok   ok   ok   ok   ok   403
    key         ok   ok   ok   ok   ok   403
    other key   403  403  403  403  403  403
    """,
)
READ_BY_LOGIN = Kind(
    "read by login",
    "reads what no key may: as read, and a key is refused whatever its scopes",
    """
    nobody      ok   401  ok   401  401  403
    lacking     ok   ok   ok   ok   403  403
    holding     ok   ok   ok   ok   ok   403
    key         403  403  403  403  403  403
    other key   403  403  403  403  403  403
    """,
)
EDIT_OWN_BY_LOGIN = Kind(
    "edit own by login",
    "writes the caller's own records where no key may: as edit own, and a key is refused whatever its scopes",
    """
    nobody      401  401  401  401  401  403
    lacking     ok   403  403  403  403  403
    holding     ok   ok   ok   ok   ok   403
    key         403  403  403  403  403  403
    other key   403  403  403  403  403  403
    """,
)
KINDS = (
    OPEN,
    PAGE,
    EXCHANGE,
    EVERYBODY,
    IDENTIFIED,
    OWN,
    READ,
    READ_BY_LOGIN,
    READ_MORE,
    ACKNOWLEDGE,
    WRITE,
    MANAGE,
    MANAGE_BY_LOGIN,
    SWITCH,
    PEOPLE,
    PERSONAL,
    EDIT_OWN,
    EDIT_OWN_BY_LOGIN,
    DELETE_OWN,
)
