"""Experiment: queries of the sprinkler network, and what they cost."""

from __future__ import annotations

from itertools import combinations, product
from typing import Annotated, Literal

import numpy as np

from shallows._core.contract.params import Range
from shallows.data import sprinkler as sprinkler_network
from shallows.graphical import BayesianNetwork
from shallows.lab import Run, bars, experiment, line

EXACT: tuple[Literal["enumerate", "elimination", "join-tree"], ...] = (
    "enumerate",
    "elimination",
    "join-tree",
)
FALSE_ALARM = 0.01


@experiment(
    chapter="graphical",
    sources="notes-004b E4, E5, E6, E7, E8, Fig. 54",
    quick={"repeats": 20, "largest": 3},
)
def sprinkler(
    repeats: Annotated[int, Range(10, 500)] = 50,
    largest: Annotated[int, Range(2, 5)] = 4,
    *,
    run: Run,
) -> None:
    """Did it rain, or was it the sprinkler?

    The season influences rain and the use of the sprinkler; both make the pavement wet, and wet
    pavement is slippery. The network has 17 parameters, the joint table 63. If the pavement is
    wet, knowing that it rained makes the sprinkler less likely: one cause explains away the other.
    Moving sums inside the products saves most of the work. The error of estimates from random
    draws falls with the root of their number.

    Parameters
    ----------
    repeats : int
        Estimates by sampling for each number of draws.
    largest : int
        Draws go from ten to ten to this power.
    """
    source = sprinkler_network()
    network = BayesianNetwork(source.parents, source.tables, states=source.states)
    wet = {"wet": "yes"}
    cases: dict[str, dict[str, str]] = {
        "nothing": {},
        "wet": wet,
        "wet and rain": {**wet, "rain": "yes"},
        "wet in summer": {**wet, "season": "summer"},
        "slippery": {"slippery": "yes"},
    }
    for cause in ("rain", "sprinkler"):
        for known, evidence in cases.items():
            if cause not in evidence:
                chance = network.query(cause, evidence).probability({cause: "yes"})
                run.row(known=known, cause=cause, probability=chance)
    run.figure(
        bars(
            "known",
            "probability",
            color="cause",
            title="Causes of a wet pavement",
            x_title="what is known",
        )
    )
    exact = network.query("sprinkler", wet).probability({"sprinkler": "yes"})
    for power in run.progress(range(1, largest + 1)):
        found = [
            network.query("sprinkler", wet, method="sampling", n_samples=10**power, random_state=r)
            for r in run.rng.spawn(repeats)
        ]
        errors = np.array([table.probability({"sprinkler": "yes"}) for table in found]) - exact
        run.row("sampling", draws=10**power, error=float(np.sqrt(np.mean(errors**2))))
    sampling = run.columns("sampling")
    limit = sampling["error"][0] * np.sqrt(sampling["draws"][0] / sampling["draws"])
    run.rows("error", draws=sampling["draws"], error=sampling["error"], one_over_root=limit)
    run.figure(
        line(
            "draws",
            "error",
            theory="one_over_root",
            table="error",
            title="Error of P(sprinkler | wet) by weighted draws",
            x_log=True,
            y_log=True,
        )
    )

    joint = network.query(list(source.parents), method="enumerate").array
    run.claim("cells of the joint table", joint.size, expected=64, within=0)
    run.claim("sum of the joint table", joint.sum(), expected=1, within=1e-12)
    run.claim("parameters of the network", network.n_parameters, expected=17, within=0)
    naive = network.operations((), wet, method="enumerate")
    nested = network.operations((), wet, order=[("rain", "sprinkler"), "season"])
    single = network.operations((), wet, order=["rain", "sprinkler", "season"])
    run.claim("P(wet), naive: sums", naive.sums, expected=31, within=0)
    run.claim("P(wet), naive: multiplications", naive.multiplications, expected=128, within=0)
    run.claim("P(wet), sums pulled in: sums", nested.sums, expected=15, within=0)
    run.claim("P(wet), pulled in: multiplications", nested.multiplications, expected=36, within=0)
    run.note(
        "36 multiplications are not the least: where rain is summed out before the sprinkler, "
        f"{single.multiplications} are enough."
    )
    rain = network.query("sprinkler", {**wet, "rain": "yes"}).probability({"sprinkler": "yes"})
    run.claim("rain explains the sprinkler away: P falls by", exact - rain, at_least=0.1)
    run.claim("exact methods, all queries: largest gap", _largest_gap(network), at_most=1e-12)
    run.claim(
        "sampling: error of the most draws over that by the root law",
        sampling["error"][-1] / limit[-1],
        at_least=0.4,
        at_most=2.5,
        probability=FALSE_ALARM,
    )


def _largest_gap(network: BayesianNetwork) -> float:
    """Ask for every variable given all values of every two others, in each exact way."""
    states, gap = network.network.states, 0.0
    for target in states:
        others = [name for name in states if name != target]
        for known in combinations(others, 2):
            for values in product(*(states[name] for name in known)):
                evidence = dict(zip(known, values, strict=True))
                if network.probability(evidence) > 0:
                    found = [network.query(target, evidence, method=m).array for m in EXACT]
                    gap = max(gap, float(np.ptp(found, axis=0).max()))
    return gap
