"""Sanger's rule: ordered principal components by Hebbian learning."""

from __future__ import annotations

from shallows._core.contract.params import NonNegativeFloat, PositiveFloat, PositiveInt
from shallows._core.contract.rng import RandomState
from shallows.reduce._hebbian_components import SANGER, HebbianComponents


class SangerPCA(HebbianComponents):
    r"""Principal components in order, learned sample by sample with Sanger's rule.

    Unit :math:`m` learns from what the units up to it leave unexplained,
    :math:`\Delta w_m = \eta\, y_m (x - \sum_{k \le m} y_k w_k)`, so that :math:`w_m` turns into
    the principal component number :math:`m` (generalized Hebbian algorithm [1]_). For data
    that arrive one by one; :class:`PCA` is exact and quicker for data at hand.

    Parameters
    ----------
    n_components : int, default=1
        Number of components.
    learning_rate : float, default=0.05
        First step size, in units of the total variance of the data, so that it does not
        depend on their scale; it has halved after 1000 samples and falls as one over their
        number.
    max_iter : int, default=20
        Largest number of passes over the data.
    tol : float or None, default=None
        Training stops when the loss improves by less than this in three passes in a row.
        With None all `max_iter` passes run.
    random_state : int, RandomState, Generator or None, default=None
        Draws the first vectors and the order of the samples.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Weight vectors of the units, by descending variance.
    mean_ : ndarray of shape (n_features,)
        Mean of each feature.
    n_samples_seen_ : int
        Samples visited.
    history_ : dict of str to list of float
        Mean squared residual of each pass over the total variance, under ``"loss"``.
    n_iter_ : int
        Passes, or calls of `partial_fit`.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features seen during fit, where they are all strings.

    References
    ----------
    .. [1] T. Sanger, "Optimal unsupervised learning in a single-layer linear feedforward
       neural network", Neural Networks 2, 459-473, 1989.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from shallows.reduce import SangerPCA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SangerPCA(random_state=0).fit(X)
    >>> abs(model.components_).round(1)
    array([[0.4, 0.1, 0.9, 0.4]])
    """

    def __init__(
        self,
        n_components: PositiveInt = 1,
        *,
        learning_rate: PositiveFloat = 0.05,
        max_iter: PositiveInt = 20,
        tol: NonNegativeFloat | None = None,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _rule(self):
        return SANGER
