"""Model files: what is saved comes back, and nothing that a stranger writes runs."""

import io
import json
import pickle
import subprocess
import sys
import tracemalloc
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import FunctionTransformer
from threadpoolctl import threadpool_limits

from instances import INSTANCES
from shallows._core.contract.registry import estimators
from shallows.cli import main
from shallows.kernel import KernelRidge
from shallows.linear import Ridge
from shallows.network import Adam, MLPClassifier
from shallows.prototype import KNeighborsClassifier
from shallows.study import StudyError, load_model
from shallows.study._balanced import Balanced
from shallows.study._blend import Blend
from shallows.study._candidates import classifiers, design_of, regressors
from shallows.study._facts import read_data
from shallows.study._model_file import SavedModel, read_content, save_model, write_content
from shallows.study._model_nodes import UnfitError
from shallows.study._prepare import LogTarget
from shallows.study._problem import build_problem
from shallows.study._roles import infer_schema
from shallows.study._sound_trees import fits_its_features, is_sound
from shallows.study._trusted_classes import (
    OURS,
    SCIKIT_LEARN,
    name_of,
    trusted_class,
    trusted_names,
)
from shallows.tree import DecisionTreeClassifier
from shallows.tree import HistGradientBoostingClassifier as OwnBoosting
from shallows.tree._histogram_tree import Trees
from study.model_files import content, header, mutated, taken_apart, whole

# What our modules import or define, under the names by which a file could ask for it.
NAMES = (Path(__file__).parent / "hostile_names.txt").read_text().split()
KINDS = ("object", "record")
MADE_UP = ("function", "method", "partial", "module", "call", "reduce", "type", "import", "eval")
DANGEROUS = ("os.", "subprocess.", "import", "exec", "compile", "pickle.", "marshal.", "ctypes.")
WATCH = {"events": None}


def note(event, arguments):
    if WATCH["events"] is not None and event.startswith((*DANGEROUS, "open", "shutil.", "socket.")):
        WATCH["events"].append((event, *map(str, arguments[:2])))


sys.addaudithook(note)


@pytest.fixture
def watch(tmp_path, monkeypatch):
    """Note each system call, import and opened file; commands that run leave a canary."""
    monkeypatch.chdir(tmp_path)
    trusted_names()  # reads our own sources once
    events = []

    def run(action):
        WATCH["events"] = events
        try:
            return action()
        finally:
            WATCH["events"] = None

    yield run, events
    assert not (tmp_path / "canary").exists()


def refused(watch, file, data, reason=""):
    """Load a hostile file, check that nothing ran, and return the sentence."""
    run, events = watch
    file.write_bytes(data)
    with pytest.raises(StudyError, match="is not a model file that a study wrote") as caught:
        run(lambda: load_model(file))
    opened = [event for event in events if event[0] == "open"]
    assert [event for event in events if event[0] != "open"] == []
    assert [event[1:] for event in opened] in ([(str(file), "rb")], [(str(file), "r")])
    sentence = str(caught.value)
    assert sentence.startswith(str(file)) and reason in sentence and "\n" not in sentence
    assert len(sentence) < len(str(file)) + 300
    return sentence


def hostile_names():
    """Return nodes that ask for what isn't a class of a model."""
    state = [["dict", "command", "touch canary", "args", "touch canary"]]
    for name in NAMES:
        for kind in KINDS:
            yield f"{kind} {name}", content(*state, [kind, name, [0]])
        yield (
            f"attribute {name}",
            content(
                *state,
                ["object", name, [0]],
                ["dict", "alpha", [1]],
                ["object", "shallows.linear._ridge.Ridge", [2]],
            ),
        )
    for kind in MADE_UP:
        yield f"kind {kind}", content(*state, [kind, "os.system", "touch canary"])
    for kind in ("named", "dtype", "number", "number type", "generator", "sparse"):
        yield f"{kind} of a name", content([kind, "os.system"])
        yield f"{kind} of names", content([kind, *["os.system"] * 4])


