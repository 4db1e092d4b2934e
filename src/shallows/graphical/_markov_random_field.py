"""Markov random field of binary variables (Ising model), and image denoising with it."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy.special import logsumexp

from shallows._core.contract.params import Fraction, NonNegativeInt, PositiveInt, check_value
from shallows._core.contract.rng import as_generator
from shallows._core.numerics.compile import compiled
from shallows.graphical._graphs import neighbours_of

COUNTING_LIMIT = 20  # nodes; above, enumerating all states takes too long
DRAWS_AT_ONCE = 2**20


class MarkovRandomField:
    r"""Variables :math:`s_i = \pm 1` on a graph, coupled to their neighbours.

    A state has the probability :math:`\exp(-E(s)) / Z` with the energy :math:`E = -\sum_{ij}
    J_{ij} s_i s_j - \sum_i h_i s_i`, summed over edges and nodes. This is the Ising model at
    temperature one. Given its neighbours, a variable is independent of all others.

    Parameters
    ----------
    graph : pairs of nodes, dict or UndirectedModel
        Edges, or the neighbours of each node; `grid_graph` returns the edges of an image.
    coupling : float or array-like of shape (n_edges,), default=1.0
        Coupling :math:`J` of all edges, or of each edge in the order of `edges`.
    field : float or array-like of shape (n_nodes,), default=0.0
        Field :math:`h` on all nodes, or on each node in the order of `nodes`.

    Attributes
    ----------
    nodes : list
        The nodes: numbers in ascending order, others in the order of `graph`. States are arrays in
        this order.
    edges : list of tuple
        Pairs of nodes.
    neighbours : dict of node to set
        Neighbours of each node.
    coupling : ndarray of shape (n_edges,)
        Coupling of each edge.
    field : ndarray of shape (n_nodes,)
        Field on each node.

    Examples
    --------
    >>> import numpy as np
    >>> from shallows.graphical import MarkovRandomField, grid_graph
    >>> image = np.ones((20, 20))
    >>> image[:, 10:] = -1
    >>> wrong = np.random.default_rng(0).random(image.shape) < 0.1
    >>> field = MarkovRandomField(grid_graph(image.shape))
    >>> clean = field.denoise(np.where(wrong, -image, image), 0.1, random_state=0)
    >>> bool(np.mean(clean != image) < 0.02 < wrong.mean())
    True
    """

    def __init__(self, graph, coupling=1.0, field=0.0):
        self.neighbours = neighbours_of(graph)
        numbers = all(isinstance(node, int | np.integer) for node in self.neighbours)
        self.nodes = sorted(self.neighbours) if numbers else list(self.neighbours)
        place = {node: number for number, node in enumerate(self.nodes)}
        pairs = {
            tuple(sorted((place[node], place[other])))
            for node, others in self.neighbours.items()
            for other in others
        }
        self._pairs = np.array(sorted(pairs), dtype=np.intp).reshape(-1, 2)
        self.edges = [(self.nodes[a], self.nodes[b]) for a, b in self._pairs]
        self.coupling = _spread(coupling, len(self.edges), "coupling", "edges")
        self.field = _spread(field, len(self.nodes), "field", "nodes")
        # Neighbours of all nodes in one array, those of node i at _first[i]:_first[i + 1].
        ends = np.concatenate([self._pairs, self._pairs[:, ::-1]])
        order = np.argsort(ends[:, 0], kind="stable")
        counts = np.bincount(ends[:, 0], minlength=len(self.nodes))
        self._first = np.concatenate([[0], np.cumsum(counts)])
        self._other = ends[order, 1].copy()
        self._strength = np.tile(self.coupling, 2)[order]

    def energy(self, states) -> np.ndarray:
        """Return the energy of states.

        Parameters
        ----------
        states : array-like of shape (..., n_nodes)
            Values -1 and 1.

        Returns
        -------
        energies : ndarray of shape (...)
            Their energies.
        """
        states = self._checked(states, "states")
        bonds = states[..., self._pairs[:, 0]] * states[..., self._pairs[:, 1]]
        return -(bonds @ self.coupling + states @ self.field)

    def joint(self) -> tuple[np.ndarray, np.ndarray]:
        """Return all states and their probabilities, for up to 20 nodes.

        Returns
        -------
        states : ndarray of shape (2 ** n_nodes, n_nodes)
            Values -1 and 1.
        probabilities : ndarray of shape (2 ** n_nodes,)
            They sum to one.
        """
        n = len(self.nodes)
        if n > COUNTING_LIMIT:
            raise ValueError(
                f"MarkovRandomField: the states of up to {COUNTING_LIMIT} nodes can be enumerated, "
                f"got {n}. Use sample or mean."
            )
        bits = np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1) & 1
        states = 2.0 * bits - 1
        logs = -self.energy(states)
        return states, np.exp(logs - logsumexp(logs))

    def sample(
        self,
        n_samples: PositiveInt = 1,
        *,
        warm_up: NonNegativeInt = 200,
        thin: PositiveInt = 1,
        random_state=None,
    ) -> np.ndarray:
        """Draw states by Gibbs sampling: each variable in turn given its neighbours.

        Parameters
        ----------
        n_samples : int, default=1
            Number of states.
        warm_up : int, default=200
            Sweeps from a random state before the first kept one.
        thin : int, default=1
            Sweeps between kept states.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        states : ndarray of shape (n_samples, n_nodes)
            Values -1 and 1.
        """
        check_value("MarkovRandomField.sample", "n_samples", PositiveInt, n_samples)
        check_value("MarkovRandomField.sample", "warm_up", NonNegativeInt, warm_up)
        check_value("MarkovRandomField.sample", "thin", PositiveInt, thin)
        rng = as_generator(random_state)
        state = rng.choice([-1.0, 1.0], size=len(self.nodes))
        kept = np.empty((n_samples, len(self.nodes)))
        self._sweep(state, self.field, warm_up, rng)
        for row in kept:
            self._sweep(state, self.field, thin, rng)
            row[:] = state
        return kept

    def mean(
        self, n_sweeps: PositiveInt = 1000, *, warm_up: NonNegativeInt = 200, random_state=None
    ) -> np.ndarray:
        """Estimate the mean of each variable by Gibbs sampling.

        Parameters
        ----------
        n_sweeps : int, default=1000
            Sweeps to average over.
        warm_up : int, default=200
            Sweeps from a random state before averaging.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        mean : ndarray of shape (n_nodes,)
            Between -1 and 1.
        """
        check_value("MarkovRandomField.mean", "n_sweeps", PositiveInt, n_sweeps)
        check_value("MarkovRandomField.mean", "warm_up", NonNegativeInt, warm_up)
        rng = as_generator(random_state)
        state = rng.choice([-1.0, 1.0], size=len(self.nodes))
        self._sweep(state, self.field, warm_up, rng)
        return self._sweep(state, self.field, n_sweeps, rng) / n_sweeps

    def denoise(
        self,
        noisy,
        flipped: Fraction = 0.1,
        *,
        method: Literal["gibbs", "icm"] = "gibbs",
        n_sweeps: PositiveInt = 100,
        random_state=None,
    ) -> np.ndarray:
        """Restore values, some of which were flipped at random.

        The field is the prior; each noisy value adds half the log odds of being correct to the
        field on its variable.

        Parameters
        ----------
        noisy : array-like of n_nodes values
            Values -1 and 1 in any shape, such as an image on `grid_graph`.
        flipped : float, default=0.1
            Share of values that were flipped.
        method : {"gibbs", "icm"}, default="gibbs"
            "gibbs" returns the more frequent value of each variable over many sweeps. "icm" sets
            each variable to its more likely value given its neighbours, until none changes or for
            `n_sweeps`.
        n_sweeps : int, default=100
            Number of sweeps; "gibbs" makes half as many more first, which are not counted.
        random_state : int, RandomState, Generator or None, default=None
            Seeds the draws.

        Returns
        -------
        clean : ndarray
            Values -1 and 1 in the shape of `noisy`.
        """
        check_value("MarkovRandomField.denoise", "flipped", Fraction, flipped)
        check_value("MarkovRandomField.denoise", "method", Literal["gibbs", "icm"], method)
        check_value("MarkovRandomField.denoise", "n_sweeps", PositiveInt, n_sweeps)
        noisy = np.asarray(noisy, dtype=np.float64)
        state = self._checked(noisy.ravel(), "noisy").copy()
        pull = self.field + 0.5 * math.log((1 - flipped) / flipped) * state
        if method == "icm":
            settle(state, self._first, self._other, self._strength, pull, n_sweeps)
            return state.reshape(noisy.shape)
        rng = as_generator(random_state)
        self._sweep(state, pull, n_sweeps // 2, rng)
        total = self._sweep(state, pull, n_sweeps, rng)
        return np.where(total >= 0, 1.0, -1.0).reshape(noisy.shape)

    def _sweep(self, state, field, n_sweeps, rng) -> np.ndarray:
        """Resample all variables in turn, in place; return the sum of states over sweeps."""
        total = np.zeros(len(state))
        rows = max(1, DRAWS_AT_ONCE // max(len(state), 1))
        for start in range(0, n_sweeps, rows):
            uniforms = rng.random((min(rows, n_sweeps - start), len(state)))
            redraw(state, self._first, self._other, self._strength, field, uniforms, total)
        return total

    def _checked(self, states, name):
        states = np.asarray(states, dtype=np.float64)
        if states.shape[-1:] != (len(self.nodes),) or not (np.abs(states) == 1).all():
            raise ValueError(
                f"MarkovRandomField: {name} must be {len(self.nodes)} values -1 or 1, got shape "
                f"{states.shape}."
            )
        return states


def grid_graph(shape, *, periodic: bool = False) -> list[tuple[int, int]]:
    """Return the edges between neighbours on a grid, with nodes numbered row by row.

    Parameters
    ----------
    shape : sequence of int
        Length of each side.
    periodic : bool, default=False
        Whether the last and the first node along a side are neighbours.

    Returns
    -------
    edges : list of tuple of int
        Pairs of nodes.

    Examples
    --------
    >>> from shallows.graphical import grid_graph
    >>> grid_graph((2, 2))
    [(0, 2), (1, 3), (0, 1), (2, 3)]
    """
    numbers = np.arange(math.prod(shape)).reshape(tuple(shape))
    edges = []
    for axis, side in enumerate(numbers.shape):
        along = np.moveaxis(numbers, axis, 0)
        ends = np.roll(along, -1, axis=0) if periodic and side > 2 else along[1:]
        edges += list(zip(along[: len(ends)].ravel().tolist(), ends.ravel().tolist(), strict=True))
    return edges


def _spread(values, size, name, what):
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in ((), (size,)) or not np.isfinite(array).all():
        raise ValueError(
            f"MarkovRandomField: {name} must be one finite number, or one for each of the {size} "
            f"{what}, got shape {array.shape}."
        )
    return np.broadcast_to(array, (size,)).copy()


@compiled
def redraw(state, first, other, strength, field, uniforms, total):
    """Run one Gibbs sweep per row of `uniforms`; changes `state`, adds it to `total`."""
    for sweep in range(uniforms.shape[0]):
        for i in range(len(state)):
            pull = field[i]
            for k in range(first[i], first[i + 1]):
                pull += strength[k] * state[other[k]]
            # P(s = +1) = 1 / (1 + exp(-2 pull)).
            state[i] = 1.0 if uniforms[sweep, i] * (1.0 + np.exp(-2.0 * pull)) < 1.0 else -1.0
            total[i] += state[i]


@compiled
def settle(state, first, other, strength, field, max_sweeps):
    """Set each variable to its more likely value until none changes, in place."""
    for _ in range(max_sweeps):
        changed = False
        for i in range(len(state)):
            pull = field[i]
            for k in range(first[i], first[i + 1]):
                pull += strength[k] * state[other[k]]
            if pull * state[i] < 0:
                state[i] = -state[i]
                changed = True
        if not changed:
            return
