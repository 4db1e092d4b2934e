"""Models of a study answer frames with the columns that the study was given."""

import numpy as np
import pandas as pd
import pytest

from shallows.study import Study, StudyError, load_model


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study that leaves out a constant column, an id and a text."""
    rng = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame(
        {
            "unit": ["kg"] * n,
            "x": rng.normal(size=n),
            "id": np.arange(n),
            "town": rng.choice(["Oslo", "Rome"], n),
            "same": np.zeros(n),
            "z": rng.normal(size=n),
        }
    )
    frame["kind"] = np.where(frame["x"] + (frame["town"] == "Rome") > 0.5, "ill", "well")
    out = tmp_path_factory.mktemp("frames") / "out"
    settings = {"only": ["logistic regression"], "repeats": 1, "refit": False}
    result = Study(frame, "kind", out=out, **settings).run()
    return frame, result, load_model(out)


def test_a_constant_column_is_left_out_and_the_frame_is_predicted(done):
    frame, result, saved = done
    roles = {column["name"]: column["role"] for column in result.data["columns"]}
    assert roles["unit"] == roles["same"] == "constant"
    answers = result.model.predict(frame)
    assert set(answers) == {"ill", "well"}
    assert np.mean(answers == frame["kind"]) > 0.9
    for model in (result.model, saved):
        for given in (
            frame,
            frame.drop(columns="kind"),
            frame.drop(columns=["kind", "unit", "same", "id"]),
            frame[frame.columns[::-1]],
            {name: frame[name].to_numpy() for name in frame},
            frame.drop(columns="kind").to_numpy(),
        ):
            assert model.predict(given).tolist() == answers.tolist()
    assert saved.predict(frame.iloc[:0]).shape == (0,)


def test_probabilities_belong_to_the_classes(done):
    frame, result, saved = done
    chances = result.model.predict_proba(frame)
    assert chances.shape == (200, 2) and np.allclose(chances.sum(axis=1), 1)
    named = np.array(saved.classes)[chances.argmax(axis=1)]
    assert (named == result.model.predict(frame)).all()
    np.testing.assert_array_equal(saved.predict_proba(frame), chances)


def test_frames_that_do_not_fit_are_refused_by_column(done):
    frame, result, _ = done
    for given, message in (
        (frame.drop(columns="x"), "lack column 'x'"),
        (frame.assign(w=1), "have column 'w', which the model does not know"),
        (frame.assign(x="much"), "'x' was number when .* here it is text"),
        (frame[["x", "town"]].to_numpy(), r"must have the 6 columns .* got shape \(200, 2\)"),
        (frame["x"].to_numpy(), r"got shape \(200,\)"),
        (pd.concat([frame, frame[["x"]]], axis=1), "column 'x' does not; rename"),
    ):
        with pytest.raises(StudyError, match=message):
            result.model.predict(given)
    strange = frame.assign(town="Lima")
    assert len(result.model.predict(strange)) == 200
    with pytest.raises(StudyError, match="'town' holds 'Lima'"):
        result.model.predict(strange, unknown="error")


def test_numbers_and_refitted_models_are_predicted_too(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=100), "same": 1.5, "b": rng.normal(size=100)})
    frame["y"] = 3 * frame["a"] - frame["b"]
    settings = {"only": ["ridge"], "repeats": 1, "refit": True}
    result = Study(frame, "y", out=tmp_path / "out", **settings).run()
    saved = load_model(tmp_path / "out")
    for model in (result.model, saved):
        assert np.abs(model.predict(frame) - frame["y"]).max() < 0.5
    assert not np.array_equal(result.model.predict(frame), saved.predict(frame))
    with pytest.raises(StudyError, match="predicts numbers, which have no probabilities"):
        saved.predict_proba(frame)
