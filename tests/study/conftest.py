"""Small tables that the tests of the workbench share."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

QUICK = {"only": ["least squares", "decision tree"], "repeats": 2}


@pytest.fixture
def quick():
    """Settings with which a study takes about a second."""
    return dict(QUICK)


@pytest.fixture
def iris():
    """Columns of the iris data, species as words."""
    data = load_iris()
    names = [name.removesuffix(" (cm)") for name in data.feature_names]
    return dict(zip(names, data.data.T, strict=True), species=data.target_names[data.target])


@pytest.fixture
def mixed():
    """Numbers, words, gaps, dates and an order, with a target that depends on them."""
    rng = np.random.default_rng(0)
    n = 400
    age = rng.normal(40, 10, n)
    size = rng.choice(["small", "medium", "large"], n)
    town = rng.choice(["Oslo", "Rome", "Lima"], n).astype(object)
    chance = 1 / (1 + np.exp(-(age - 40) / 2 - 3 * (size == "large")))
    sick = np.where(rng.random(n) < chance, "yes", "no")
    age[::17] = np.nan
    town[::29] = None
    day = np.datetime64("2024-01-01") + rng.integers(0, 365, n).astype("timedelta64[D]")
    return {"age": age, "size": size, "town": town, "day": day, "sick": sick}
