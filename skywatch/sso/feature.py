"""What single sign-on is made of."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.sso.problems import PROBLEMS
from skywatch.sso.settings import SsoSettings

FEATURE = Feature(
    name="sso",
    include="skywatch.sso",
    settings=SsoSettings,
    problems=PROBLEMS,
    commands={"oidc": "skywatch.sso.command:oidc"},
    tags={
        "oidc-mappings": "Which claims of an identity provider give which roles.",
    },
)
