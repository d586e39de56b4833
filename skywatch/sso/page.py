"""The page that a browser sees at the end of a sign-on: it hands the tokens to the page that waits, and closes."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from pyramid.response import Response

from skywatch.http.render import encode

MESSAGE_TYPE = "skywatch.login"
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Skywatch</title></head>
<body>
<p id="text">Signing in ...</p>
<script nonce="{nonce}">
const answer = {answer};
if (window.opener) {{
  window.opener.postMessage(answer, {origin});
  document.getElementById("text").textContent = "Signed in. You may close this window.";
  window.close();
}} else {{
  document.getElementById("text").textContent =
    "Signed in, but the page that asked for it is gone. Close this window and begin again.";
}}
</script>
</body>
</html>
"""


def hand_over_page(answer: Mapping[str, Any], origin: str) -> Response:
    """A page that gives the answer to its opener, if that is a page of ``origin``, and to nobody else."""
    nonce = secrets.token_urlsafe(16)
    body = PAGE.format(nonce=nonce, answer=_script({"type": MESSAGE_TYPE, **answer}), origin=_script(origin))
    response = Response(body, content_type="text/html", charset="utf-8")
    response.headers["Content-Security-Policy"] = (
        f"default-src 'none'; script-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    # The usual same-origin would cut the page off from its opener.
    response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    response.headers["Cache-Control"] = "no-store"
    return response


def _script(value: Any) -> str:
    """A value as a script literal in which no markup can end the script."""
    text = encode(value).decode("utf-8")
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
