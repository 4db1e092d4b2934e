import numpy as np
import pytest

from shallows.study import Study
from shallows.study._infer_task import infer_task


def draw(kind, n=1500):
    rng = np.random.default_rng(0)
    return {
        "poisson": lambda: rng.poisson(2.0, n),
        "rating": lambda: np.clip(np.round(rng.normal(6, 0.9, n)), 3, 9).astype(int),
        "digits": lambda: rng.integers(0, 10, n),
        "codes": lambda: rng.choice([1, 2, 3], n, p=[0.9, 0.09, 0.01]),
        "far codes": lambda: rng.choice([10, 20, 35, 60, 80, 99], n),
        "years": lambda: rng.integers(1900, 2000, n),
        "two": lambda: rng.integers(0, 2, n),
        "nearly unique": lambda: np.array([0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7]),
    }[kind]()


@pytest.mark.parametrize(
    ("kind", "task", "said"),
    [
        ("poisson", "regression", "--task classification says otherwise"),
        ("rating", "regression", "--task classification says otherwise"),
        ("digits", "classification", "--task regression says otherwise"),
        ("codes", "classification", "--task regression says otherwise"),
        ("far codes", "classification", "--task regression says otherwise"),
        ("years", "regression", ""),
        ("two", "classification", ""),
        ("nearly unique", "regression", "hardly repeat"),
    ],
)
def test_whole_numbers_are_classes_or_amounts(kind, task, said):
    found, why = infer_task(draw(kind), "integer")
    assert found == task
    assert said in why and bool(said) == bool(why)


def test_numbers_with_fractions_are_numbers_and_words_classes():
    assert infer_task(np.array([0.5, 1.5, 2.0] * 9), "number") == ("regression", "")
    assert infer_task(np.array([0.0, 1.0] * 9), "number") == ("classification", "")
    assert infer_task(np.array(["a", "b"], dtype=object), "text") == ("classification", "")


@pytest.mark.parametrize("task", [None, "classification", "regression"])
def test_counts_with_rare_values_are_studied_whatever_they_are_taken_for(task):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = rng.poisson(np.exp(0.5 + 0.7 * x))
    only = ["k-NN"]
    result = Study({"x": x, "z": rng.normal(size=300), "y": y}, "y", task=task, only=only).run()
    assert result.task == (task or "regression") and result.learned
    said = " ".join(finding.text for finding in result.audit if finding.kind == "target")
    assert ("--task classification says otherwise" in said) == (task is None)
