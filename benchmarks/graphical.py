"""Exact inference and hidden Markov models against the packages that have them."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case


@case(
    "JoinTree",
    sizes=[
        {"nodes": 30, "arcs": 39, "known": 3},
        {"nodes": 200, "arcs": 240, "known": 10},
    ],
)
def join_tree(nodes, arcs, known):
    """Probabilities of all variables of a random binary network, some of them known.

    pgmpy needs minutes for the larger one, and is left out there.
    """
    rng = np.random.default_rng(0)
    # each node has an earlier one as parent, since pgmpy takes connected networks only
    parents = {
        node: (int(rng.integers(max(node - 20, 0), node)),) if node else () for node in range(nodes)
    }
    while sum(map(len, parents.values())) < arcs:
        child = int(rng.integers(2, nodes))
        parent = int(rng.integers(max(child - 20, 0), child))
        if len(parents[child]) < 3 and parent not in parents[child]:
            parents[child] += (parent,)
    tables = {n: rng.dirichlet([1.0, 1.0], (2,) * len(above)) for n, above in parents.items()}
    evidence = dict.fromkeys(rng.choice(nodes, known, replace=False).tolist(), 1)
    rows = np.array([(*above, *[-1] * (3 - len(above))) for above in parents.values()])
    cells = np.zeros((nodes, 16))
    for node, table in tables.items():
        cells[node, : table.size] = table.ravel()

    def ours(BayesianNetwork):
        found = BayesianNetwork(parents, tables).marginals(evidence)
        return np.array([found[node] for node in range(nodes)])

    def gap(found):
        from shallows.graphical import BayesianNetwork

        network = BayesianNetwork(parents, tables)  # asked for one variable at a time
        exact = [
            np.eye(2)[evidence[node]] if node in evidence else network.query(node, evidence).array
            for node in range(nodes)
        ]
        return float(np.abs(getattr(found, "marginals", found) - exact).max())

    data = {
        "parents": rows,
        "tables": cells,
        "evidence": np.array(sorted(evidence.items())),
    }
    return Comparison(
        ours=Run("shallows.graphical.BayesianNetwork", ours),
        peers=[
            RunApart("pyagrum_marginals", ["pyagrum==3.3.1"], name="pyagrum", **data),
            *(
                [RunApart("pgmpy_marginals", ["pgmpy==1.1.2"], name="pgmpy", **data)]
                * (nodes <= 30)
            ),
        ],
        quality=[
            # all of it is rounding
            Quality("gap to elimination", gap, better="smaller", within=1e9)
        ],
    )


@case(
    "HiddenMarkovModel",
    sizes=[
        {"steps": 5000, "features": 2, "states": 3, "covariance_type": "diag"},
        {"steps": 5000, "features": 2, "states": 3, "covariance_type": "full"},
        {"steps": 100_000, "features": 5, "states": 6, "covariance_type": "diag"},
    ],
)
def hidden_markov_model(steps, features, states, covariance_type):
    """Thirty steps of Baum-Welch on sticky, well separated states."""
    rng = np.random.default_rng(0)
    lengths = rng.geometric(0.02, steps)
    path = np.repeat(rng.integers(states, size=steps), lengths)[:steps]
    means = rng.normal(scale=5.0, size=(states, features))
    X = means[path] + rng.normal(size=(steps, features))
    options = {"covariance_type": covariance_type, "max_iter": 30}

    def ours(HiddenMarkovModel):
        return HiddenMarkovModel(states, tol=None, random_state=0, **options).fit(X).score(X)

    return Comparison(
        ours=Run("shallows.graphical.HiddenMarkovModel", ours),
        peers=[
            RunApart(
                "hmmlearn_gaussian",
                ["hmmlearn==0.3.3"],
                name=f"hmmlearn, {implementation}",
                X=X,
                n_components=states,
                seed=0,
                implementation=implementation,
                **options,
            )
            for implementation in ("log", "scaling")  # its default, and its faster one
        ],
        quality=[
            Quality(
                "log-likelihood per step",
                lambda found: float(getattr(found, "score", found)),
                better="larger",
            )
        ],
    )
