"""Who may do what, said once: written by hand from the contract, apart from the code that it is compared with.

Four tests hold the service against it: the decisions of the policy (``tests/unit/security/test_verdicts.py``), every
address (``tests/functional/access``), every topic (``tests/integration/realtime/test_matrix.py``) and both doors
together (``tests/integration/test_both_doors.py``). The manual's page ``docs/access-matrix.md`` is written from it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.functional.slices import slices

MODES = ("public", "private", "hybrid")
LEVELS = ("public", "authenticated", "permission")
ROLES = ("viewer", "operator", "analyst", "admin", "superadmin")
SCOPES = (
    "aircraft",
    "alerts",
    "safety",
    "audio",
    "acars",
    "history",
    "system",
    "cannonball",
    *(one.name for one in slices()),
)
# What no key carries, whatever its scopes and its owner's rights.
NO_KEY = ("cannonball.manage",)

# Whom a permission of each kind is granted to: in mode public, then at each level of the access setting that decides.
# In mode private the level public counts as authenticated. A feature that is switched off is granted to nobody.
KINDS = """
kind         level  mode public  public     authenticated  permission  it allows to
view         read   everybody    everybody  identity       holder      see what a feature shows to all its users
read         read   everybody    holder     holder         holder      see more: military, details, full texts, exports
acknowledge  write  everybody    everybody  identity       holder      mark as seen what belongs to nobody
write        write  holder       holder     identity       holder      upload, transcribe, delete one's own, import many
own          read   identity     identity   identity       holder      use what belongs to oneself
edit_own     write  identity     identity   identity       holder      create and change records of one's own
directory    read   holder       identity   identity       holder      see who has an account, and with which roles
manage       -      holder       holder     holder         holder      manage the installation or what is others'
"""

# Each permission, its kind, and the default role from which on it is held.
PERMISSIONS = """
aircraft.view           view         viewer
aircraft.view_details   read         operator
aircraft.view_military  read         analyst
alerts.view             view         viewer
alerts.create           edit_own     operator
alerts.edit             edit_own     operator
alerts.delete           write        operator
alerts.manage_all       manage       admin
safety.view             view         viewer
safety.acknowledge      acknowledge  operator
safety.manage           manage       admin
audio.view              view         viewer
audio.transcribe        write        analyst
audio.upload            write        admin
audio.delete            manage       admin
acars.view              view         viewer
acars.view_full         read         analyst
history.view            view         viewer
history.export          read         analyst
system.view_status      view         viewer
system.view_metrics     read         analyst
system.manage           manage       admin
cannonball.view         own          viewer
cannonball.manage       manage       admin
feeders.view            view         viewer
feeders.own             edit_own     operator
feeders.manage          manage       admin
users.view              directory    admin
users.edit              manage       admin
users.create            manage       superadmin
users.delete            manage       superadmin
roles.view              directory    admin
roles.create            manage       superadmin
roles.edit              manage       superadmin
roles.delete            manage       superadmin
"""

# What views ask for that is no permission of a role: granted in each mode, whatever the level, also of a feature that
# is switched off. ``keys``: whether an API key counts as its owner there; ``-`` is where no credentials are read.
SERVICE = """
name                 mode public  private    hybrid     keys  it allows to
open                 everybody    everybody  everybody  -     see what everybody may know, or exchange a credential
open_unless_private  everybody    identity   everybody  no    see what everybody may know but in private mode
identified           identity     identity   identity   yes   see who one is
own_account          identity     identity   identity   no    change one's own account
switch               holder       holder     holder     no    change access settings, also that of system
"""


@dataclass(frozen=True)
class Kind:
    """A row of KINDS: ``level`` is the access setting that decides (``-``: none)."""

    name: str
    level: str
    in_public_mode: str
    levels: dict[str, str]
    meaning: str

    def granted_to(self, mode: str, read: str, write: str) -> str:
        """``everybody``, ``identity`` or ``holder``, of a feature with these access settings."""
        if mode == "public":
            return self.in_public_mode
        level = write if self.level == "write" else read
        return self.levels["authenticated" if (mode, level) == ("private", "public") else level]


@dataclass(frozen=True)
class Service:
    """A row of SERVICE."""

    name: str
    modes: dict[str, str]
    keys: str
    meaning: str


def _lines(table: str, columns: int) -> list[list[str]]:
    return [line.split(None, columns - 1) for line in table.strip().splitlines()]


ALL_KINDS: dict[str, Kind] = {
    name: Kind(name, level, in_public_mode, dict(zip(LEVELS, levels, strict=True)), meaning)
    for name, level, in_public_mode, *levels, meaning in _lines(KINDS, 7)[1:]
}
ALL_SERVICE: dict[str, Service] = {
    name: Service(name, dict(zip(MODES, modes, strict=True)), keys, meaning)
    for name, *modes, keys, meaning in _lines(SERVICE, 6)[1:]
}
KIND_OF: dict[str, str] = {name: kind for name, kind, _ in _lines(PERMISSIONS, 3)}
LOWEST: dict[str, str] = {name: role for name, _, role in _lines(PERMISSIONS, 3)}
for _one in slices():
    KIND_OF |= {name: kind for name, (kind, _) in _one.permissions.items()}
    LOWEST |= {name: role for name, (_, role) in _one.permissions.items()}
# Records of one's own are read and written with the feature's ``view``, at the level of the same name.
PERSONAL = {"personal_read": "read", "personal_write": "write"}
# What views ask for as another kind than the permission's: many records of one's own are imported as one uploads, the
# known aircraft of Cannonball are shown to all its users, and reports of history are one's own.
OF_OTHER_KINDS = (
    "alerts.create:write",
    "alerts.edit:write",
    "cannonball.view:view",
    "feeders.own:write",
    "history.view:own",
)
# What it needs to read an area at all.
READING = {scope: f"{scope}.view" for scope in SCOPES} | {
    "system": "system.view_status",
    "cannonball": "cannonball.view:view",
}


def held_for(needs: str, feature: str) -> str:
    """The permission that holders of what a view ``needs`` hold."""
    if needs == "switch":
        return "system.manage"
    return f"{feature}.view" if needs in PERSONAL else needs.partition(":")[0]


def kind_of(needs: str) -> Kind:
    """The kind of what a view ``needs``, which is no row of SERVICE."""
    if needs in PERSONAL:
        own = ALL_KINDS["own"]
        return Kind(needs, PERSONAL[needs], own.in_public_mode, own.levels, f"{PERSONAL[needs]} records of one's own")
    permission, _, other = needs.partition(":")
    return ALL_KINDS[other or KIND_OF[permission]]


def granted_to(needs: str, mode: str, read: str, write: str, *, enabled: bool = True) -> str:
    """Whom a view lets in that ``needs`` this: ``everybody``, ``identity``, ``holder`` or ``nobody``."""
    if needs in ALL_SERVICE:
        return ALL_SERVICE[needs].modes[mode]
    return kind_of(needs).granted_to(mode, read, write) if enabled else "nobody"


def lets_in(who: str, caller: str) -> bool:
    """Whether ``nobody`` (no credentials), an identity ``lacking`` the permission or one ``holding`` it gets in."""
    return {"everybody": True, "identity": caller != "nobody", "holder": caller == "holding", "nobody": False}[who]


def holds(role: str | None, permission: str) -> bool:
    """Whether a default role holds a permission; None and other roles hold nothing."""
    return role in ROLES and ROLES.index(role) >= ROLES.index(LOWEST[permission])
