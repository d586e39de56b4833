"""What ``skywatch mcp`` does with credentials, addresses and lines that are not as they should be."""

from __future__ import annotations

import httpx
import msgspec
import pytest
from click.testing import CliRunner

from skywatch.cli.mcp import Bridge, mcp

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
SECRET = "sk_the_secret"


def answers(answer=None, status=200, headers=None):
    def respond(request):
        return httpx.Response(status, json=answer, headers=headers)

    return httpx.Client(base_url="https://sky.example", transport=httpx.MockTransport(respond))


def told(capfdbinary, http, line=PING, credential=b"sk_key", tmp_path=None):
    file = tmp_path / "key"
    file.write_bytes(credential)
    Bridge(http, file).handle(line)
    return capfdbinary.readouterr().out


@pytest.mark.parametrize("credential", [f"{SECRET}\nsecond", f"{SECRET}\x00", f"{SECRET}\u00e9", ""])
def test_a_credential_that_is_not_one_word_is_not_repeated(capfdbinary, tmp_path, credential):
    http = answers({"jsonrpc": "2.0", "id": 1, "result": {}})
    out = told(capfdbinary, http, credential=credential.encode(), tmp_path=tmp_path)
    assert b"the_secret" not in out
    assert msgspec.json.decode(out)["error"]["message"].startswith("The credential cannot be read")


@pytest.mark.parametrize("credential", [f"\ufeff{SECRET}", f" {SECRET}\r\n"])
def test_signs_around_a_credential_are_left_out(capfdbinary, tmp_path, credential):
    sent = []

    def respond(request):
        sent.append(request.headers["Authorization"])
        return httpx.Response(200, json={"jsonrpc": "2.0", "id": 1, "result": {}})

    http = httpx.Client(base_url="https://sky.example", transport=httpx.MockTransport(respond))
    out = told(capfdbinary, http, credential=credential.encode(), tmp_path=tmp_path)
    assert msgspec.json.decode(out)["result"] == {}
    assert sent == [f"ApiKey {SECRET}"]


@pytest.mark.parametrize("line", [b"[" * 5000, b'{"id": 1, "method": "\xff"}', b"{", b"[]", b"1"])
def test_every_line_gets_an_answer(capfdbinary, tmp_path, line):
    assert "error" in msgspec.json.decode(told(capfdbinary, answers({}), line, tmp_path=tmp_path))


def test_a_redirect_is_named_and_not_followed(capfdbinary, tmp_path):
    http = answers(status=301, headers={"Location": "https://other.example/mcp"})
    out = told(capfdbinary, http, tmp_path=tmp_path)
    assert "The service is at https://other.example/mcp" in msgspec.json.decode(out)["error"]["message"]


def test_an_initialize_without_its_version_is_passed_on(capfdbinary, tmp_path):
    line = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}'
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {}}}
    assert msgspec.json.decode(told(capfdbinary, answers(answer), line, tmp_path=tmp_path)) == answer


@pytest.mark.parametrize("url", ["https://user:word@sky.example", "http://user@localhost:6543"])
def test_an_address_has_no_password(url):
    done = CliRunner().invoke(mcp, [url], env={"SKYWATCH_API_KEY": SECRET})
    assert done.exit_code != 0
    assert "word" not in done.output.replace("password", "")
