"""Which passwords are refused."""

import pytest

from skywatch.accounts.passwords.rules import check_password, is_common

GOOD = ["a quiet night over the Jura", "xK7#pq2!vRw9", "correct-mule-staple-7", "пароль для неба", "tr0ub4dor&3-zebra"]
COMMON = [
    "password123",
    "P@ssw0rd2024!",
    "passwordpassword",
    "Skywatch2026",
    "1234567890",
    "0987654321",
    "qwertyuiop",
    "QWERTZUIOP",
    "aaaaaaaaaaaa",
    "abcabcabcabc",
    "1q2w3e4r5t6y",
    "administrator1",
    "letmein!!!!!!",
]


@pytest.mark.parametrize("password", GOOD)
def test_good_passwords_pass(password):
    check_password(password, ("ada", "ada@example.org", "Ada Lovelace"))


@pytest.mark.parametrize("password", COMMON)
def test_what_anybody_would_try_first_is_refused(password):
    assert is_common(password)
    with pytest.raises(ValueError, match="common"):
        check_password(password)


@pytest.mark.parametrize(
    "password", ["lovelace-1815", "ecalevol-1815", "Lovelace@Home", "ada.lovelace99", "adalovelace99"]
)
def test_what_is_like_the_name_is_refused(password):
    with pytest.raises(ValueError, match="like the name"):
        check_password(password, ("lovelace", "ada.lovelace@example.org"))


@pytest.mark.parametrize("password", ["short", "x" * 257])
def test_length_has_limits(password):
    with pytest.raises(ValueError, match="characters"):
        check_password(password)
