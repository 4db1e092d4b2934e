"""Ten folds with GMLVQ of sklvq, for several seeds."""

from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklvq import GMLVQ


def fit(X, y, n_seeds, shuffle):
    """With its default solver and step sizes; the data are scaled within each fold."""
    accuracies = []
    for seed in range(n_seeds):
        folds = StratifiedKFold(10, shuffle=shuffle, random_state=seed if shuffle else None)
        model = make_pipeline(StandardScaler(), GMLVQ(random_state=seed))
        accuracies.append(cross_val_score(model, X, y, cv=folds).mean())
    return accuracies


def result(accuracies):
    return {"accuracies": accuracies}