def hostile_nodes():
    """Return nodes of the known kinds with parts that don't fit."""
    ridge = "shallows.linear._ridge.Ridge"
    yield "no node", whole([])
    yield "later node", content(["list", [1]])
    yield "itself", content(["list", [0]])
    yield "negative", content(["list", [-1]])
    yield "no list", whole(["os.system"])
    yield "empty", whole([[]])
    yield "kind no text", whole([[["list"]]])
    yield "deep", content(["list"], *(["list", [i]] for i in range(10_000)))
    laughs = [["list", *[[i]] * 10] for i in range(30)]
    yield "many from few", content(["list", *range(10)], *laughs)
    yield "unhashable", content(["list"], ["dict", [0], 1])
    yield "key twice", content(["dict", "a", 1, "a", 2])
    yield "colliding keys", content(["dict", *(x for i in range(9) for x in (i << 61, 0))])
    yield "odd dict", content(["dict", "a"])
    yield "not in JSON", whole([]).replace(b"\n", b"") + b"\n"
    yield "object array", content(["array", "|O", [1], "C"], block=bytes(8))
    yield "void array", content(["array", "|V8", [1], "C"], block=bytes(8))
    yield "object in a record", content(["array", [["a", "|O"]], [1], "C"], block=bytes(8))
    yield "array too long", content(["array", "<f8", [2**40, 2**7], "C"])
    yield "array negative", content(["array", "<f8", [-1], "C"])
    yield "array of more dimensions", content(["array", "<f8", [1] * 65, "C"], block=bytes(8))
    yield "no such text", content(["array", "<U2", [1], "C"], block=b"\xff" * 8)
    yield "no truth value", content(["array", "|b1", [1], "C"], block=b"\x07")
    yield "bytes of nobody", content(["list"], block=bytes(8))
    yield "strange dtype", content(["dtype", "f8,O"])
    yield "generator", content(["generator", 2**200, 1, 0, 0])
    indices = [["array", "<i4", [1], "C"], ["array", "<i4", [2], "C"]]
    sparse = [["array", "<f8", [1], "C"], *indices, ["sparse", "csr_matrix", 1, 3, [0], [1], [2]]]
    block = np.float64(1).tobytes() + np.array([77, 0, 1], np.int32).tobytes()
    yield "sparse index", content(*sparse, block=block)
    for name in ("__class__", "__dict__", "fit", "predict", "get_params", "__reduce__"):
        yield f"attribute {name}", content(["dict", name, 1], ["object", ridge, [0]])
    yield "state no dict", content(["list"], ["object", ridge, [0]])
    yield "state of numbers", content(["dict", 1, 2], ["object", ridge, [0]])
    yield "record of a class", content(["record", ridge, 1])
    yield "record too long", content(["record", "shallows.tree._members.Member", 1])
    yield "object of a record", content(["object", "shallows.tree._members.Member", None])
    index = "shallows._core.numerics.neighbors.NeighborIndex"
    yield "restored from nothing", content(["dict"], ["object", index, [0]])
    state = ["dict", "metric", "euclidean", "power", 2.0, "rows", [0], "factors", None]
    rows = ["array", "<f8", [2**40, 0], "C"]
    yield "rows of no width", content(rows, [*state, "has_gaps", False], ["object", index, [1]])
    yield "model a list", content(["list"])
    yield "part missing", whole([["dict", "model", 1]])
    for name in ("target", "columns", "classes", "background", "versions", "missing", "summary"):
        for wrong in (None, 3, [1]):
            yield f"{name} {wrong}", content(["dict"], ["object", ridge, [0]], **{name: wrong})
    columns = [["dict", "name", 3, "type", "number", "role", "number"], ["list", [0]]]
    yield "columns of numbers", content(*columns, ["object", ridge, None], columns=[1])


