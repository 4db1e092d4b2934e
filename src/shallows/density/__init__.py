"""Densities: parametric families, mixtures, windows, priors, and Bayes' decision."""

from shallows.density._bayes_classifier import BayesClassifier
from shallows.density._binomial import Bernoulli, Binomial
from shallows.density._choose_components import ComponentCurve, choose_components
from shallows.density._confidence import ConfidenceInterval, confidence_interval
from shallows.density._dirichlet import Dirichlet, pseudo_counts
from shallows.density._em import ExpectationMaximization
from shallows.density._exponential import Exponential, rate_from_events
from shallows.density._free_energy import free_energy
from shallows.density._gaussian import Gaussian
from shallows.density._gaussian_mixture import GaussianMixture
from shallows.density._grid_posterior import GridPosterior
from shallows.density._histogram import Histogram
from shallows.density._kernel_density import KernelDensity
from shallows.density._likelihood import Estimate, fit_maximum_likelihood, log_likelihood
from shallows.density._mixture_model import MixtureModel
from shallows.density._multinomial import Multinomial
from shallows.density._parzen import Parzen
from shallows.density._point_masses import PointMasses
from shallows.density._poisson import Poisson
from shallows.density._site_profile import SiteProfile
from shallows.density._tabulated import Tabulated
from shallows.density._uniform_box import UniformBox

__all__ = [
    "BayesClassifier",
    "Bernoulli",
    "Binomial",
    "ComponentCurve",
    "ConfidenceInterval",
    "Dirichlet",
    "Estimate",
    "ExpectationMaximization",
    "Exponential",
    "Gaussian",
    "GaussianMixture",
    "GridPosterior",
    "Histogram",
    "KernelDensity",
    "MixtureModel",
    "Multinomial",
    "Parzen",
    "PointMasses",
    "Poisson",
    "SiteProfile",
    "Tabulated",
    "UniformBox",
    "choose_components",
    "confidence_interval",
    "fit_maximum_likelihood",
    "free_energy",
    "log_likelihood",
    "pseudo_counts",
    "rate_from_events",
]
