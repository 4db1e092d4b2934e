"""Find the settings that studies try first, over real files and made-up ones.

`measure` fits every setting of a grid on two splits of every file and notes loss and time;
`choose` orders them greedily: the next one is the setting that lowers the mean regret of the best
of those before by most per root of its time. The result is src/shallows/study/portfolio.json.
"""

import argparse
import json
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
from sklearn import datasets
from study_files import FILES, table_of
from threadpoolctl import threadpool_limits

from shallows._core.numerics.threads import limit_threads
from shallows.study import StudyError
from shallows.study._calibrate import scaled_across
from shallows.study._candidates import design_of
from shallows.study._classifiers import CLASSIFIERS
from shallows.study._facts import read_data
from shallows.study._measures import chances_of
from shallows.study._problem import build_problem
from shallows.study._regressors import REGRESSORS
from shallows.study._roles import infer_schema

TARGET = Path(__file__).parents[2] / "src/shallows/study/portfolio.json"
MOST_ROWS, SPLITS, MOST_SECONDS = 3000, 2, 20.0


def each(**values):
    """Return all combinations of some values."""
    return [dict(zip(values, found, strict=True)) for found in product(*values.values())]


def forests(*features):
    """Return settings of forests and of extra trees."""
    return each(n_estimators=[100], min_samples_leaf=[1, 3, 8], max_features=list(features))


def boosted():
    """Return settings of gradient boosting, from the default to slow and careful ones."""
    names = ("learning_rate", "max_iter", "max_leaf_nodes")
    slow = {"learning_rate": 0.02, "max_iter": 600, "max_leaf_nodes": 24, "min_samples_leaf": 40}
    return [
        {},
        dict(zip(names, (0.05, 200, 8), strict=True)),
        {**dict(zip(names, (0.03, 300, 16), strict=True)), "min_samples_leaf": 10},
        dict(zip(names, (0.1, 100, 4), strict=True)),
        {**dict(zip(names, (0.05, 150, 31), strict=True)), "l2_regularization": 5.0},
        {**dict(zip(names, (0.04, 250, 6), strict=True)), "max_features": 0.3},
        {**dict(zip(names, (0.05, 300, 16), strict=True)), "max_features": 0.4},
        {"learning_rate": 0.03, "max_iter": 400, "max_depth": 3, "max_features": 0.5},
        {**slow, "max_features": 0.3},
        {**dict(zip(names, (0.1, 300, 31), strict=True)), "min_samples_leaf": 5},
    ]


CLASSES = {
    "naive Bayes": each(var_smoothing=[0.1, 1e-9]),
    "least squares": each(alpha=[100.0, 1.0, 0.01]),
    "logistic regression": [
        *each(C=[0.01, 0.1, 1.0, 10.0, 100.0]),
        *each(C=[0.1, 1.0, 10.0], normal=[True]),
    ],
    "AdaTron": each(C=[0.01, 0.1]),
    "GMLVQ": each(n_prototypes=[1, 2, 4]),
    "decision tree": each(max_leaf_nodes=[4, 8, 16, 64]),
    "k-NN": [
        *each(n_neighbors=[3, 7, 15, 31], weights=["uniform"]),
        *each(n_neighbors=[7, 15, 31], weights=["distance"], normal=[True]),
    ],
    "SVC": [
        *each(width=[0.3, 1.0, 3.0], C=[0.3, 3.0, 30.0]),
        *each(width=[0.3, 1.0], C=[1.0, 10.0], normal=[True]),
    ],
    "kernel ridge": each(width=[0.1, 0.3, 1.0], alpha=[1.0, 0.1]),
    "random forest": forests("sqrt", 0.4),
    "extra trees": forests("sqrt", 0.5),
    "multilayer perceptron": [
        *each(hidden=[16, 64], alpha=[1.0, 0.01]),
        *each(hidden=[64], layers=[2], alpha=[0.1], normal=[True]),
    ],
    "gradient boosting": boosted(),
}
# Methods for series alone, which these tables are not; after the others.
WINDOWS = {"window ridge": each(window=[2, 5, 15], alpha=[100.0, 1.0, 0.01])}
LOG = {"max_leaf_nodes": 16, "log": True}
NUMBERS = {
    "lasso": each(alpha=[0.1, 0.03, 0.01, 0.001]),
    "ridge": [
        *each(alpha=[100.0, 10.0, 1.0, 0.01]),
        *each(alpha=[1.0], log=[True]),
        *each(alpha=[1.0], normal=[True]),
    ],
    "Bayesian linear": [{}],
    "decision tree": each(max_leaf_nodes=[4, 8, 16, 64]),
    "k-NN": [
        *each(n_neighbors=[3, 7, 15], weights=["distance"]),
        *each(n_neighbors=[5, 15], weights=["distance"], normal=[True]),
    ],
    "SVR": [
        *each(width=[0.1, 0.3, 1.0], C=[0.3, 3.0, 30.0]),
        *each(width=[0.3, 1.0], C=[1.0, 10.0], normal=[True]),
    ],
    "kernel ridge": each(width=[0.03, 0.1, 0.3, 1.0], alpha=[1.0, 0.1, 0.01]),
    "random forest": forests(0.33, 1.0),
    "extra trees": forests(0.4, 1.0),
    "multilayer perceptron": [
        *each(hidden=[16, 64], alpha=[1.0, 0.01]),
        *each(hidden=[64], layers=[2], alpha=[0.1], normal=[True]),
    ],
    "gradient boosting": [
        *boosted(),
        *each(learning_rate=[0.05], max_iter=[200], max_leaf_nodes=[8], log=[True]),
        {**each(learning_rate=[0.05], max_iter=[200])[0], **LOG, "max_features": 0.5},
        *each(learning_rate=[0.05], max_iter=[200], max_leaf_nodes=[8], loss=["poisson"]),
    ],
}


