"""All marginals of a Bayesian network by pgmpy's belief propagation."""

import numpy as np
from pgmpy.factors.discrete import TabularCPD
from pgmpy.inference import BeliefPropagation
from pgmpy.models import DiscreteBayesianNetwork


def fit(parents, tables, evidence):
    """Calibrate once, then ask for every variable."""
    network = DiscreteBayesianNetwork()
    network.add_nodes_from(range(len(parents)))
    for node, row in enumerate(parents):
        network.add_edges_from((int(parent), node) for parent in row if parent >= 0)
    for node, row in enumerate(parents):
        above = [int(parent) for parent in row if parent >= 0]
        cells = tables[node][: 2 ** (len(above) + 1)].reshape(-1, 2).T
        network.add_cpds(TabularCPD(node, 2, cells, above, [2] * len(above)))
    known = {int(node): int(value) for node, value in evidence}
    engine = BeliefPropagation(network)
    engine.calibrate()
    return np.array(
        [
            [1.0 - known[node], known[node]]
            if node in known
            else engine.query([node], known, show_progress=False).values
            for node in range(len(parents))
        ]
    )


def result(model):
    return {"marginals": model}
