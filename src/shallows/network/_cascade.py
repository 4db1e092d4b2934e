"""Cascade correlation: hidden units added one by one, each trained on what errors remain."""

from __future__ import annotations

import numpy as np

from shallows._core.contract.data import hold_out
from shallows._core.contract.rng import as_generator
from shallows._core.contract.training import Training
from shallows.descent._optimizers import OPTIMIZERS
from shallows.network._lbfgs import few_threads

EXACT = 1e-20  # squared error, as a share of that of the best constant, that counts as none


def candidate_scores(inputs, errors, weights, sample_weight=None):
    r"""Return the scores of candidate units and their gradients.

    A candidate with outputs :math:`O_p = \tanh(w \cdot I_p)` scores :math:`S = \sum_k |\sum_p
    (O_p - \bar O)(E_{kp} - \bar E_k)|`: how much its output varies with the errors. As the
    centred errors sum to zero, :math:`\partial S / \partial w = \sum_k \mathrm{sign}(S_k)
    \sum_p (E_{kp} - \bar E_k) \, f'_p \, I_p` is exact, though the mean output moves as well.

    Parameters
    ----------
    inputs : ndarray of shape (n_samples, n_inputs)
        What candidates see: features, a constant, and the units before them.
    errors : ndarray of shape (n_samples, n_outputs)
        Errors of the outputs.
    weights : ndarray of shape (n_inputs, n_candidates)
        Weights of the candidates.
    sample_weight : ndarray of shape (n_samples,), default=None
        Weight of each sample in the sums.

    Returns
    -------
    scores : ndarray of shape (n_candidates,)
        Scores.
    gradient : ndarray of shape (n_inputs, n_candidates)
        Derivatives of each score by the weights of its candidate.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.network import candidate_scores
    >>> inputs, errors = np.array([[-1.0], [1.0]]), np.array([[-1.0], [1.0]])
    >>> scores, gradient = candidate_scores(inputs, errors, np.array([[0.0, 1.0]]))
    >>> scores.round(3), gradient.round(3)
    (array([0.   , 1.523]), array([[0.  , 0.84]]))
    """
    share = np.ones(len(inputs)) if sample_weight is None else sample_weight
    centred = (errors - share @ errors / share.sum()) * share[:, None]
    output = np.tanh(inputs @ weights)
    covariance = centred.T @ output
    gradient = inputs.T @ ((centred @ np.sign(covariance)) * (1 - output * output))
    return np.abs(covariance).sum(axis=0), gradient


def grow(model, X, y, target, weights, score):
    """Grow the network: fit outputs, train candidates, freeze the best, repeat.

    Sets ``hidden_coef_`` (one vector per unit), ``coef_``, ``intercept_``, ``history_`` and
    ``n_iter_``; the first epoch has no hidden unit.
    """
    rng, held_out, shown = as_generator(model.random_state), None, y
    if model.validation_fraction is not None:
        rows = np.arange(len(X))
        kept, held = hold_out(rows, rows, weights, model.validation_fraction, rng, stratify=False)
        held_out = (X[held[0]], y[held[0]], held[2])
        X, shown, target, weights = X[kept[0]], y[kept[0]], target[kept[0]], kept[2]
    run = Training(
        model,
        model.max_units + 1,
        model.tol,
        patience=model.n_iter_no_change,
        state=("hidden_coef_", "coef_", "intercept_"),
        X=X,
        y=shown,
        sample_weight=weights,
    )
    model.hidden_coef_ = []
    inputs, target = np.c_[X, np.ones(len(X))].astype(np.float64), target.astype(np.float64)
    errors = target
    constant = _half_squares(target - weights @ target / weights.sum(), weights)
    with few_threads(inputs.size * model.n_candidates):
        for epoch in run:
            if epoch > 1:
                unit = _best_candidate(model, inputs, errors, weights, rng)
                model.hidden_coef_ = [*model.hidden_coef_, unit.astype(X.dtype)]
                inputs = np.c_[inputs, np.tanh(inputs @ unit.astype(X.dtype))]
            errors = _fit_outputs(model, inputs, target, weights, X.dtype) - target
            loss = _half_squares(errors, weights)
            run.record(loss, None if held_out is None else score(*held_out))
            if loss <= EXACT * constant:
                run.stop("exact")
            elif epoch > model.max_units:
                run.stop("max_units")  # as many as asked for: no reason to warn
    model.history_, model.n_iter_ = run.history, run.n_iter


def cascade_outputs(model, X):
    """Return the outputs of the network."""
    first = X.shape[1] + 1
    inputs = np.ones((len(X), first + len(model.hidden_coef_)), X.dtype)
    inputs[:, : first - 1] = X
    for column, unit in enumerate(model.hidden_coef_, start=first):
        inputs[:, column] = np.tanh(inputs[:, :column] @ unit)
    coef = np.insert(model.coef_, first - 1, model.intercept_, axis=0)
    return inputs @ coef


def _fit_outputs(model, inputs, target, weights, dtype):
    """Fit the outputs by least squares and return them; the bias is the input of ones."""
    root, bias = np.sqrt(weights)[:, None], model.n_features_in_
    found = np.linalg.lstsq(inputs * root, target * root, rcond=None)[0]
    model.coef_ = np.delete(found, bias, axis=0).astype(dtype)
    model.intercept_ = found[bias].astype(dtype)
    return inputs @ found


def _best_candidate(model, inputs, errors, weights, rng):
    """Train a pool of candidates by R-prop and return the one of the highest score."""
    spread = np.maximum(np.sqrt((inputs**2).mean(axis=0)), 1e-12)[:, None]
    pool = rng.normal(size=(inputs.shape[1], model.n_candidates)) / spread
    scaled = inputs / spread.T
    rule, place = OPTIMIZERS["rprop"], (pool * spread).ravel()
    state, shape = rule.init(place), pool.shape
    best, best_scores = place.reshape(shape), np.full(model.n_candidates, -np.inf)
    for _ in range(model.candidate_iter + 1):
        scores, gradient = candidate_scores(scaled, errors, place.reshape(shape), weights)
        better = scores > best_scores
        best = np.where(better, place.reshape(shape), best)
        best_scores = np.maximum(scores, best_scores)
        place, state = rule.step(place, -gradient.ravel(), state, 0.1)
    return best[:, best_scores.argmax()] / spread.ravel()


def _half_squares(errors, weights):
    return float(0.5 * weights @ (errors**2).sum(axis=1) / weights.sum())
