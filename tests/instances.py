"""Small instances for the common checks, and the checks that can't hold, with the reason.

An estimator without an entry is checked with its default parameters.
"""

INSTANCES = {
    "GLVQ": [
        {"max_iter": 5, "tol": None},
        {"max_iter": 5, "tol": None, "n_prototypes": 2, "gamma": None, "validation_fraction": 0.3},
    ],
}

_EQUIVALENCE = "check_sample_weight_equivalence_on_dense_data"
_VISITED_TWICE = "online: a sample of weight two moves the model once, a repeated sample twice"

EXPECTED_FAILURES = {
    "GLVQ": {_EQUIVALENCE: _VISITED_TWICE},
}
