"""Graphical models: joint tables, Bayesian networks, join trees, random fields, hidden Markov."""

from shallows.graphical._bayesian_network import BayesianNetwork
from shallows.graphical._elimination import Operations
from shallows.graphical._hidden_markov_model import HiddenMarkovModel
from shallows.graphical._join_tree import JoinTree
from shallows.graphical._joint_table import JointTable, bayes_formula
from shallows.graphical._markov_random_field import MarkovRandomField, grid_graph
from shallows.graphical._moralize import moralize
from shallows.graphical._triangulate import elimination_order, maximal_cliques, triangulate
from shallows.graphical._undirected_model import UndirectedModel

__all__ = [
    "BayesianNetwork",
    "HiddenMarkovModel",
    "JoinTree",
    "JointTable",
    "MarkovRandomField",
    "Operations",
    "UndirectedModel",
    "bayes_formula",
    "elimination_order",
    "grid_graph",
    "maximal_cliques",
    "moralize",
    "triangulate",
]
