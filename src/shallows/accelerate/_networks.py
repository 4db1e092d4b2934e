"""What the tables of layered networks share."""

from __future__ import annotations

from typing import Any

from shallows.accelerate._table import Table, free, same

NETWORK: dict[str, Any] = {
    "hidden_layer_sizes": same(),
    "activation": same("relu", "tanh", "logistic", "identity"),
    "solver": same("adam"),
    "alpha": same(),
    "batch_size": same(),
    "learning_rate": free(),
    "learning_rate_init": same(),
    "power_t": free(),
    "max_iter": same(),
    "random_state": same(),
    "tol": same(),
    "momentum": free(),
    "nesterovs_momentum": free(),
    "early_stopping": same(),
    "validation_fraction": same(),
    "n_iter_no_change": same(),
    "max_fun": free(),
}
KEPT = ("coefs_", "intercepts_", "n_iter_", "n_layers_", "n_outputs_", "out_activation_")
TOLD = ("loss_", "loss_curve_", "best_loss_", "validation_scores_", "best_validation_score_")
FITTED: dict[str, Any] = {name: name for name in (*KEPT, *TOLD)} | {
    "_no_improvement_count": lambda ours, theirs: 0,
}
WARNINGS = {
    "before it converged": "Stochastic Optimizer: Maximum iterations ({max_iter}) reached and the "
    "optimization hasn't converged yet."
}


def steps(ours: Any, theirs: Any, X: Any, y: Any) -> dict[str, Any]:
    """Return how many samples were visited."""
    return {"t_": ours.n_iter_ * X.shape[0]}


def network(table: Table, theirs: Any) -> Any:
    """Return a fitted network of scikit-learn's as ours."""
    ours = table.new(theirs, fitting=False)
    ours.coefs_, ours.intercepts_ = list(theirs.coefs_), list(theirs.intercepts_)
    hidden = [theirs.activation] * (theirs.n_layers_ - 2)
    ours.activations_ = (*hidden, theirs.out_activation_)
    ours._loss, ours._loss_options = ours.loss, {}
    ours.n_iter_ = theirs.n_iter_
    ours.history_ = {"loss": list(getattr(theirs, "loss_curve_", [theirs.loss_]))}
    if theirs.validation_scores_ is not None:
        ours.history_["val_score"] = list(theirs.validation_scores_)
    ours._memory = None
    return ours
