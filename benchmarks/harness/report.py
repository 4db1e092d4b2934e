"""Show the results: a table, a JSON file and a chart."""

from __future__ import annotations

import datetime
import json
import os
import platform
from importlib.metadata import version

from rich.table import Table
from rich.text import Text

COLUMNS = "method, size, peer, seconds, ratio, first call, quality, peak MB, others"
CAPTION = """\
ours / peer. Seconds: best of several warm calls in turns; first call: in a fresh process.
Ratio: the peer's seconds / ours. Peak: rise of the resident memory in one warm call.
Others: share of all cores that other programs used while the time was taken."""

DISTURBED = 0.1


def machine_facts():
    """What a reader needs to judge the numbers."""
    packages = ["shallows", "numpy", "scipy", "scikit-learn", "numba"]
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in packages},
    }


def table(title, results):
    """One row per case, size and peer. Red: ours is slower, or worse beyond the tolerance."""
    shown = Table(title=title, caption=CAPTION, caption_justify="left", show_lines=True)
    for column in COLUMNS.split(", "):
        shown.add_column(column, overflow="fold")
    for result in results:
        if result["error"]:
            shown.add_row(result["case"], size_text(result["size"]), "", result["error"])
        for verdict in result.get("comparisons", []):
            shown.add_row(*row(result, verdict))
    return shown


def row(result, verdict):
    """Return the cells of one comparison."""
    sides = [result["sides"]["ours"], result["sides"][verdict["peer"]]]
    ratio = "" if verdict["ratio"] is None else f"{verdict['ratio']:.2f}"
    if verdict["slower"]:
        ratio += " slower"
    quality = Text()
    for measure in result["quality"]:
        worse = measure["name"] in verdict["worse"]
        values = pair(sides, lambda side, name=measure["name"]: number(side["quality"][name]))
        line = f"{measure['name']} {values}" + (" worse" if worse else "")
        quality.append(
            line + f" ({measure['better']} is better, within {measure['within']:.2g})\n",
            "red" if worse else "",
        )
    quality.rstrip()
    return [
        result["case"],
        size_text(result["size"]),
        verdict["peer"],
        pair(sides, lambda side: f"{min(side['seconds']):.4g}", explain=True),
        Text(ratio, "red" if verdict["slower"] else "green"),
        pair(sides, lambda side: f"{side['first_call']:.3g}"),
        quality,
        pair(sides, memory),
        Text(f"{result['others']:.0%}", "red" if result["others"] > DISTURBED else ""),
    ]


def pair(sides, cell, explain=False):
    """Return ours / peer; a side without numbers gives its reason once, elsewhere a dash."""
    texts = [side.get("error") if explain else "-" for side in sides]
    return " / ".join(
        text if "error" in s else cell(s) for s, text in zip(sides, texts, strict=True)
    )


def memory(side):
    if "memory_error" in side:
        return side["memory_error"]
    return f"{side['peak_bytes'] / 1e6:.1f}"


def number(value):
    return "not finite" if value is None else f"{value:.6g}"


def size_text(size):
    return " ".join(f"{k}={v:,}" if isinstance(v, int) else f"{k}={v}" for k, v in size.items())


def chart(title, results):
    """Draw the ratios on a logarithmic axis with a line at 1, or return None without any."""
    rows = [
        {
            "comparison": f"{r['case']} {size_text(r['size'])} | {verdict['peer']}",
            "ratio": verdict["ratio"],
            "ours": "slower" if verdict["slower"] else "worse" if verdict["worse"] else "faster",
        }
        for r in results
        for verdict in r.get("comparisons", [])
        if verdict["ratio"] is not None
    ]
    if not rows:
        return None
    import altair as alt

    colours = alt.Scale(
        domain=["faster", "worse", "slower"], range=["#3a7d44", "#e0a030", "#c0392b"]
    )
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=alt.Y("comparison:N", sort=None, title=None, axis=alt.Axis(labelLimit=600)),
        x=alt.X("ratio:Q", scale=alt.Scale(type="log"), title="peer's seconds / our seconds"),
    )
    points = base.mark_circle(size=90).encode(color=alt.Color("ours:N", scale=colours))
    labels = base.mark_text(dx=22).encode(text=alt.Text("ratio:Q", format=".2f"))
    one = (
        alt.Chart(alt.Data(values=[{"ratio": 1}])).mark_rule(strokeDash=[4, 4]).encode(x="ratio:Q")
    )
    return (one + points + labels).properties(title=title, width=500)


def write(folder, stem, document):
    """Write JSON and chart aside, then rename; return the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{stem}.json"]
    replace(files[0], lambda aside: aside.write_text(json.dumps(document, indent=1) + "\n"))
    drawn = chart(f"Benchmarks: {stem}", document["results"])
    for suffix, options in {"png": {"scale_factor": 2}, "html": {"inline": True}}.items():
        file = folder / f"{stem}.{suffix}"
        file.unlink(missing_ok=True)
        if drawn is not None:
            replace(file, lambda aside, o=options, s=suffix: drawn.save(aside, format=s, **o))
            files.append(file)
    return files


def replace(file, write_to):
    aside = file.with_name(f".{os.getpid()}-{file.name}")
    try:
        write_to(aside)
        aside.replace(file)
    finally:
        aside.unlink(missing_ok=True)