def hostile_containers(good):
    """Return files that are cut, damaged, of another version or of another kind."""
    nodes, block = taken_apart(good)
    for length in np.linspace(0, len(good) - 1, 15).astype(int).tolist():
        yield f"cut at {length}", good[:length]
    for place in np.linspace(0, len(good) - 1, 15).astype(int).tolist():
        yield f"bit {place}", good[:place] + bytes([good[place] ^ 16]) + good[place + 1 :]
    yield "longer", good + b"more"
    for version in (0, 1, 2, 4, 10**9, "3", None, [3], {}):
        yield f"version {version}", whole(nodes, block, version=version)
    for changes in ({"format": "other"}, {"text": -1}, {"text": 2**80}, {"bytes": "x"}):
        yield f"header {changes}", whole(nodes, block, **changes)
    yield "header alone", header(b"", b"", text=2**60)
    yield "deep header", b"[" * 10_000
    yield "deep node", header(b"[" * 100_000 + b"\n") + b"[" * 100_000 + b"\n"
    text = b'["list",' + b"9" * 100_000 + b"]\n"
    yield "long number", header(text) + text
    for word in (b"NaN", b"Infinity", b"-Infinity"):
        text = b'["list",' + word + b"]\n"
        yield f"constant {word}", header(text) + text
    yield "no line end", header(b'["list"]') + b'["list"]'
    yield "not UTF-8", header(b"\xff\xfe\n") + b"\xff\xfe\n"
    yield "NULs", bytes(10_000)
    yield "pickle", pickle.dumps({"format": 3})
    yield "pickle that calls", b"cos\nsystem\n(S'touch canary'\ntR."
    file = io.BytesIO()
    np.save(file, np.array([print], dtype=object), allow_pickle=True)
    yield "npy of a pickle", file.getvalue()
    for title, names in {"up": ["../../canary"], "twice": ["model.json"] * 2}.items():
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the name that comes twice
            for name in names:
                archive.writestr(name, "{}")
        yield f"zip {title}", file.getvalue()
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", bytes(10**8))
    yield "zip bomb", file.getvalue()


def good_file():
    """Return a file with a small model."""
    rng = np.random.default_rng(0)
    table = read_data({"x": rng.normal(size=60), "y": rng.normal(size=60)}, None, 0, {})
    schema = infer_schema(table, "y")
    problem = build_problem(table, schema)
    design = design_of(problem, 0)
    found = next(each for each in regressors() if each.name == "ridge")
    model = found.build(design, {"alpha": 1.0}).fit(problem.X, problem.y)
    return SavedModel(model, schema, "y", (), "ridge", "all is well", problem.X[:5])


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    folder = tmp_path_factory.mktemp("good")
    return save_model(good_file(), folder / "model.shallows").read_bytes()


HOSTILE = {**dict(hostile_names()), **dict(hostile_nodes())}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_runs_nothing_and_gets_one_sentence(name, watch, tmp_path):
    refused(watch, tmp_path / "evil.shallows", HOSTILE[name])


def test_files_that_are_cut_damaged_or_of_another_kind_get_one_sentence(good, watch, tmp_path):
    load_model_file = tmp_path / "good.shallows"
    load_model_file.write_bytes(good)
    assert load_model(load_model_file).name == "ridge"
    for name, data in hostile_containers(good):
        file = tmp_path / f"{abs(hash(name))}.shallows"
        watch[1].clear()
        refused(watch, file, data)


def test_the_command_says_one_sentence_and_ends_with_code_2(good, watch, tmp_path, capsys):
    (tmp_path / "d.csv").write_text("x\n1\n")
    files = [*HOSTILE.values(), *(data for _, data in hostile_containers(good))]
    for place, data in enumerate(files):
        file = tmp_path / f"{place}.shallows"
        file.write_bytes(data)
        assert main(["predict", str(file), "d.csv"]) == 2
        said = capsys.readouterr()
        assert said.out == "" and said.err.count("\n") == 1 and str(file) in said.err
    assert len(files) > 40
    assert main(["explain", str(file), "d.csv"]) == 2


def test_an_earlier_format_says_how_to_go_on(tmp_path, watch):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("schema.json", "{}")
    refused(watch, tmp_path / "old.skops", file.getvalue(), "--resume` writes a model.shallows")


def test_names_are_refused_before_anything_is_imported():
    before = set(sys.modules)
    for name in (*NAMES, "antigravity.fly", "this.s", "shallows.lab.nothing.Class"):
        with pytest.raises(LookupError):
            trusted_class(name)
    assert set(sys.modules) == before


