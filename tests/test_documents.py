"""What the documents name is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = [ROOT, ROOT / "src", ROOT / "src" / "shallows"]


@pytest.mark.parametrize("page", ["docs/architecture.md", "CONTRIBUTING.md"])
def test_every_file_that_a_page_names_is_there(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    named = re.findall(r"`((?:\w+/)+\w+\.\w+)`", text)
    assert named
    missing = [name for name in named if not any((place / name).exists() for place in PLACES)]
    assert not missing
