"""Studies against scikit-learn's default boosting and forest, and FLAML where it is installed.

Each file is cut into 70 % for learning and 30 % that nobody sees. A study gets the first part as a
file and a budget; its saved model answers the rest. Log loss and area under the ROC curve (over
classes its mean), or squared error and variance explained, are measured on the same rows.
`run` notes results, `table` writes what they come to.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from study_files import FILES, table_of

from shallows.study import StudyError, load_model
from shallows.study._problem import build_problem
from shallows.study._roles import infer_schema
from shallows.study._schema import as_text


def problem_of(file, folder):
    """Return table, target and problem; rows without a target or of a rare class are left out."""
    table, target = table_of(file, folder)
    schema = infer_schema(table, target, drop=file.drop)
    return table, target, build_problem(table, schema, task=file.task)


def write_csv(table, rows, path, drop):
    """Write some rows of a table."""
    names = [name for name in table.columns if name not in drop]
    columns = [as_text(table.columns[name][rows]) for name in names]
    numbers = [table.columns[name][rows] for name in names]
    with path.open("w") as out:
        out.write(",".join(f'"{name}"' for name in names) + "\n")
        for place in range(len(rows)):
            cells = []
            for words, values in zip(columns, numbers, strict=True):
                word = words[place]
                if word is None:
                    cells.append("")
                elif values.dtype.kind == "f":
                    cells.append(repr(float(values[place])).removesuffix(".0"))
                elif values.dtype.kind in "iub":
                    cells.append(word)
                else:
                    cells.append('"' + word.replace('"', '""') + '"')
            out.write(",".join(cells) + "\n")


def study(table, target, file, problem, train, test, budget, seed):
    """Return answers of a study's saved model to the test rows, its seconds and its report."""
    with tempfile.TemporaryDirectory() as folder:
        learn, out = Path(folder, "learn.csv"), Path(folder, "out")
        write_csv(table, problem.rows[train], learn, file.drop)
        words = ["study", learn, "--target", target, "--budget", f"{budget}s", "--seed", seed]
        words += ["--out", out, "--task", file.task]
        command = [sys.executable, "-m", "shallows.cli", *map(str, words)]
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        if done.returncode:
            raise RuntimeError(done.stderr[-500:])
        saved = load_model(out)
        found = json.loads((out / "results.json").read_text())
        rows = problem.rows[test]
        columns = {name: cells[rows] for name, cells in table.columns.items()}
        if file.task == "regression":
            return saved.predict(columns), seconds, found
        order = [saved.classes.index(name) for name in problem.classes if name in saved.classes]
        chances = np.full((len(rows), len(problem.classes)), 1e-6)
        there = [i for i, name in enumerate(problem.classes) if name in saved.classes]
        chances[:, there] = saved.predict_proba(columns)[:, order]
        return chances / chances.sum(axis=1, keepdims=True), seconds, found


def rival(name, problem, train, test, seed):
    """Return the answers of a default method, and its seconds."""
    categories = [i for i, f in enumerate(problem.schema.features) if f.is_category]
    classes = problem.is_classification
    if name == "boosting":
        kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
        model = kind(categorical_features=categories or None, random_state=seed)
    else:
        kind = RandomForestClassifier if classes else RandomForestRegressor
        codes = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        gaps = SimpleImputer(strategy="median", keep_empty_features=True)
        prepare = make_column_transformer((codes, categories), remainder=gaps)
        model = make_pipeline(prepare, kind(n_jobs=2, random_state=seed))
    return _answers(model, problem, train, test)


def flaml(problem, train, test, seed, budget):
    """Return the answers of FLAML within the same budget."""
    from flaml import AutoML

    class Model(AutoML):
        def fit(self, X, y):
            settings = {"metric": "log_loss" if problem.classes else "mse", "time_budget": budget}
            settings |= {"task": problem.task, "verbose": 0}
            return super().fit(X, y, seed=seed, n_jobs=2, **settings)

    return _answers(Model(), problem, train, test)


def _answers(model, problem, train, test):
    start = time.perf_counter()
    model.fit(problem.X[train], problem.y[train])
    seconds = time.perf_counter() - start
    X = problem.X[test]
    return (model.predict_proba(X) if problem.is_classification else model.predict(X)), seconds


