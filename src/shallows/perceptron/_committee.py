"""Committee machine."""

from __future__ import annotations

from typing import ClassVar

from shallows._core.contract.params import NonNegativeFloat, PositiveFloat, PositiveInt
from shallows._core.contract.rng import RandomState
from shallows.perceptron._threshold_machine import LeastActionMachine


class CommitteeMachine(LeastActionMachine):
    r"""Majority vote of threshold units that are trained together.

    The output is :math:`\mathrm{sign} \sum_k \mathrm{sign}(w_k \cdot x + b_k)`. If it is wrong,
    the example is taught to as many of the wrong units as are missing for a majority, those
    nearest to changing their state: the least action [1]_. The units so come to share the work,
    unlike an ensemble of perceptrons that learn on their own. The weights with the fewest errors
    are kept. With more than two classes each has its own machine.

    Parameters
    ----------
    n_units : int, default=3
        Number of units, odd; one is a perceptron.
    eta0 : float, default=1.0
        Learning rate, in units of one over the mean squared length of the inputs.
    max_iter : int, default=1000
        Largest number of passes over the data.
    tol : float or None, default=1e-3
        Training stops when the share of errors improves by less than this in fifty epochs in a
        row. With None all `max_iter` epochs run, unless no errors are left; there is no warning if
        some remain.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the initial weights and the order of the samples.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    weights_ : ndarray of shape (1 or n_classes, n_units, n_features + 1)
        Weights of the units, the bias last.
    history_ : dict of str to list of float
        Per epoch the share of errors of the best weights so far under ``"loss"``, and the number
        of errors of the current ones under ``"errors"``; the mean over classes.
    n_iter_ : int
        Epochs run.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] G. J. Mitchison and R. M. Durbin, "Bounds on the learning capacity of some multi-layer
       networks", Biological Cybernetics 60, 345-356, 1989.

    Examples
    --------
    >>> from shallows.perceptron import CommitteeMachine
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> CommitteeMachine(3, tol=None, random_state=0).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    _parity: ClassVar[bool] = False

    def __init__(
        self,
        n_units: PositiveInt = 3,
        *,
        eta0: PositiveFloat = 1.0,
        max_iter: PositiveInt = 1000,
        tol: NonNegativeFloat | None = 1e-3,
        random_state: RandomState = None,
    ):
        self.n_units = n_units
        self.eta0 = eta0
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
