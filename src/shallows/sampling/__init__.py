"""Sampling: draws from laws that are known up to a factor, Markov chains, trees of species."""

from shallows._core.numerics.clock_tree import ClockTree
from shallows.sampling._boltzmann_distribution import BoltzmannDistribution, partition_function
from shallows.sampling._diagnose import diagnose, thin
from shallows.sampling._gibbs import gibbs
from shallows.sampling._inverse_transform import inverse_transform, inverse_transform_nd
from shallows.sampling._markov_chain import MarkovChain, detailed_balance_gap
from shallows.sampling._metropolis import metropolis
from shallows.sampling._molecular_clock import MolecularClock
from shallows.sampling._normal import box_muller, multivariate_normal
from shallows.sampling._rejection import rejection
from shallows.sampling._sample_trees import sample_trees
from shallows.sampling._simulated_annealing import simulated_annealing
from shallows.sampling._tree_likelihood import tree_log_likelihood
from shallows.sampling._uniform_sampler import check_sampler, uniform_sampler

__all__ = [
    "BoltzmannDistribution",
    "ClockTree",
    "MarkovChain",
    "MolecularClock",
    "box_muller",
    "check_sampler",
    "detailed_balance_gap",
    "diagnose",
    "gibbs",
    "inverse_transform",
    "inverse_transform_nd",
    "metropolis",
    "multivariate_normal",
    "partition_function",
    "rejection",
    "sample_trees",
    "simulated_annealing",
    "thin",
    "tree_log_likelihood",
    "uniform_sampler",
]
