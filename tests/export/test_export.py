"""Exported models answer as the models that they were made from."""

import dataclasses
import json
import logging
import types

import keras
import numpy as np
import pytest

import dsa
from dsa.commands.export import main
from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.outputs import OutputFolder
from dsa.experiment.yaml_file import load_experiment
from dsa.export import formats
from dsa.inference.raw_text import RawTextTokenizer
from dsa.inference.row_reading import build_reader
from dsa.inference.trained_model import TrainedModel
from dsa.models.registry import FAMILIES, build_model
from dsa.tasks.inputs import SINGLE

onnxruntime = pytest.importorskip("onnxruntime")
pytest.importorskip("tf2onnx")
pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="models are exported by TensorFlow"
)

WORDS = [f"word{number}" for number in range(40)] + [".", "n't", "\x85odd"]
SMALL = {
    "embedding.units": 6,
    "embedding.path": None,
    "embedding.trainable": True,
    "embedding.outside": "unknown",
}
UNITS = {"model.units": 12}
HEADS = UNITS | {"model.heads": 3}
WIDE = HEADS | {"embedding.projection": 12}
SHAPES = [(1, 1, 1), (1, 3, 9), (4, 7, 2), (3, 12, 12)]  # rows, tokens, tokens
QUICK = {"snli/cbow": {}, "sick_entailment/bcnn": {}}  # others take over 5 s
OTHERS = {
    "snli/dsa": HEADS,
    "snli/esim": UNITS,
    "sick_entailment/abcnn3": {},
    "snli/disan": UNITS,
    "snli/disan_released": UNITS,
    "snli/source2token": {},
    "snli/additive_attention": {},
    "snli/multi_head": HEADS,
    "snli/bilstm": UNITS,
    "snli/bilstm_mean": UNITS,
    "snli/bilstm_max": UNITS,
    "snli/lstm": UNITS,
    "snli/gru": UNITS,
    "snli/bilstm_inner": UNITS,
    "sst/bialstm": UNITS,
    "sst/dsa": HEADS,
    "sick/dsa": HEADS,
    "snli/esim_released": UNITS,
    "snli/aesim": UNITS,
    "sick_entailment/abcnn1_two": {"model.layerwise": False},
    "sick_entailment/abcnn2": {},
    "wikiqa/abcnn3_two": {"model.layerwise": False},
    "sick_entailment/addition_features": {},
    "sick_entailment/alstm": {},
    "snli/transformer": WIDE,
    "snli/transformer_relative": WIDE | {"model.positions": "relative"},
    "snli/swem": {"model.pooling": "hierarchical"},
    "snli/infersent": UNITS,
    "snli/shortcut_stacked": {"model.units": [6, 6]},
    "snli/hbmp": UNITS,
    "snli/self_attentive": UNITS,
    "snli/gated_attention": UNITS,
    "snli/decomposable_intra": UNITS,
    "snli/self_attentive_gated": UNITS
    | {"model.relation_units": 5, "model.classifier.units": 7},
}
CONFIGS = {"snli/transformer_relative": "snli/transformer"}
slow = [pytest.param(name, marks=pytest.mark.slow) for name in OTHERS]


def make_trained(name, **settings):
    """A `TrainedModel` with random weights, and with no run folder."""
    changes = SMALL | (QUICK | OTHERS).get(name, {}) | settings
    config = CONFIGS.get(name, name)
    experiment = load_experiment(f"configs/{config}.yaml", changes)
    keras.utils.set_random_seed(5)
    vocabulary = Vocabulary([*WORDS, "<empty>"])
    model = build_model(experiment, len(vocabulary))
    random = np.random.default_rng(0)
    for weight in model.weights:  # none is 0, as biases are in the beginning
        weight.assign(weight + random.normal(0, 0.1, weight.shape))
    model.embedding.set_vectors(random.normal(0, 1, (len(vocabulary), 6)))
    run = types.SimpleNamespace(path="run")
    reader = build_reader(experiment, None)
    return TrainedModel(run, experiment, vocabulary, model, reader)


def make_texts(count, seed=0):
    """Rows of texts with known and unknown words, of 1 to 30 tokens."""
    random = np.random.default_rng(seed)
    words = [*WORDS[:-2], "unknown", "Word3"]
    return [
        tuple(" ".join(random.choice(words, random.integers(1, 31))) for _ in range(2))
        for _ in range(count)
    ]


