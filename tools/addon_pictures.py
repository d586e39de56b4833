"""Draws icon.png and logo.png of the Home Assistant add-on from the web application's icon.

``python -m tools.addon_pictures`` needs chromium and its driver. The pictures are committed: Home Assistant takes them
from the add-on's folder.
"""

from __future__ import annotations

import base64
import json
import shutil
import sys
from pathlib import Path

from tests.chromium import Browser, chromium

ROOT = Path(__file__).resolve().parents[1]
ADDON, ICON = ROOT / "deploy/home-assistant", ROOT / "web/public/icon.svg"
# Name -> width and height of the picture, height of the icon in it (pixels), and the text next to it.
PICTURES = {"icon.png": (128, 128, 128, ""), "logo.png": (250, 100, 72, "<b>Skywatch</b>")}
STYLE = """
body {{ margin: 0; display: flex; align-items: center; justify-content: center; gap: 12px; height: {height}px }}
svg {{ width: {size}px; height: {size}px }}
b {{ font: 600 30px "DejaVu Sans", sans-serif; color: #3d8fd1; letter-spacing: -1px }}
"""


def main() -> int:
    """Draw both; 0 where they are written."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        print("pictures: chromium and its driver are needed", file=sys.stderr)
        return 1
    with chromium(binary, driver) as browser:
        for name, (width, height, size, text) in PICTURES.items():
            (ADDON / name).write_bytes(draw(browser, width, height, size, text))
    return 0


def draw(browser: Browser, width: int, height: int, size: int, text: str) -> bytes:
    """A picture as PNG, transparent where nothing is drawn."""
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    browser.cdp("Emulation.setDefaultBackgroundColorOverride", color={"r": 0, "g": 0, "b": 0, "a": 0})
    style = STYLE.format(height=height, size=size)
    page = f"<style>{style}</style>{ICON.read_text(encoding='utf-8')}{text}"
    browser.run(f"document.body.innerHTML = {json.dumps(page)}")
    return base64.b64decode(browser.cdp("Page.captureScreenshot", format="png")["data"])


if __name__ == "__main__":
    sys.exit(main())
