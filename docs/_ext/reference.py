"""The reference, written from the registry: a page per method, grouped by family."""

import inspect
import re
from importlib import import_module
from pathlib import Path

from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from shallows import FAMILIES, WORKBENCHES
from shallows._core.contract.params import describe, hints_of
from shallows._core.contract.registry import entries
from shallows._core.contract.sklearn_parameters import OTHER_DEFAULTS, PARAMETERS

log = logging.getLogger(__name__)
DOCS = Path(__file__).parents[1]
MOST_NAMES = 10
REQUEST = re.compile(r"set_\w+_request$")  # scikit-learn's metadata routing, the same everywhere


def setup(app):
    app.connect("builder-inited", _write_reference)
    app.connect(
        "autodoc-skip-member", lambda app, what, name, *_: bool(REQUEST.match(name)) or None
    )
    # Before numpydoc, which takes the docstring apart at priority 500.
    app.connect("autodoc-process-docstring", _state_what_is_allowed, priority=300)
    app.connect("autodoc-process-docstring", _keep_from_being_links, priority=400)
    app.add_directive("families", Families)
    app.add_directive("methods", Methods)
    app.add_directive("sklearn-parameters", SklearnParameters)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Families(SphinxDirective):
    """A table of all families and what each one has."""

    def run(self):
        rows = ["| family | about | has |", "| --- | --- | --- |"]
        for family in FAMILIES:
            has = ", ".join(map(_link, entries(family)))
            if len(entries(family)) > MOST_NAMES:
                has = f"[{len(entries(family))} things](/reference/generated/{family}/index.md)"
            rows.append(f"| [{family}](/families/{family}.md) | {_about(family)[0]} | {has} |")
        return _parse_markdown(self, "\n".join(rows))


class Methods(SphinxDirective):
    """A table of what one family has."""

    required_arguments = 1

    def run(self):
        return _parse_markdown(self, _table(self.arguments[0]))


class SklearnParameters(SphinxDirective):
    """A table of the classes that bear a scikit-learn name, and of parameters without effect."""

    def run(self):
        classes = {entry.name: entry for entry in entries()}
        title = "| class | bounds resources or reports | has no effect here |"
        rows = [title, "| --- | --- | --- |"]
        for name, known in PARAMETERS.items():
            columns = [", ".join(f"`{part}`" for part in parts) or "-" for parts in known]
            rows.append(f"| {_link(classes[name])} | {' | '.join(columns)} |")
        others = [
            f"`{owner}({name})` has a default of its own: {why}."
            for (owner, name), why in OTHER_DEFAULTS.items()
        ]
        return _parse_markdown(self, "\n".join([*rows, "", *others]))


