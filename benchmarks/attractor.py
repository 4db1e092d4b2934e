"""Associative memories against the package that has them."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case


@case(
    "Hopfield",
    sizes=[
        {"units": 400, "patterns": 20, "flipped": 0.1, "states": 5},
        {"units": 2500, "patterns": 100, "flipped": 0.3, "states": 20},
    ],
)
def hopfield(units, patterns, flipped, states):
    """Store random patterns by Hebb's rule and restore some of them, units one by one."""
    rng = np.random.default_rng(0)
    stored = rng.choice([-1.0, 1.0], size=(patterns, units))
    damaged = stored[np.arange(states) % patterns]
    damaged = damaged * np.where(rng.random(damaged.shape) < flipped, -1, 1)
    truth = stored[np.arange(states) % patterns]
    return Comparison(
        ours=Run(
            "shallows.attractor.Hopfield",
            lambda Hopfield: Hopfield().fit(stored).transform(damaged),
        ),
        peers=[
            RunApart(
                "hopfieldkit_recall",
                ["hopfieldkit==0.1.0"],
                name="hopfieldkit",
                patterns=stored,
                states=damaged,
            )
        ],
        quality=[
            Quality(
                "overlap",
                lambda found: float(np.mean(getattr(found, "restored", found) * truth)),
                better="larger",
                within=1e-9,
            )
        ],
    )
