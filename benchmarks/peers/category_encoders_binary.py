"""Binary digits of the numbers of symbols, by category_encoders."""

from category_encoders import BinaryEncoder


def fit(X):
    """All columns hold symbols."""
    return BinaryEncoder(cols=list(range(X.shape[1]))).fit_transform(X)


def result(model):
    return {"codes": model.to_numpy()}
