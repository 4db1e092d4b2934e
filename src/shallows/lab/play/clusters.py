"""Playground: k-means and expectation-maximisation, step by step."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from shallows.cluster import KMeans
from shallows.density import GaussianMixture
from shallows.lab._play_parameters import Points, Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground

Floats = NDArray[np.float64]
Method = Literal["k-means", "EM", "EM, equal spheres"]
CRISP = 2e-4  # a variance below which almost every share is 0 or 1
RIDGE = 1e-4  # smallest variance of a component along any direction
DATA = [
    (x, y, 0.0)
    for x, y in [
        (-1.2, 0.46),
        (-0.5, 0.66),
        (-1.49, 0.5),
        (-1.19, 0.54),
        (-1.48, 0.56),
        (-0.93, 0.89),
        (-0.91, 0.63),
        (-1.45, 1.06),
        (-1.57, 0.78),
        (-1.1, 0.28),
        (-1.2, 0.33),
        (-0.89, 0.47),
        (-0.56, 0.04),
        (-1.0, 0.28),
        (-0.77, -0.03),
        (-1.1, 0.55),
        (0.43, 1.1),
        (0.84, 1.1),
        (1.04, 0.51),
        (0.6, 0.74),
        (0.99, 1.06),
        (0.62, 0.62),
        (0.6, 0.62),
        (0.74, 0.76),
        (1.31, 0.65),
        (0.73, 0.94),
        (0.56, 0.69),
        (0.8, 1.03),
        (0.47, 1.21),
        (0.71, 0.85),
        (0.92, -0.75),
        (1.03, -0.86),
        (0.49, -0.83),
        (0.0, -0.63),
        (0.11, -1.18),
        (1.53, -0.93),
        (-0.09, -0.49),
        (0.34, -0.67),
        (0.09, -0.95),
        (-0.34, -1.32),
        (0.01, -0.92),
        (0.9, -0.37),
        (-0.02, -0.68),
        (0.2, -0.93),
        (-0.24, -1.23),
        (0.11, -1.16),
    ]
]
CENTRES = [(-1.2, -1.2, 0.0), (-0.9, -1.4, 0.0), (-0.5, -1.2, 0.0)]

LESSONS = [
    Lesson(
        "Two steps that never go uphill",
        "Press Play. Then drag the three centres elsewhere and play again.",
        "Every sample takes the colour of its nearest centre, then every centre moves to the mean "
        "of its samples. The cost below falls or rests. From some starts it ends too high.",
        "Each of the two steps minimises the summed squared distance with the other part held "
        "still. So the cost can't rise, there are finitely many partitions, and the run ends: in a "
        "minimum, but not always in the lowest.",
        "play=yes",
    ),
    Lesson(
        "One outlier is enough",
        "Drag one sample far away to the corner, with k-means; then choose EM.",
        "A centre follows the outlier, or even leaves its cluster for it. Under EM an ellipse may "
        "shrink onto the single sample, and the likelihood jumps.",
        "Squared distances weigh far samples most. A Gaussian that holds one sample alone gets "
        "likelier without limit as its variance goes to zero, so a smallest variance is needed.",
        "method=EM&centres=-1,0.5,0;0.8,0.8,0;1.8,-1.8,0",
    ),
    Lesson(
        "From soft to hard",
        "Push the variance of the equal spheres down to its lowest value.",
        "Mixed colours become pure, and the centres go where k-means puts them.",
        "A sample belongs to component j in proportion to exp(-|x - c|² / 2v). As v falls to zero "
        "the nearest centre takes everything, and the two steps of EM are those of k-means.",
        "method=EM, equal spheres&variance=0.15&centres=-1.2,-1.2,0;0.4,1.4,0;1.4,-1.2,0",
    ),
]
EXERCISE = Exercise(
    "Put the centres where k-means ends with a cost at least a third above its lowest one.",
    "Put two centres into the left cluster, one of them above the other, and the third between the "
    "two right clusters, for instance at (-0.7, 0.3), (-1.5, 1.9) and (0.6, -0.1). The third can't "
    "leave, because the mean of both clusters is the best place for it.",
    "centres=0.6,1.4,0;1.1,0.2,0;-0.3,-0.2,0",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["kmeans_run", "kmeans_limits", "six_gaussians", "em_singularity", "old_faithful"],
    sources="Biehl, The Shallow and the Deep, chapter 8: competitive learning and mixtures",
)
def clusters(
    data: Annotated[list, Points(most=120, classes=1, least=2)] = DATA,  # type: ignore[type-arg]
    centres: Annotated[list, Points(most=8, classes=1, least=1)] = CENTRES,  # type: ignore[type-arg]
    method: Method = "k-means",
    variance: Annotated[float, Slider(1e-4, 1, step=1.2, log=True)] = 0.1,
    steps: Annotated[int, Slider(1, 40)] = 20,
) -> Scene:
    """Clusters: centres that look for their samples.

    Drag the large centres and the small samples. k-means gives each sample to its nearest centre
    and moves centres to the means of their samples; expectation-maximisation (EM) shares samples
    out among Gaussians and fits each Gaussian to its shares.

    Parameters
    ----------
    data : list of (x, y, 0)
        Samples.
    centres : list of (x, y, 0)
        Where the centres start.
    method : str
        k-means, a mixture of free Gaussians, or one of spheres of the same fixed variance.
    variance : float
        Variance at the start; that of equal spheres stays.
    steps : int
        Largest number of steps.
    """
    X = np.array([point[:2] for point in data])
    start = np.array([point[:2] for point in centres])
    if len(start) > len(np.unique(X, axis=0)):
        raise ValueError("clusters: there must be as many different samples as centres; draw more.")
    if method == "k-means":
        frames = kmeans_frames(X, start, steps)
        claims = [_never(frames, -1, "the cost never rises; largest rise")]
        measure = "sum of squared distances"
        best = KMeans(len(start), n_init=5, random_state=0).fit(X).inertia_
        labels, ended = frames[-1]["labels"], len(frames) <= steps
        if ended and len(np.unique(labels)) == len(start):
            means = [X[labels == label].mean(axis=0) for label in range(len(start))]
            gap = float(np.abs(frames[-1]["centres"] - means).max())
            claims.append(
                claim("at rest each centre is the mean of its samples", gap, at_most=1e-9)
            )
    else:
        best = None
        frames = mixture_frames(X, start, method, variance, steps)
        claims = [_never(frames, 1, "the likelihood never falls; largest fall")]
        measure = "mean log-likelihood"
        moved = np.asarray(frames[-1]["weights"]) @ frames[-1]["centres"] - X.mean(axis=0)
        if method == "EM":
            text = "the mixture's mean is that of the data, gap"
            claims.append(claim(text, float(np.abs(moved).max()), at_most=1e-6))
        if method != "EM" and variance <= CRISP:
            same = kmeans_frames(X, start, steps)[-1]["centres"]
            gap = float(np.abs(same - frames[-1]["centres"]).max())
            claims.append(claim("the centres are those of k-means, gap", gap, at_most=0.05))
    common = {"measure": measure, "cost": [frame["cost"] for frame in frames], "best": best}
    return Scene(frames, common, claims, _code(X, start, method, variance, steps))


def kmeans_frames(X: Floats, start: Floats, steps: int) -> list[dict[str, Any]]:
    """Return the centres, the cost and the nearest centre of each sample, step by step."""
    frames = [_nearest(X, start)]
    for _ in range(steps):
        centres = frames[-1]["centres"]
        model = KMeans(len(start), init=centres, n_init=1, max_iter=1, tol=0, empty="drop").fit(X)
        kept = model.cluster_centers_
        if len(kept) < len(centres):  # a centre without samples stays where it is
            moved = centres.copy()
            moved[np.unique(_labels(X, centres))] = kept
            kept = moved
        frames.append(_nearest(X, kept))
        if np.array_equal(frames[-1]["centres"], centres):
            break
    return frames


def mixture_frames(
    X: Floats, start: Floats, method: str, variance: float, steps: int
) -> list[dict[str, Any]]:
    """Return means, covariances, weights, shares and the likelihood, step by step."""
    k, fixed = len(start), method != "EM"
    precisions = np.full(k, 1 / variance) if fixed else np.tile(np.eye(2) / variance, (k, 1, 1))
    model = GaussianMixture(
        k,
        covariance_type="spherical" if fixed else "full",
        weights_init=np.full(k, 1 / k),
        means_init=start,
        precisions_init=precisions,
        variance=variance if fixed else None,
        reg_covar=RIDGE,
        max_iter=1,
        tol=None,
        warm_start=True,
    )
    weights, means = np.full(k, 1 / k), start
    shapes = np.tile(np.eye(2) * variance, (k, 1, 1))
    frames = []
    for _ in range(steps + 1):
        logs = _log_joint(X, weights, means, shapes)
        total = np.logaddexp.reduce(logs, axis=1)
        frames.append(
            {
                "centres": means,
                "weights": weights,
                "shapes": shapes,
                "shares": np.exp(logs - total[:, None]).round(3),
                "cost": float(total.mean()),
            }
        )
        model.fit(X)
        weights, means = model.weights_, model.means_
        shapes = model.covariances_
        if fixed:
            shapes = shapes[:, None, None] * np.eye(2)
    return frames


def _nearest(X: Floats, centres: Floats) -> dict[str, Any]:
    distances = ((X[:, None] - centres) ** 2).sum(axis=2)
    labels = distances.argmin(axis=1)
    return {"centres": centres, "labels": labels, "cost": float(distances.min(axis=1).sum())}


def _labels(X: Floats, centres: Floats) -> NDArray[np.intp]:
    labels: NDArray[np.intp] = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    return labels


def _log_joint(X: Floats, weights: Floats, means: Floats, shapes: Floats) -> Floats:
    """Return log p(component) p(sample | component)."""
    gaps = X[:, None] - means
    solved = np.linalg.solve(shapes[None], gaps[..., None])[..., 0]
    constants = np.log(np.maximum(weights, 1e-300)) - np.linalg.slogdet(shapes)[1] / 2
    logs: Floats = constants - np.log(2 * np.pi) - (gaps * solved).sum(axis=2) / 2
    return logs


def _never(frames: list[dict[str, Any]], sign: int, text: str):  # type: ignore[no-untyped-def]
    cost = np.array([frame["cost"] for frame in frames])
    wrong = float(max(0.0, *(-sign * np.diff(cost)))) if len(cost) > 1 else 0.0
    return claim(text, wrong, at_most=1e-3 * max(1.0, np.abs(cost).max()) if sign > 0 else 1e-9)


def _code(X: Floats, start: Floats, method: str, variance: float, steps: int) -> str:
    head = f"import numpy as np\n\nX = np.array({X.round(3).tolist()})\n"
    head += f"start = np.array({start.round(3).tolist()})\n"
    if method == "k-means":
        return (
            head.replace("numpy as np\n", "numpy as np\nfrom shallows.cluster import KMeans\n")
            + f"model = KMeans({len(start)}, init=start, n_init=1, tol=0).fit(X)\n"
            "print(model.inertia_, model.cluster_centers_)\n"
        )
    kind = "full" if method == "EM" else "spherical"
    precisions = (
        f"np.tile(np.eye(2) / {variance:g}, ({len(start)}, 1, 1))"
        if method == "EM"
        else f"np.full({len(start)}, 1 / {variance:g})"
    )
    fixed = "" if method == "EM" else f"    variance={variance:g},\n"
    return (
        head.replace("numpy as np\n", "numpy as np\nfrom shallows.density import GaussianMixture\n")
        + f"model = GaussianMixture(\n    {len(start)},\n    covariance_type={kind!r},\n"
        f"    means_init=start,\n    precisions_init={precisions},\n{fixed}"
        f"    reg_covar={RIDGE},\n    max_iter={steps},\n    tol=None,\n)\n"
        "print(model.fit(X).lower_bound_, model.means_)\n"
    )
