"""Which of our classes bears the name of a scikit-learn class, and where its tests are."""

from __future__ import annotations

import importlib
import importlib.util
from types import ModuleType

from sklearn.utils import all_estimators

from shallows._core.contract.registry import entries

# Test modules of scikit-learn, by the module that defines the class.
TESTS = {
    "sklearn.cluster._agglomerative": "sklearn.cluster.tests.test_hierarchical",
    "sklearn.cluster._kmeans": "sklearn.cluster.tests.test_k_means",
    "sklearn.decomposition._fastica": "sklearn.decomposition.tests.test_fastica",
    "sklearn.decomposition._incremental_pca": "sklearn.decomposition.tests.test_incremental_pca",
    "sklearn.decomposition._kernel_pca": "sklearn.decomposition.tests.test_kernel_pca",
    "sklearn.decomposition._pca": "sklearn.decomposition.tests.test_pca",
    "sklearn.ensemble._bagging": "sklearn.ensemble.tests.test_bagging",
    "sklearn.ensemble._forest": "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting": (
        "sklearn.ensemble._hist_gradient_boosting.tests.test_gradient_boosting"
    ),
    "sklearn.kernel_ridge": "sklearn.tests.test_kernel_ridge",
    "sklearn.linear_model._base": "sklearn.linear_model.tests.test_base",
    "sklearn.linear_model._bayes": "sklearn.linear_model.tests.test_bayes",
    "sklearn.linear_model._perceptron": "sklearn.linear_model.tests.test_perceptron",
    "sklearn.linear_model._ridge": "sklearn.linear_model.tests.test_ridge",
    "sklearn.manifold._isomap": "sklearn.manifold.tests.test_isomap",
    "sklearn.manifold._locally_linear": "sklearn.manifold.tests.test_locally_linear",
    "sklearn.manifold._mds": "sklearn.manifold.tests.test_mds",
    "sklearn.manifold._spectral_embedding": "sklearn.manifold.tests.test_spectral_embedding",
    "sklearn.manifold._t_sne": "sklearn.manifold.tests.test_t_sne",
    "sklearn.mixture._gaussian_mixture": "sklearn.mixture.tests.test_gaussian_mixture",
    "sklearn.neighbors._classification": "sklearn.neighbors.tests.test_neighbors",
    "sklearn.neighbors._kde": "sklearn.neighbors.tests.test_kde",
    "sklearn.neighbors._regression": "sklearn.neighbors.tests.test_neighbors",
    "sklearn.neighbors._unsupervised": "sklearn.neighbors.tests.test_neighbors",
    "sklearn.neural_network._multilayer_perceptron": "sklearn.neural_network.tests.test_mlp",
    "sklearn.neural_network._rbm": "sklearn.neural_network.tests.test_rbm",
    "sklearn.svm._classes": "sklearn.svm.tests.test_svm",
    "sklearn.tree._classes": "sklearn.tree.tests.test_tree",
}


def shared_classes() -> dict[str, tuple[type, type]]:
    """Return our class and scikit-learn's for each name that both have."""
    theirs = dict(all_estimators())
    ours = {entry.name: entry.load() for entry in entries() if entry.kind == "estimator"}
    return {name: (ours[name], theirs[name]) for name in sorted(ours.keys() & theirs.keys())}


def test_modules(names: set[str]) -> dict[str, str]:
    """Return the test module of each class, by name; all classes where `names` is empty."""
    found = shared_classes()
    unknown = names - found.keys()
    if unknown:
        raise ValueError(
            f"classes must be some of {', '.join(found)}, got {', '.join(sorted(unknown))}."
        )
    return {
        name: TESTS[theirs.__module__]
        for name, (_, theirs) in found.items()
        if not names or name in names
    }


def put_ours_in_place() -> dict[str, type]:
    """Let scikit-learn's packages give our classes to whoever imports from them now.

    All packages are imported before, so that scikit-learn's own code keeps its classes.
    """
    found = shared_classes()
    for name, (ours, theirs) in found.items():
        module = theirs.__module__
        for place in (module, module.rpartition(".")[0]):
            package: ModuleType = importlib.import_module(place)
            if getattr(package, name, None) is theirs:
                setattr(package, name, ours)
        parts = module.split(".")
        public = importlib.import_module(".".join(parts[:2]))
        setattr(public, name, ours)
    return {name: ours for name, (ours, _) in found.items()}
