"""How often a password may be guessed for one account, without letting a guesser lock its owner out.

Two limits in addition to the one on the client's address:

* ten wrong passwords in a quarter of an hour (``password_guesses.place``) for one account from one neighbourhood of
  the net (an IPv4 /24 or IPv6 /64) close the account to that neighbourhood until the quarter is over;
* a hundred in an hour from anywhere (``password_guesses.anywhere``) close it to every neighbourhood that its owner has
  not logged in from before.

So a guesser can neither go on from where they are nor from a thousand other places, and the owner still gets in from
where they usually are. Names that no account has are counted in the same way, and a username apart from the e-mail
address of the same account: the answers reveal nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from skywatch.accounts.names import email_key, username_key
from skywatch.accounts.settings import AccountSettings
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.http.limits.limiter import Limiter, rate_limiter
from skywatch.sentences import sentence


@dataclass(frozen=True)
class GuessLimits:
    """How many wrong passwords are too many, and what counts them."""

    limiter: Limiter
    network_rate: str
    anywhere_rate: str


def guess_limits(runtime: Runtime) -> GuessLimits:
    """The limits of a process that serves the API."""
    settings = runtime.settings.of(AccountSettings)
    return GuessLimits(runtime.shared(rate_limiter), settings.guesses_place, settings.guesses_anywhere)


class Attempts:
    """Counts the wrong passwords of one login attempt's account and network."""

    def __init__(self, limits: GuessLimits, account: str, network: str, *, network_is_known: bool) -> None:
        self._limits = limits
        self._limiter = limits.limiter
        self._account = account
        self._here = f"{account}@{network}"
        self._place_is_known = network_is_known

    def begin(self) -> None:
        """Count an attempt before the password is looked at; raises Problem (429)."""
        if not self._place_is_known:
            anywhere = self._limiter.look(self._limits.anywhere_rate, "guesses", self._account)
            if not anywhere.allowed:
                raise self._refusal(anywhere.retry_after_s)
        here = self._limiter.hit(self._limits.network_rate, "guesses-here", self._here, exact=True)
        if not here.allowed:
            raise self._refusal(here.retry_after_s)

    def failed(self) -> None:
        """The password was wrong."""
        self._limiter.hit(self._limits.anywhere_rate, "guesses", self._account, exact=True)

    def succeeded(self) -> None:
        """The password was right: its count restarts."""
        self._limiter.forgive(self._limits.network_rate, "guesses-here", self._here)

    @staticmethod
    def _refusal(wait_s: int) -> Problem:
        return Problem(
            "rate_limited",
            sentence(
                "accounts.too_many_wrong_passwords",
                "Too many wrong passwords for this account; try again in {seconds} s.",
                seconds=wait_s,
            ),
            headers={"Retry-After": str(wait_s)},
        )


def counted_name(name: str) -> str:
    """What guesses are counted by: the name as it is compared, never the account behind it. Were a username and an
    e-mail address counted as one, the limit would reveal who has which address, and that there is such an account."""
    key = email_key(name) if "@" in name else username_key(name)
    return hashlib.sha256(key.encode()).hexdigest()
