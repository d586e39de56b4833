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
        "a\u200bb", "a\u202eb", "a\ufeffb", "a\u3164b", "a\u0000b",
    ],
)  # fmt: skip
def test_what_is_not_seen_is_refused_elsewhere(text):
    assert not all_shown(text)
    assert all_shown(only_shown(text))