def test_each_trusted_name_is_that_of_a_class_where_it_is_defined():
    for name in trusted_names():
        found = trusted_class(name)
        assert isinstance(found, type) and f"{found.__module__}.{found.__qualname__}" == name
        assert name.startswith(("shallows.", "sklearn."))


@pytest.mark.parametrize(
    ("field", "value"), [("left", 0), ("left", 10**6), ("left", -5), ("feature", 4)]
)
def test_boosted_trees_that_lead_in_circles_or_out_of_bounds_are_noticed(field, value):
    X, y = load_iris(return_X_y=True)
    boosted = OwnBoosting(max_iter=2).fit(X, y)._boosted
    name, state = name_of(Trees), {"n_features_in_": 4, "_boosted": boosted}
    assert is_sound(name, boosted.trees) and fits_its_features(state)
    boosted.trees.nodes[field][0] = value
    assert not (is_sound(name, boosted.trees) and fits_its_features(state))


WALKED = {
    "ours": DecisionTreeClassifier(max_depth=3, random_state=0),
    "scikit-learn's boosting": HistGradientBoostingClassifier(max_iter=2),
}
BROKEN = {
    "ours": [("first", 0), ("first", 10**6), ("first", -1), ("feature", 4), ("branches", 100)],
    "scikit-learn's boosting": [("left", 0), ("right", 10**6), ("feature_idx", 4)],
}


def tree_of(model):
    """Return the arrays of a model's first tree."""
    if isinstance(model, DecisionTreeClassifier):
        return vars(model.tree_)
    return model._predictors[0][0].nodes


@pytest.mark.parametrize(
    ("kind", "array", "value"), [(k, *each) for k, pairs in BROKEN.items() for each in pairs]
)
def test_trees_that_lead_in_circles_or_out_of_bounds_are_refused(kind, array, value):
    """A walk down such a tree would never end, or read what is behind the array."""
    X, y = load_iris(return_X_y=True)
    model = clone(WALKED[kind]).fit(X, y)
    with io.BytesIO() as file:
        write_content(model, file)
        file.seek(0)
        assert (read_content(file).predict(X) == model.predict(X)).all()
    tree_of(model)[array][0] = value
    with io.BytesIO() as file:
        write_content(model, file)
        file.seek(0)
        with pytest.raises(UnfitError, match="a tree"):
            read_content(file)


@pytest.mark.parametrize(
    "data",
    [
        whole([["list"]] * 50_000),
        whole([["list", *[[0]] * 30] for _ in range(20_000)][:1] + [["list"]] * 100_000),
        header(b"[" * 2**20 + b"\n") + b"[" * 2**20 + b"\n",
        content(["list"], ["list", *["a"] * 10**5]),
        content(*(["array", "<f8", [0, 2**40], "C"] for _ in range(3000))),
        content(["array", "|b1", [2**20], "C"], block=b"\xff" * 2**20),
    ],
    ids=["lists", "references", "brackets", "long list", "empty arrays", "bytes"],
)
def test_memory_stays_a_small_multiple_of_the_file(data, tmp_path):
    file = tmp_path / "evil.shallows"
    file.write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(StudyError):
            load_model(file)
        assert tracemalloc.get_traced_memory()[1] < 50 * len(data) + 2**20
    finally:
        tracemalloc.stop()


def any_change_is_harmless(good, watch, tmp_path, seeds):
    """Load changed files: each is refused with a sentence or makes nothing but listed classes."""
    run, events = watch
    file = tmp_path / "changed.shallows"
    loaded = 0
    for seed in seeds:
        file.write_bytes(mutated(good, np.random.default_rng(seed)))
        try:
            found = run(lambda: load_model(file))
        except StudyError as error:
            assert str(error).startswith(str(file)), seed
        else:
            loaded += 1
            assert f"{type(found.model).__module__}.{type(found.model).__name__}" in trusted_names()
    assert {event[0] for event in events} == {"open"}
    assert 0 < loaded < len(seeds)


def test_changed_files_are_refused_or_harmless(good, watch, tmp_path):
    any_change_is_harmless(good, watch, tmp_path, range(200))


