"""The examples run, with stubs of the third-party packages."""

import ast
import importlib.util
import json
import pathlib
import sys
import types

import numpy as np
import pytest

import dsa

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
NOTEBOOK = EXAMPLES / "first_steps.ipynb"
OVERRIDES = '{"training.epochs": 2, "training.evaluate_every": 100}'
SHORTER = '{"training.steps": 20, "training.evaluate_every": 10}'
TEXTS = ["A man sleeps.", " ", "A dog chases a cat."]


@pytest.fixture(scope="module")
def mini():
    return dsa.load("mini")


@pytest.fixture
def load_example(monkeypatch, mini):
    """A function that imports an example with stubs of packages."""
    monkeypatch.setattr(dsa, "load", lambda run: mini)

    def load(name, **stubs):
        for module, members in stubs.items():
            stub = types.ModuleType(module.replace("__", "."))
            vars(stub).update(members)
            monkeypatch.setitem(sys.modules, stub.__name__, stub)
        spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


class InputModule:
    """As that of sentence-transformers: it saves `config_keys`."""

    def save_config(self, path):
        config = {key: getattr(self, key) for key in self.config_keys}
        pathlib.Path(path, "config.json").write_text(json.dumps(config))


class SentenceTransformer:
    """Stub of sentence-transformers: passes the inputs through all modules."""

    def __init__(self, modules):
        self.modules = modules

    def encode(self, texts):
        features = self.modules[0].preprocess(texts, prompt=None)
        return self.modules[0].forward(features)["sentence_embedding"]

    def similarity(self, one, other):
        return one @ other.T


@pytest.fixture
def sentence_transformers(load_example):
    return load_example(
        "sentence_transformers_module",
        torch={"from_numpy": lambda array: array},
        sentence_transformers={"SentenceTransformer": SentenceTransformer},
        sentence_transformers__base={},
        sentence_transformers__base__modules={"InputModule": InputModule},
    )


def test_the_module_has_the_vectors_of_the_run(sentence_transformers, mini, tmp_path):
    module = sentence_transformers.DSAModule("mini")
    vectors = SentenceTransformer([module]).encode(TEXTS)
    expected = mini.encode([TEXTS[0], ".", TEXTS[2]])
    np.testing.assert_allclose(vectors, expected, rtol=1e-5, atol=1e-6)
    assert module.get_embedding_dimension() == vectors.shape[1]
    module.save(tmp_path)
    assert json.loads((tmp_path / "config.json").read_text()) == {"run": "mini"}


def test_a_prompt_is_a_part_of_the_text(sentence_transformers, mini):
    module = sentence_transformers.DSAModule("mini")
    features = module.preprocess(["dog runs."], prompt="A ")
    vector = mini.encode("A dog runs.")
    found = features["sentence_embedding"][0]
    np.testing.assert_allclose(found, vector, rtol=1e-5, atol=1e-6)


def test_the_example_of_sentence_transformers_runs(sentence_transformers, capsys):
    sentence_transformers.main("mini")
    assert capsys.readouterr().out.count("\n") == 3


class ModelMeta:
    """Stub of MTEB: an empty object with overwritten attributes."""

    @staticmethod
    def create_empty(overwrites):
        return types.SimpleNamespace(**overwrites)


@pytest.fixture
def mteb_encoder(load_example):
    def evaluate(model, tasks):
        batches = [{"text": TEXTS[:2]}, {"text": TEXTS[2:]}]
        options = {"task_metadata": None, "hf_split": "test", "hf_subset": "default"}
        return tasks, model.encode(batches, **options, prompt_type=None, batch_size=2)

    return load_example(
        "mteb_encoder",
        mteb={"get_tasks": lambda tasks: tasks, "evaluate": evaluate},
        mteb__models={"ModelMeta": ModelMeta},
    )


def test_the_encoder_has_the_vectors_of_the_run(mteb_encoder, mini):
    encoder = mteb_encoder.DSAEncoder("runs/snli/dsa/seed-13")
    assert vars(encoder.mteb_model_meta) == {
        "name": "dsa/snli-dsa-seed-13",
        "revision": dsa.__version__,
        "embed_dim": len(mini.encode(".")),
    }
    tasks, vectors = mteb_encoder.mteb.evaluate(encoder, ["STSBenchmark"])
    expected = mini.encode([TEXTS[0], ".", TEXTS[2]])
    np.testing.assert_allclose(vectors, expected, rtol=1e-5, atol=1e-6)


def test_the_encoder_compares_by_the_cosine(mteb_encoder, mini):
    encoder = mteb_encoder.DSAEncoder("mini")
    one, other = mini.encode(TEXTS[::2]), 3 * mini.encode([TEXTS[2], TEXTS[0]])
    cosines = encoder.similarity(one, other)
    expected = [
        [a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in other] for a in one
    ]
    np.testing.assert_allclose(cosines, expected, rtol=1e-4)
    pairs = encoder.similarity_pairwise(one, other)
    np.testing.assert_allclose(pairs, np.diag(expected), rtol=1e-4)


def test_the_example_of_mteb_runs(mteb_encoder, capsys):
    mteb_encoder.main("mini")
    assert capsys.readouterr().out.startswith("(['STSBenchmark'], array(")


def python_of(cell):
    """The code of a cell without IPython's own lines."""
    lines = [line for line in cell["source"] if not line.startswith("%")]
    return "".join("    pass" if line.startswith("    %") else line for line in lines)


def read_cells():
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_contains_outputs_computed_outside_the_repository():
    first, *cells = read_cells()
    assert 'find_spec("dsa") is None:\n' in first["source"][2]
    assert "pip install" in first["source"][3] and "git+https://" in first["source"][3]
    numbers = [cell["execution_count"] for cell in cells]
    assert numbers == [*range(2, len(cells) + 2)] and all(c["outputs"] for c in cells)
    assert NOTEBOOK.stat().st_size < 200_000
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert '"image/png"' in text
    assert "Traceback" not in text and "site-packages" not in text
    assert not any("configs/" in python_of(cell) for cell in cells)


def test_the_notebook_uses_only_the_public_interface():
    source = "\n".join(map(python_of, read_cells()))
    nodes = list(ast.walk(ast.parse(source)))
    names = [alias.name for node in nodes for alias in getattr(node, "names", [])]
    modules = [getattr(node, "module", None) for node in nodes]
    beneath = [name for name in (*names, *modules) if str(name).startswith("dsa.")]
    assert "dsa" in names and beneath == []
    used = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "dsa"
    }
    assert {"train", "compare", "curves", "plot_attention", "list_runs"} <= used
    assert used <= {*dsa.__all__}


@pytest.mark.exhaustive
def test_the_notebook_runs_from_its_first_cell_to_its_last(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DSA_DATA", raising=False)
    names = {"__name__": "__main__"}
    for cell in read_cells():
        source = python_of(cell)
        if "overrides =" in source:  # a shorter training
            assert OVERRIDES in source
            source = source.replace(OVERRIDES, SHORTER)
        exec(source, names)
    printed = capsys.readouterr().out
    assert "test accuracy 0." in printed and "dev loss" in printed
    assert "('A big dog chases a cat.', " in printed and "model.alpha: " in printed
    assert "together: test accuracy 0." in printed
    assert len(names["figure"].axes) > 1 and len(names["runs"]) == 2
    assert (tmp_path / "runs/first_steps/no_distance/config.yaml").is_file()
