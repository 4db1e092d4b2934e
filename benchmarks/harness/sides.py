"""The two ways to run one side of a comparison: in this process, or in another environment."""

from __future__ import annotations

import hashlib
import importlib
import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.harness import worker

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "benchmarks" / "peers"
ENVIRONMENTS = ROOT / "build" / "bench" / "envs"


class NotThere(ImportError):
    """What should be measured cannot be imported or installed."""


class Run:
    """A call in the measuring process.

    `target` is the dotted name of a class or function. It is imported only when the case
    runs, outside the clock, and handed to `work`, which returns the result. The name shown
    is that of its package, unless another is given.
    """

    def __init__(self, target: str, work: Callable[[Any], Any], name: str | None = None):
        self.target = target
        self.work = work
        self.name = name or target.partition(".")[0]
        self.result: Any = None

    def start(self) -> None:
        """Import the target."""
        module, _, attribute = self.target.rpartition(".")
        try:
            self._object = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            raise NotThere(f"{self.target} ({error})") from error

    def stop(self) -> None:
        """Nothing is left to end."""

    def version(self) -> str:
        """Return the version of the target's package."""
        package = sys.modules[self.target.partition(".")[0]]
        return str(getattr(package, "__version__", "unknown"))

    def seconds(self) -> float:
        """Run once and keep the result."""
        self.result = None
        took, self.result = worker.seconds(lambda: self.work(self._object))
        return took

    def peak(self) -> int:
        """Return the bytes a run needs at its peak."""
        return worker.peak(lambda: self.work(self._object))


class RunApart:
    """A call in a process of its own, in an environment that holds `requires`.

    For peers whose pins clash with ours. `peer` names a file in `benchmarks/peers` with two
    functions: `fit(**data)` is measured; `result(model)` returns a dict of arrays, which the
    quality measures see as attributes. Without `requires` the environment is the present one.
    """

    def __init__(self, peer: str | Path, requires: list[str], name: str, **data: Any):
        self.peer = (PEERS / peer).with_suffix(".py")
        self.requires = requires
        self.name = name
        self.data = data

    def start(self) -> None:
        """Install the environment if need be, and import the peer there."""
        import numpy as np

        self._folder = tempfile.TemporaryDirectory()
        data = f"{self._folder.name}/data.npz"
        np.savez(data, **self.data)
        command = [environment(self.requires), worker.__file__, str(self.peer), data]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, text=True, bufsize=1, **pipes)
        self._ask("load")

    def stop(self) -> None:
        """End the other process; waiting for it adds its processor time to ours."""
        self._process.kill()
        self._process.wait()

    def version(self) -> str:
        """Return what the environment was made of."""
        return ", ".join(self.requires)

    def seconds(self) -> float:
        """Run once; the other process keeps the result."""
        return self._ask("seconds")

    def peak(self) -> int:
        """Return the bytes a run needs at its peak."""
        return self._ask("peak")

    @property
    def result(self) -> SimpleNamespace:
        """The arrays that the peer's `result` returned."""
        import numpy as np

        file = f"{self._folder.name}/result.npz"
        self._ask(f"save {file}")
        with np.load(file) as arrays:
            return SimpleNamespace(**arrays)

    def _ask(self, request: str) -> Any:
        self._process.stdin.write(request + "\n")
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the process ended with exit code {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["value"]


def environment(requires: list[str]) -> str:
    """Return the Python of an environment with these packages, made on first use."""
    if not requires:
        return sys.executable
    key = repr((sorted(requires), sys.version_info[:2]))
    folder = ENVIRONMENTS / hashlib.sha256(key.encode()).hexdigest()[:12]
    python, stamp = folder / "bin" / "python", folder / "installed.txt"
    if not stamp.exists():
        venv.create(folder, clear=True, with_pip=False)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
        done = subprocess.run([*pip, *requires], capture_output=True, text=True)
        if done.returncode:
            reasons = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            raise NotThere("pip: " + " ".join(reasons or [done.stderr]))
        stamp.write_text("\n".join(requires) + "\n")
    return str(python)
