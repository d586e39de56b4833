"""Which characters names may have."""

import pytest

from skywatch.core.text.names import all_shown, only_shown


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lovelace",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",  # Persian: a non-joiner between joining letters
        "\u0915\u094d\u200d\u0937",  # Hindi: a joiner after a virama
        "\u0915\u094d\u200c\u0937",
        "\u0dc1\u0dca\u200d\u0dbb\u0dd3",  # Sinhala
        "Zo\u00eb \U0001f9d1\u200d\u2708\ufe0f",  # a pilot
        "\U0001f469\U0001f3fd\u200d\U0001f680 \U0001f9d1\U0001f3ff\u200d\u2708\ufe0f",  # with a colour of skin
        "\U0001f3f3\ufe0f\u200d\U0001f308 \U0001f3f3\ufe0f\u200d\u26a7\ufe0f",  # flags
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",  # a family
        "\U0001f642\u200d\u2194\ufe0f \u2764\ufe0f\u200d\U0001f525 1\ufe0f\u20e3 \U0001f1e8\U0001f1ed",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",  # Scotland
    ],
)
def test_joiners_stay_where_letters_need_them(text):
    assert all_shown(text)
    assert only_shown(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "ad\u200ca", "ad\u200da", "\u200cada", "ada\u200d", "\u0645\u200d\u0646",  # nothing there needs them
        "\u0627\u200c\u0628",  # an alef does not join what follows it anyway
        "a\u200d\u2708", "\u2708\u200da", "\u2708\u200d", "\u2708\u200c\u2708",  # one picture alone
        "a\U000e0067\U000e007f", "\U0001f3f4\U000e0067", "\U0001f3f4\U000e007f",  # tags of no flag
        "a\u200bb", "a\u202eb", "a\ufeffb", "a\u3164b", "a\u0000b",
    ],
)  # fmt: skip
def test_what_is_not_seen_is_refused_elsewhere(text):
    assert not all_shown(text)
    assert all_shown(only_shown(text))
