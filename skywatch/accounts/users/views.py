"""``users``."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.hooks import PasswordPage
from skywatch.accounts.identity.caller import noting_refusals
from skywatch.accounts.models import User
from skywatch.accounts.nodes import MAX_VALUES_OF_PREFERENCES
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.users import resets, schemas, service
from skywatch.accounts.users.answers import profile_answer
from skywatch.core.storage.audit import Target
from skywatch.http.lists.pagination import page
from skywatch.http.requests.request import Request
from skywatch.http.resources.fields import UNSET, body_of
from skywatch.http.resources.service import Resource, api_resource, view
from skywatch.security.permissions import Permission


@api_resource("user", "/users", feature="users")
class Users(Resource):
    """Users and service accounts."""

    @view(permission=Permission.USERS_VIEW, query=schemas.UserQuery(), responses={200: schemas.UserList()})
    def collection_get(self) -> dict[str, Any]:
        """All users, by name"""
        query = self.request.validated["querystring"]
        users, count = service.find_users(
            self.request.db,
            search=query.get("search"),
            is_active=query.get("is_active"),
            role=query.get("role"),
            limit=query["limit"],
            offset=query["offset"],
        )
        return page(self.request, "users", [profile_answer(user) for user in users], count)

    @view(
        permission=Permission.USERS_CREATE,
        body=schemas.UserCreate(),
        responses={201: schemas.NewUser()},
        errors=(409,),
        creates=True,
    )
    def collection_post(self) -> dict[str, Any]:
        """Create a user, with roles within the caller's own permissions

        Without a password the answer has a `setup_link` for callers with `users.edit`, where passwords are accepted:
        the address at which the user sets one.
        """
        body = body_of(self.request, schemas.UserCreateFields)
        with noting_refusals(self.request, "user.created", Target("user", None, body.username)) as caller:
            user = service.create_user(self.request.db, caller, body)
            shown = profile_answer(user)
            page = self.request.runtime.features.only(PasswordPage)
            if page is not None and body.password is UNSET and _may_get_link(self.request, user, page):
                _, token = resets.create_reset(self.request.db, caller, user.id)
                shown["setup_link"] = page.address(self.request, token)
            return shown

    @view(permission=Permission.USERS_VIEW, responses={200: schemas.Profile()})
    def get(self) -> dict[str, Any]:
        """One user"""
        return profile_answer(service.get_user(self.request.db, self.id))

    @view(
        permission=Permission.USERS_EDIT,
        body=schemas.UserChange(),
        responses={200: schemas.Profile()},
        errors=(409,),
        most_values=MAX_VALUES_OF_PREFERENCES,
    )
    def patch(self) -> dict[str, Any]:
        """Change a user whose permissions are within the caller's own; a new password or deactivation ends all logins"""  # noqa: E501
        with noting_refusals(self.request, "user.changed", Target("user", self.id)) as caller:
            fields = body_of(self.request, schemas.UserChangeFields)
            return profile_answer(service.update_user(self.request.db, caller, self.id, fields))

    @view(permission=Permission.USERS_DELETE, responses={204: None}, errors=(409,))
    def delete(self) -> None:
        """Delete a user whose permissions are within the caller's own, with all their private data"""
        with noting_refusals(self.request, "user.deleted", Target("user", self.id)) as caller:
            service.delete_user(self.request.db, caller, self.id)
        self.request.response.status_code = 204


def _may_get_link(request: Request, user: User, page: PasswordPage) -> bool:
    """Whether a link for a first password can be made: the console, which has the page, may be switched off."""
    return (
        not user.is_service
        and user.is_active
        and page.is_enabled(request.runtime.settings)
        and request.runtime.settings.of(AccountSettings).local_auth_enabled
        and Permission.USERS_EDIT in request.visibility.permissions
    )
