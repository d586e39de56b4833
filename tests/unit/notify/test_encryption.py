"""Web Push encryption: the example of RFC 8291 to the byte, and what is refused."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from skywatch.notify.push.encryption import encrypt
from tests.push_service import padded, unpadded

# RFC 8291, section 5 and appendix A.
PLAINTEXT = b"When I grow up, I want to be a watermelon"
RECEIVER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
SENDER_PRIVATE = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
SALT, AUTH = "DGv6ra1nlYgDCS1FRnbzlw", "BTBZMqHH6r4Tts7J_aSIgg"
BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
    "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_example_of_the_standard_comes_out_to_the_byte():
    private = ec.derive_private_key(int.from_bytes(padded(SENDER_PRIVATE), "big"), ec.SECP256R1())
    body = encrypt(PLAINTEXT, padded(RECEIVER), padded(AUTH), salt=padded(SALT), private_key=private)
    assert unpadded(body) == BODY


def test_two_messages_never_look_alike():
    assert len({encrypt(PLAINTEXT, padded(RECEIVER), padded(AUTH)) for _ in range(5)}) == 5


def test_a_body_is_at_most_4096_bytes():
    assert len(encrypt(b"x" * 3993, padded(RECEIVER), padded(AUTH))) == 4096
    with pytest.raises(ValueError, match="too long"):
        encrypt(b"x" * 3994, padded(RECEIVER), padded(AUTH))


def test_a_key_that_is_no_point_is_refused():
    with pytest.raises(ValueError):
        encrypt(PLAINTEXT, b"\x04" + b"\x01" * 64, padded(AUTH))
