"""Playground: evidence in the sprinkler network."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from shallows.data import sprinkler as sprinkler_network
from shallows.graphical import BayesianNetwork
from shallows.lab._play_parameters import Slider
from shallows.lab._playground import Exercise, Lesson, Scene, claim, playground

Seen = Literal["unknown", "no", "yes"]
Method = Literal["enumerate", "elimination", "join-tree"]
Season = Literal["unknown", "winter", "spring", "summer", "autumn"]
METHODS: tuple[Method, ...] = ("enumerate", "elimination", "join-tree")

LESSONS = [
    Lesson(
        "Explaining away",
        "Observe that the pavement is wet. Then observe rain.",
        "Both causes become likelier at first. Once it is known that it rained, the sprinkler is "
        "nearly as unlikely as before.",
        "Rain and sprinkler are two causes of one effect. Seeing the effect makes them compete: "
        "what "
        "one of them explains, the other need not.",
        "wet=yes&rain=yes&play=yes",
    ),
    Lesson(
        "Against the arrows",
        "Observe that it is slippery, nothing else.",
        "The belief in rain, in the sprinkler, and even in seasons changes, although no arrow "
        "leads there.",
        "Arrows say how the joint probability factors. By Bayes' rule evidence travels both ways: "
        "from effects to causes as well.",
        "slippery=yes",
    ),
    Lesson(
        "What separates",
        "Observe that it is wet, then whether it is slippery.",
        "Once wet is known, slippery changes nothing else.",
        "Wet blocks the only path from slippery to the rest: given wet, slippery is independent of "
        "all other variables (d-separation). One of the claims checks this.",
        "wet=yes&slippery=yes",
    ),
]
EXERCISE = Exercise(
    "Rain and sprinkler are not independent although no arrow joins them. Which single observation "
    "makes them independent, and which one then makes them dependent again?",
    "The season: it is their common cause. If wet is observed on top of it, they are dependent "
    "again, since they compete to explain it.",
    "season=summer",
)


@playground(
    lessons=LESSONS,
    exercise=EXERCISE,
    experiments=["sprinkler", "join_tree", "cpt_counts"],
    sources="Pearl, Causality, section 1.2; the course on data analysis: Bayesian networks",
)
def beliefs(
    season: Season = "unknown",
    rain: Seen = "unknown",
    sprinkler: Seen = "unknown",
    wet: Seen = "unknown",
    slippery: Seen = "unknown",
    rain_wets: Annotated[float, Slider(0, 1, step=0.05)] = 0.9,
    sprinkler_wets: Annotated[float, Slider(0, 1, step=0.05)] = 0.9,
) -> Scene:
    """Beliefs: what does it mean that the pavement is wet?

    Season decides on rain and on the use of the sprinkler, both wet the pavement, and a wet
    pavement is slippery. Click a state to observe it, and watch how the other beliefs change. Play
    shows the observations one after the other.

    Parameters
    ----------
    season : str
        What is known of the season.
    rain : str
        Whether rain was observed.
    sprinkler : str
        Whether the sprinkler was seen on.
    wet : str
        Whether the pavement is wet.
    slippery : str
        Whether it is slippery.
    rain_wets : float
        Chance that rain alone wets the pavement.
    sprinkler_wets : float
        Chance that the sprinkler alone does.
    """
    given: dict[str, str] = {
        "season": season,
        "rain": rain,
        "sprinkler": sprinkler,
        "wet": wet,
        "slippery": slippery,
    }
    order = ["wet", "slippery", "rain", "sprinkler", "season"]
    evidence: dict[str, str] = {name: given[name] for name in order if given[name] != "unknown"}
    net = network_of(rain_wets, sprinkler_wets)
    if chance_of(net, evidence) == 0:
        raise ValueError("beliefs: these observations can't all be true together; take one back.")
    names = list(evidence)
    frames = []
    for count in range(len(names) + 1):
        known = {name: evidence[name] for name in names[:count]}
        frames.append({"known": known, "beliefs": net.marginals(known),
                       "chance": chance_of(net, known)})  # fmt: skip
    common: dict[str, Any] = {
        "states": {name: list(states) for name, states in net.states.items()},
        "parents": {name: list(parents) for name, parents in net.parents.items()},
    }
    return Scene(frames, common, _claims(net, evidence), _code(evidence, rain_wets, sprinkler_wets))


def network_of(rain_wets: float, sprinkler_wets: float) -> BayesianNetwork:
    """Return the sprinkler network with these chances that one cause alone wets the pavement."""
    source = sprinkler_network()
    wet = np.array(source.tables["wet"], dtype=float)
    wet[1, 0], wet[0, 1] = [1 - rain_wets, rain_wets], [1 - sprinkler_wets, sprinkler_wets]
    dry = (1 - rain_wets) * (1 - sprinkler_wets)  # both fail, each by itself
    wet[1, 1] = [dry, 1 - dry]
    return BayesianNetwork(source.parents, source.tables | {"wet": wet}, states=source.states)


def chance_of(net: BayesianNetwork, evidence: dict[str, str]) -> float:
    """Return the probability of what was observed."""
    return float(net.probability(evidence)) if evidence else 1.0


def _claims(net, evidence):  # type: ignore[no-untyped-def]
    """Return that all ways to compute agree, that causes compete, and that wet separates."""
    free = next((name for name in net.states if name not in evidence), None)
    found = []
    if free:
        answers = [net.query(free, evidence, method=method).array for method in METHODS]
        gap = max(float(np.abs(answer - answers[0]).max()) for answer in answers)
        text = "joint table, elimination and join tree agree, gap"
        found.append(claim(text, gap, at_most=1e-9))
    total = max(abs(float(belief.sum()) - 1) for belief in net.marginals(evidence).values())
    found.append(claim("beliefs add up to 1, gap", total, at_most=1e-9))
    if chance_of(net, {"wet": "yes", "rain": "yes"}) > 0:
        seen = {"wet": "yes"}
        alone = net.query("sprinkler", seen).probability({"sprinkler": "yes"})
        both = net.query("sprinkler", {**seen, "rain": "yes"}).probability({"sprinkler": "yes"})
        text = "wet and rain: P(sprinkler), at most that of wet alone"
        found.append(claim(text, float(both), at_most=float(alone) + 1e-9))
    if chance_of(net, {"wet": "yes", "slippery": "yes"}) > 0:
        one = net.marginals({"wet": "yes"})["rain"]
        two = net.marginals({"wet": "yes", "slippery": "yes"})["rain"]
        text = "given wet, slippery says nothing of rain, gap"
        found.append(claim(text, float(np.abs(one - two).max()), at_most=1e-9))
    return found


def _code(evidence, rain_wets, sprinkler_wets):  # type: ignore[no-untyped-def]
    return f"""import numpy as np
from shallows.data import sprinkler
from shallows.graphical import BayesianNetwork

source = sprinkler()
a, b = {rain_wets:g}, {sprinkler_wets:g}  # chances that rain, or the sprinkler, wets the pavement
dry = np.array([[1, 1 - b], [1 - a, (1 - a) * (1 - b)]])
tables = source.tables | {{"wet": np.stack([dry, 1 - dry], axis=-1)}}
net = BayesianNetwork(source.parents, tables, states=source.states)
for name, belief in net.marginals({evidence}).items():
    print(name, dict(zip(net.states[name], belief.round(4).tolist(), strict=True)))
"""
