"""A page offers a change to those alone who may make it."""

import pytest

VIEW = "users.view"


def offers(page, what):
    """Whether a link or a button of the page is called so."""
    return any(what in element.get_text() for element in page.html.find("main")(["a", "button"]))


@pytest.fixture
def at(visitor):
    """Signs in somebody with these permissions; ada is a spotter with a key."""
    visitor.people.role("spotter", ("aircraft.view",))
    ada = visitor.people.user("ada", "spotter")
    visitor.people.key(ada, "aircraft")

    def sign_in(*permissions):
        # Who changes others holds what they hold.
        visitor.people.role("keeper", ("aircraft.view", *permissions))
        visitor.people.user("holder", "keeper")
        visitor.sign_in("holder")
        return visitor, ada

    return sign_in


@pytest.mark.parametrize(
    ("path", "what", "permission"),
    [
        ("/keys", "Revoke", "users.edit"),
        ("/users", "New user", "users.create"),
        ("/users/{ada}", "Edit", "users.edit"),
        ("/users/{ada}", "Delete", "users.delete"),
    ],
)
@pytest.mark.parametrize("holds", [True, False], ids=["held", "lacking"])
def test_a_change_is_offered_to_who_holds_its_permission(at, path, what, permission, holds):
    every = {"users.edit", "users.create", "users.delete", "alerts.create", "roles.edit"}
    visitor, ada = at(VIEW, *([permission] if holds else every - {permission}))
    assert offers(visitor.get(path.format(ada=ada)), what) == holds


@pytest.mark.parametrize(("digits", "status"), [(18, 404), (19, 400)])
def test_the_number_of_a_key_is_believed_as_far_as_the_database_counts(at, digits, status):
    visitor, ada = at(VIEW, "users.edit")
    fields = {"csrf_token": visitor.token, "change": "revoke_key", "key": "9" * digits}
    visitor.post(f"/users/{ada}", fields, status=status)
