"""Every playground: what it declares, what it answers, and that its code runs."""

import json
import warnings
from urllib.parse import parse_qsl

import pytest
from sklearn.exceptions import ConvergenceWarning

from shallows._core.contract.registry import playgrounds
from shallows.lab._playgrounds import find_playground

NAMES = [entry.name for entry in playgrounds()]


def states(name):
    declared = find_playground(name).declaration
    texts = ["", *(lesson.state for lesson in declared.lessons), declared.exercise.state]
    found = [dict(parse_qsl(text)) for text in texts]
    for state in found:
        state.pop("play", None)
    return found


def answer(name, state):
    """Return the answer as a browser reads it."""
    return json.loads(json.dumps(find_playground(name).answer(state), allow_nan=False))


@pytest.mark.parametrize("name", NAMES)
def test_claims_hold_and_frames_are_there_at_the_start_and_in_all_lessons(name):
    for state in states(name):
        found = answer(name, state)
        assert found["frames"], state
        assert all(each.keys() == found["frames"][-1].keys() for each in found["frames"][1:])
        failed = [each["text"] for each in found["claims"] if not each["holds"]]
        assert failed == [], state
        assert found["claims"], state


@pytest.mark.parametrize("name", NAMES)
def test_the_copied_code_runs(name, capsys):
    for state in states(name):
        code = answer(name, state)["code"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "(diagnose|LMS): ")
            exec(compile(code, name, "exec"), {})
        assert capsys.readouterr().out


@pytest.mark.parametrize("name", NAMES)
def test_every_bound_of_every_control_gives_a_scene_or_a_sentence(name):
    for control in find_playground(name).declaration.controls:
        if control["kind"] == "slider":
            texts = [f"{control['low']:g}", f"{control['high']:g}"]
        elif control["kind"] == "check":
            texts = ["yes", "no"]
        else:
            texts = control.get("options", [""])
        for text in texts:
            try:
                found = answer(name, {control["name"]: text})
            except ValueError as error:
                assert str(error).endswith("."), error
            else:
                assert found["frames"], (control["name"], text)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_allowed_is_refused_by_name(name):
    play = find_playground(name)
    with pytest.raises(ValueError, match=f"{name} has no parameter 'colour'; it takes"):
        play.answer({"colour": "red"})
    for control in play.declaration.controls:
        if control["kind"] != "text":
            with pytest.raises(ValueError, match=f"{name}: {control['name']} must be"):
                play.answer({control["name"]: "1e999,x"})


@pytest.mark.parametrize("name", NAMES)
def test_every_word_is_there(name):
    declared = find_playground(name).declaration
    assert 2 <= len(declared.lessons) <= 3
    assert declared.title.endswith((".", "?"))
    for lesson in declared.lessons:
        assert all((lesson.title, lesson.do, lesson.look, lesson.why))
    assert declared.exercise.question
    assert declared.exercise.answer
    assert declared.experiments
    assert all(control["help"] for control in declared.controls)
