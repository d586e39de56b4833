"""The default roles, cell by cell, from the specification's table; written apart from the code."""

import pytest

from skywatch.security.permissions import DEFAULT_ROLES, Permission, default_permissions

ROLES = ("viewer", "operator", "analyst", "admin", "superadmin")
TABLE = """
aircraft.view           Yes  Yes  Yes  Yes  Yes
aircraft.view_details   No   Yes  Yes  Yes  Yes
aircraft.view_military  No   No   Yes  Yes  Yes
alerts.view             Yes  Yes  Yes  Yes  Yes
alerts.create           No   Yes  Yes  Yes  Yes
alerts.edit             No   Yes  Yes  Yes  Yes
alerts.delete           No   Yes  Yes  Yes  Yes
alerts.manage_all       No   No   No   Yes  Yes
safety.view             Yes  Yes  Yes  Yes  Yes
safety.acknowledge      No   Yes  Yes  Yes  Yes
safety.manage           No   No   No   Yes  Yes
audio.view              Yes  Yes  Yes  Yes  Yes
audio.transcribe        No   No   Yes  Yes  Yes
audio.upload            No   No   No   Yes  Yes
audio.delete            No   No   No   Yes  Yes
acars.view              Yes  Yes  Yes  Yes  Yes
acars.view_full         No   No   Yes  Yes  Yes
history.view            Yes  Yes  Yes  Yes  Yes
history.export          No   No   Yes  Yes  Yes
system.view_status      Yes  Yes  Yes  Yes  Yes
system.view_metrics     No   No   Yes  Yes  Yes
system.manage           No   No   No   Yes  Yes
cannonball.view         Yes  Yes  Yes  Yes  Yes
cannonball.manage       No   No   No   Yes  Yes
feeders.view            Yes  Yes  Yes  Yes  Yes
feeders.own             No   Yes  Yes  Yes  Yes
feeders.manage          No   No   No   Yes  Yes
users.view              No   No   No   Yes  Yes
users.create            No   No   No   No   Yes
users.edit              No   No   No   Yes  Yes
users.delete            No   No   No   No   Yes
roles.view              No   No   No   Yes  Yes
roles.create            No   No   No   No   Yes
roles.edit              No   No   No   No   Yes
roles.delete            No   No   No   No   Yes
"""
CELLS = [
    (name, role, cell == "Yes")
    for name, *cells in (line.split() for line in TABLE.strip().splitlines())
    for role, cell in zip(ROLES, cells, strict=True)
]


@pytest.mark.parametrize(("name", "role", "granted"), CELLS)
def test_a_cell_of_the_table(name, role, granted):
    assert (name in default_permissions(role)) is granted


def test_the_table_names_every_permission_and_each_has_a_meaning():
    names = {name for name, _, _ in CELLS}
    assert names == {str(permission) for permission in Permission}
    assert all(permission.meaning for permission in Permission)


def test_the_priorities_are_those_of_the_specification():
    priorities = {role.name: role.priority for role in DEFAULT_ROLES}
    assert priorities == {"viewer": 10, "operator": 20, "analyst": 30, "admin": 40, "superadmin": 100}
