"""Join tree: all marginals of a Bayesian network from two sweeps of messages."""

from __future__ import annotations

from copy import copy

import numpy as np

from shallows._core.contract.params import check_arguments
from shallows.graphical._checked_network import as_network, evidence_codes
from shallows.graphical._clique_tree import CliqueTree, Potentials
from shallows.graphical._joint_table import JointTable, as_names
from shallows.graphical._triangulate import Heuristic


class JoinTree:
    """Tree of cliques that answers all queries of a Bayesian network.

    The moral graph is triangulated, and its maximal cliques are joined along their largest
    intersections ("sepsets"). Each probability table is multiplied into a clique that contains its
    variables [1]_. Messages to a centre and back turn the table of each clique into the
    probabilities of its variables. The work is proportional to the cells of the largest clique.

    Parameters
    ----------
    network : BayesianNetwork
        Network with tables.
    heuristic : {"min-fill", "min-neighbours", "min-weight"}, default="min-fill"
        Method of triangulation, as in `elimination_order`.

    Attributes
    ----------
    cliques : list of tuple
        Variables of each clique.
    links : list of tuple of int
        Pairs of joined cliques.
    sepsets : list of tuple
        Variables that the cliques of each link have in common.
    potentials : list of ndarray
        Table of each clique, with its variables as axes. After `propagate` it is the probability
        of these variables given the evidence.
    sepset_potentials : list of ndarray
        Table of each sepset.
    log_evidence : float
        Log-probability of the evidence, after `propagate`.

    References
    ----------
    .. [1] C. Huang and A. Darwiche, "Inference in belief networks: a procedural guide",
       International Journal of Approximate Reasoning 15, 225-263, 1996.

    Examples
    --------
    >>> from shallows.data import huang_darwiche
    >>> from shallows.graphical import JoinTree
    >>> tree = JoinTree(huang_darwiche())
    >>> tree.marginal("H").array.round(4)
    array([0.1769, 0.8231])
    >>> tree.condition({"D": "1", "F": "0"}).marginal("B").array.round(4)
    array([0.4044, 0.5956])
    """

    def __init__(self, network, *, heuristic: Heuristic = "min-fill"):
        check_arguments(JoinTree.__init__, {"heuristic": heuristic})
        self._network = as_network(network)
        names = list(self._network.parents)
        self._numbers = {name: number for number, name in enumerate(names)}
        parents = [
            tuple(self._numbers[parent] for parent in above)
            for above in self._network.parents.values()
        ]
        sizes = [len(self._network.states[name]) for name in names]
        self._tree = CliqueTree(parents, sizes, heuristic)
        self._started = self._tree.start(list(self._network.tables.values()))
        self._propagated: Potentials | None = None
        self.cliques = [tuple(names[node] for node in clique) for clique in self._tree.cliques]
        self.links = self._tree.links
        self.sepsets = [tuple(names[node] for node in nodes) for nodes in self._tree.sepsets]

    @property
    def potentials(self) -> list[np.ndarray]:
        return [table[0] for table in self._tables.cliques]

    @property
    def sepset_potentials(self) -> list[np.ndarray]:
        return [table[0] for table in self._tables.sepsets]

    @property
    def log_evidence(self) -> float:
        return float(np.ravel(self._calibrated.log_scale)[0])

    def check(self) -> list[str]:
        """Return a list of violated conditions; empty for a valid tree.

        The cliques must form one tree; sepsets must be the intersections of their cliques; the
        cliques with a given variable must be connected; each family must be in a clique; and after
        `propagate` cliques must agree on their sepsets.

        Returns
        -------
        problems : list of str
            One sentence for each violation.
        """
        problems = _structure_problems(self.cliques, self.links, self.sepsets)
        for name, above in self._network.parents.items():
            if not any({name, *above} <= set(clique) for clique in self.cliques):
                problems.append(f"No clique contains {name!r} and its parents.")
        if self._propagated is not None:
            problems += self._disagreements()
        return problems

    def propagate(self, center: int = 0) -> JoinTree:
        """Pass messages to a centre and back, twice the number of links.

        Queries call this when necessary.

        Parameters
        ----------
        center : int, default=0
            Index of the central clique; the result does not depend on it.

        Returns
        -------
        self : JoinTree
            The tree with consistent tables.
        """
        if not 0 <= center < len(self.cliques):
            raise ValueError(
                f"JoinTree: center must be one of the {len(self.cliques)} cliques, got {center}."
            )
        self._propagated = self._tree.propagate(self._started, center)
        return self

    def condition(self, evidence) -> JoinTree:
        """Return the tree with new evidence, which replaces any earlier evidence.

        Parameters
        ----------
        evidence : dict
            Value of each known variable.

        Returns
        -------
        tree : JoinTree
            Tree with the evidence multiplied into its tables.
        """
        codes = evidence_codes(self._network, evidence)
        cases = {self._numbers[name]: np.array([code]) for name, code in codes.items()}
        other = copy(self)
        fresh = self._tree.start(list(self._network.tables.values()))
        other._started, other._propagated = self._tree.enter(fresh, cases), None
        return other

    def marginal(self, names) -> JointTable:
        """Return the probabilities of variables that share a clique, given the evidence.

        Parameters
        ----------
        names : str or sequence of str
            Variables.

        Returns
        -------
        table : JointTable
            Their joint probabilities.
        """
        names = as_names(names)
        evidence_codes(self._network, {name: self._network.states[name][0] for name in names})
        nodes = [self._numbers[name] for name in names]
        clique = self._tree.home(nodes)
        if clique < 0:
            raise ValueError(
                f"JoinTree: no clique contains all of {list(names)}. Use "
                'BayesianNetwork.query(method="elimination").'
            )
        values = self._tree.marginal(self._calibrated, clique, nodes)[0]
        values = values.transpose(np.argsort(np.argsort(nodes)))
        self._refuse_impossible()
        return JointTable(values, names, [self._network.states[name] for name in names])

    def marginals(self) -> dict:
        """Return the probabilities of every variable given the evidence.

        Returns
        -------
        marginals : dict of name to ndarray
            One probability per value.
        """
        tree, tables = self._tree, self._calibrated
        self._refuse_impossible()
        return {
            name: tree.marginal(tables, tree.places[node], (node,))[0].copy()
            for name, node in self._numbers.items()
        }

    @property
    def _tables(self) -> Potentials:
        return self._propagated or self._started

    @property
    def _calibrated(self) -> Potentials:
        return self._propagated or self.propagate()._tables

    def _refuse_impossible(self):
        if self.log_evidence == -np.inf:
            raise ValueError(
                "JoinTree: the evidence has probability 0, so nothing can be inferred."
            )

    def _disagreements(self):
        problems = []
        for (a, b), sepset, table in zip(
            self.links, self._tree.sepsets, self.sepset_potentials, strict=True
        ):
            for clique in (a, b):
                summed = self._tree.marginal(self._tables, clique, sepset)[0]
                if not np.allclose(summed, table, rtol=1e-9, atol=1e-12):
                    problems.append(f"Clique {self.cliques[clique]} disagrees with a sepset.")
        return problems


def _structure_problems(cliques, links, sepsets):
    problems = []
    if len(links) != len(cliques) - 1:
        problems.append(f"{len(cliques)} cliques need {len(cliques) - 1} links, not {len(links)}.")
    for (a, b), sepset in zip(links, sepsets, strict=True):
        if set(sepset) != set(cliques[a]) & set(cliques[b]):
            problems.append(f"Sepset {sepset} is not what {cliques[a]} and {cliques[b]} share.")
    for name in {name: None for clique in cliques for name in clique}:
        # Running intersection: the cliques with a variable form a connected part of the tree.
        holders = [number for number, clique in enumerate(cliques) if name in clique]
        joining = [link for link in links if name in cliques[link[0]] and name in cliques[link[1]]]
        if not _connected(holders, joining):
            problems.append(f"The cliques with {name!r} are not connected.")
    if not _connected(range(len(cliques)), links):
        problems.append("The cliques are not connected.")
    return problems


def _connected(nodes, links):
    group = {node: {node} for node in nodes}
    for a, b in links:
        joined = group[a] | group[b]
        for node in joined:
            group[node] = joined
    return all(len(members) == len(group) for members in group.values())
