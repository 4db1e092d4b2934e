"""Bayesian network: a directed graph with a probability table for each variable."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from shallows._core.data import check_weights
from shallows._core.params import (
    ArrayLike,
    NonNegativeFloat,
    PositiveInt,
    check_params,
    check_value,
)
from shallows._core.rng import RandomState, as_generator
from shallows._core.training import IterativeMixin, Training
from shallows.graphical._clique_tree import CliqueTree, run_cases
from shallows.graphical._drawing import draw_network
from shallows.graphical._elimination import Operations, eliminate, enumerate_joint, explain
from shallows.graphical._graphs import check_nodes, parents_of, reachable
from shallows.graphical._join_tree import JoinTree
from shallows.graphical._joint_table import JointTable, as_names
from shallows.graphical._learning import Learner, Run, log_probabilities
from shallows.graphical._moralize import moralize
from shallows.graphical._network import (
    Network,
    check_network,
    check_values,
    count_parameters,
    evidence_codes,
)
from shallows.graphical._sampling import by_gibbs, by_weighting, draw_forward
from shallows.graphical._table_data import (
    MISSING,
    UNKNOWN,
    as_array,
    column_names,
    encode,
    find_states,
    group_rows,
    read_columns,
)
from shallows.graphical._undirected_model import UndirectedModel

Method = Literal["elimination", "enumerate", "join-tree", "sampling", "gibbs"]


class BayesianNetwork(DensityMixin, IterativeMixin, BaseEstimator):
    r"""Joint distribution :math:`\prod_i P(X_i | \mathrm{parents}(X_i))` of discrete variables.

    The tables are given, or `fit` counts them in data; both ways the network answers what is
    likely where something is known. Missing entries, and variables that no column holds, are
    filled in by expectation-maximisation with a join tree [1]_, which ends in a local maximum of
    the likelihood.

    Parameters
    ----------
    edges : list of pairs, dict or None, default=None
        Pairs (parent, child), or the parents of each variable. Variables have the names of the
        columns of a data frame, or the numbers of the columns of an array. None joins none.
    tables : dict or None, default=None
        Conditional probabilities of each variable: one axis per parent, in their order in
        `edges`, and the variable itself last. `fit` starts from those of hidden variables.
    states : dict or None, default=None
        Values of each variable in the order of the tables; where None, 0, 1, 2 ... for given
        tables, and what a column holds for data.
    alpha : float, default=0.0
        Added to the count of each cell.
    hidden : dict or None, default=None
        Number of values, or the values, of each variable that the data do not have.
    n_init : int, default=1
        Number of random starts for hidden variables, of which the likeliest is kept.
    max_iter : int, default=100
        Largest number of steps of one start.
    tol : float or None, default=1e-6
        A start ends when the mean log-likelihood rises by no more than this. With None all
        `max_iter` steps run.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the starts.

    Attributes
    ----------
    parents_ : dict of name to tuple
        Parents of each variable.
    states_ : dict of name to tuple
        Values of each variable.
    tables_ : dict of name to ndarray
        Conditional probabilities.
    history_ : dict of str to list of float
        ``"loss"`` of each step: minus the mean log-likelihood, less `alpha` times the sum of the
        logarithms of all tables over the number of rows.
    n_iter_ : int
        Steps of the kept start; 1 where nothing was missing.
    n_features_in_ : int
        Number of columns seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns seen during fit, where they are all strings.

    References
    ----------
    .. [1] S. L. Lauritzen, "The EM algorithm for graphical association models with missing
       data", Computational Statistics and Data Analysis 19, 191-201, 1995.

    Examples
    --------
    >>> from shallows.data import sprinkler
    >>> from shallows.graphical import BayesianNetwork
    >>> season = sprinkler()
    >>> network = BayesianNetwork(season.parents, season.tables, states=season.states)
    >>> network.n_parameters
    17
    >>> network.query("sprinkler", {"wet": "yes"}).array.round(3)
    array([0.5, 0.5])
    >>> network.query("sprinkler", {"wet": "yes", "rain": "yes"}).array.round(3)
    array([0.784, 0.216])
    """

    def __init__(
        self,
        edges: ArrayLike | dict | None = None,
        tables: dict | None = None,
        *,
        states: dict | None = None,
        alpha: NonNegativeFloat = 0.0,
        hidden: dict | None = None,
        n_init: PositiveInt = 1,
        max_iter: PositiveInt = 100,
        tol: NonNegativeFloat | None = 1e-6,
        random_state: RandomState = None,
    ):
        self.edges = edges
        self.tables = tables
        self.states = states
        self.alpha = alpha
        self.hidden = hidden
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X, y=None, sample_weight=None):
        """Estimate the tables.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_columns)
            One row per case; NaN or None where an entry is missing.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row.

        Returns
        -------
        self : BayesianNetwork
            The fitted network.
        """
        check_params(self)
        X = read_columns(self, X, reset=True)
        weights = check_weights(sample_weight, len(X))
        X, weights = X[weights > 0], weights[weights > 0]
        names = column_names(self)
        parents = parents_of(self.edges if self.edges is not None else {})
        parents |= {name: () for name in names if name not in parents}
        states = self._find_states(X, names, parents)
        number = {name: node for node, name in enumerate(parents)}
        codes = np.full((len(X), len(parents)), MISSING, dtype=np.intp)
        for column, name in zip(X.T, names, strict=True):
            codes[:, number[name]] = self._encode(name, column, states[name])
        above = [tuple(number[parent] for parent in parents[name]) for name in parents]
        sizes = [len(states[name]) for name in parents]
        learner = Learner(above, sizes, codes, weights, float(self.alpha))
        self.parents_, self.states_ = parents, states
        self._learn(learner, X, y, sample_weight)
        return self

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
        """Return the probabilities of some variables where others are known.

        Parameters
        ----------
        targets : str or sequence of str
            Variables asked for.
        evidence : dict, default=None
            Value of each known variable.
        method : str, default="elimination"
            "elimination" sums variables out one after the other; "enumerate" sums the whole joint
            table; "join-tree" passes messages between cliques, one of which must hold all targets;
            "sampling" draws variables after their parents and weighs draws by the evidence;
            "gibbs" redraws one variable at a time, which needs tables without zeros.
        order : sequence, default=None
            Order of "elimination"; a tuple in it is summed at once. None takes a greedy one.
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
        answer = self._answer(network, targets, codes, method, order)
        total = answer.values.sum()
        if total == 0 or answer.log_scale == -np.inf:
            raise ValueError(
                "BayesianNetwork: the evidence has probability 0, so nothing follows it."
            )
        return JointTable(answer.values / total, targets, states)

    def marginals(self, evidence=None) -> dict:
        """Return the probabilities of every variable where some are known.

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
        """Count the additions and multiplications behind P(targets, evidence).

        Parameters
        ----------
        targets : str or sequence of str, default=()
            Variables asked for.
        evidence : dict, default=None
            Value of each known variable.
        method : {"elimination", "enumerate"}, default="elimination"
            How the answer is computed.
        order : sequence, default=None
            Order of "elimination"; a tuple in it is summed at once. None takes a greedy one.

        Returns
        -------
        operations : Operations
            The numbers `sums` and `multiplications`.
        """
        allowed = Literal["elimination", "enumerate"]
        check_value("BayesianNetwork.operations", "method", allowed, method)
        network, targets, codes = self._asked(targets, evidence)
        counted: Operations = self._answer(network, targets, codes, method, order).operations
        return counted

    def most_probable(self, evidence=None) -> dict:
        """Return the likeliest values of all variables together where some are known.

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
        """Tell whether the graph makes two sets of variables independent given a third.

        Parameters
        ----------
        left, right : str or sequence of str
            The two sets.
        given : str or sequence of str, default=()
            Variables that are known.

        Returns
        -------
        separates : bool
            Whether they are independent whatever the tables are (d-separation).
        """
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
            Seeds the draws; None takes the `random_state` of the network.

        Returns
        -------
        X : ndarray of shape (n_samples, n_variables)
            Values of the columns that `fit` saw, then of hidden variables; of all variables in
            the order of the graph where tables were given.
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

    def predict_proba(self, X, variable=None):
        """Return the probabilities of one variable given the other columns of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_columns)
            Columns as in `fit`; missing and unseen values are summed out. What stands in the
            column of `variable` is ignored, and a frame may lack that column.
        variable : name, default=None
            Variable asked for, also a hidden one; None means the last column.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_states)
            One column for each of ``states_[variable]``.
        """
        probabilities, dtype = self._posterior(X, variable)
        return probabilities.astype(dtype if dtype == np.float32 else np.float64)

    def predict(self, X, variable=None):
        """Return the likeliest value of one variable given the other columns of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_columns)
            Columns as in `fit`; missing and unseen values are summed out.
        variable : name, default=None
            Variable asked for, also a hidden one; None means the last column.

        Returns
        -------
        values : ndarray of shape (n_samples,)
            One of ``states_[variable]`` for each row.
        """
        probabilities, dtype = self._posterior(X, variable)
        states = self.states_[self._variable(variable)]
        values = as_array(states)[probabilities.argmax(axis=1)]
        return values.astype(dtype) if dtype.kind == values.dtype.kind == "f" else values

    def score_samples(self, X):
        """Return the log-probability of each row; missing entries are summed out.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_columns)
            Columns as in `fit`.

        Returns
        -------
        log_probabilities : ndarray of shape (n_samples,)
            Natural logarithms; minus infinity where a value was never seen.
        """
        codes, dtype = self._new_codes(X)
        logs = np.empty(len(codes))
        strange = (codes == UNKNOWN).any(axis=1)
        complete = (codes >= 0).all(axis=1)
        tree, tables = self._clique_tree()
        logs[complete] = log_probabilities(tree.parents, tables, codes[complete])
        rest = ~complete & ~strange
        if rest.any():
            rows, _, inverse = group_rows(codes[rest], np.ones(int(rest.sum())))
            logs[rest] = run_cases(tree, tables, rows, lambda found: found.log_scale)[inverse]
        logs[strange] = -np.inf
        return logs.astype(dtype if dtype == np.float32 else np.float64)

    def score(self, X, y=None):
        """Return the mean log-probability of the rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_columns)
            Columns as in `fit`.
        y : None
            Ignored.

        Returns
        -------
        score : float
            Mean of `score_samples`.
        """
        return float(self.score_samples(X).mean(dtype=np.float64))

    def draw(self, title: str = "") -> dict[str, Any]:
        """Draw the graph, causes above their effects.

        Parameters
        ----------
        title : str, default=""
            Words above the drawing.

        Returns
        -------
        figure : dict
            A Vega-Lite specification, which `shallows.lab.figure_png` turns into a picture.
        """
        return draw_network(self.parents, title)

    @property
    def network(self) -> Network:
        """Graph, states and tables: the fitted ones, else those given."""
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

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

    @staticmethod
    def _answer(network, targets, codes, method, order):
        if method == "enumerate":
            return enumerate_joint(network, targets, codes)
        return eliminate(network, targets, codes, order)

    def _find_states(self, X, names, parents) -> dict[Any, tuple[Any, ...]]:
        given, hidden, tables = self.states or {}, self.hidden or {}, self.tables or {}
        states = {}
        for name in parents:
            if name in given:
                states[name] = check_values(name, len(tuple(given[name])), given[name])
            elif name in names:
                states[name] = find_states(X[:, names.index(name)])
            elif name in hidden:
                values = hidden[name]
                states[name] = tuple(range(values) if isinstance(values, int) else values)
            elif name in tables:
                states[name] = tuple(range(np.shape(tables[name])[-1]))
            if not states.get(name):
                raise ValueError(
                    f"BayesianNetwork: {name!r} has no values in X with {len(names)} feature(s). "
                    f"It must be one of the columns {names}, with an entry that is not missing; a "
                    "hidden variable needs its number of values in `hidden`."
                )
        return states

    @staticmethod
    def _encode(name, column, states):
        codes = encode(column, states)
        if (codes == UNKNOWN).any():
            strange = column[[np.argmax(codes == UNKNOWN)]].tolist()[0]
            raise ValueError(
                f"BayesianNetwork: column {name!r} holds {strange!r}, which is not one of the "
                f"states {list(states)}."
            )
        return codes

    def _learn(self, learner, X, y, sample_weight):
        given = [self._given_table(name) for name in self.parents_]
        n_init = 1 if learner.complete else self.n_init
        streams = as_generator(self.random_state).spawn(n_init)
        steps = 1 if learner.complete else n_init * self.max_iter
        training = Training(self, steps, state=("tables_",), X=X, y=y, sample_weight=sample_weight)
        runs: list[Run] = []
        for _ in training:
            if not runs or self._ended(runs[-1]):
                stream = streams[len(runs)]
                runs.append(
                    Run(learner, None if learner.complete else learner.start(stream, given))
                )
            training.record(runs[-1].step())
            self._store(runs[-1].tables)
            if len(runs) == n_init and self._ended(runs[-1]):
                training.stop("tol")
        best = min(runs, key=lambda run: run.losses[-1])
        self._store(best.tables)
        self.history_, self.n_iter_ = {"loss": best.losses}, len(best.losses)
        if not best.complete and self.tol is not None and not best.settled(self.tol):
            warnings.warn(
                f"BayesianNetwork stopped after max_iter={self.max_iter} steps before it "
                "converged. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _given_table(self, name):
        """Return the table to start from, where one is given for this variable."""
        if self.tables is None or name not in self.tables:
            return None
        shape = tuple(len(self.states_[other]) for other in (*self.parents_[name], name))
        table = np.array(self.tables[name], dtype=np.float64)
        if table.shape != shape:
            raise ValueError(
                f"BayesianNetwork: the table of {name!r} must have shape {shape} to start from, "
                f"got {table.shape}."
            )
        return table

    def _ended(self, run):
        settled = self.tol is not None and run.settled(self.tol)
        return run.complete or settled or len(run.losses) == self.max_iter

    def _store(self, tables):
        self.tables_ = dict(zip(self.parents_, tables, strict=True))

    def _variable(self, variable):
        name = column_names(self)[-1] if variable is None else variable
        check_nodes(self.parents_, [name])
        return name

    def _clique_tree(self):
        network = self.network
        number = {name: node for node, name in enumerate(network.parents)}
        parents = [tuple(number[name] for name in above) for above in network.parents.values()]
        sizes = [len(states) for states in network.states.values()]
        return CliqueTree(parents, sizes), list(network.tables.values())

    def _new_codes(self, X):
        check_is_fitted(self, "tables_")
        X = read_columns(self, X, reset=False)
        names, number = column_names(self), {name: i for i, name in enumerate(self.parents_)}
        codes = np.full((len(X), len(number)), MISSING, dtype=np.intp)
        for column, name in zip(X.T, names, strict=True):
            codes[:, number[name]] = encode(column, self.states_[name])
        return codes, X.dtype

    def _posterior(self, X, variable):
        check_is_fitted(self, "tables_")
        name = self._variable(variable)
        if hasattr(X, "columns") and hasattr(X, "assign") and name not in X.columns:
            order = [column for column in column_names(self) if column in {*X.columns, name}]
            X = X.assign(**{name: None})[order] if set(X.columns) < set(order) else X
        codes, dtype = self._new_codes(X)
        node = list(self.parents_).index(name)
        codes[:, node] = MISSING
        rows, _, inverse = group_rows(np.maximum(codes, MISSING), np.ones(len(codes)))
        tree, tables = self._clique_tree()
        found = run_cases(
            tree, tables, rows, lambda found: tree.marginal(found, tree.places[node], (node,))
        )
        impossible = found.sum(axis=1) == 0
        if impossible.any():
            row = int(np.argmax(impossible[inverse]))
            raise ValueError(
                f"BayesianNetwork: row {row} of X has probability 0, so that nothing follows from "
                "it. Fit with alpha > 0."
            )
        return found[inverse], dtype
