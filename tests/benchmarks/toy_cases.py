"""Cases that finish in a blink or fail in every way a case can."""

import os
import signal
import sys
import time
from pathlib import Path

from benchmarks.harness import Comparison, Quality, Run, RunApart, case


def compare(ours, *peers, value=lambda result: result):
    return Comparison(
        ours=Run("builtins.bytes", ours),
        peers=[Run("builtins.bytes", peer, name=f"peer {i}") for i, peer in enumerate(peers)],
        quality=[Quality("value", value, better="larger", within=0.01)],
    )


def sleep(seconds, result=1.0):
    time.sleep(seconds)
    return result


@case("sleepers", sizes=[{"ours": 0.0, "peer": 0.02}])
def sleepers(ours, peer):
    return compare(lambda _: sleep(ours, 1.0), lambda _: sleep(peer, 2.0))


@case("eater", sizes=[{"megabytes": 60}])
def eater(megabytes):
    scratch = bytearray(200 * 10**6)  # what was freed before the call must not hide its peak
    del scratch
    return compare(
        lambda bytes_: len(b"x" * (megabytes * 10**6)),
        lambda _: float(sys.stdout.write("talk")),
    )


@case("missing", sizes=[{}])
def missing():
    comparison = compare(lambda _: 1.0, lambda _: 1.0)
    comparison.peers.append(Run("no_such_package.Model", lambda Model: Model()))
    comparison.peers.append(Run("json.NoSuchModel", lambda Model: Model()))
    return comparison


@case("failures", sizes=[{}])
def failures():
    return compare(
        lambda _: 1.0,
        lambda _: 1 / 0,
        lambda _: os.kill(os.getpid(), signal.SIGSEGV),
        lambda _: time.sleep(60),
        lambda _: os._exit(3),
    )


@case("no data", sizes=[{}])
def no_data():
    sys.exit(4)


@case("same name", sizes=[{}])
def same_name():
    return Comparison(
        Run("json.dumps", None), [Run("math.pi", None), Run("math.e", None)], quality=[]
    )


@case("threads", sizes=[{}])
def threads():
    counts = [
        int(os.environ[f"{name}_NUM_THREADS"]) for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")
    ]
    counts.append(len(os.sched_getaffinity(0)))
    return compare(lambda _: min(counts), lambda _: max(counts))


@case("apart", sizes=[{}])
def apart():
    peer = Path(__file__).with_name("toy_peer.py")
    comparison = compare(lambda _: 12.0, value=lambda result: getattr(result, "total", result))
    comparison.peers.append(RunApart(peer, [], name="apart", X=[[1, 2], [3, 4]], factor=1.5))
    return comparison


@case("not finite", sizes=[{}])
def not_finite():
    return compare(lambda _: float("nan"), lambda _: 1.0)