def losses_of(problem, test, answers):
    """Return the proper loss of each row and the ranking score."""
    y = problem.y[test]
    if not problem.is_classification:
        return (y - answers) ** 2 / y.var(), r2_score(y, answers)
    losses = -np.log(np.maximum(answers[np.arange(len(y)), y], 1e-15))
    if answers.shape[1] == 2:
        return losses, roc_auc_score(y, answers[:, 1])
    areas = [roc_auc_score(y == k, answers[:, k]) for k in np.unique(y)]
    return losses, float(np.mean(areas))


def run(options):
    warnings.simplefilter("ignore")
    for seed in range(options.seeds):
        for file in FILES:
            if options.only and file.name not in options.only:
                continue
            try:
                table, target, problem = problem_of(file, options.data)
            except StudyError as error:
                print(file.name, error)
                continue
            labels = problem.y if problem.is_classification else None
            train, test = train_test_split(
                np.arange(len(problem.y)), test_size=0.3, random_state=seed, stratify=labels
            )
            found = {}
            for name in ("boosting", "forest"):
                found[name] = rival(name, problem, train, test, seed)
            if options.flaml:
                found["FLAML"] = flaml(problem, train, test, seed, options.budget)
            *answers, told = study(table, target, file, problem, train, test, options.budget, seed)
            found["study"] = tuple(answers)
            row = {"file": file.name, "seed": seed, "budget": options.budget, "rows": len(train)}
            usual = losses_of(problem, test, found["boosting"][0])[0]
            for name, (answer, seconds) in found.items():
                losses, ranking = losses_of(problem, test, answer)
                gap = usual - losses
                error = gap.std(ddof=1) / np.sqrt(len(gap))
                row[name] = {
                    "loss": float(losses.mean()),
                    "ranking": float(ranking),
                    "seconds": round(seconds, 2),
                    "gain over boosting in standard errors": float(gap.mean() / max(error, 1e-12)),
                }
            chosen = next(each for each in told["ranking"] if each["chosen"])
            row["study"]["chosen"] = f"{chosen['name']} {chosen['setting']}"
            row["study"]["learned"] = told["learned"]
            with options.raw.open("a") as out:
                out.write(json.dumps(row) + "\n")
            _say(row, found)


def _say(row, names):
    """Print one line of a run."""
    scores = [f"{name} {row[name]['loss']:.4f} {row[name]['ranking']:.4f}" for name in names]
    gain = row["study"]["gain over boosting in standard errors"]
    ends = f"{row['study']['seconds']} s, {gain:+.1f} SE, {row['study']['chosen']}"
    print(f"{row['file']:28s} {'; '.join(scores)}; {ends}", flush=True)


def table(options):
    """Print mean ranks, losses by more than two standard errors, and budgets overrun."""
    rows = [json.loads(line) for line in options.raw.read_text().splitlines()]
    for budget in sorted({row["budget"] for row in rows}):
        some = [row for row in rows if row["budget"] == budget]
        names = [name for name in ("study", "FLAML", "boosting", "forest") if name in some[0]]
        files = sorted({row["file"] for row in some})
        print(f"\nBudget {budget:g} s: {len(files)} files, {len(some)} runs\n")
        print("| method | mean rank, proper loss | mean rank, AUC or R2 | median seconds |")
        print("| --- | ---: | ---: | ---: |")
        for name in names:
            ranks = [_mean_rank(some, names, name, *how) for how in (("loss", 1), ("ranking", -1))]
            seconds = np.median([row[name]["seconds"] for row in some])
            print(f"| {name} | {ranks[0]:.2f} | {ranks[1]:.2f} | {seconds:.1f} |")
        gain = "gain over boosting in standard errors"
        worse = [f"{row['file']} (seed {row['seed']})" for row in some if row["study"][gain] < -2]
        late = [row for row in some if row["study"]["seconds"] > max(1.05 * budget, budget + 1)]
        print(
            f"\nDefault boosting is better by more than two standard errors in {len(worse)} of "
            f"{len(some)} runs: {', '.join(worse) or 'none'}."
        )
        print(f"The budget was overrun by more than 5 % and 1 s in {len(late)} runs.")


def _mean_rank(rows, names, name, key, sign):
    """Return the mean place of a method among all; equals share places."""
    ranks = []
    for row in rows:
        own = sign * row[name][key]
        others = [sign * row[other][key] for other in names if other != name]
        ranks.append(1 + sum(o < own for o in others) + 0.5 * sum(o == own for o in others))
    return np.mean(ranks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--data", type=Path, default=Path("data/study"), help="folder with files")
    parser.add_argument("--raw", type=Path, required=True, help="file with results")
    parser.add_argument("--budget", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--flaml", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    globals()[options.what](options)
