"""The area of the API that channels, deliveries and browsers belong to, and the permissions of its views.

Notifications have no access settings of their own. Who may have channels is who may have alert rules.
"""

from __future__ import annotations

import functools

from skywatch.http.resources.service import ApiService, api_resource
from skywatch.security.permissions import Permission

FEATURE = "alerts"
VIEW, CREATE = Permission.ALERTS_VIEW, Permission.ALERTS_CREATE
EDIT, DELETE = Permission.ALERTS_EDIT, Permission.ALERTS_DELETE
MANAGE_ALL = Permission.ALERTS_MANAGE_ALL

NotificationService = functools.partial(ApiService, feature=FEATURE, trailing_slash=True)
notification_resource = functools.partial(api_resource, feature=FEATURE, trailing_slash=True)
