"""All marginals of a Bayesian network by pyagrum's lazy propagation."""

import numpy as np
import pyagrum


def fit(parents, tables, evidence):
    """Build the network, propagate, and read every posterior."""
    network = pyagrum.BayesNet()
    for node in range(len(parents)):
        network.add(pyagrum.RangeVariable(f"v{node}", "", 0, 1))
    for node, row in enumerate(parents):
        for parent in row:
            if parent >= 0:
                network.addArc(int(parent), node)
    for node, row in enumerate(parents):
        above = [int(parent) for parent in row if parent >= 0]
        cells = tables[node][: 2 ** (len(above) + 1)].reshape((2,) * (len(above) + 1))
        for values in np.ndindex(*cells.shape[:-1]):
            place = {f"v{parent}": int(v) for parent, v in zip(above, values, strict=True)}
            network.cpt(node)[place] = cells[values].tolist()
    engine = pyagrum.LazyPropagation(network)
    engine.setEvidence({f"v{int(node)}": int(value) for node, value in evidence})
    engine.makeInference()
    return np.array([engine.posterior(f"v{node}").toarray() for node in range(len(parents))])


def result(model):
    return {"marginals": model}
