"""Experiment: the join tree of an eight-variable network."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import huang_darwiche
from shallows.graphical import BayesianNetwork, JoinTree, UndirectedModel, moralize
from shallows.lab import Run, bars, experiment

PRINTED = {
    "A": 0.5,
    "B": 0.45,
    "C": 0.45,
    "D": 0.68,
    "E": 0.465,
    "F": 0.17631,
    "G": 0.415,
    "H": 0.8231,
}


@experiment(
    chapter="graphical",
    sources="notes-004b E13, E14, E16, E17, E19, E20, E21, E22, Fig. 55-59",
    quick={"evidences": 10},
)
def join_tree(
    evidences: Annotated[int, Range(5, 200)] = 40,
    *,
    run: Run,
) -> None:
    """How do two sweeps of messages answer all queries?

    The graph is made undirected and chordal, its cliques form a tree, and each table is multiplied
    into a clique. After messages to a centre and back, every clique contains the probabilities of
    its variables, for any choice of the centre. Evidence is entered as zeros in one clique.

    Parameters
    ----------
    evidences : int
        Random pairs of known values, each tried with every centre.
    """
    source = huang_darwiche()
    network = BayesianNetwork(source.parents, source.tables, states=source.states)
    tree = JoinTree(network)
    before = len(tree.check())
    seen = {"F": "0", "H": "0"}
    known = tree.condition(seen).marginals()
    for name, table in tree.marginals().items():
        run.row(variable=name, known="nothing", probability=table[1])
        run.row(variable=name, known="F = 0 and H = 0", probability=known[name][1])
    run.figure(
        bars(
            "variable",
            "probability",
            color="known",
            title="Probability of 1, before and after two variables are seen",
        )
    )

    run.claim("defects of the tree before messages", before, expected=0, within=0)
    run.claim("cliques", len(tree.cliques), expected=6, within=0)
    run.claim("largest clique", max(map(len, tree.cliques)), expected=3, within=0)
    run.claim("nodes with sepsets", len(tree.cliques) + len(tree.sepsets), expected=11, within=0)
    gaps = [abs(tree.marginals()[name][1] - value) for name, value in PRINTED.items()]
    run.claim("marginals: largest gap to the known ones", max(gaps), at_most=5e-6)

    defects, gap = 0, 0.0
    for _ in run.progress(range(evidences)):
        target, *names = run.rng.permutation(list(PRINTED))[:3].tolist()
        evidence = {name: str(run.rng.integers(2)) for name in names}
        exact = network.query(target, evidence, method="enumerate").array
        conditioned = tree.condition(evidence)
        for center in range(len(tree.cliques)):
            conditioned.propagate(center)
            defects += len(conditioned.check())
            found = conditioned.marginal(target).array
            gap = max(gap, float(np.abs(found - exact).max()))
    run.claim("defects after messages, all centres", defects, expected=0, within=0)
    run.claim("evidence, all centres: largest gap to brute force", gap, at_most=1e-12)

    tables = {"A": [0.3, 0.7], "B": [0.6, 0.4], "C": [[[1, 0], [0.2, 0.8]], [[0.3, 0.7], [0, 1]]]}
    collider = BayesianNetwork([("A", "C"), ("B", "C")], tables)
    apart = collider.query(["A", "B"]).independent("A", "B")
    joined = "B" in UndirectedModel(moralize(collider)).blanket("A")
    run.claim(
        "parents of a common child are independent, and joined in the moral graph",
        bool(apart and joined),
        holds=apart and joined,
    )
    run.note(
        "The moral graph is said to have the same independences as the network. It adds none, but "
        "loses that of the parents of a common child."
    )