def made_up():
    """Yield name, rows and targets of tables with a known form."""
    for seed, (n, d, k) in enumerate([(600, 20, 2), (1500, 12, 3), (2500, 40, 2), (400, 8, 4)]):
        X, y = datasets.make_classification(
            n, d, n_informative=d // 2, n_classes=k, flip_y=0.05, class_sep=0.8, random_state=seed
        )
        yield f"made classes {seed}", X, np.array([f"c{v}" for v in y])
    X, y = datasets.make_gaussian_quantiles(n_samples=1500, n_features=10, random_state=0)
    yield "quantiles", X, np.array([f"c{v}" for v in y])
    for kind in (datasets.make_friedman1, datasets.make_friedman2, datasets.make_friedman3):
        X, y = kind(n_samples=800, noise=0.5, random_state=0)
        yield kind.__name__, X, y
    X, y = datasets.make_regression(500, 60, n_informative=15, noise=60.0, random_state=0)
    yield "many columns", X, y
    for load in ("breast_cancer", "wine", "digits", "iris", "diabetes"):
        data = getattr(datasets, f"load_{load}")()
        target = data.target if load == "diabetes" else np.array([f"c{v}" for v in data.target])
        yield load, data.data, target.astype(float) if load == "diabetes" else target


def problems(folder):
    """Yield the name and the problem of each table."""
    for name, X, y in made_up():
        table = read_data({**{f"x{i}": c for i, c in enumerate(X.T)}, "y": y}, None, 0, {})
        task = "regression" if y.dtype.kind == "f" else "classification"
        yield name, build_problem(table, infer_schema(table, "y"), task=task)
    for file in FILES:
        table, target = table_of(file, folder)
        schema = infer_schema(table, target, drop=file.drop)
        try:
            yield file.name, build_problem(table, schema, task=file.task)
        except StudyError as error:
            print(file.name, error)


def loss_of(candidate, setting, problem, design):
    """Return the proper loss of held-out rows, and seconds for one fit."""
    rng = np.random.default_rng(0)
    losses, seconds = [], []
    for _ in range(SPLITS):
        order = rng.permutation(len(problem.y))
        cut = min(MOST_ROWS, round(0.7 * len(order)))
        train, test = order[:cut], order[cut : cut + 2000]
        start = time.process_time()
        model = candidate.build(design, setting).fit(problem.X[train], problem.y[train])
        y = problem.y[test]
        if problem.is_classification:
            chances = chances_of(model, problem.X[test], len(problem.classes))
            chances = scaled_across(chances, y, np.arange(len(y)) % 3)
            losses.append(-np.mean(np.log(np.maximum(chances[np.arange(len(y)), y], 1e-15))))
        else:
            losses.append(np.mean((model.predict(problem.X[test]) - y) ** 2) / y.var())
        seconds.append(time.process_time() - start)
        if seconds[0] > MOST_SECONDS:
            break
    return float(np.mean(losses)), min(seconds)


