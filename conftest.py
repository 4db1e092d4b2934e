"""Settings for every test and doctest."""

import hashlib
import os
import shutil
from pathlib import Path

from hypothesis import settings

ROOT = Path(__file__).parent
CACHE = ROOT / ".cache" / "numba"


def _source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


# numba notices a change in a kernel's own file only. A cache folder named after all sources
# can't hold a stale kernel. It must be set before numba is imported, hence at import here.
os.environ["NUMBA_CACHE_DIR"] = str(CACHE / _source_hash())


# What must pass before a change lands is the same for every change; at home examples are random.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("home", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "home")


def pytest_configure(config):
    """Forget the kernels of older sources."""
    if hasattr(config, "workerinput") or not CACHE.exists():
        return
    for folder in CACHE.iterdir():
        if folder.name != _source_hash():
            shutil.rmtree(folder, ignore_errors=True)
