"""Pictures of learning: traces, version spaces, error surfaces, times."""

import numpy as np
import pytest

from shallows.kernel import KernelRidge
from shallows.lab import (
    draw_error_surface,
    draw_version_space,
    time_model,
    trace_perceptron,
)
from shallows.prototype import KNeighborsClassifier
from shallows.theory import count_dichotomies

RNG = np.random.default_rng(0)


def is_png(drawing):
    return drawing.to_png().startswith(b"\x89PNG")


def test_an_update_raises_the_field_by_the_squared_length():
    X = RNG.normal(size=(20, 2))
    y = np.where(X @ [1.0, -2.0] + 0.3 > 0, 1, -1)
    trace = trace_perceptron(X, y, eta=0.5)
    assert trace.separated
    for step in trace.steps:
        assert step.field <= 0
        rise = step.field_after - step.field
        assert rise == pytest.approx(0.5 * (X[step.sample] @ X[step.sample] + 1))
    final = trace.steps[-1].weights
    assert (y * (X @ final[:2] + final[2]) > 0).all()
    assert is_png(trace.drawing())


def test_a_trace_ends_where_nothing_separates():
    trace = trace_perceptron([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, 1, 1, -1], max_steps=50)
    assert not trace.separated
    assert len(trace.steps) == 50
    assert len({row["frame"] for row in trace.drawing().rows}) == 9


@pytest.mark.parametrize("p", [3, 4, 5])
def test_cells_of_the_sphere_are_the_dichotomies(p):
    X = RNG.normal(size=(p, 3))
    drawing = draw_version_space(X, np.ones(p, dtype=int), cells=300)
    seen = {row["cell"] for row in drawing.rows if row["part"] != "circle"}
    opposite = {cell.translate(str.maketrans("+-", "-+")) for cell in seen}
    assert len(seen | opposite) == count_dichotomies(p, 3)


def test_the_version_space_is_where_all_labels_are_right():
    X, y = RNG.normal(size=(4, 3)), np.array([1, -1, 1, 1])
    drawing = draw_version_space(X, y)
    wanted = "".join("+" if label > 0 else "-" for label in y)
    for row in drawing.rows:
        assert (row["part"] == "version space") == (row["cell"] == wanted)
    assert {row["input"] for row in drawing.rows if row["part"] == "circle"} == {1, 2, 3, 4}
    assert is_png(drawing)


def test_an_error_surface_falls_along_the_gradient():
    A = np.array([[2.0, 0.5], [0.5, 1.0]])
    path = [np.array([1.0, -1.5])]
    for _ in range(20):
        path.append(path[-1] - 0.2 * 2 * A @ path[-1])
    drawing = draw_error_surface(lambda w: np.einsum("ni,ij,nj->n", w, A, w), path)
    costs = [row["cost"] for row in drawing.rows if row["part"] == "path"]
    assert (np.diff(costs) < 0).all()
    cells = [row for row in drawing.rows if row["part"] == "cell"]
    least = min(cells, key=lambda row: row["cost"])
    assert abs(least["w1"]) < 0.1
    assert is_png(drawing)


def test_times_are_measured():
    def regression(n):
        X = np.random.default_rng(0).normal(size=(n, 3))
        return X, X[:, 0]

    drawing = time_model(KernelRidge(kernel="rbf"), [50, 1500], data=regression, repetitions=2)
    fits = {row["n"]: row["seconds"] for row in drawing.rows if row["what"] == "fit"}
    assert fits[1500] > fits[50] > 0
    assert is_png(drawing)
    assert len(time_model(KNeighborsClassifier(), [20], repetitions=1).rows) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trace_perceptron([[1.0]], [1]), "points in the plane"),
        (lambda: trace_perceptron([[1.0, 2.0]], [0]), "-1 and 1"),
        (lambda: draw_version_space([[1.0, 2.0]], [1]), "three columns"),
        (lambda: draw_version_space([[0.0, 0.0, 0.0]], [1]), "no input be zero"),
        (lambda: draw_error_surface(np.sum, [[1.0, 2.0]]), "a number for each"),
        (lambda: draw_error_surface(np.sum, [1.0, 2.0]), "pairs of weights"),
        (lambda: time_model(KNeighborsClassifier(), []), "must not be empty"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
