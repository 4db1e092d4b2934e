"""`shallows warm`: what it compiles is found by later processes, and `--check` knows."""

import os

import pytest

from shallows._core.numerics import kernel_cache
from shallows.cli import main


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernel_cache.cache_root.cache_clear()
    yield tmp_path
    kernel_cache.cache_root.cache_clear()


@pytest.mark.slow
@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled, so nothing is kept"
)
def test_a_second_run_adds_no_file_and_a_lost_one_is_noticed(cache, capsys):
    assert main(["warm", "--check", "neuron"]) == 1
    assert main(["warm", "neuron"]) == 0
    kernels = set(cache.glob("*/*.nbc"))
    assert kernels
    assert main(["warm", "--check", "neuron"]) == 0
    assert main(["warm", "neuron", "--jobs", "1"]) == 0
    assert set(cache.glob("*/*.nbc")) == kernels
    kernels.pop().unlink()
    capsys.readouterr()
    assert main(["warm", "--check", "neuron"]) == 1
    assert "cold: neuron" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nuron"], "there is no family 'nuron'; did you mean neuron?"),
        (["--jobs", "0"], "--jobs must be at least 1, got 0."),
    ],
)
def test_nonsense_gets_a_sentence(words, sentence, capsys):
    assert main(["warm", *words]) == 2
    assert sentence in capsys.readouterr().err
