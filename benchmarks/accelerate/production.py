"""The examples of docs/guides/production.md, run where the tools are installed.

    python benchmarks/accelerate/production.py

needs skl2onnx, onnxruntime, shap, treelite, matplotlib, mlflow and skops; what is missing is named.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from shallows.accelerate import to_sklearn
from shallows.cluster import KMeans
from shallows.density import GaussianMixture
from shallows.kernel import SVC
from shallows.linear import Ridge
from shallows.prototype import KNeighborsClassifier
from shallows.reduce import PCA
from shallows.tree import DecisionTreeClassifier, RandomForestClassifier

X, y = load_iris(return_X_y=True)
X = X.astype(np.float32)
FOREST = RandomForestClassifier(50, random_state=0).fit(X, y)


def onnx():
    """Each model as an ONNX graph."""
    from onnxruntime import InferenceSession
    from skl2onnx import to_onnx

    models = [
        FOREST,
        DecisionTreeClassifier(max_depth=3).fit(X, y),
        SVC().fit(X, y),
        KMeans(3, random_state=0).fit(X),
        GaussianMixture(3, random_state=0).fit(X),
        KNeighborsClassifier().fit(X, y),
        PCA(2).fit(X),
        Ridge().fit(X, X[:, 0] * 2),
    ]
    for model in models:
        graph = to_onnx(to_sklearn(model), X[:1]).SerializeToString()
        found = InferenceSession(graph, providers=["CPUExecutionProvider"]).run(None, {"X": X})[0]
        mine = model.transform(X) if hasattr(model, "components_") else model.predict(X)
        np.testing.assert_allclose(found.reshape(mine.shape), mine, atol=1e-5)


def shap():
    """Contributions of the features, which sum up to the prediction."""
    from shap import TreeExplainer

    explainer = TreeExplainer(to_sklearn(FOREST))
    values = np.asarray(explainer.shap_values(X))
    total = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(total, FOREST.predict_proba(X), atol=1e-6)


def treelite():
    """A forest as a treelite model, which compiles to C."""
    from treelite import gtil
    from treelite.sklearn import import_model

    found = gtil.predict(import_model(to_sklearn(FOREST)), X).reshape(len(X), -1)
    np.testing.assert_allclose(found, FOREST.predict_proba(X), atol=1e-6)


def plot_tree():
    """A tree of a forest, drawn by scikit-learn."""
    import matplotlib
    from sklearn.tree import plot_tree

    matplotlib.use("Agg")
    tree = to_sklearn(FOREST).estimators_[0]
    drawn = [box for box in plot_tree(tree) if "samples" in box.get_text()]
    assert len(drawn) == tree.tree_.node_count


def mlflow():
    """A forest saved and loaded by mlflow."""
    from mlflow.sklearn import load_model, save_model

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model")
        save_model(to_sklearn(FOREST), path, serialization_format="cloudpickle")
        np.testing.assert_array_equal(load_model(path).predict(X), FOREST.predict(X))


def skops():
    """A forest in the format of skops, which runs no code when it is read."""
    from skops.io import dumps, loads

    data = dumps(to_sklearn(FOREST))
    model = loads(data, trusted=["sklearn.tree._tree.Tree"])
    np.testing.assert_array_equal(model.predict(X), FOREST.predict(X))


def main():
    """Run all examples."""
    for example in (onnx, shap, treelite, plot_tree, mlflow, skops):
        try:
            example()
        except ImportError as missing:
            print(f"{example.__name__}: {missing}")
        else:
            print(f"{example.__name__}: as predicted")


if __name__ == "__main__":
    main()
