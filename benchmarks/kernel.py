"""Kernel methods against scikit-learn."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, case


def _two_classes(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    signal = np.sin(1.5 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3:8].sum(axis=1) / 4
    return X, (signal + 0.3 * rng.normal(size=n) > 0).astype(int)


def _curve(n, d):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)


def _dual_value(model, X, targets, gamma, epsilon=None):
    """The value of the dual problem, from scikit-learn's attributes, in blocks."""
    coef = model.dual_coef_[0].astype(np.float64)
    rows = X[model.support_]
    squares = (rows**2).sum(axis=1)
    fields = np.empty(len(rows))
    for start in range(0, len(rows), 1000):
        part = slice(start, start + 1000)
        distances = squares[part, None] - 2 * rows[part] @ rows.T + squares
        fields[part] = np.exp(-gamma * distances) @ coef
    linear = np.abs(coef).sum() if epsilon is None else targets[model.support_] @ coef
    penalty = 0.0 if epsilon is None else epsilon * np.abs(coef).sum()
    return linear - penalty - coef @ fields / 2


@case(
    "SVC",
    sizes=[
        {"n": 2_000, "d": 20},
        {"n": 5_000, "d": 300},
        {"n": 20_000, "d": 50},
        {"n": 50_000, "d": 10},
    ],
)
def svc(n, d):
    """Gaussian kernel, same tolerance of the optimality conditions, same cache."""
    X, y = _two_classes(n, d)
    gamma = 1 / (d * X.var())
    return Comparison(
        ours=Run("shallows.kernel.SVC", lambda SVC: SVC(gamma=gamma).fit(X, y)),
        peers=[Run("sklearn.svm.SVC", lambda SVC: SVC(gamma=gamma).fit(X, y))],
        quality=[
            Quality(
                "dual value",
                lambda model: _dual_value(model, X, y, gamma),
                better="larger",
                within=1e-4,
            )
        ],
    )


@case(
    "SVC, bundled data",
    sizes=[{"data": "iris"}, {"data": "breast_cancer"}, {"data": "digits"}],
)
def svc_bundled(data):
    """Small sets, of three, two and ten classes; the last are told apart one against one."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    return Comparison(
        ours=Run("shallows.kernel.SVC", lambda SVC: SVC().fit(X, y)),
        peers=[Run("sklearn.svm.SVC", lambda SVC: SVC().fit(X, y))],
        quality=[
            Quality("training accuracy", lambda m: m.score(X, y), better="larger", within=1e-3)
        ],
    )


@case(
    "SVC, several classes",
    sizes=[
        {"n": 10_000, "d": 300, "classes": 5},
        {"n": 20_000, "d": 50, "classes": 10},
        {"n": 20_000, "d": 16, "classes": 26},
    ],
)
def svc_classes(n, d, classes):
    """Told apart one against one, where the Gram matrix of all samples exceeds the cache."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(0, 2 * classes, n)
    X = 0.6 * rng.normal(size=(2 * classes, d))[cluster] + rng.normal(size=(n, d))
    y = cluster % classes
    return Comparison(
        ours=Run("shallows.kernel.SVC", lambda SVC: SVC().fit(X, y)),
        peers=[Run("sklearn.svm.SVC", lambda SVC: SVC().fit(X, y))],
        quality=[
            Quality(
                "training accuracy",
                lambda m: m.score(X[:2000], y[:2000]),
                better="larger",
                within=1e-3,
            )
        ],
    )


@case("SVC, sparse", sizes=[{"n": 4_000, "d": 2_000}])
def svc_sparse(n, d):
    """CSR rows with one value in a hundred stored."""
    import scipy.sparse

    X = scipy.sparse.random(n, d, density=0.01, format="csr", random_state=0)
    y = (X @ np.random.default_rng(0).normal(size=d) > 0).astype(int)
    return Comparison(
        ours=Run("shallows.kernel.SVC", lambda SVC: SVC().fit(X, y)),
        peers=[Run("sklearn.svm.SVC", lambda SVC: SVC().fit(X, y))],
        quality=[
            Quality("training accuracy", lambda m: m.score(X, y), better="larger", within=1e-3)
        ],
    )


