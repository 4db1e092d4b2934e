"""Bayesian network: a directed graph with a probability table for each variable."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.utils.validation import check_is_fitted

from shallows._core.contract.params import ArrayLike, NonNegativeFloat, PositiveInt, check_params
from shallows._core.contract.rng import RandomState
from shallows._core.contract.training import IterativeMixin
from shallows.graphical._answers import Answers
from shallows.graphical._clique_tree import CliqueTree, run_cases
from shallows.graphical._fit_tables import fit_tables
from shallows.graphical._graphs import check_nodes
from shallows.graphical._learning import log_probabilities
from shallows.graphical._table_data import (
    MISSING,
    UNKNOWN,
    as_array,
    column_names,
    encode,
    group_rows,
    read_columns,
)


class BayesianNetwork(Answers, DensityMixin, IterativeMixin, BaseEstimator):
    r"""Joint distribution :math:`\prod_i P(X_i | \mathrm{parents}(X_i))` of discrete variables.

    The tables are given, or `fit` estimates them from counts in data. The network then answers
    queries about probabilities given evidence. Missing entries, and hidden variables without a
    column, are handled by expectation-maximisation with a join tree [1]_, which ends in a local
    maximum of the likelihood.

    Parameters
    ----------
    edges : list of pairs, dict or None, default=None
        Pairs (parent, child), or the parents of each variable. Variables are named after the
        columns of a data frame, or numbered like the columns of an array. None means no edges.
    tables : dict or None, default=None
        Conditional probabilities of each variable: one axis per parent, in the order of `edges`,
        and the variable itself last. For hidden variables `fit` starts from them.
    states : dict or None, default=None
        Values of each variable in the order of the tables. By default 0, 1, 2 ... for given
        tables, and the values of the column for data.
    alpha : float, default=0.0
        Added to the count of each cell.
    hidden : dict or None, default=None
        Number of values, or list of values, of each variable without a column.
    n_init : int, default=1
        Number of random starts for hidden variables; the most likely result is kept.
    max_iter : int, default=100
        Largest number of steps per start.
    tol : float or None, default=1e-6
        A start has converged when the mean log-likelihood rises by at most this. With None all
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
        ``"loss"`` of each step: minus the mean log-likelihood, minus `alpha` times the sum of the
        logarithms of all tables divided by the number of rows.
    n_iter_ : int
        Number of steps of the kept start; 1 without missing values.
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
            One row per case; NaN or None for missing entries.
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
        return fit_tables(self, X, y, sample_weight)

    def predict_proba(self, X, variable=None):
        """Return the probabilities of one variable given the other columns of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_columns)
            Columns as in `fit`; missing and unseen values are summed out. The column of `variable`
            is ignored, and a data frame may omit it.
        variable : name, default=None
            Query variable, also a hidden one; None means the last column.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_states)
            One column for each of ``states_[variable]``.
        """
        probabilities, dtype = self._posterior(X, variable)
        return probabilities.astype(dtype if dtype == np.float32 else np.float64)

    def predict(self, X, variable=None):
        """Return the most probable value of one variable given the other columns of each row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_columns)
            Columns as in `fit`; missing and unseen values are summed out.
        variable : name, default=None
            Query variable, also a hidden one; None means the last column.

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
            Natural logarithms; minus infinity for a value not seen in fit.
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

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

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
            given = {*X.columns}
            X = X.assign(**{name: None})[order] if given and given < {*order} else X
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
                f"BayesianNetwork: row {row} of X has probability 0, so nothing can be inferred "
                "from it. Fit with alpha > 0."
            )
        return found[inverse], dtype
