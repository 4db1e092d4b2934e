"""Online neural gas of mdp, which runs only with old pins."""

import mdp
import numpy as np


def fit(X, start, max_iter, width, final_width):
    """As many presentations as ours, with the same first and last width and rate."""
    np.random.seed(0)  # noqa: NPY002  the one that mdp draws from
    node = mdp.nodes.NeuralGasNode(
        num_nodes=len(start),
        start_poss=[row.copy() for row in start],
        epsilon_i=0.5,
        epsilon_f=0.005,
        lambda_i=float(width),
        lambda_f=float(final_width),
        max_epochs=int(max_iter),
    )
    node.train(X)
    node.stop_training()
    return node


def result(model):
    return {"prototypes_": np.asarray(model.get_nodes_position())}
