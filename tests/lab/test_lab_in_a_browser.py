"""The served pages in Chromium: what scripts do, and that nothing is fetched from elsewhere."""

import shutil

import pytest

from chromium import CHROMIUM, visit

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which(CHROMIUM), reason=f"{CHROMIUM} is not installed"),
]

WIDTH = "document.documentElement.scrollWidth"
TEXT = "document.body.innerText"
PLACE = "location.pathname + location.search"
SEND = "document.querySelector('form.parameters').requestSubmit()"


def typed(name, text):
    return f"document.querySelector('[name={name}]').value = '{text}'"


def foreign(found, lab):
    return [u for u in found.requests if not u.startswith((lab.address, "data:", "blob:"))]


@pytest.mark.parametrize("width", [1200, 380])
def test_from_search_over_form_to_result(lab, tmp_path, width):
    shown = "[...document.querySelectorAll('.card')].filter((card) => !card.hidden).length"
    search = "s = document.querySelector('#search'); s.value = 'zebra';"
    steps = [
        ("", f"{shown} === 5"),
        (search + "s.dispatchEvent(new Event('input'))", f"{shown} === 1"),
        (
            "old = true; location.reload()",
            f"!window.old && {PLACE} === '/?q=zebra' && {shown} === 1",
        ),
        (
            "document.querySelector('.card:not([hidden]) a').click()",
            f"{PLACE} === '/experiments/coin'",
        ),
        (f"{typed('n', 9)}; {SEND}", "document.querySelector('.chart[data-drawn=yes]') !== null"),
    ]
    found = visit(f"{lab.address}/", tmp_path, steps=steps, width=width, questions=[TEXT, WIDTH])
    assert "1 of 1 claims hold, in" in found.values[TEXT]
    assert "--n=9" in found.values[TEXT]
    assert found.values[WIDTH] == width
    assert found.messages == []
    assert foreign(found, lab) == []


def test_a_bad_value_stays_in_the_form_beside_its_sentence(lab, tmp_path):
    wrong = "document.querySelector('[name=n]')"
    steps = [
        (
            f"{typed('n', 'many')}; {typed('share', '0.25')}; {SEND}",
            f"{wrong}.ariaInvalid === 'true'",
        )
    ]
    kept = [
        "document.querySelector('[name=n]').value",
        "document.querySelector('[name=share]').value",
    ]
    found = visit(f"{lab.address}/experiments/coin", tmp_path, steps=steps, questions=[TEXT, *kept])
    assert "coin: n must be int in [1, 500], got 'many'." in found.values[TEXT]
    assert [found.values[question] for question in kept] == ["many", "0.25"]
    assert found.messages == []


def test_progress_shows_by_itself_and_cancel_ends_the_run(lab, tmp_path):
    cancel = "document.querySelector('form[action$=cancel]').requestSubmit()"
    steps = [
        (SEND, f"{TEXT}.includes('outer 0 of 3 done')"),
        (cancel, f"{TEXT}.includes('The run was cancelled after')"),
    ]
    found = visit(f"{lab.address}/experiments/endless", tmp_path, steps=steps, questions=[PLACE])
    assert found.messages == []
    assert lab.progress(found.values[PLACE])["state"] == "cancelled"


def test_every_control_has_a_label_and_is_reached_by_keyboard(lab, tmp_path):
    parts = "[...document.querySelectorAll('.parameters :is(input:not([type=hidden]), select)')]"
    questions = [
        f"{parts}.map((part) => part.name).join()",
        f"{parts}.every((part) => part.tabIndex === 0 && part.labels.length === 1)",
        f"{parts}.every((part) => document.getElementById(part.getAttribute('aria-describedby')))",
    ]
    found = visit(f"{lab.address}/experiments/coin", tmp_path, questions=questions)
    assert list(found.values.values()) == ["n,share,kind,limit,fast,seed", True, True]
