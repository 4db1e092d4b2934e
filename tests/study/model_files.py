"""Model files made by hand: what a stranger could write."""

import hashlib
import json

import numpy as np

from shallows.study._model_file import FORMAT, VERSION


def header(text, block=b"", /, **changes):
    """Return a first line that fits what follows it, but for the changes."""
    said = {
        "format": FORMAT,
        "version": VERSION,
        "text": len(text),
        "bytes": len(block),
        "sha256": hashlib.sha256(text + block).hexdigest(),
    }
    return json.dumps({**said, **changes}).encode() + b"\n"


def whole(nodes, block=b"", /, **changes):
    """Return a file whose lengths and digest are right, whatever its nodes say."""
    text = b"".join(json.dumps(node).encode() + b"\n" for node in nodes)
    return header(text, block, **changes) + text + block


def content(*nodes, block=b"", **parts):
    """Return a file with the parts of a saved model; the last of the nodes is the model."""
    place = len(nodes) - 1
    nodes = [*nodes, ["list"], ["dict"], ["array", "<f8", [0, 0], "C"]]
    found = dict.fromkeys(("name", "summary", "target"), "t")
    found |= {"model": [place], "columns": [place + 1], "classes": [place + 1]}
    found |= {"missing": [place + 1], "versions": [place + 2], "background": [place + 3]}
    pairs = [item for pair in {**found, **parts}.items() for item in pair]
    return whole([*nodes, ["dict", *pairs]], block)


def taken_apart(data):
    """Return the nodes and the bytes of a file."""
    first, _, rest = data.partition(b"\n")
    length = json.loads(first)["text"]
    nodes = [json.loads(line) for line in rest[:length].splitlines()]
    return nodes, rest[length:]


def mutated(data, rng):
    """Return a file of which a few parts are changed, with lengths and digest that fit."""
    nodes, block = taken_apart(data)
    for _ in range(rng.integers(1, 4)):
        node = nodes[rng.integers(len(nodes))]
        place = rng.integers(len(node))
        strange = (None, True, -1, 2**70, 1e308, "", "os.system", [0], [len(nodes) - 1], [-1], {})
        node[place] = strange[rng.integers(len(strange))]
    if rng.random() < 0.3:
        del nodes[rng.integers(len(nodes))]
    numbers = np.frombuffer(block, np.uint8).copy()
    if len(numbers) and rng.random() < 0.5:
        numbers[rng.integers(len(numbers), size=8)] = rng.integers(256, size=8)
    return whole(nodes, numbers.tobytes())
