"""Log lines carry the request's id and no secret, in both formats."""

import io
import json
import logging

import pytest

from skywatch.core.telemetry import logs


@pytest.fixture
def lines():
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    stream = io.StringIO()

    def set_up(log_format):
        logs.set_up("info", log_format, stream)
        return lambda: stream.getvalue().splitlines()

    yield set_up
    logging.captureWarnings(False)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer abc.def-ghi123", "abc.def-ghi123"),
        ("header ApiKey sk_Abc123Abc123Abc123", "Abc123Abc123Abc123"),
        ("GET /ws?token=s3cr3tvalue&bbox=1", "s3cr3tvalue"),
        ('{"password": "correct horse"}', "horse"),
        ("a key sk_0123456789abcdefABCDEF here", "0123456789abcdefABCDEF"),
        ("jwt eyJhbGciOiJIUzI1NiJ9.eyJ1c2VyX2lkIjoxfQ.c2lnbmF0dXJl", "eyJ1c2VyX2lkIjoxfQ"),
        ("postgresql+psycopg://sky:hunter22@db/skywatch", "hunter22"),
        ("client_secret=topsecretvalue", "topsecretvalue"),
        ("X-API-Key: sk_zzzzzzzzzzzzzzz", "zzzzzzzzzzzzzzz"),
    ],
)
@pytest.mark.parametrize("log_format", ["text", "json"])
def test_no_line_shows_a_secret(lines, log_format, text, secret):
    read = lines(log_format)
    logging.getLogger("t").warning("%s", text)
    try:
        raise ValueError(text)
    except ValueError:
        logging.getLogger("t").exception("failed")
    whole = "\n".join(read())
    assert secret not in whole
    assert logs.MASK in whole


def test_ordinary_text_stays_as_it_is():
    text = "receiver roof: connected to localhost:30005, 12 tokens left, https://host:8080/data"
    assert logs.mask(text) == text


def test_a_json_line_has_the_request_id_only_while_a_request_is_served(lines):
    read = lines("json")
    token = logs.request_id.set("req-12345678")
    logging.getLogger("a.b").info("inside %d", 7)
    logs.request_id.reset(token)
    logging.getLogger("a.b").info("outside")
    inside, outside = map(json.loads, read())
    assert (inside["request_id"], inside["message"], inside["level"]) == ("req-12345678", "inside 7", "info")
    assert inside["time"].endswith("Z")
    assert "request_id" not in outside


def test_a_message_cannot_forge_a_second_line(lines):
    read = lines("text")
    logging.getLogger("t").info("callsign %s", "X\n2026-01-01 ERROR forged")
    assert len(read()) == 1


def test_masking_is_quick_on_hostile_text():
    assert len(logs.mask("token=" * 50_000)) < 400_000
    assert logs.mask("://" * 100_000)


NASTY = (
    "a\r\n2026-01-01T00:00:00Z ERROR   root forged\x1b[2J\x1b]0;title\x07\t\x00\x7f\x85"
    "\x9b31m\u2028b\u2029\u202ec\u2066"
)


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_input_of_clients_forges_no_lines_and_no_terminal_commands(lines, log_format):
    read = lines(log_format)
    logging.getLogger("t").warning("client %s", NASTY)
    logging.getLogger("t").warning("half a character: \ud800")
    try:
        raise ValueError(NASTY)
    except ValueError:
        logging.getLogger("t").exception("failed %s", NASTY)
    whole = "\n".join(read())
    assert all(character.isprintable() or character == "\n" for character in whole)
    assert "\u2028" not in whole
    if log_format == "json":
        assert [json.loads(line)["message"] for line in read()] == [
            f"client {NASTY}",
            r"half a character: \ud800",
            f"failed {NASTY}",
        ]
    else:
        assert len([line for line in read() if line.startswith("20")]) == 3
        assert "\\r\\n2026" in whole
        assert "\\x1b[2J" in whole
        assert "\\x9b31m\\u2028b" in whole