def measure(options):
    warnings.simplefilter("ignore")
    done = set()
    if options.raw.exists():
        done = {tuple(json.loads(line)[:3]) for line in options.raw.read_text().splitlines()}
    with options.raw.open("a") as out, threadpool_limits(1), limit_threads(1):
        for name, problem in problems(options.data):
            if (problem.is_classification) != (options.task == "classification"):
                continue
            design = design_of(problem, 0)
            known = {c.name: c for c in (CLASSIFIERS if problem.is_classification else REGRESSORS)}
            grid = CLASSES if problem.is_classification else NUMBERS
            for method, settings in [(next(iter(known)), [{}]), *grid.items()]:
                for setting in settings:
                    key = (name, method, json.dumps(setting))
                    if key in done:
                        continue
                    try:
                        found = loss_of(known[method], setting, problem, design)
                    except (ValueError, ArithmeticError, RuntimeError) as error:
                        print(*key, str(error)[:80])
                        found = (None, 0.0)
                    out.write(json.dumps([*key, *found]) + "\n")
            out.flush()
            print(name, flush=True)


def choose(options):
    found = {"how": "benchmarks/promises/portfolio.py: see its first lines"}
    for task, grid in (("classification", CLASSES), ("regression", NUMBERS)):
        lines = [
            json.loads(line) for line in Path(f"{options.raw}.{task}").read_text().splitlines()
        ]
        settings = [(m, json.dumps(s)) for m, each in grid.items() for s in each]
        names = sorted({line[0] for line in lines})
        place = {key: i for i, key in enumerate(settings)}
        loss = np.full((len(names), len(settings)), np.nan)
        cost = np.full_like(loss, np.nan)
        constant = np.full(len(names), np.nan)
        for name, method, setting, value, seconds in lines:
            row = names.index(name)
            if method in ("majority class", "mean"):
                constant[row] = value
            elif value is not None and (method, setting) in place:
                loss[row, place[method, setting]] = value
                cost[row, place[method, setting]] = seconds
        best = np.nanmin(loss, axis=1)
        keep = constant > best * (1 + 1e-6)
        regret = (loss - best[:, None]) / (constant - best)[:, None]
        regret = np.clip(np.nan_to_num(regret, nan=1.0), 0, 1)[keep]
        seconds = np.nanmedian(cost, axis=0) + 0.05
        # Boosting leads: strong nearly everywhere, and not compiled at first use.
        boosted = [i for i, (method, _) in enumerate(settings) if method == "gradient boosting"]
        order = [min(boosted, key=lambda i: regret[:, i].mean())]
        now = regret[:, order[0]].copy()
        while len(order) < len(settings):
            left = [i for i in range(len(settings)) if i not in order]
            gains = [np.mean(now - np.minimum(now, regret[:, i])) / seconds[i] ** 0.5 for i in left]
            if max(gains) <= 1e-9:
                order += sorted(left, key=lambda i: regret[:, i].mean())
                break
            order.append(left[int(np.argmax(gains))])
            now = np.minimum(now, regret[:, order[-1]])
            print(
                task, *settings[order[-1]], f"regret {now.mean():.4f}, {seconds[order[-1]]:.2f} s"
            )
        found[task] = [
            [settings[i][0], json.loads(settings[i][1]), round(float(seconds[i]), 3)] for i in order
        ]
        found[task] += [[name, one, 0.1] for name, some in WINDOWS.items() for one in some]
        found[f"tables for {task}"] = int(keep.sum())
    lines = ["{"]
    for key, value in found.items():
        if isinstance(value, list):
            lines += [f' "{key}": [', *(f"  {json.dumps(v)}," for v in value[:-1])]
            lines += [f"  {json.dumps(value[-1])}", " ],"]
        else:
            lines.append(f' "{key}": {json.dumps(value)},')
    text = "\n".join(lines).rstrip(",") + "\n}\n"
    TARGET.write_text(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["measure", "choose"])
    parser.add_argument("--data", type=Path, required=True, help="folder with the files")
    parser.add_argument("--raw", type=Path, required=True, help="file for measured losses")
    parser.add_argument("--task", default="classification")
    options = parser.parse_args()
    globals()[options.what](options)
