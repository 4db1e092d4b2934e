"""Experiment: the tree of species from their DNA."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import random_clock_tree, simulate_sequences
from shallows.lab import Run, bars, experiment
from shallows.sampling import ClockTree, sample_trees


@experiment(
    chapter="sampling",
    sources="notes-004b D4, D5, D9, Fig. 53",
    quick={"leaves": 4, "sites": 600, "moves": 1500, "runs": 2},
)
def family_trees(
    leaves: Annotated[int, Range(4, 12)] = 6,
    sites: Annotated[int, Range(100, 5000)] = 800,
    moves: Annotated[int, Range(1000, 1_000_000)] = 20_000,
    runs: Annotated[int, Range(2, 20)] = 4,
    *,
    run: Run,
) -> None:
    """Can the family tree of species be inferred from their DNA?

    Sequences mutate along a tree that is then hidden. A Metropolis walk through trees finds those
    that make the sequences probable; the share of visits to a topology estimates its posterior
    probability. Walks from different starts agree, and with enough sites the true tree is the most
    probable.

    Parameters
    ----------
    leaves : int
        Number of species.
    sites : int
        Length of the sequences.
    moves : int
        Moves of each walk, after as many moves of burn-in.
    runs : int
        Walks, every second from a random tree.
    """
    parents, _ = random_clock_tree(leaves, random_state=run.rng).to_parents()
    ages = np.arange(1, leaves) / (leaves - 1)  # no two ancestors alike, or none could tell them
    tree = ClockTree.from_parents(parents, np.concatenate([np.zeros(leaves), ages]))
    sequences = simulate_sequences(tree, sites, rate=0.6, random_state=run.rng)
    truth = tree.topology()
    thin = max(1, moves // 1000)
    found = []
    for number in run.progress(range(runs)):
        sample = sample_trees(
            sequences,
            moves // thin,
            delta=0.05,
            max_height=3.0,
            burn_in=moves,
            thin=thin,
            start="random" if number % 2 else "clusters",
            random_state=run.rng,
        )
        found.append(sample.topologies())
        for name, share in list(found[-1].items())[:4]:
            run.row(walk=number + 1, topology=name, share=share, true=name == truth)
    run.figure(bars("topology", "share", color="walk", title="Shares of topologies in each walk"))
    run.claim(
        "share of walks in which the true tree is the most frequent",
        np.mean([next(iter(shares)) == truth for shares in found]),
        expected=1,
        within=0,
        probability=0.05,
    )
    shares = [part.get(truth, 0.0) for part in found]
    run.claim(
        "share of the true tree: largest difference between walks",
        max(shares) - min(shares),
        at_most=0.5,
        probability=0.05,
    )
