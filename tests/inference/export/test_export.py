"""Exported models give the outputs of the original models."""

import json
import logging
import runpy
import types
from pathlib import Path

import keras
import numpy as np
import pytest

import dsa
from dsa.commands.export import main
from dsa.data.corpora.catalogue import NLI, RANKING
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.inference.export import export_settings
from dsa.models.registry import FAMILIES
from dsa.tasks.relatedness import Relatedness
from dsa.tasks.task import SINGLE
from tests.support.exports import (
    CONFIGS,
    OTHERS,
    QUICK,
    SHAPES,
    SMALL,
    export,
    load_runner,
    make_texts,
    make_trained,
    read_rows,
)

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("tf2onnx")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="models are exported by TensorFlow"
)

# in CI one model of each kind of operations
IN_CI = ("snli/dsa snli/disan snli/esim sick_entailment/abcnn3 sst/bialstm").split()
slow = [
    pytest.param(
        name, marks=pytest.mark.slow if name in IN_CI else pytest.mark.exhaustive
    )
    for name in OTHERS
]


@pytest.mark.parametrize("name", [*QUICK, *slow])
def test_run_onnx_gives_the_logits_of_the_model(name, tmp_path):
    trained = make_trained(name)
    export(trained, tmp_path / "out")
    runner = load_runner(tmp_path / "out")
    texts = make_texts(300)
    rows = read_rows(trained, texts)  # features are random
    logits = runner.logits(
        [t[: len(trained.task.inputs)] for t in texts], rows.features
    )
    expected = trained.inference.logits(rows)
    assert np.ptp(expected, axis=0).min() > 1e-3  # rows differ
    np.testing.assert_allclose(logits, expected, rtol=1e-5, atol=1e-5)
    check_shapes(trained, tmp_path / "out" / "model.onnx")
    if trained.experiment.family.encodes:
        sentences = [first for first, _ in texts[:100]]
        np.testing.assert_allclose(
            runner.encode(sentences), trained.encode(sentences), rtol=1e-5, atol=1e-5
        )


def test_every_network_has_an_export_test():
    names = {
        load_experiment(f"configs/{CONFIGS.get(name, name)}.yaml").model.name
        for name in QUICK | OTHERS
    }
    assert names == {
        name for name, family in FAMILIES.items() if family.trainer == "network"
    }


def check_shapes(trained, path):
    """Checks the logits of batches of several shapes, fed by name."""
    session = onnxruntime.InferenceSession(str(path))
    names = {each.name for each in session.get_inputs()}
    count = trained.experiment.feature_count
    assert names == {*trained.experiment.inputs, *(["features"] if count else [])}
    random = np.random.default_rng(2)
    for rows, *lengths in SHAPES:
        feed = {
            name: random.integers(1, 40, (rows, lengths[number % 2]), np.int32)
            for number, name in enumerate(trained.experiment.inputs)
        }
        if count:
            feed["features"] = random.normal(size=(rows, count)).astype(np.float32)
        (logits,) = session.run(["logits"], feed)
        expected = keras.ops.convert_to_numpy(trained.model(feed, training=False))
        np.testing.assert_allclose(logits, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "settings",
    [
        {"tokenizer.max_tokens": 3},
        {
            "tokenizer.boundaries": ["word1", "word2"],
            "tokenizer.max_tokens": 5,
            "tokenizer.lowercase": False,
        },
        {"tokenizer.boundaries": ["word1", None], "tokenizer.max_tokens": 4},
        {"tokenizer.extra_split": True},
        {"tokenizer.name": "whitespace"},
        {"tokenizer.name": "binary_parse"},
    ],
)
def test_run_onnx_splits_texts_as_the_run_does(settings, tmp_path):
    from dsa.inference.export.run_onnx import make_tokenizer

    experiment = load_experiment("configs/snli/cbow.yaml", SMALL | settings)
    config = experiment.tokenizer.model_dump()
    tokenize = make_tokenizer(**config)
    tokenizer = dsa.data.prepared.tokenizer.Tokenizer(**config)
    logging.disable(logging.WARNING)  # raw text has no parses
    for text in ("He can't. Don't (ever)!", "T-shirt 'twas a/b", " ", "A\x85b c"):
        assert tokenize(text) == tokenizer(text)
    logging.disable(logging.NOTSET)


def test_a_bfloat16_run_is_exported_in_float32(tmp_path):
    half = make_trained("snli/cbow", **{"training.precision": "mixed_bfloat16"})
    full = make_trained("snli/cbow")
    full.model.set_weights(half.model.get_weights())
    export(half, tmp_path)
    rows = read_rows(full, texts := make_texts(20))
    np.testing.assert_allclose(
        load_runner(tmp_path).logits(texts),
        full.inference.logits(rows),
        rtol=1e-5,
        atol=1e-5,
    )


def test_a_saved_model_gives_the_logits_and_vectors_of_the_model(tmp_path):
    import tensorflow as tf

    trained = make_trained("snli/cbow")
    paths = export(trained, tmp_path, "savedmodel")
    assert [path.name for path in paths] == [
        "saved_model",
        "vocabulary.txt",
        "settings.json",
    ]
    signatures = tf.saved_model.load(str(tmp_path / "saved_model")).signatures
    random = np.random.default_rng(2)
    for rows, *lengths in SHAPES:
        feed = {
            name: tf.constant(random.integers(1, 40, (rows, length), np.int32))
            for name, length in zip(trained.experiment.inputs, lengths, strict=True)
        }
        logits = signatures["serving_default"](**feed)["logits"]
        np.testing.assert_allclose(
            logits, trained.model(feed, training=False), rtol=1e-5, atol=1e-5
        )
        (name,) = SINGLE
        vectors = signatures["encode"](**{name: feed["premise"]})["vector"]
        expected = trained.model.encode(feed["premise"], training=False)
        np.testing.assert_allclose(vectors, expected, rtol=1e-5, atol=1e-5)
    with pytest.raises(InputError, match="saved_model already exists. --force"):
        export(trained, tmp_path, "savedmodel")


