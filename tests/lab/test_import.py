import subprocess
import sys

import pytest

from shallows import lab


def test_importing_the_lab_loads_nothing_heavy():
    code = "import sys, shallows.lab; print(sorted({'numpy', 'rich', 'jinja2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there():
    assert all(getattr(lab, name) is not None for name in lab.__all__)
    assert set(lab.__all__) == set(lab._HOMES)
    assert dir(lab) == lab.__all__
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        lab.nothing  # noqa: B018
