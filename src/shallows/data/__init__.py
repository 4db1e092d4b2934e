"""Data: synthetic sets, printed tables, loaders, and a reader for data files."""

from shallows.data._chaos import baker_map, lorenz, mackey_glass
from shallows.data._clusters import make_clusters
from shallows.data._curves import add_noise, curve_fitting, make_linear, noisy_cubic, noisy_sine
from shallows.data._digits import load_mfeat
from shallows.data._events import galton, poisson_process, roll_die
from shallows.data._features import make_irrelevant, make_random_features
from shallows.data._fruit import fruit_table
from shallows.data._globin import globin
from shallows.data._hubble import hubble
from shallows.data._manifolds import make_manifold
from shallows.data._networks import huang_darwiche, shop_table, sprinkler
from shallows.data._old_faithful import old_faithful
from shallows.data._patterns import corrupt, make_patterns
from shallows.data._phylogeny import random_clock_tree, simulate_sequences
from shallows.data._plants import binary_channel, fir_plant, interference, two_quadrants
from shallows.data._read_table import Table, read_table
from shallows.data._scenarios import bayes_rule, make_scenario, three_classes
from shallows.data._separable import least_squares_counterexample, make_quadrants, make_separable
from shallows.data._teacher import make_teacher
from shallows.data._truth_tables import integer_toy, truth_table
from shallows.data._uniform import uniform_ball, uniform_cube

__all__ = [
    "Table",
    "add_noise",
    "baker_map",
    "bayes_rule",
    "binary_channel",
    "corrupt",
    "curve_fitting",
    "fir_plant",
    "fruit_table",
    "galton",
    "globin",
    "huang_darwiche",
    "hubble",
    "integer_toy",
    "interference",
    "least_squares_counterexample",
    "load_mfeat",
    "lorenz",
    "mackey_glass",
    "make_clusters",
    "make_irrelevant",
    "make_linear",
    "make_manifold",
    "make_patterns",
    "make_quadrants",
    "make_random_features",
    "make_scenario",
    "make_separable",
    "make_teacher",
    "noisy_cubic",
    "noisy_sine",
    "old_faithful",
    "poisson_process",
    "random_clock_tree",
    "read_table",
    "roll_die",
    "shop_table",
    "simulate_sequences",
    "sprinkler",
    "three_classes",
    "truth_table",
    "two_quadrants",
    "uniform_ball",
    "uniform_cube",
]
