"""Ensemble sampler of emcee on a standard normal law."""

import emcee


def fit(start, steps):
    """As many walkers and steps, the density of all walkers in one call."""
    sampler = emcee.EnsembleSampler(
        *start.shape, lambda x: -0.5 * (x**2).sum(axis=1), vectorize=True
    )
    sampler.run_mcmc(start, int(steps))
    return sampler


def result(sampler):
    return {"states": sampler.get_chain().transpose(1, 0, 2)}