@pytest.mark.fuzz
def test_ten_thousand_changed_files_are_refused_or_harmless(good, watch, tmp_path):
    any_change_is_harmless(good, watch, tmp_path, range(200, 10_200))


def through_a_file(value):
    file = io.BytesIO()
    write_content(value, file)
    file.seek(0)
    return read_content(file)


@pytest.mark.parametrize(
    "value",
    [
        [
            None,
            True,
            False,
            0,
            -1,
            2**100,
            0.1,
            -0.0,
            5e-324,
            float("inf"),
            -float("inf"),
            "é\ud800",
        ],
        {"a": (1, [2, {"b": ()}]), 3: None, True: slice(None, 5, 2)},
        [
            np.float64(0.1),
            np.float32(0.1),
            np.int8(-3),
            np.bool_(True),
            np.str_("ü"),
            np.uint64(2**63),
        ],
        [np.dtype("<f4"), np.float64, np.int64],
    ],
    ids=["plain", "containers", "numbers", "types"],
)
def test_values_come_back_as_they_were(value):
    found = through_a_file(value)
    assert repr(found) == repr(value)
    if isinstance(value, list):
        assert [type(each) for each in found] == [type(each) for each in value]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(24).reshape(2, 3, 4)[:, ::2, ::-1],
        np.array(3.5),
        np.empty((0, 4), np.float32),
        np.array([np.nan, -np.inf, -0.0]),
        np.array(["a", "", "übel"]),
        np.array([True, False]),
        np.array([(1, 2.5)], dtype=[("a", "<i4"), ("b", "<f8")]),
        np.arange(3, dtype=">i4"),
    ],
    ids=str,
)
def test_arrays_come_back_with_bits_and_layout(array):
    found = through_a_file([array])[0]
    assert found.dtype == array.dtype and found.shape == array.shape and found.flags.writeable
    assert found.tobytes() == array.tobytes()
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        assert found.flags.f_contiguous


def test_what_is_shared_stays_shared_and_generators_go_on():
    shared = np.arange(3.0)
    found = through_a_file({"a": shared, "b": [shared]})
    assert found["a"] is found["b"][0]
    rng = np.random.default_rng(3)
    rng.integers(10, size=3, dtype=np.uint32)
    assert through_a_file([rng])[0].integers(1000, size=9).tolist() == (
        rng.integers(1000, size=9).tolist()
    )
    for kind in (csr_matrix, csr_array):
        sparse = kind(np.eye(4)[[0, 2, 2]])
        found = through_a_file([sparse])[0]
        assert type(found) is kind and (found != sparse).nnz == 0


def test_what_no_file_can_hold_is_refused_when_it_is_saved(tmp_path):
    ring = []
    ring.append(ring)
    deep = []
    for _ in range(200):
        deep = [deep]

    class Foreign:
        pass

    class Heir(Ridge):
        pass

    refused = [
        ring,
        deep,
        Foreign(),
        Heir(),
        print,
        np.array([None]),
        {(1, 2): 3},
        {1, 2},
        b"bytes",
    ]
    refused += [
        KernelRidge(kernel=np.dot),
        FunctionTransformer(np.log),
        np.datetime64("2024-01-01"),
    ]
    refused += [np.random.Generator(np.random.MT19937(0)), np.random, type, object()]
    for value in refused:
        with pytest.raises(UnfitError):
            write_content({"model": value}, io.BytesIO())
    saved = good_file()
    bad = SavedModel(Foreign(), saved.schema, "y", (), "m", "s", saved.background)
    (tmp_path / "m.shallows").write_text("kept")
    with pytest.raises(StudyError, match=r"can't be saved: it contains a .*Foreign, which is not"):
        save_model(bad, tmp_path / "m.shallows")
    assert [path.name for path in tmp_path.iterdir()] == ["m.shallows"]
    assert (tmp_path / "m.shallows").read_text() == "kept"


def test_a_model_file_is_the_same_bytes_each_time(tmp_path):
    first, second = (save_model(good_file(), tmp_path / name).read_bytes() for name in "ab")
    assert first == second


