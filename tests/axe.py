"""What axe-core and the width of a page say of it, in the browser of a test."""

from __future__ import annotations

from tests.chromium import Browser
from tests.conftest import ROOT
from tests.servers import skip_or_fail

AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
_SERIOUS = """
const done = arguments[arguments.length - 1];
const about = (node) => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`;
axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => done(violations
  .filter(({ impact }) => ['serious', 'critical'].includes(impact))
  .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(about).join(' | ')}`)));
"""
_EXCESS = "return document.scrollingElement.scrollWidth - document.documentElement.clientWidth"


def serious_faults(browser: Browser) -> list[str]:
    """What axe-core finds of serious or critical impact."""
    if not AXE.is_file():
        skip_or_fail("packages of the web application", "axe-core")
    if browser.run("return window.axe === undefined"):
        browser.run(AXE.read_text(encoding="utf-8"))
    faults: list[str] = browser.run_async(_SERIOUS)
    return faults


def faults_of(browser: Browser) -> list[str]:
    """The serious faults of a page, and that it is wider than the screen."""
    return serious_faults(browser) + too_wide(browser)


def too_wide(browser: Browser) -> list[str]:
    """That a page is wider than the screen."""
    excess = browser.run(_EXCESS)
    return [f"{excess} px wider than the screen"] if excess > 0 else []
