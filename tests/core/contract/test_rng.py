"""Seeds of every accepted kind."""

import numpy as np

from shallows._core.contract.rng import as_generator


def draw(random_state):
    return as_generator(random_state).integers(10**9, size=4).tolist()


def test_equal_seeds_give_equal_streams():
    assert draw(7) == draw(7) != draw(8)
    assert draw(np.random.RandomState(7)) == draw(np.random.RandomState(7))
    assert draw(np.random.default_rng(7)) == draw(7)
    assert draw(None) != draw(None)


def test_a_given_source_advances():
    for source in (np.random.default_rng(1), np.random.RandomState(1)):
        assert draw(source) != draw(source)


def test_spawned_streams_do_not_depend_on_how_many_are_taken():
    few = [rng.random() for rng in as_generator(0).spawn(2)]
    many = [rng.random() for rng in as_generator(0).spawn(8)]
    assert few == many[:2] and len(set(many)) == 8
