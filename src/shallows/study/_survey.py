"""A table without a target: its map, clusters with their stability, outliers and densities."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import gaussian_kde, rankdata
from sklearn.metrics import adjusted_rand_score

from shallows._core.showing.files import write_text
from shallows.cluster import KMeans, silhouette
from shallows.reduce import PCA
from shallows.study._audit import look_over, strange_rows
from shallows.study._facts import read_data
from shallows.study._finding import Finding
from shallows.study._journal import usable_folder
from shallows.study._pages import pages
from shallows.study._prepare import Design, scaled
from shallows.study._result import plain
from shallows.study._roles import infer_schema
from shallows.study._schema import FEATURE_ROLES, Schema

Floats = NDArray[np.float64]
MOST_ROWS = 5000  # for clusters, outliers and the map
MOST_CLUSTERS = 8
HALVES = 10
CLOUDS = 3  # of each kind
MOST_OUTLIERS = 10
MOST_PAIRS = 10
MOST_DRAWN, CURVE_POINTS = 24, 60  # columns, and points of a density
BEYOND_CHANCE = 3.0  # standard errors of a correlation
STABLE = 0.8  # adjusted Rand index of halves from which clusters count
DAYS_OF_A_YEAR = 365.2425


@dataclass(frozen=True)
class SurveyResult:
    """What a table looks like.

    Parameters
    ----------
    data : dict
        Name, rows and columns with their roles.
    audit : tuple of Finding
        What a reader of the data should know.
    directions : tuple of float
        Shares of the variance along the leading directions.
    clusters : tuple of dict
        For each number of clusters: silhouette, stability, and both on single clouds.
    n_clusters : int
        The number that stands out, or 1.
    points : tuple of dict
        Rows on the two leading directions with their cluster.
    outliers : tuple of dict
        Rows far from their neighbours, the farthest first.
    pairs : tuple of dict
        Columns that go together, by their rank correlation.
    histograms : dict
        Counts of the values of numeric columns.
    densities : dict
        Smooth curves of the same, by Gaussian kernels of Scott's width, in rows per bin.

    Examples
    --------
    >>> from shallows.study import SurveyResult
    >>> "n_clusters" in SurveyResult.__dataclass_fields__
    True
    """

    data: dict[str, Any]
    audit: tuple[Finding, ...]
    directions: tuple[float, ...]
    clusters: tuple[dict[str, Any], ...]
    n_clusters: int
    points: tuple[dict[str, Any], ...]
    outliers: tuple[dict[str, Any], ...]
    pairs: tuple[dict[str, Any], ...]
    histograms: dict[str, list[dict[str, float]]]
    densities: dict[str, list[dict[str, float]]]

    def summary(self) -> str:
        """Say in words what was found.

        Returns
        -------
        text : str
            A few sentences.
        """
        two = sum(self.directions[:2])
        used = sum(column["role"] in FEATURE_ROLES for column in self.data["columns"])
        text = (
            f"{self.data['n_rows']:,} rows, {used} of {len(self.data['columns'])} columns looked "
            f"at; two directions hold {100 * two:.0f} % of the variance. "
        )
        if self.data["n_rows_in_file"] > self.data["n_rows"]:
            text = (
                f"A random sample of the {self.data['n_rows_in_file']:,} rows in the file: " + text
            )
        if self.n_clusters > 1:
            found = next(row for row in self.clusters if row["k"] == self.n_clusters)
            text += (
                f"{self.n_clusters} clusters stand out: halves of the data agree on them "
                f"({found['stability']:.2f} of 1), more than on a single cloud of the same shape "
                f"({found['cloud_stability']:.2f})."
            )
        else:
            text += "No number of clusters stands out against a single cloud of the same shape."
        far = [row for row in self.outliers if row["strange"]]
        if far:
            rows = ", ".join(str(row["row"]) for row in far[:5])
            text += f" Far from all others: row {rows}, counted from 0."
        return text

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(plain({"summary": self.summary(), **asdict(self)}), indent=1)


@dataclass
class Survey:
    """Describe a table that has no target.

    Parameters
    ----------
    data : path or mapping
        A file, or columns by name.
    out : path, optional
        Folder for report.html and results.json.
    drop : sequence of str
        Columns to leave out.
    role : dict of str to str
        Roles of columns that would be taken for something else.
    missing : sequence of str or float
        What stands for a gap beside empty cells: values such as -999 and "not asked" in any
        column, "income=-1" in one.
    sample : int, optional
        Rows to draw from a larger file.
    seed : int
        Decides samples and starts.
    reading : dict
        How to read a text file.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from shallows.study import Survey
    >>> X, _ = make_blobs(150, centers=3, cluster_std=0.5, random_state=1)
    >>> Survey({"height": X[:, 0], "width": X[:, 1]}).run().n_clusters
    3
    """

    data: Any
    out: Path | str | None = None
    drop: Sequence[str] = ()
    role: Mapping[str, str] = field(default_factory=dict)
    missing: Sequence[str | float] = ()
    sample: int | None = None
    seed: int = 0
    reading: Mapping[str, Any] = field(default_factory=dict)

    def run(self) -> SurveyResult:
        """Look the table over.

        Returns
        -------
        result : SurveyResult
            What was found.
        """
        if self.out is not None:
            pages()  # rather than at the end
        folder = None if self.out is None else usable_folder(Path(self.out))
        table = read_data(self.data, self.sample, self.seed, self.reading, self.missing)
        schema = infer_schema(table, None, drop=self.drop, roles=self.role)
        X = schema.matrix(table.columns)
        rng = np.random.default_rng(self.seed)
        rows = np.arange(len(X))
        if len(rows) > MOST_ROWS:
            rows = np.sort(rng.choice(rows, MOST_ROWS, replace=False))
        Z = _prepare(schema, X[rows])
        flat = PCA(min(*Z.shape, 10), random_state=self.seed).fit(Z)
        clusters, n_clusters = _clusters(Z, rng)
        labels = _cluster(Z, n_clusters, rng).labels_ if n_clusters > 1 else np.zeros(len(Z), int)
        spread = _spread(schema, X)
        result = SurveyResult(
            data={
                "name": table.path.name,
                "n_rows": table.n_rows,
                "n_rows_in_file": table.n_rows_in_file,
                "n_features": len(schema.features),
                "columns": [asdict(column) for column in schema.columns],
            },
            audit=tuple(look_over(table, schema, None, None)),
            directions=tuple(map(float, flat.explained_variance_ratio_)),
            clusters=tuple(clusters),
            n_clusters=n_clusters,
            points=tuple(_points(flat.transform(Z), labels, rows)),
            outliers=tuple(_outliers(Z, rows)),
            pairs=tuple(_pairs(schema, X)),
            histograms={name: _histogram(values) for name, values in spread.items()},
            densities={name: _density(values) for name, values in spread.items()},
        )
        if folder is not None:
            from shallows.study._survey_report import survey_html

            write_text(folder / "results.json", result.to_json())
            write_text(folder / "report.html", survey_html(result))
        return result


def _prepare(schema: Schema, X: Floats) -> Floats:
    features = schema.features
    categories = tuple(i for i, feature in enumerate(features) if feature.is_category)
    numbers = tuple(i for i, feature in enumerate(features) if not feature.is_category)
    design = Design(numbers, categories, len(features), 0, 0)
    return np.asarray(scaled(design, "passthrough")[:-1].fit_transform(X), dtype=np.float64)


def _cluster(Z: Floats, k: int, rng: np.random.Generator) -> Any:
    return KMeans(k, n_init=4, random_state=int(rng.integers(2**31))).fit(Z)


def _clusters(Z: Floats, rng: np.random.Generator) -> tuple[list[dict[str, Any]], int]:
    """Judge each number of clusters by silhouette and by the agreement of halves."""
    clouds = [_cloud(Z, rng, kind) for kind in ("normal", "uniform") for _ in range(CLOUDS)]
    most = min(MOST_CLUSTERS, len(np.unique(Z, axis=0)) // 4)
    table: list[dict[str, Any]] = []
    for k in range(2, most + 1):
        nulls = [_judge(other, k, rng, HALVES // 5) for other in clouds]
        score, stability = _judge(Z, k, rng, HALVES)
        table.append(
            {
                "k": k,
                "silhouette": score,
                "stability": stability,
                "cloud_silhouette": float(np.max([null[0] for null in nulls])),
                "cloud_stability": float(np.mean([null[1] for null in nulls])),
            }
        )
    real = [
        row
        for row in table
        if row["silhouette"] > 1.1 * row["cloud_silhouette"] and row["stability"] > STABLE
    ]
    best = max(real, key=lambda row: row["silhouette"] * row["stability"], default=None)
    return table, 1 if best is None else best["k"]


def _cloud(Z: Floats, rng: np.random.Generator, kind: str) -> Floats:
    """Draw one cluster with the spread of the data along each principal direction."""
    centre = Z.mean(axis=0)
    _, widths, directions = np.linalg.svd(Z - centre, full_matrices=False)
    shape = (len(Z), len(widths))
    even = rng.normal(size=shape) if kind == "normal" else rng.uniform(-(3**0.5), 3**0.5, shape)
    return np.asarray(even * (widths / np.sqrt(len(Z))) @ directions + centre)


def _judge(Z: Floats, k: int, rng: np.random.Generator, halves: int) -> tuple[float, float]:
    labels = _cluster(Z, k, rng).labels_
    size = min(1000, len(Z))
    some = rng.choice(len(Z), size, replace=False)
    spread = len(np.unique(labels[some])) > 1
    between = silhouette(Z[some], labels[some]).score if spread else 0.0
    agreements = []
    for _ in range(halves):
        order = rng.permutation(len(Z))
        parts = (order[: len(Z) // 2], order[len(Z) // 2 :])
        first, second = (_cluster(Z[part], k, rng).predict(Z) for part in parts)
        agreements.append(adjusted_rand_score(first, second))
    return between, float(np.mean(agreements))


def _points(flat: Floats, labels: NDArray[Any], rows: NDArray[Any]) -> list[dict[str, Any]]:
    kept = np.linspace(0, len(flat) - 1, min(len(flat), 2000)).astype(int)
    return [
        {
            "first": float(flat[i, 0]),
            "second": float(flat[i, 1]) if flat.shape[1] > 1 else 0.0,
            "cluster": f"cluster {labels[i] + 1}",
            "row": int(rows[i]),
        }
        for i in kept
    ]


def _outliers(Z: Floats, rows: NDArray[Any]) -> list[dict[str, Any]]:
    """Return the rows with the largest mean distance to their neighbours: the gamma index."""
    index, far = strange_rows(Z)
    usual = float(np.median(index)) or 1.0
    order = np.argsort(-index)[:MOST_OUTLIERS]
    return [
        {
            "row": int(rows[i]),
            "gamma": float(index[i]),
            "ratio": float(index[i] / usual),
            "strange": bool(i in far),
        }
        for i in order
    ]


def _pairs(schema: Schema, X: Floats) -> list[dict[str, Any]]:
    """Return the strongest rank correlations; a missing value counts as the mean rank."""
    features = schema.features
    numbers = [i for i, feature in enumerate(features) if not feature.is_category]
    if len(numbers) < 2:
        return []
    ranks = rankdata(X[:, numbers], axis=0, nan_policy="omit")
    ranks = np.where(np.isnan(ranks), np.nanmean(ranks, axis=0), ranks)
    with np.errstate(invalid="ignore"):
        table = np.corrcoef(ranks, rowvar=False)
    i, j = np.triu_indices(len(numbers), 1)
    strength = np.abs(np.nan_to_num(table[i, j]))
    order = np.argsort(-strength)[:MOST_PAIRS]
    order = order[strength[order] > BEYOND_CHANCE / np.sqrt(len(X))]
    return [
        {
            "one": features[numbers[i[place]]].name,
            "other": features[numbers[j[place]]].name,
            "correlation": float(table[i[place], j[place]]),
        }
        for place in order
    ]


def _spread(schema: Schema, X: Floats) -> dict[str, Floats]:
    """Return the known values of the first numeric columns by their names."""
    found = {}
    for place, feature in list(enumerate(schema.features))[:MOST_DRAWN]:
        values = X[np.isfinite(X[:, place]), place]
        if feature.is_category or feature.levels or not len(values):
            continue
        name = feature.name
        if feature.part == "day":  # days since 1970 tell a reader nothing
            name, values = f"{feature.column.name} (year)", 1970 + values / DAYS_OF_A_YEAR
        found[name] = values
    return found


def _histogram(values: Floats) -> list[dict[str, float]]:
    counts, edges = np.histogram(values, bins=_n_bins(values))
    return [
        {"low": float(low), "high": float(high), "rows": int(count)}
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def _density(values: Floats) -> list[dict[str, float]]:
    """Return rows to expect per bin along the axis; nothing where all values are one."""
    low, high = values.min(), values.max()
    if low == high or len(values) < 2:
        return []
    at, some = np.linspace(low, high, CURVE_POINTS), values[:: -(-len(values) // MOST_ROWS)]
    if np.ptp(some) == 0:
        return []
    expected = len(values) * (high - low) / _n_bins(values) * gaussian_kde(some)(at)
    return [{"at": float(x), "expected": float(rows)} for x, rows in zip(at, expected, strict=True)]


def _n_bins(values: Floats) -> int:
    return min(20, len(np.unique(values)))
