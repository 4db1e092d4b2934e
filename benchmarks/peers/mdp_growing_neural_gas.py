"""Growing neural gas of mdp, which runs only with old pins."""

import mdp
import numpy as np


def fit(X, start, max_iter, max_prototypes, learning_rate):
    """As many presentations as ours, each pass in random order, with the same rates and ages."""
    node = mdp.nodes.GrowingNeuralGasNode(
        start_poss=[row.copy() for row in start],
        eps_b=float(learning_rate),
        eps_n=0.006,
        max_age=50,
        lambda_=100,
        alpha=0.5,
        d=0.995,
        max_nodes=int(max_prototypes),
    )
    rng = np.random.default_rng(0)
    for _ in range(int(max_iter)):
        node.train(X[rng.permutation(len(X))])
    node.stop_training()
    return node


def result(model):
    return {"prototypes_": np.asarray(model.get_nodes_position())}
