"""Runs a script with scikit-learn's classes on our kernels: python -m shallows.accelerate."""

import argparse
import runpy
import sys
from pathlib import Path

from shallows.accelerate import patch, report


def main(arguments=None):
    """Run a script, or with -m a module, with its own arguments."""
    parser = argparse.ArgumentParser("python -m shallows.accelerate", description=__doc__)
    parser.add_argument("--report", action="store_true", help="say at the end what ran where")
    parser.add_argument("-m", dest="module", action="store_true", help="SCRIPT is a module's name")
    parser.add_argument("script", help="the script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)

    patch()
    sys.argv = [options.script, *options.arguments]
    try:
        if options.module:
            sys.path.insert(0, "")
            runpy.run_module(options.script, run_name="__main__", alter_sys=True)
        else:
            sys.path.insert(0, str(Path(options.script).resolve().parent))
            runpy.run_path(options.script, run_name="__main__")
    finally:
        if options.report:
            print(report(), file=sys.stderr)  # noqa: T201  the user asked for it


if __name__ == "__main__":
    main()