def read_rows(trained, texts):
    """`ModelRows` of rows of texts, with random features where the model has some."""
    count, inputs = trained.experiment.feature_count, trained.task.inputs
    examples = [Example(t[: len(inputs)], None, "1", None, None, 1) for t in texts]
    tokenize = RawTextTokenizer(trained.tokenizer)
    prepared = from_examples(examples, tokenize, trained.task, "test")
    reader = dataclasses.replace(trained.reader, settings=None)
    rows = reader.read(prepared, trained.vocabulary)
    features = np.random.default_rng(1).normal(size=(len(texts), count))
    return dataclasses.replace(
        rows, features=features.astype(np.float32) if count else None
    )


def load_runner(folder):
    import runpy

    return runpy.run_path(str(folder / "run_onnx.py"))["ExportedModel"](folder, 1)


def export(trained, folder, format="onnx", force=False):
    from dsa.export.write import export_run

    return export_run(trained, format, OutputFolder(folder, force))


@pytest.mark.parametrize("name", [*QUICK, *slow])
def test_the_runner_gives_what_the_model_gives(name, tmp_path):
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


def test_every_network_is_exported_by_a_test():
    names = {
        load_experiment(f"configs/{CONFIGS.get(name, name)}.yaml").model.name
        for name in QUICK | OTHERS
    }
    assert names == {
        name for name, family in FAMILIES.items() if family.trainer == "network"
    }


def check_shapes(trained, path):
    """Batches of several shapes, fed by name, give what the model gives."""
    session = onnxruntime.InferenceSession(str(path))
    names = {one.name for one in session.get_inputs()}
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
def test_the_runner_reads_texts_as_the_run_does(settings, tmp_path):
    from dsa.export.run_onnx import make_tokenizer

    experiment = load_experiment("configs/snli/cbow.yaml", SMALL | settings)
    config = experiment.tokenizer.model_dump()
    tokenize = make_tokenizer(**config)
    of_run = dsa.data.prepared.tokenizer.Tokenizer(**config)
    logging.disable(logging.WARNING)  # raw text has no parse
    for text in ("He can't. Don't (ever)!", "T-shirt 'twas a/b", " ", "A\x85b c"):
        assert tokenize(text) == of_run(text)
    logging.disable(logging.NOTSET)


def test_a_run_of_bfloat16_is_exported_in_float32(tmp_path):
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


def test_a_saved_model_gives_what_the_model_gives(tmp_path):
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
    with pytest.raises(InputError, match="is there already. --force replaces it"):
        export(trained, tmp_path, "savedmodel")


def test_a_model_that_a_format_cannot_hold_is_refused(tmp_path, monkeypatch):
    trained = make_trained("snli/cbow")
    monkeypatch.setitem(formats.MOST_BYTES, "onnx", 100)
    with pytest.raises(InputError, match="GB, 'onnx' holds at most .*savedmodel"):
        export(trained, tmp_path / "out")
    experiment = load_experiment("configs/snli/features.yaml")
    linear = types.SimpleNamespace(run=trained.run, experiment=experiment)
    for name in formats.MOST_BYTES:
        with pytest.raises(InputError, match=f"no network: '{name}' cannot hold it"):
            export(linear, tmp_path / "out", name)
    viewed = {"data.view": "bag_of_words"}
    trained.experiment = load_experiment("configs/snli/cbow.yaml", viewed)
    with pytest.raises(InputError, match="was trained with 'data.view'"):
        export(trained, tmp_path / "out", "savedmodel")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--format", "litert", "--out", "x"], "unknown format 'litert'. Known: onnx"),
        (["--format", "onnx"], "--out: the folder for the files is needed"),
        (["--format", "onnx", "--out", "FILE"], "FILE: no folder"),
    ],
)
def test_bad_arguments_are_one_line(arguments, error, finished, tmp_path, capsys):
    (tmp_path / "FILE").touch()
    arguments = [a.replace("FILE", str(tmp_path / "FILE")) for a in arguments]
    assert main([str(finished / "run"), *arguments]) == 2
    captured = capsys.readouterr().err
    assert captured.count("\n") == 1
    assert error in captured.replace(str(tmp_path / "FILE"), "FILE")


def test_settings_tell_what_the_numbers_are(finished, tmp_path):
    from dsa.export.settings import describe_run

    settings = describe_run(dsa.load(finished / "run"))
    assert settings["inputs"] == ["premise", "hypothesis"]
    assert settings["names"] == ["entailment", "neutral", "contradiction"]
    assert settings["answer"] == "label" and settings["encodes"]
    assert json.loads(json.dumps(settings)) == settings
    assert describe_run(make_trained("sick/dsa"))["scale"] == [1, 2, 3, 4, 5]
    assert describe_run(make_trained("wikiqa/abcnn3_two"))["answer"] == "rank"
