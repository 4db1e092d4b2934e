"""Settings for every test and doctest."""

import os
from pathlib import Path

from hypothesis import settings

# Tests keep their kernels to themselves. It must be set before numba is imported, hence here.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent / ".cache" / "kernels"))

# What must pass before a change lands is the same for every change; at home examples are random.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("home", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "home")
