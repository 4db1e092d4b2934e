"""Attractor networks: recurrent dynamics, associative memories, Boltzmann machines."""

from shallows.attractor import recurrent
from shallows.attractor._bernoulli_rbm import BernoulliRBM
from shallows.attractor._boltzmann_machine import BoltzmannMachine
from shallows.attractor._energy import energy
from shallows.attractor._hopfield import Hopfield
from shallows.attractor._overlap import overlap

__all__ = ["BernoulliRBM", "BoltzmannMachine", "Hopfield", "energy", "overlap", "recurrent"]