def test_a_file_is_found_by_its_folder(good, tmp_path):
    (tmp_path / "model.shallows").write_bytes(good)
    assert load_model(tmp_path).name == load_model(str(tmp_path / "model.shallows")).name == "ridge"
    with pytest.raises(StudyError, match=r"no file .*model.skops; name .*model.shallows"):
        load_model(tmp_path / "model.skops")


def classes_in(value):
    """Return the names of the classes that the file of a value asks for."""
    file = io.BytesIO()
    write_content(value, file)
    nodes, _ = taken_apart(file.getvalue())
    return {node[1] for node in nodes if node[0] in ("object", "record")}


def study_models():
    """Return each method of a study, fitted to columns of both kinds with gaps."""
    rng = np.random.default_rng(0)
    n = 90
    columns = {"a": rng.normal(size=n), "b": rng.choice(["u", "v", "w"], n)}
    columns["a"][::9] = np.nan
    for candidates, target in (
        (classifiers, rng.choice(["p", "q", "r"], n)),
        (regressors, rng.normal(size=n)),
    ):
        table = read_data({**columns, "y": target}, None, 0, {})
        schema = infer_schema(table, "y")
        problem = build_problem(table, schema)
        design = design_of(problem, 0)
        for candidate in candidates():
            with threadpool_limits(1):  # waiting threads make small fits slow
                model = candidate.build(design, candidate.settings[0]).fit(problem.X, problem.y)
            yield SavedModel(model, schema, "y", problem.classes, "m", "s", problem.X[:5]), problem
    y = problem.y > 0
    for model in (Balanced(GaussianNB()), HistGradientBoostingClassifier(max_iter=2)):
        fit = model.fit(np.nan_to_num(problem.X), y)
        yield SavedModel(fit, schema, "y", ("no", "yes"), "m", "s", problem.X[:5]), problem
    amounts = np.abs(problem.y) + 1
    members = [Ridge(), HistGradientBoostingRegressor(loss="poisson", max_iter=2)]
    for model in (LogTarget(Ridge()), Blend(members, np.ones(2) / 2, None)):
        fit = model.fit(np.nan_to_num(problem.X), amounts)
        yield SavedModel(fit, schema, "y", (), "m", "s", problem.X[:5]), problem


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_method_of_a_study_is_saved_and_each_listed_class_is_needed(tmp_path):
    used = set()
    for saved, problem in study_models():
        again = load_model(save_model(saved, tmp_path / "m.shallows"))
        X = np.nan_to_num(problem.X)
        before, after = saved.model.predict(X), again.model.predict(X)
        assert before.tobytes() == after.tobytes()
        assert again.schema == saved.schema
        used |= classes_in(saved.model)
    X, y = np.random.default_rng(0).normal(size=(60, 4)), np.arange(60) % 3
    for cls in estimators():
        for options in INSTANCES.get(cls.__name__, []):
            model = cls(**options)
            parts = [
                value for value in options.values() if not isinstance(value, int | float | str)
            ]
            if parts or cls.__name__ in ("OjaPCA", "BinaryEncoder", "ChainedImputer"):
                used |= classes_in(model.fit(X, y if is_classifier(model) else X[:, 0]))
    for solver in ("rmsprop", Adam(0.8)):
        used |= classes_in(MLPClassifier(2, solver=solver).partial_fit(X, y, classes=[0, 1, 2]))
    used |= classes_in(KNeighborsClassifier(metric="canberra").fit(X, y))
    for sparse in (csr_matrix, csr_array):
        near = KNeighborsClassifier().fit(sparse(X), y)
        assert (through_a_file(near).predict(X) == near.predict(X)).all()
    assert (OURS | SCIKIT_LEARN) - used == set()


def test_a_model_is_loaded_where_nothing_else_was_imported(good, tmp_path):
    file = tmp_path / "m.shallows"
    file.write_bytes(good)
    code = "import sys; from shallows.study import load_model; print(load_model(sys.argv[1]).name)"
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("ridge\n", "")


def test_the_first_line_says_what_the_file_is(good):
    first = json.loads(good.partition(b"\n")[0])
    assert (first["format"], first["version"]) == ("shallows model", 3)