def test_a_model_that_a_format_does_not_support_raises(tmp_path, monkeypatch):
    trained = make_trained("snli/cbow")
    monkeypatch.setitem(export_settings.MAX_BYTES, "onnx", 100)
    with pytest.raises(
        InputError, match="'--format onnx' supports at most .*savedmodel"
    ):
        export(trained, tmp_path / "out")
    experiment = load_experiment("configs/snli/features.yaml")
    linear = types.SimpleNamespace(run=trained.run, experiment=experiment)
    for name in export_settings.MAX_BYTES:
        with pytest.raises(InputError, match=f"'--format {name}' requires a network"):
            export(linear, tmp_path / "out", name)
    viewed = {"data.view": "bag_of_words"}
    trained.experiment = load_experiment("configs/snli/cbow.yaml", viewed)
    with pytest.raises(InputError, match="exported models do not support 'data.view'"):
        export(trained, tmp_path / "out", "savedmodel")
    with pytest.raises(InputError, match="format 'numpy'. Known: onnx, savedmodel$"):
        export(trained, tmp_path / "out", "numpy")
    assert not (tmp_path / "out").exists()


def read_folder(folder):
    """Returns the names in an export, and those with a checksum in its settings."""
    settings = json.loads((folder / "settings.json").read_text())
    return {path.name for path in folder.iterdir()}, {*settings["sha256"]}


def test_a_folder_never_mixes_the_files_of_two_runs(tmp_path):
    first, second = make_trained("snli/cbow"), make_trained("snli/cbow")
    second.model.set_weights([1 + weight for weight in first.model.get_weights()])
    shared, models = {"vocabulary.txt", "settings.json"}, {"model.onnx", "encoder.onnx"}
    export(first, tmp_path)
    export(first, tmp_path, "savedmodel")  # both formats of one run
    names, recorded = read_folder(tmp_path)
    assert names == {*shared, *models, "run_onnx.py", "saved_model"}
    assert {"vocabulary.txt", "saved_model/saved_model.pb", *models} <= recorded
    load_runner(tmp_path).encode(["word1"])
    (tmp_path / "mine.txt").touch()
    for format in ("onnx", "savedmodel"):
        with pytest.raises(InputError, match="already exists. --force replaces it"):
            export(second, tmp_path, format)
    assert read_folder(tmp_path) == ({*names, "mine.txt"}, recorded)
    export(second, tmp_path, "savedmodel", force=True)
    names, recorded = read_folder(tmp_path)
    assert names == {*shared, "saved_model", "mine.txt"}
    assert "vocabulary.txt" in recorded and not models & recorded
    export(second, tmp_path)
    export(first, tmp_path, force=True)
    assert read_folder(tmp_path)[0] == {*shared, *models, "run_onnx.py", "mine.txt"}


def test_files_of_other_programs_are_not_removed(tmp_path):
    trained = make_trained("snli/cbow")
    (tmp_path / "model.onnx").write_text("mine")
    (tmp_path / "settings.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match="settings.json already exists. --force"):
        export(trained, tmp_path, "savedmodel")
    export(trained, tmp_path, "savedmodel", force=True)
    assert (tmp_path / "model.onnx").read_text() == "mine"
    assert "model.onnx" not in read_folder(tmp_path)[1]  # run_onnx.py rejects it


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--format", "onnx"], "--out is required"),
        (["--format", "onnx", "--out", "FILE"], "FILE: expected a folder. Rec"),
    ],
)
def test_invalid_arguments_are_one_line(arguments, error, finished, tmp_path, capsys):
    (tmp_path / "FILE").touch()
    arguments = [a.replace("FILE", str(tmp_path / "FILE")) for a in arguments]
    assert main([str(finished / "run"), *arguments]) == 2
    captured = capsys.readouterr().err
    assert captured.count("\n") == 1
    assert error in captured.replace(str(tmp_path / "FILE"), "FILE")


def test_settings_describe_the_outputs(finished, tmp_path):
    from dsa.inference.export.export_settings import make_settings

    settings = make_settings(dsa.load(finished / "run"))
    assert settings["inputs"] == ["premise", "hypothesis"]
    assert settings["names"] == ["entailment", "neutral", "contradiction"]
    assert settings["answer"] == "label" and settings["encodes"]
    assert json.loads(json.dumps(settings)) == settings
    assert make_settings(make_trained("sick/dsa"))["scale"] == [1, 2, 3, 4, 5]
    assert make_settings(make_trained("wikiqa/abcnn3_two"))["answer"] == "rank"


@pytest.mark.parametrize("task", [NLI, Relatedness("r", 1, 5), RANKING])
def test_the_runner_gives_the_answer_of_the_task(task):
    answer = "label"
    if task is not NLI:
        answer = "rank" if task is RANKING else "score"
    script = Path(export_settings.__file__).with_name("run_onnx.py")
    runner = object.__new__(runpy.run_path(str(script))["ExportedModel"])
    names = list(task.names)
    runner.settings = {"answer": answer, "names": names, "scale": [1, 2, 3, 4, 5]}
    logits = np.array([0.5, -1, 2, 0.25, 3])[: task.outputs]
    found, expected = runner._make_prediction(logits), task.answer(logits)
    assert next(iter(found.values())) == pytest.approx(expected[0])
    assert found["probabilities"] == pytest.approx(expected.probabilities)