def write_folder(folder, pages):
    """Make a folder hold exactly these pages; those that have not changed stay untouched."""
    wanted = {folder / name: text for name, text in pages.items()}
    for path in folder.rglob("*.*"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def _write_reference(app):
    pages = {}
    for family in FAMILIES:
        if not (DOCS / "families" / f"{family}.md").exists():
            log.warning("The family %s has no page; write docs/families/%s.md.", family, family)
        pages[f"{family}/index.md"] = _overview(family)
        for entry in entries(family):
            pages[f"{family}/{_stem(entry)}.rst"] = _page(entry)
    for name in WORKBENCHES:
        pages[f"{name}/index.rst"] = _workbench(name)
    write_folder(DOCS / "reference" / "generated", pages)


def _overview(family):
    names = "\n".join(map(_stem, entries(family)))
    toctree = f"```{{toctree}}\n:hidden:\n\n{names}\n```"
    return "\n\n".join([f"# shallows.{family}", *_about(family), _table(family), toctree]) + "\n"


def _stem(entry):
    """Return the name of the page, with the kind for twins such as `Risk` and `risk`.

    Some file systems can't tell these apart.
    """
    twins = [other for other in entries(entry.family) if other.name.lower() == entry.name.lower()]
    return entry.name if len(twins) == 1 else f"{entry.name}-{_kind(entry.load())}"


def _page(entry):
    title = _title(entry.name)
    if entry.kind == "simulator":
        return title + _autodoc("module", entry.module)
    page = title + _autodoc(_kind(entry.load()), f"shallows.{entry.family}.{entry.name}")
    if entry.kind == "function":
        return page
    inherited = ", ".join(f"``{name}``" for name in _inherited(entry.load()))
    return f"{page}From scikit-learn: {inherited}.\n"


def _workbench(name):
    """Return one page for everything that a workbench offers."""
    module = import_module(f"shallows.{name}")
    page = _title(f"shallows.{name}") + "\n\n".join(_about(name)) + "\n\n"
    for member in sorted(getattr(module, "__all__", ()), key=str.lower):
        if callable(thing := getattr(module, member)):
            page += _autodoc(_kind(thing), f"shallows.{name}.{member}")
    return page


def _title(text):
    return f"{text}\n{'=' * len(text)}\n\n"


def _kind(thing):
    return "class" if inspect.isclass(thing) else "function"


def _autodoc(kind, path):
    members = "" if kind == "function" else "   :members:\n"
    return f".. auto{kind}:: {path}\n{members}\n"


def _inherited(estimator):
    """Return the public methods that an estimator has but does not define."""
    names = set(dir(estimator)) - vars(estimator).keys()
    return sorted(name for name in names if name[0] != "_" and not REQUEST.match(name))


def _about(module):
    """Return the paragraphs of the module's docstring."""
    return inspect.getdoc(import_module(f"shallows.{module}")).split("\n\n")


def _table(family):
    rows = [f"| {_link(entry)} | {_as_cell(entry.summary)} |" for entry in entries(family)]
    return "\n".join(["| name | what it does |", "| --- | --- |", *rows])


def _as_cell(summary):
    """Turn a line of reStructuredText into a cell of a Markdown table."""
    return re.sub(r":math:`([^`]*)`", r"$\1$", summary).replace("|", "\\|")


def _link(entry):
    return f"[`{entry.name}`](/reference/generated/{entry.family}/{_stem(entry)}.rst)"


def _parse_markdown(directive, text):
    directive.env.note_reread()  # the registry may change while the page does not
    return directive.parse_text_to_nodes(text)


def _skip(app, what, name, member, *_):
    """Leave out metadata routing and the fields of a named tuple, which its docstring explains."""
    field = (getattr(member, "__doc__", None) or "").startswith("Alias for field number")
    return True if field or REQUEST.match(name) else None


def _state_what_is_allowed(app, what, name, thing, options, lines):
    """Give each parameter the range or the choices that its hint states, and its default."""
    if what not in ("class", "function") or name.split(".")[1] not in FAMILIES:
        return
    function = thing.__init__ if what == "class" else thing
    hints, parameters = hints_of(function), inspect.signature(function).parameters
    for index, line in enumerate(lines):
        found = re.match(r"(\w+) : ", line)
        if not found or found[1] not in hints or "array" in line:
            continue
        allowed, default = describe(hints[found[1]]), parameters[found[1]].default
        if re.search(r"in [\[(]|one of", allowed):
            ending = "" if default is inspect.Parameter.empty else f", default={default!r}"
            lines[index] = f"{found[1]} : {allowed}{ending}"


def _keep_from_being_links(app, what, name, thing, options, lines):
    """Take what reads like a link for what it is: `n_features_in_` in a shape, a class's [1]."""
    for index, line in enumerate(lines):
        if re.match(r"\w+ : ", line):
            lines[index] = re.sub(r"(?<=\w)_(?!\w)", r"\\_", line)
    if what == "method" and "References" not in lines:
        lines[:] = [re.sub(r"(\[\d+\])_", r"\1", line) for line in lines]
