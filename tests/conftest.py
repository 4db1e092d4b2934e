"""What every test gets."""

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _same_numbers_in_any_order(request):
    """Rewind the module's generator, so that a test draws the same alone and after others."""
    generator = getattr(request.module, "RNG", None)
    if generator is not None:
        generator.bit_generator.state = np.random.default_rng(0).bit_generator.state
