"""A person at the console: a WebTest client that keeps cookies and sends forms as a browser does."""

from __future__ import annotations

from tests.accounts import PASSWORD, Population

ORIGIN = {"Origin": "http://localhost"}


class Visitor:
    """One browser of one person; each has its own cookies."""

    def __init__(self, client):
        self.client = client
        self.runtime = self.client.runtime
        self.app = self.client.app

    def another_browser(self):
        """Another person's browser at the same console."""
        client = type(self.client)(self.app, extra_environ=self.client.extra_environ)
        client.runtime = self.runtime
        return Visitor(client)

    def get(self, path, **kw):
        return self.client.get(f"/console{path}", **kw)

    def send(self, page, which, headers=ORIGIN, status=303, **fields):
        """Fill a form of a page, found by its number or by a field it has, and send it."""
        form = page.forms[which] if isinstance(which, int) else find_form(page, **which)
        for name, value in fields.items():
            form[name] = value
        return form.submit(headers=headers, status=status)

    def post(self, path, fields, headers=ORIGIN, **kw):
        """Send fields as they are."""
        return self.client.post(f"/console{path}", fields, headers=headers, **kw)

    def sign_in(self, name, password=PASSWORD, status=303, onward="", **kw):
        page = self.get(f"/sign-in{onward}")
        return self.send(page, 0, username=name, password=password, status=status, **kw)

    @property
    def cookie(self):
        """The session's cookie as it would be sent."""
        return self.client.cookies.get("skywatch_console")

    @property
    def token(self):
        """The token of the session's forms."""
        return self.get("").forms[0]["csrf_token"].value


def find_form(page, **fields):
    """The first form whose fields have these values."""
    for form in page.forms.values():
        if all(name in form.fields and form[name].value == value for name, value in fields.items()):
            return form
    raise AssertionError(f"there is no form with {fields}")


def populate(runtime, *roles):
    """People named after their roles; gives them by name."""
    people = Population(runtime)
    people.numbers = {role: people.user(role, role) for role in roles}
    return people


def main_form(page):
    """The first form of the page itself, after the one that signs out."""
    return next(form for form in page.forms.values() if form.action != "/console/sign-out" and form.method == "post")


def send(page, status=303, **fields):
    """Fill the form of a page and send it."""
    form = main_form(page)
    for name, value in fields.items():
        form[name] = value
    return form.submit(headers=ORIGIN, status=status)


def alert(page):
    """What a page says is wrong."""
    return " ".join(page.html.find(role="alert").text.split())


def note(page):
    """What a page says was done."""
    return page.html.find(role="status").text
