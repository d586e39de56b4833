"""Which passwords are refused, and how they are kept."""

import pytest

from skywatch.accounts.users.passwords import (
    DUMMY_HASH,
    check_password,
    hash_password,
    is_common,
    needs_rehash,
    verify_password,
)

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


def test_the_hash_for_missing_accounts_costs_what_others_cost_and_lets_nobody_in():
    assert not needs_rehash(DUMMY_HASH)
    assert not verify_password(None, GOOD[0])


def test_a_hash_is_argon2id_salted_and_verifies():
    one, two = hash_password(GOOD[0]), hash_password(GOOD[0])
    assert one.startswith("$argon2id$")
    assert one != two
    assert verify_password(one, GOOD[0])
    assert not verify_password(one, GOOD[1])
    assert not needs_rehash(one)
    assert needs_rehash("$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$IMit9qkFULCMA/ViizL57cnTLOa5DiVM9eMwpAvPwr4")


def test_the_same_letters_composed_otherwise_are_the_same_password():
    assert verify_password(hash_password("caf\u00e9 au lait noir"), "cafe\u0301 au lait noir")


@pytest.mark.parametrize("broken", [None, "", "not a hash", "$argon2id$v=19$broken"])
def test_no_hash_or_a_broken_one_verifies_nothing(broken):
    assert not verify_password(broken, "no account has this password")