@case("SVC prediction", sizes=[{"n": 10_000, "d": 20}])
def svc_prediction(n, d):
    """Decision values of new samples from equal machines."""
    from sklearn import svm

    from shallows.kernel import SVC

    X, y = _two_classes(n, d)
    new = _two_classes(2 * n, d)[0][n:]
    ours, theirs = SVC().fit(X, y), svm.SVC().fit(X, y)
    return Comparison(
        ours=Run("shallows.kernel.SVC", lambda _: ours.decision_function(new)),
        peers=[Run("sklearn.svm.SVC", lambda _: theirs.decision_function(new))],
        quality=[Quality("mean margin", lambda f: np.abs(f).mean(), better="larger", within=1e-2)],
    )


@case("SVR", sizes=[{"n": 5_000, "d": 20}, {"n": 20_000, "d": 10}])
def svr(n, d):
    """Gaussian kernel, same tolerance of the optimality conditions, same cache."""
    X, y = _curve(n, d)
    gamma = 1 / (d * X.var())
    return Comparison(
        ours=Run("shallows.kernel.SVR", lambda SVR: SVR(gamma=gamma).fit(X, y)),
        peers=[Run("sklearn.svm.SVR", lambda SVR: SVR(gamma=gamma).fit(X, y))],
        quality=[
            Quality(
                "dual value",
                lambda model: _dual_value(model, X, y, gamma, 0.1),
                better="larger",
                within=1e-4,
            )
        ],
    )


@case("KernelRidge", sizes=[{"n": 2_000, "d": 10}, {"n": 6_000, "d": 10}])
def ridge(n, d):
    """One fit by Cholesky factors."""
    X, y = _curve(n, d)
    options = {"alpha": 0.1, "kernel": "rbf", "gamma": 0.1}
    return Comparison(
        ours=Run("shallows.kernel.KernelRidge", lambda cls: cls(**options).fit(X, y)),
        peers=[Run("sklearn.kernel_ridge.KernelRidge", lambda cls: cls(**options).fit(X, y))],
        quality=[Quality("training score", lambda m: m.score(X, y), better="larger", within=1e-6)],
    )


@case(
    "KernelRidgeCV",
    sizes=[
        {"n": 500, "alphas": 25, "gammas": 4},
        {"n": 2_000, "alphas": 10, "gammas": 5},
        {"n": 2_000, "alphas": 22, "gammas": 5},
    ],
)
def ridge_selection(n, alphas, gammas):
    """Same grid; the peer takes 5 folds, as leave-one-out would cost it hundreds of times more."""
    return _selection(n, alphas, gammas, "loo")


@case("KernelRidgeCV, generalized", sizes=[{"n": 2_000, "alphas": 10, "gammas": 5}])
def generalized_selection(n, alphas, gammas):
    """Same grid; ours by generalized cross-validation, the peer with 5 folds."""
    return _selection(n, alphas, gammas, "gcv")


def _selection(n, alphas, gammas, criterion):
    X, y = _curve(n, 10)
    penalties, widths = np.geomspace(1e-5, 1e2, alphas), np.geomspace(0.01, 1, gammas)
    new, truth = _curve(2 * n, 10)
    new, truth = new[n:], truth[n:]

    def search(GridSearchCV):
        from sklearn.kernel_ridge import KernelRidge

        grid = {"alpha": penalties, "gamma": widths}
        return GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=5).fit(X, y)

    return Comparison(
        ours=Run(
            "shallows.kernel.KernelRidgeCV",
            lambda cls: cls(penalties, gammas=widths, criterion=criterion).fit(X, y),
        ),
        peers=[Run("sklearn.model_selection.GridSearchCV", search)],
        quality=[
            Quality("test score", lambda m: m.score(new, truth), better="larger", within=0.02)
        ],
    )


