"""The pages that a browser sees at the end of a sign-on: they pass the result to the page that opened them.

Only a page of the right origin receives it. The page itself shows people what they need to know; the script only
passes the result on.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from html import escape
from typing import Any

from pyramid.response import Response

from skywatch.core.problems import Problem
from skywatch.http.resources.render import encode
from skywatch.sentences import worded

SUCCESS_TYPE, FAILURE_TYPE = "skywatch.login", "skywatch.login_failed"
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title></head>
<body>
{body}
<script nonce="{nonce}">
const answer = {answer};
if (window.opener) {{
  window.opener.postMessage(answer, {origin});
{then}}}
</script>
</body>
</html>
"""
SIGNED_IN = "Signed in. You may close this window."
NOBODY_WAITS = "Signed in, but the page that asked for it is gone. Close this window and begin again."
CLOSE = f"""  document.getElementById("text").textContent = "{SIGNED_IN}";
  window.close();
"""
FAILED = """<h1>Signing in failed</h1>
<p>{reason}</p>
<p>Close this window and begin again. If that does not help, tell whoever runs this service the code
<code>{code}</code> and the request <code>{request_id}</code>.</p>"""


def hand_over_page(answer: Mapping[str, Any], origin: str, *, has_cookies: bool) -> Response:
    """A page that gives the answer to its opener, if that is a page of ``origin``, and closes.

    ``has_cookies``: the browser has the tokens as cookies already, so that no page has to wait for them.
    """
    text = SIGNED_IN if has_cookies else NOBODY_WAITS
    body = f'<p id="text">{text}</p>'
    return _page("Signed in", body, {"type": SUCCESS_TYPE, **answer}, origin, CLOSE)


def failure_page(problem: Problem, request_id: str, origin: str) -> Response:
    """A page that shows why the sign-on failed, and passes that to its opener, if that is a page of ``origin``."""
    shown = {"code": problem.kind.code, "detail": problem.detail, "request_id": request_id}
    title = f"{problem.kind.title}."
    reason = title if problem.detail == title else f"{title} {problem.detail}"
    body = FAILED.format(reason=escape(reason), **{name: escape(text) for name, text in shown.items()})
    answer = {"type": FAILURE_TYPE, "status": problem.kind.status, **shown, **worded("detail", problem.sentence)}
    response = _page("Signing in failed", body, answer, origin)
    response.status_code = problem.kind.status
    return response


def _page(title: str, body: str, answer: Mapping[str, Any], origin: str, then: str = "") -> Response:
    """A page of ready HTML that posts ``answer`` to its opener and goes on with the script ``then``."""
    nonce = secrets.token_urlsafe(16)
    text = PAGE.format(
        title=f"{title} - Skywatch", body=body, nonce=nonce, answer=_script(answer), origin=_script(origin), then=then
    )
    response = Response(text, content_type="text/html", charset="utf-8")
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
