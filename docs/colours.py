"""A hook of mkdocs: the manual's sheet begins with the application's colours, day and night."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOKENS = ROOT / "skywatch" / "web" / "tokens.css"
# Selectors of the application -> those of the theme, which has its scheme at the body.
SCHEMES = {
    ":root {": '[data-md-color-scheme="slate"] {',
    ':root[data-theme="light"] {': '[data-md-color-scheme="default"] {',
}


def on_post_build(config: Any) -> None:
    """Write the colours before the rules that use them."""
    path = Path(config["site_dir"]) / "colours.css"
    path.write_text(f"{colours()}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")


def colours() -> str:
    """The application's colours under the names of the theme's schemes; raises ValueError where a scheme is gone."""
    text = TOKENS.read_text(encoding="utf-8")
    for ours, theirs in SCHEMES.items():
        if text.count(ours) != 1:
            raise ValueError(f"{TOKENS} has not one {ours!r}")
        text = text.replace(ours, theirs)
    return text
