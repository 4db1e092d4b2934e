"""Queries of a Bayesian network, whether its tables were given or fitted."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.exceptions import NotFittedError

from shallows._core.contract.params import PositiveInt, check_value
from shallows._core.contract.rng import RandomState, as_generator
from shallows._core.showing.figures import Drawing
from shallows.graphical._checked_network import (
    Network,
    check_network,
    count_parameters,
    evidence_codes,
)
from shallows.graphical._elimination import Operations, eliminate, enumerate_joint, explain
from shallows.graphical._graphs import check_nodes, parents_of, reachable
from shallows.graphical._join_tree import JoinTree
from shallows.graphical._joint_table import JointTable, as_names
from shallows.graphical._moralize import moralize
from shallows.graphical._network_drawing import draw_network
from shallows.graphical._sampling import by_gibbs, by_weighting, draw_forward
from shallows.graphical._table_data import as_array, column_names
from shallows.graphical._undirected_model import UndirectedModel

Method = Literal["elimination", "enumerate", "join-tree", "sampling", "gibbs"]


class Answers:
    """Methods of an estimator with `edges`, `tables` and `states`, given or fitted."""

    edges: Any
    tables: Any
    states: Any
    random_state: Any
    parents_: dict[Any, tuple[Any, ...]]
    states_: dict[Any, tuple[Any, ...]]
    tables_: dict[Any, np.ndarray]

    @property
    def network(self) -> Network:
        """Graph, states and tables: fitted or given ones."""
        if hasattr(self, "tables_"):
            return Network(self.parents_, self.states_, self.tables_)
        if self.tables is None:
            raise NotFittedError("BayesianNetwork has no tables: give them, or call fit.")
        return check_network(self.edges, self.tables, self.states)

    @property
    def parents(self) -> dict:
        """Parents of each variable."""
        if hasattr(self, "parents_"):
            return self.parents_
        return parents_of(self.edges) if self.tables is None else self.network.parents

    @property
    def n_parameters(self) -> int:
        """Number of free probabilities."""
        return count_parameters(self.network)

    def query(
        self,
        targets,
        evidence=None,
        *,
        method: Method = "elimination",
        order=None,
        n_samples: PositiveInt = 10_000,
        random_state: RandomState = None,
    ) -> JointTable:
        """Return the probabilities of some variables, given the values of others.

        Parameters
        ----------
        targets : str or sequence of str
            Query variables.
        evidence : dict, default=None
            Value of each known variable.
        method : str, default="elimination"
            "elimination" sums out one variable after the other; "enumerate" sums the whole joint
            table; "join-tree" passes messages between cliques, one of which must contain all
            targets; "sampling" draws variables after their parents and weights draws by the
            evidence; "gibbs" resamples one variable at a time, which needs tables without zeros.
        order : sequence, default=None
            Order of "elimination"; a tuple in it is summed out at once. None means a greedy order.
        n_samples : int, default=10000
            Number of draws.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        table : JointTable
            P(targets | evidence).
        """
        check_value("BayesianNetwork.query", "method", Method, method)
        check_value("BayesianNetwork.query", "n_samples", PositiveInt, n_samples)
        network, targets, codes = self._asked(targets, evidence)
        if method == "join-tree":
            return JoinTree(network).condition(evidence or {}).marginal(targets)
        states = [network.states[name] for name in targets]
        if method in ("sampling", "gibbs"):
            estimate = by_weighting if method == "sampling" else by_gibbs
            values = estimate(network, targets, codes, n_samples, as_generator(random_state))
            return JointTable(values, targets, states)
        answer = _answer(network, targets, codes, method, order)
        total = answer.values.sum()
        if total == 0 or answer.log_scale == -np.inf:
            raise ValueError(
                "BayesianNetwork: the evidence has probability 0, so nothing can be inferred."
            )
        return JointTable(answer.values / total, targets, states)

    def marginals(self, evidence=None) -> dict:
        """Return the probabilities of every variable, given the values of others.

        Parameters
        ----------
        evidence : dict, default=None
            Value of each known variable.

        Returns
        -------
        marginals : dict of name to ndarray
            One probability per value.
        """
        return JoinTree(self.network).condition(evidence or {}).marginals()

    def probability(self, evidence) -> float:
        """Return the probability that some variables have these values.

        Parameters
        ----------
        evidence : dict
            Value of each of these variables.

        Returns
        -------
        probability : float
            Sum over all others.
        """
        network, _, codes = self._asked((), evidence)
        answer = eliminate(network, (), codes)
        return float(answer.values * np.exp(answer.log_scale))

    def operations(self, targets=(), evidence=None, *, method="elimination", order=None):
        """Count the additions and multiplications that P(targets, evidence) needs.

        Parameters
        ----------
        targets : str or sequence of str, default=()
            Query variables.
        evidence : dict, default=None
            Value of each known variable.
        method : {"elimination", "enumerate"}, default="elimination"
            The method of summation.
        order : sequence, default=None
            Order of "elimination"; a tuple in it is summed out at once. None means a greedy order.

        Returns
        -------
        operations : Operations
            Numbers of `sums` and `multiplications`.
        """
        allowed = Literal["elimination", "enumerate"]
        check_value("BayesianNetwork.operations", "method", allowed, method)
        network, targets, codes = self._asked(targets, evidence)
        counted: Operations = _answer(network, targets, codes, method, order).operations
        return counted

    def most_probable(self, evidence=None) -> dict:
        """Return the jointly most probable values of all variables, given the values of some.

        Parameters
        ----------
        evidence : dict, default=None
            Value of each known variable.

        Returns
        -------
        values : dict of name to value
            One value for each variable.
        """
        network, _, codes = self._asked((), evidence)
        chosen, log_probability = explain(network, codes)
        if log_probability == -np.inf:
            raise ValueError(
                "BayesianNetwork: the evidence has probability 0, so nothing explains it."
            )
        return {name: network.states[name][chosen[name]] for name in network.parents}

    def separates(self, left, right, given=()) -> bool:
        """Return whether the graph makes two sets of variables independent given a third
        (d-separation).

        Parameters
        ----------
        left, right : str or sequence of str
            The two sets.
        given : str or sequence of str, default=()
            Variables that are known.

        Returns
        -------
        separates : bool
            Whether they are independent for all possible tables.
        """
        # d-separation is separation in the moral graph of the ancestors.
        parents, groups = self.parents, [as_names(names) for names in (left, right, given)]
        nodes = [name for names in groups for name in names]
        check_nodes(parents, nodes)
        kept = reachable(nodes, parents)
        ancestral = {name: above for name, above in parents.items() if name in kept}
        return UndirectedModel(moralize(ancestral)).separates(*groups)

    def sample(self, n_samples: int = 1, random_state=None):
        """Draw cases, each variable after its parents.

        Parameters
        ----------
        n_samples : int, default=1
            Number of cases.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws; None uses the `random_state` of the network.

        Returns
        -------
        X : ndarray of shape (n_samples, n_variables)
            Values of the columns seen in `fit`, then of hidden variables. If tables were given:
            all variables in the order of the graph.
        """
        check_value("BayesianNetwork.sample", "n_samples", PositiveInt, n_samples)
        network = self.network
        rng = as_generator(self.random_state if random_state is None else random_state)
        drawn, _ = draw_forward(network, n_samples, {}, rng)
        first = column_names(self) if hasattr(self, "tables_") else []
        names = [*first, *(name for name in network.parents if name not in first)]
        columns = [as_array(network.states[name])[drawn[name]] for name in names]
        kinds = {column.dtype.kind for column in columns}
        whole = object if len(kinds) > 1 and "U" in kinds else None
        return np.stack([column.astype(whole or column.dtype) for column in columns], axis=1)

    def draw(self, title: str = "") -> Drawing:
        """Draw the graph, causes above their effects.

        Parameters
        ----------
        title : str, default=""
            Title.

        Returns
        -------
        drawing : Drawing
            Displays itself in a notebook; `save` writes it as PNG, SVG or HTML.
        """
        return draw_network(self.parents, title)

    def _asked(self, targets, evidence):
        network, targets = self.network, as_names(targets)
        codes = evidence_codes(network, evidence)
        check_nodes(network.parents, targets)
        if len(set(targets)) != len(targets) or set(targets) & set(codes):
            raise ValueError(
                "BayesianNetwork: targets must differ from one another and from the evidence, got "
                f"{list(targets)} and {list(codes)}."
            )
        return network, targets, codes


def _answer(network, targets, codes, method, order):
    if method == "enumerate":
        return enumerate_joint(network, targets, codes)
    return eliminate(network, targets, codes, order)
