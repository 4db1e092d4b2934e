"""Run the cases and count the failures: `make fuzz`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from fnmatch import fnmatch

from fuzz.cases import Outcome, all_cases, run
from fuzz.workers import run_all

COUNTED = {
    "crash": "crashes of the process",
    "slow": "runs over ten seconds",
    "deep": "exceptions from deep inside",
    "non-finite": "non-finite answers without a warning",
}
REPEAT = "python -m fuzz --case"


def main(arguments: list[str] | None = None) -> int:
    """Run, report, and return 1 where a count is not zero."""
    options = parsed(arguments)
    if options.case:
        say(run(options.case))
        return 0
    cases = [case for case in all_cases(options.seed, options.part) if wanted(case, options.only)]
    started = time.monotonic()
    failures: list[tuple[str, Outcome]] = []
    n_run = 0
    for case, outcome in run_all(run, cases, options.jobs, options.seconds):
        n_run += 1
        if outcome.verdict in COUNTED:
            failures.append((case, outcome))
    report(failures, n_run, len(cases), time.monotonic() - started, options.seed)
    return 1 if failures else 0


def say(line: object) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def parsed(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("--case", help="run one case here and show its outcome")
    parser.add_argument("--only", nargs="*", help="patterns of cases, such as 'KMeans/*'")
    parser.add_argument("--seed", type=int, default=0, help="order, and which part")
    parser.add_argument("--part", type=float, default=1.0, help="part of all cases, up to 1")
    parser.add_argument("--seconds", type=float, default=1200.0, help="no case begins later")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    return parser.parse_args(arguments)


def wanted(case: str, patterns: list[str] | None) -> bool:
    """Tell whether a case fits one of the patterns."""
    return not patterns or any(fnmatch(case, pattern) for pattern in patterns)


def report(
    failures: list[tuple[str, Outcome]], n_run: int, n_cases: int, seconds: float, seed: int
) -> None:
    """Print the counts, and one line for each distinct failure."""
    say(f"{n_run} of {n_cases} cases in {seconds:.0f} s, seed {seed}")
    for verdict, words in COUNTED.items():
        say(f"{sum(found.verdict == verdict for _, found in failures):6d} {words}")
    distinct: dict[tuple[str, ...], list[tuple[str, Outcome]]] = {}
    for case, found in failures:
        owner = "" if found.where else case.split("/")[0]
        key = found.verdict, owner, found.where, found.said.split(":")[0]
        distinct.setdefault(key, []).append((case, found))
    for same in sorted(distinct.values(), key=lambda same: (same[0][1].where, same[0][0])):
        case, found = same[0]
        say(f"{found.verdict} x{len(same)} {found.where} {found.said} [{REPEAT} {case}]")


if __name__ == "__main__":
    sys.exit(main())
