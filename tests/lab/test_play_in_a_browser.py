"""Playgrounds in Chromium: a drag, the keyboard, a telephone, a shared link."""

import shutil
from functools import partial

import pytest

from chromium import CHROMIUM
from chromium import visit as visit_at_once
from lab.serving import serving, wait_for
from shallows._core.contract.registry import playgrounds
from shallows.lab._runs import Runs

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which(CHROMIUM), reason=f"{CHROMIUM} is not installed"),
]

visit = partial(visit_at_once, seconds=180)
NAMES = [entry.name for entry in playgrounds()]
STAGE = "document.querySelector('main.play').stage"
DRAWN = "document.querySelector('main.play')?.dataset.drawn === 'yes'"
ANSWERS = f"{STAGE}.latencies.length"
COMPLAINT = "document.querySelector('.stage > [role=alert]').textContent"
WIDTH = "document.documentElement.scrollWidth"
PRINT = "[...document.querySelectorAll('canvas')].every((c) => c.toDataURL().length > 2500)"
UNNAMED = """
[...document.querySelectorAll('button, input, select, canvas, a, summary')]
  .filter((part) => !part.textContent.trim() && !part.labels?.length)
  .filter((part) => !part.getAttribute('aria-label'))
  .length
"""
# From the first handle, or the middle, of the first canvas that takes a drag; else a tap.
DRAG = f"""drag:(() => {{
  const planes = {STAGE}.planes;
  const plane = planes.find((p) => p.handles().length || p.paint || p.orbit)
    ?? planes.find((p) => p.tap) ?? planes.find((p) => p.scrub);
  plane.canvas.scrollIntoView({{block: 'center'}});
  const box = plane.canvas.getBoundingClientRect();
  const handle = plane.handles()[0];
  const x = box.left + (handle ? plane.px(handle.x) : box.width / 2);
  const y = box.top + (handle ? plane.py(handle.y) : box.height / 2);
  const aim = [box.left + box.width / 2, box.top + box.height / 2];
  if (plane.tap && !handle && !plane.scrub) return [[x + 31, y + 23], [x + 31, y + 23]];
  const to = (s) => [x + s * (aim[0] + 15 - x), y + s * (aim[1] + 9 - y)];
  return [0, 0.2, 0.4, 0.6, 0.8].map(to);
}})()"""


@pytest.fixture(scope="module")
def lab():
    """Serve all playgrounds, imported and played once."""
    with serving(Runs(at_once=1), playgrounds=playgrounds()) as client:
        for name in NAMES:
            wait_for(partial(is_ready, client, name), seconds=300)
        yield client


def is_ready(client, name):
    return client.get(f"/play/{name}").status == client.get(f"/play/{name}/scene").status == 200


@pytest.mark.parametrize("name", NAMES)
def test_a_drag_is_answered_and_nothing_goes_wrong(lab, tmp_path, name):
    place = f"{lab.address}/play/{name}"
    steps = [("", DRAWN), (DRAG, f"{ANSWERS} > 1 && !{STAGE}.asking")]
    questions = [COMPLAINT, WIDTH, PRINT, UNNAMED, "location.search.length > 1"]
    found = visit(place, tmp_path, steps=steps, questions=questions)
    assert list(found.values.values()) == ["", 1200, True, 0, True]
    assert found.messages == []
    assert [u for u in found.requests if not u.startswith((lab.address, "data:"))] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_telephone_in_the_dark_has_room_for_it(lab, tmp_path, name):
    look = {"width": 360, "scheme": "dark"}
    found = visit(
        f"{lab.address}/play/{name}",
        tmp_path,
        steps=[("", DRAWN)],
        questions=[WIDTH, PRINT],
        **look,
    )
    assert list(found.values.values()) == [360, True]
    assert found.messages == []


@pytest.mark.parametrize("name", NAMES)
def test_sliders_and_steps_work_by_keyboard(lab, tmp_path, name):
    first = "document.querySelector('.controls :is(input[type=range], select)')"
    steps = [
        ("", DRAWN),
        (f"{first}.focus()", f"document.activeElement === {first}"),
        (
            "keys:ArrowRight" if name != "memory" else "keys:ArrowRight ArrowRight",
            f"{ANSWERS} > 1 && !{STAGE}.asking && location.search.length > 1",
        ),
    ]
    found = visit(f"{lab.address}/play/{name}", tmp_path, steps=steps, questions=[COMPLAINT])
    assert found.values[COMPLAINT] == ""
    assert found.messages == []


def test_a_link_brings_the_state_back_and_space_plays_it(lab, tmp_path):
    place = f"{lab.address}/play/perceptron?points=0,0,0;0,1,1&shuffle=3"
    blur = "document.activeElement.blur()"
    steps = [
        ("", DRAWN),
        (blur, f"{STAGE}.index === {STAGE}.scene.frames.length - 1"),
        ("keys:Home", f"{STAGE}.index === 0"),
        ("keys:.", f"{STAGE}.index === 1"),
        ("keys:Space", f"{STAGE}.playing || {STAGE}.index > 1"),
    ]
    ask = [f"{STAGE}.values.points.length", f"{STAGE}.values.shuffle", "location.search"]
    found = visit(place, tmp_path, steps=steps, questions=ask)
    assert list(found.values.values()) == [2, 3, "?points=0,0,0;0,1,1&shuffle=3"]


def test_points_are_drawn_moved_and_erased_by_keyboard(lab, tmp_path):
    points = f"{STAGE}.values.points"
    canvas = "document.querySelector('canvas')"
    steps = [
        ("", DRAWN),
        (f"before = {points}.length; {canvas}.focus()", f"document.activeElement === {canvas}"),
        ("keys:Enter", f"{points}.length === before + 1"),
        (f"x = {points}.at(-1)[0]", "true"),
        ("keys:ArrowRight", f"{points}.at(-1)[0] > x"),
        ("keys:Delete", f"{points}.length === before && !{STAGE}.asking"),
    ]
    found = visit(f"{lab.address}/play/perceptron", tmp_path, steps=steps)
    assert found.messages == []


def test_lessons_lead_to_their_state_without_loading_the_page_anew(lab, tmp_path):
    step = (
        "same = true; document.querySelector('a.state').click()",
        f"window.same && {STAGE}.index === {STAGE}.scene.frames.length - 1 && !{STAGE}.playing",
    )
    look = partial(visit, f"{lab.address}/play/perceptron", tmp_path)
    assert look(steps=[("", DRAWN), step]).messages == []
