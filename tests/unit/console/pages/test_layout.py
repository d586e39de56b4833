"""The style sheet that the console shares with the web application."""

import re

import pytest

from skywatch.console.pages import layout

COLOUR = re.compile(r"--([a-z-]+): (#[0-9a-f]{6});")
# Text in a colour on a ground, by the names of the tokens.
PAIRS = [
    *((text, ground) for text in ("ink", "ink-soft", "accent") for ground in ("ground", "sheet", "sheet-high")),
    ("ink", "selected"),
    ("accent-ink", "accent"),
    ("good", "good-ground"),
    ("warning", "warning-ground"),
    ("danger", "danger-ground"),
    ("danger", "sheet"),
    ("warning", "sheet"),
    ("ink-soft", "off-ground"),
    ("accent", "off-ground"),
    ("ink", "off-ground"),
]
SHEET = layout.style_sheet().decode()


def block(selector):
    return dict(COLOUR.findall(SHEET[SHEET.index(selector) :].partition("}")[0]))


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [":root {", ':root[data-theme="light"] {'])
def test_text_is_readable_on_every_ground_it_stands_on(theme):
    colours = block(theme)
    for text, ground in PAIRS:
        lighter, darker = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, f"{text} on {ground}"


def test_without_script_whoever_prefers_light_gets_the_colours_of_day():
    assert block(":root:not([data-theme]) {") == block(':root[data-theme="light"] {')


def test_every_variable_that_the_pages_use_is_one_of_the_tokens():
    declared = set(re.findall(r"(--[a-z-]+):", SHEET))
    assert set(re.findall(r"var\((--[a-z-]+)\)", SHEET)) <= declared
