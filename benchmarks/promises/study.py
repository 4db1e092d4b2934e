"""What a study promises, measured: honest intervals, nothing in noise, choices as good as by hand.

    python benchmarks/promises/study.py noise --repetitions 100
    python benchmarks/promises/study.py coverage --repetitions 100
    python benchmarks/promises/study.py sets
    python benchmarks/promises/study.py budget

Each prints one line per repetition and a summary. The runs take minutes to an hour, so that they
are no tests; `tests/study` checks the same at small size.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np


def noise(repetitions, first):
    """How often is something claimed to be found in 200 rows of noise with random labels?"""
    from shallows.study import Study

    claims, promised = 0, []
    for seed in range(first, first + repetitions):
        rng = np.random.default_rng(seed)
        columns = {f"x{i}": rng.normal(size=200) for i in range(10)}
        start = time.perf_counter()
        result = Study({**columns, "y": rng.choice(["a", "b"], 200)}, "y", seed=seed).run()
        claims += result.learned
        promised.append(result.best.mean)
        seconds = time.perf_counter() - start
        print(
            f"{seed} learned={result.learned} best={result.best.mean:.3f} {seconds:.0f} s",
            flush=True,
        )
    print(f"something was claimed in {claims} of {repetitions} runs on noise")
    print(f"best mean in cross-validation: {np.mean(promised):.3f} on average (truth 0.5)")


def coverage(repetitions, first):
    """How often does the interval hold the score on fresh rows?"""
    from sklearn.datasets import make_classification

    from shallows.study import Study

    hits = 0
    for seed in range(first, first + repetitions):
        X, y = make_classification(
            20_300, 10, n_informative=4, flip_y=0.1, class_sep=0.8, random_state=seed
        )
        names = np.array(["a", "b"])
        columns = dict(zip([f"x{i}" for i in range(10)], X[:300].T, strict=True), y=names[y[:300]])
        only = ["least squares", "logistic regression", "k-NN", "SVC", "decision tree", "GMLVQ"]
        result = Study(columns, "y", seed=seed, only=only).run()
        fresh = float(np.mean(result.model.predict(X[300:]) == y[300:]))
        found = result.assessment
        inside = found.low <= fresh <= found.high
        hits += inside
        print(f"{seed} {found.low:.3f} {fresh:.3f} {found.high:.3f} {inside}", flush=True)
    print(f"the interval held the score on 20,000 fresh rows in {hits} of {repetitions} runs")


def sets(repetitions, first):
    """Is the choice as good as the best of four methods tuned by hand, on the same test rows?"""
    from sklearn import datasets
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, SVR

    from shallows.study import Study

    warnings.simplefilter("ignore")
    for name in ("iris", "wine", "breast_cancer", "digits", "diabetes"):
        data = getattr(datasets, f"load_{name}")()
        numeric = name == "diabetes"
        target = data.target if numeric else data.target_names[data.target].astype(str)
        columns = dict(zip(map(str, data.feature_names), data.data.T, strict=True), target=target)
        result = Study(columns, "target", task="regression" if numeric else None).run()
        test = np.asarray(result.answers["rows"])
        train = np.setdiff1d(np.arange(len(target)), test)
        width = {"svm__C": [0.3, 3, 30], "svm__gamma": ["scale", 0.01, 0.1]}
        if numeric:
            models = {
                "ridge": make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 3, 13))),
                "forest": GridSearchCV(
                    RandomForestRegressor(random_state=0), {"min_samples_leaf": [1, 5]}
                ),
                "boosting": GridSearchCV(
                    HistGradientBoostingRegressor(), {"learning_rate": [0.03, 0.1]}
                ),
                "SVR": GridSearchCV(
                    make_pipeline(StandardScaler(), SVR()),
                    {"svr__C": [1, 10, 100], "svr__gamma": ["scale", 0.01, 0.1]},
                ),
            }
        else:
            from sklearn.pipeline import Pipeline

            machine = Pipeline([("scale", StandardScaler()), ("svm", SVC())])
            models = {
                "logistic": GridSearchCV(
                    make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000)),
                    {"logisticregression__C": [0.01, 0.1, 1, 10]},
                ),
                "forest": GridSearchCV(
                    RandomForestClassifier(random_state=0), {"min_samples_leaf": [1, 5]}
                ),
                "boosting": GridSearchCV(
                    HistGradientBoostingClassifier(), {"learning_rate": [0.03, 0.1]}
                ),
                "SVC": GridSearchCV(machine, width),
            }
        scores = {
            key: model.fit(data.data[train], target[train]).score(data.data[test], target[test])
            for key, model in models.items()
        }
        best = max(scores, key=scores.get)
        error = (result.assessment.high - result.assessment.low) / 2 / 1.96
        gap = scores[best] - result.assessment.score
        print(
            f"{name}: {result.chosen.name} {result.assessment.score:.3f}, by hand {best} "
            f"{scores[best]:.3f}; gap {gap:+.3f}, one standard error {error:.3f}: "
            f"{'within' if gap <= error else 'WORSE'}",
            flush=True,
        )


def budget(repetitions, first):
    """How long does a study of 100,000 rows and 20 columns take, against its budget?"""
    import subprocess
    import sys
    import tempfile
    from pathlib import Path

    rng = np.random.default_rng(first)
    X = rng.normal(size=(100_000, 20)).round(5)
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2 * X[:, 3]) + 0.8 * rng.normal(size=len(X))
    targets = {"classes": np.where(score > 0, "yes", "no"), "numbers": score.round(5)}
    for kind, target in targets.items():
        for seconds in (60, 120):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "table.csv")
                names = ",".join([*(f"x{i}" for i in range(20)), "y"])
                cells = np.column_stack([X.astype(str), target.astype(str)])
                np.savetxt(path, cells, fmt="%s", delimiter=",", header=names, comments="")
                words = ["study", path, "--target", "y", "--budget", f"{seconds}s"]
                command = [sys.executable, "-m", "shallows.cli", *words, "--out", f"{folder}/out"]
                start = time.perf_counter()
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                took = time.perf_counter() - start
            print(f"{kind}: budget {seconds} s, took {took:.0f} s, start included", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["noise", "coverage", "sets", "budget"])
    parser.add_argument("--repetitions", type=int, default=100)
    parser.add_argument("--first", type=int, default=0, help="first seed")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    globals()[options.what](options.repetitions, options.first)
