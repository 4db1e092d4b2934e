"""scikit-learn-intelex against plain scikit-learn, with the data and sizes of table.py.

    python benchmarks/accelerate/intelex.py [CLASS ...]

Run it where scikit-learn-intelex is installed; shallows is not needed.
"""

from __future__ import annotations

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import sys
import warnings

import numpy as np
from sklearn.utils import all_estimators
from workload import ONE_CLOUD, PARAMETERS, data, shortest, sizes_of

NUMBERS = ("SVR", "KernelRidge", "LinearRegression", "Ridge")


def main():
    """Print a line per class that both accelerate."""
    warnings.simplefilter("ignore")
    own = dict(all_estimators())
    from sklearnex import patch_sklearn

    patch_sklearn(verbose=False)
    from sklearn import cluster, decomposition, ensemble, linear_model, manifold, neighbors, svm

    modules = cluster, decomposition, ensemble, linear_model, manifold, neighbors, svm
    theirs = {name: vars(each)[name] for each in modules for name in each.__all__}
    for name in sys.argv[1:]:
        if theirs.get(name, own[name]) is own[name]:
            print(f"{name}: not patched by scikit-learn-intelex")
            continue
        found = [ratio(name, own[name], theirs[name], *size) for size in sizes_of(name)]
        print(f"| {name} | {' | '.join(f'{each:.2f}' for each in found)} |", flush=True)


def ratio(name, plain, other, n_rows, n_columns):
    """Return scikit-learn's time over that of scikit-learn-intelex."""
    X, labels, numbers = data(n_rows, n_columns)
    if name in ONE_CLOUD:
        X = np.random.default_rng(0).normal(size=X.shape)
    y = numbers if name in NUMBERS or "Regressor" in name else labels
    given = dict(PARAMETERS.get(name, {}))
    if "random_state" in plain().get_params():
        given["random_state"] = 0

    def call(kind):
        model = kind(**given).fit(X, y)
        return model.predict(X) if hasattr(model, "predict") else None

    call(other)
    times = shortest(lambda: call(plain), lambda: call(other))
    return times[0] / times[1]


if __name__ == "__main__":
    main()
