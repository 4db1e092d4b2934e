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


def test_every_promise_of_security_names_a_test_that_is_there():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) > 12
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), (file, test)
