"""Markov chains against emcee, and draws against SciPy."""

import numpy as np
from benchmarks.harness import Comparison, Quality, Run, RunApart, case


@case("metropolis", sizes=[{"d": 5, "chains": 32, "steps": 2000}])
def metropolis(d, chains, steps):
    """Equally many calls of the same density; what counts is independent draws per second."""
    start = np.random.default_rng(0).normal(size=(chains, d))

    def ours(metropolis):
        def log_density(x):
            return -0.5 * (x**2).sum(axis=1)

        return metropolis(log_density, start, steps, width=2.4 / np.sqrt(d), random_state=0)

    def effective(sample):
        from shallows.sampling import diagnose

        return float(diagnose(sample.states).bulk_size.min())

    return Comparison(
        ours=Run("shallows.sampling.metropolis", ours),
        peers=[
            RunApart(
                "emcee_normal", ["emcee==3.1.6", "numpy"], name="emcee", start=start, steps=steps
            )
        ],
        quality=[Quality("independent draws", effective, better="larger", within=float("inf"))],
    )


@case("inverse_transform", sizes=[{"n": 100_000}])
def inverse(n):
    """A beta law from its density; SciPy inverts the same way, after setting it up."""

    def theirs(NumericalInversePolynomial):
        class Law:
            def pdf(self, x):
                return x * (1 - x) ** 4

        law = NumericalInversePolynomial(Law(), domain=(0, 1), random_state=0)
        return law.rvs(n)

    def ours(inverse_transform):
        return inverse_transform(n, pdf=lambda x: x * (1 - x) ** 4, support=(0, 1), random_state=0)

    def distance(draws):
        from scipy import stats

        by_chance = 1.36 / np.sqrt(n)  # in one of twenty samples of the law itself
        return max(by_chance, float(stats.kstest(draws, stats.beta(2, 5).cdf).statistic))

    return Comparison(
        ours=Run("shallows.sampling.inverse_transform", ours),
        peers=[Run("scipy.stats.sampling.NumericalInversePolynomial", theirs)],
        quality=[Quality("distance from the law", distance, better="smaller", within=0.005)],
    )
