"""Small instances for the common checks, and the checks that can't hold, with the reason.

An estimator without an entry is checked with its default parameters.
"""

from sklearn.decomposition import PCA
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import LogisticRegression, Ridge

INSTANCES = {
    "ChainedImputer": [{}, {"sample": True, "max_iter": 2}],
    "DeckImputer": [{}, {"donor": "random"}],
    "DensityImputer": [{}, {"draw": True, "max_iter": 200}],
    "OutlierRemover": [{}, {"detector": IsolationForest(n_estimators=10, random_state=0)}],
    "PrototypeMatching": [{}, {"normalize": True}],
    "SemiSupervised": [
        {"reducer": PCA(1), "estimator": LogisticRegression(max_iter=1000)},
        {"reducer": PCA(1), "estimator": Ridge()},
    ],
    "PCA": [
        {"n_components": 1},
        {"n_components": 1, "svd_solver": "full", "whiten": True},
    ],
    "GLVQ": [
        {"max_iter": 5, "tol": None},
        {"max_iter": 5, "tol": None, "n_prototypes": 2, "gamma": None, "validation_fraction": 0.3},
    ],
}

_EQUIVALENCE = "check_sample_weight_equivalence_on_dense_data"
_EQUIVALENCE_SPARSE = "check_sample_weight_equivalence_on_sparse_data"
_VISITED_TWICE = "online: a sample of weight two moves the model once, a repeated sample twice"

EXPECTED_FAILURES = {
    "GLVQ": {_EQUIVALENCE: _VISITED_TWICE},
    "Perceptron": {_EQUIVALENCE: _VISITED_TWICE, _EQUIVALENCE_SPARSE: _VISITED_TWICE},
}
