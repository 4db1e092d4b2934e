"""What playgrounds show, against counts, formulas and runs of other code."""

import numpy as np
import pytest

from shallows.lab._playgrounds import find_playground


def test_the_cell_of_the_version_space_is_the_octant_of_three_axes():
    play = pytest.importorskip("shallows.lab.play.perceptron")
    corners = play.cell(np.eye(3))
    assert sorted(corners.round(9).tolist()) == [[0, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert play.share_of_sphere(corners) == pytest.approx(1 / 8)
    assert len(play.cell(np.vstack([np.eye(3), -np.eye(3)]))) == 0


@pytest.mark.parametrize("shuffle", [0, 1, 7])
def test_every_frame_of_the_perceptron_is_one_rosenblatt_step(shuffle):
    play = find_playground("perceptron")
    points = play.parameters["points"].default
    scene = play(shuffle=shuffle)
    w = np.zeros(3)
    for frame in scene.frames[1:]:
        x, y, label = points[frame["sample"]]
        example = np.array([x, y, 1.0]) * (1 if label else -1)
        assert frame["before"] == pytest.approx(w @ example)
        assert w @ example <= 0
        w = w + example
        assert frame["w"] == pytest.approx(w)
    assert all(w @ [x, y, 1] * (1 if label else -1) > 0 for x, y, label in points)
    assert len(scene.frames) - 1 <= scene.common["bound"]
