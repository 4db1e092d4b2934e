"""What a model takes for granted, in a few words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.pipeline import Pipeline

from shallows.study._balanced import bare


@dataclass(frozen=True)
class ModelCard:
    """The bias of a method.

    Parameters
    ----------
    name : str
        The method.
    language : str
        What its models can express at all: the language bias.
    search : str
        What it prefers among the models it can express: the search bias.
    eager : bool
        Whether the work is done in training. A lazy method keeps the rows and works when asked.
    assumptions : tuple of str
        What should hold for the data.

    Examples
    --------
    >>> from shallows.prototype import KNeighborsClassifier
    >>> from shallows.study import model_card
    >>> model_card(KNeighborsClassifier()).eager
    False
    """

    name: str
    language: str
    search: str
    eager: bool
    assumptions: tuple[str, ...]

    def __str__(self) -> str:
        kind = "eager" if self.eager else "lazy"
        return (
            f"{self.name} ({kind}). Can express: {self.language}. Prefers: {self.search}. "
            f"Assumes: {'; '.join(self.assumptions)}."
        )


SCALED = "features of comparable scale"
SMOOTH = "near inputs have near targets"
LINES = "hyperplanes"
CARDS = {
    "Dummy": ("one constant answer", "the most frequent one", True, ("nothing",)),
    "LeastSquares": (LINES, "the smallest squared error", True, ("classes on two sides",)),
    "LinearRegression": (LINES, "the smallest squared error", True, ("a linear law",)),
    "Ridge": (LINES, "small weights", True, ("a linear law", SCALED)),
    "OverWindows": (
        "hyperplanes over the last rows of a series",
        "small weights",
        True,
        ("a linear law", "a memory no longer than the window", SCALED),
    ),
    "Lasso": (LINES, "few weights", True, ("few features matter", SCALED)),
    "BayesianLinear": (LINES, "small weights, as much as the data say", True, ("a linear law",)),
    "Logistic": (LINES, "small weights", True, ("log odds are linear", SCALED)),
    "AdaTron": (LINES, "a wide margin", True, ("classes on two sides", SCALED)),
    "Perceptron": (LINES, "the first that fits", True, ("classes on two sides",)),
    "SVC": ("kernel expansions", "a wide margin", True, (SMOOTH, SCALED)),
    "SVR": ("kernel expansions", "flat functions", True, (SMOOTH, SCALED)),
    "KernelRidge": ("kernel expansions", "smooth functions", True, (SMOOTH, SCALED)),
    "KNeighbors": ("any border", "that of the training rows", False, (SMOOTH, SCALED)),
    "GLVQ": ("piecewise linear borders", "few prototypes", True, ("typical examples", SCALED)),
    "GMLVQ": ("piecewise linear borders", "few directions", True, ("typical examples",)),
    "GaussianNB": ("quadratic borders", "none", True, ("independent normal features",)),
    "DecisionTree": ("boxes", "small trees, found greedily", True, ("steps along the axes",)),
    "RandomForest": ("boxes, averaged", "many different trees", True, ("steps along the axes",)),
    "ExtraTrees": ("boxes, averaged", "trees with random cuts", True, ("steps along the axes",)),
    "HistGradientBoosting": ("sums of boxes", "small steps", True, ("steps along the axes",)),
    "MLP": ("smooth functions", "what descent finds from small weights", True, (SCALED,)),
}


def model_card(estimator: Any) -> ModelCard:
    """Return what a method can express, prefers and assumes.

    Parameters
    ----------
    estimator : estimator
        A method of this library or of scikit-learn, or a pipeline that ends in one.

    Returns
    -------
    card : ModelCard
        Its bias.

    Examples
    --------
    >>> from shallows.linear import Ridge
    >>> from shallows.study import model_card
    >>> print(model_card(Ridge()))
    Ridge (eager). Can express: hyperplanes. Prefers: small weights. Assumes: a linear law;
    features of comparable scale.
    """
    estimator = bare(estimator)
    while isinstance(estimator, Pipeline) or hasattr(estimator, "regressor"):
        estimator = estimator[-1] if isinstance(estimator, Pipeline) else estimator.regressor
    name = type(estimator).__name__
    fitting = [known for known in CARDS if name.startswith(known)]
    if not fitting:
        raise ValueError(f"model_card knows {', '.join(CARDS)}, got {name}.")
    return ModelCard(name, *CARDS[max(fitting, key=len)])
