"""The page of the documentation that shows what was measured."""

from __future__ import annotations

import re

from benchmarks.harness.report import DISTURBED, memory, number, size_text

COLUMNS = "method", "size", "peer", "seconds", "times as fast", "quality", "peak MB"
INTRODUCTION = """\
# Benchmarks

Every method beside the package that one would otherwise pick: the same data, the same stopping
rule, the same threads, and quality beside time. `make bench` measures again, and
`python benchmarks/run.py --publish` writes this page; `benchmarks/README.md` says how, and each
case in `benchmarks/` what it does.

Cells show ours / peer. Seconds are the best of several warm calls in turns, the peak is the rise
of the memory in one of them. **Bold** means slower, or worse by more than the case allows. A star
marks times during which other programs used more than a tenth of the machine. Cases that are not
here have no run on record.
"""


def latest(documents):
    """Return one document per family, in which each case comes from the newest run of it."""
    families = {}
    for document in sorted(documents, key=lambda document: document["date"]):
        before = families.get(document["family"], {"results": [], "since": document["date"]})
        measured = {result["case"] for result in document["results"]}
        kept = [result for result in before["results"] if result["case"] not in measured]
        results = sorted(kept + document["results"], key=lambda result: result["case"].lower())
        families[document["family"]] = {**document, "since": before["since"], "results": results}
    return [families[name] for name in sorted(families)]


def page(documents, before=""):
    """Return the Markdown of families' results, each a document that `run.py` wrote.

    Cases that these don't measure keep their lines of the page from before.
    """
    families = _read(before)
    for document in documents:
        name = document["family"].capitalize()
        since, _, lines = families.get(name, (document["since"][:10], "", {}))
        families[name] = since, facts(document, since), lines | lines_by_case(document["results"])
    lines = [line for *_, cases in families.values() for case in cases.values() for line in case]
    parts = [INTRODUCTION, summary(lines)]
    for name in sorted(families):
        _, about, cases = families[name]
        parts.append(f"## {name}\n\n{about}\n\n{HEAD}")
        parts += [line for case in sorted(cases, key=str.lower) for line in cases[case]]
        parts.append("")
    return "\n".join(parts)


def summary(lines):
    """Count how the comparisons came out."""
    rows = [_split(line) for line in lines]
    ratios = sorted(float(row[4].strip("*").replace(",", "")) for row in rows if row[4])
    slower, worse = (sum("**" in row[k] for row in rows) for k in (4, 5))
    return (
        f"{len(ratios)} comparisons; ours is {ratios[len(ratios) // 2]:.1f} times as fast in the "
        f"median, slower in {slower}, and worse in {worse}.\n"
    )


def facts(document, since):
    packages = ", ".join(f"{name} {number}" for name, number in document["versions"].items())
    dates = " to ".join(sorted({since, document["date"][:10]}))
    return (
        f"{dates}, {document['settings']['threads']} threads of {document['cores']} cores "
        f"({document['processor']}), Python {document['python']}, {packages}."
    )


def lines_by_case(results):
    """Return one line per size and peer, for each case."""
    lines = {}
    for result in results:
        found = lines.setdefault(result["case"], [])
        if result["error"]:
            found.append(_line([result["case"], size_text(result["size"]), "", result["error"]]))
        found += [_line(_cells(result, verdict)) for verdict in result.get("comparisons", [])]
    return lines


def _read(text):
    """Return the first day, the facts and the lines by case of each family on a page."""
    families = {}
    for part in text.split("\n## ")[1:]:
        name, _, about, _, _, _, *lines = part.splitlines()
        cases = {}
        for line in filter(None, lines):
            cases.setdefault(_split(line)[0], []).append(line)
        families[name] = about[:10], about, cases
    return families


def _split(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def _cells(result, verdict):
    ours, peer = result["sides"]["ours"], result["sides"][verdict["peer"]]
    start = [result["case"], size_text(result["size"]), _named(verdict["peer"], peer)]
    failed = [side["error"] for side in (ours, peer) if "error" in side]
    if failed:
        return [*start, "; ".join(failed)]
    star = "\\*" if result["others"] > DISTURBED else ""
    seconds = " / ".join(f"{min(side['seconds']):.3g}" for side in (ours, peer))
    return [
        *start,
        seconds + star,
        _marked(_rounded(verdict["ratio"]), verdict["slower"]),
        "; ".join(_quality(measure["name"], ours, peer, verdict) for measure in result["quality"]),
        f"{memory(ours)} / {memory(peer)}",
    ]


def _quality(name, ours, peer, verdict):
    values = " / ".join(number(side["quality"][name]) for side in (ours, peer))
    return _marked(f"{name} {values}", name in verdict["worse"])


def _named(name, side):
    return f"{name} ({side['version']})" if side.get("version") else name


def _rounded(ratio):
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def _marked(text, bad):
    return f"**{text}**" if bad else text


def _line(cells):
    """Return a row of a table, filled up with empty cells."""
    filled = [*cells, *[""] * (len(COLUMNS) - len(cells))]
    escaped = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in filled)
    return f"| {' | '.join(escaped)} |"


HEAD = "\n".join([_line(COLUMNS), _line(["---"] * len(COLUMNS))])