@case("KernelPCA", sizes=[{"n": 1_000, "n_components": 20}, {"n": 4_000, "n_components": 20}])
def pca(n, n_components):
    """Leading components of a Gaussian kernel; both choose their solver themselves."""
    X, _ = _curve(n, 10)
    options = {"n_components": n_components, "kernel": "rbf"}
    return Comparison(
        ours=Run("shallows.kernel.KernelPCA", lambda cls: cls(**options).fit(X)),
        peers=[
            Run(
                "sklearn.decomposition.KernelPCA", lambda cls: cls(**options, random_state=0).fit(X)
            )
        ],
        quality=[
            Quality(
                "sum of eigenvalues", lambda m: m.eigenvalues_.sum(), better="larger", within=1e-6
            )
        ],
    )


@case("KernelRidgeClassifier", sizes=[{"data": "digits"}, {"data": "cloud", "n": 4_000, "d": 20}])
def ridge_classifier(data, **size):
    """The peer fits columns of -1 and +1, one per class, and the largest output wins."""
    X, y = _labelled(data, **size)
    classes = np.unique(y)
    targets = np.where(y[:, None] == classes, 1.0, -1.0)
    options = {"alpha": 0.1, "kernel": "rbf", "gamma": 1 / (X.shape[1] * X.var())}

    def correct(model):
        outputs = model.decision_function if hasattr(model, "classes_") else model.predict
        values = outputs(X)
        winners = values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(int)
        return np.mean(classes[winners] == y)

    return Comparison(
        ours=Run("shallows.kernel.KernelRidgeClassifier", lambda cls: cls(**options).fit(X, y)),
        peers=[Run("sklearn.kernel_ridge.KernelRidge", lambda cls: cls(**options).fit(X, targets))],
        quality=[Quality("training accuracy", correct, better="larger", within=1e-3)],
    )


MACHINES = [{"data": "digits"}, {"data": "cloud", "n": 2_000, "d": 20}]


@case("KernelAdaTron", sizes=MACHINES)
def kernel_adatron(data, **size):
    """The margin of a support vector machine, ours without its offset; the same C and tolerance."""
    return _machines("KernelAdaTron", {"C": 1.0}, data, size)


@case("KernelPerceptron", sizes=MACHINES)
def kernel_perceptron(data, **size):
    """Passes until one is without mistakes; the peer is a machine of the same kernel, C = 100."""
    return _machines("KernelPerceptron", {"random_state": 0}, data, size, C=100.0)


@case("SimpleSMO", sizes=[{"data": "iris"}, {"data": "cloud", "n": 500, "d": 20}])
def simple_smo(data, **size):
    """A form for teaching: the same problem and tolerance, one class against the rest."""
    return _machines("SimpleSMO", {"stop": "kkt", "random_state": 0}, data, size)


def _machines(name, options, data, size, C=1.0):
    """Half of the samples train, the others test.

    Ours learn several classes one against the rest, the peer one against one, and in its second
    form as ours.
    """
    from sklearn.multiclass import OneVsRestClassifier

    X, y = _labelled(data, **size)
    order = np.random.default_rng(1).permutation(len(y))
    train, test = order[::2], order[1::2]
    return Comparison(
        ours=Run(f"shallows.kernel.{name}", lambda cls: cls(**options).fit(X[train], y[train])),
        peers=[
            Run("sklearn.svm.SVC", lambda SVC: SVC(C=C).fit(X[train], y[train])),
            Run(
                "sklearn.svm.SVC",
                lambda SVC: OneVsRestClassifier(SVC(C=C)).fit(X[train], y[train]),
                "sklearn, one against the rest",
            ),
        ],
        quality=[
            Quality(
                "test accuracy",
                lambda model: model.score(X[test], y[test]),
                better="larger",
                within=0.02,
            )
        ],
    )


def _labelled(data, n=0, d=0):
    from sklearn import datasets

    if data == "cloud":
        return _two_classes(n, d)
    return getattr(datasets, f"load_{data}")(return_X_y=True)
