"""Exports of small models with random weights, and texts for them."""

import dataclasses
import types

import keras
import numpy as np

from dsa.data.corpora.example import Example
from dsa.data.prepared.corpus import from_examples
from dsa.data.words.vocabulary import Vocabulary
from dsa.experiment.yaml_file import load_experiment
from dsa.inference.preparation import RawTextTokenizer
from dsa.inference.row_reading import build_reader
from dsa.inference.trained_model import TrainedModel
from dsa.models.building import build_model
from dsa.runs.outputs import OutputFolder

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
QUICK = {"snli/cbow": {}, "sick_entailment/bcnn": {}}  # other exports take over 5 s
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


def make_trained(name, **settings):
    """Returns a `TrainedModel` with random weights, without a run folder."""
    changes = SMALL | (QUICK | OTHERS).get(name, {}) | settings
    config = CONFIGS.get(name, name)
    experiment = load_experiment(f"configs/{config}.yaml", changes)
    keras.utils.set_random_seed(5)
    vocabulary = Vocabulary([*WORDS, "<empty>"])
    model = build_model(experiment, len(vocabulary))
    random = np.random.default_rng(0)
    for weight in model.weights:  # biases become different from 0
        weight.assign(weight + random.normal(0, 0.1, weight.shape))
    model.embedding.set_vectors(random.normal(0, 1, (len(vocabulary), 6)))
    run = types.SimpleNamespace(path="run")
    reader = build_reader(experiment.task.inputs, experiment.features, None)
    return TrainedModel(run, experiment, vocabulary, model, reader)


def make_texts(count, seed=0):
    """Returns rows of texts of 1 to 30 known and unknown words."""
    random = np.random.default_rng(seed)
    words = [*WORDS[:-2], "unknown", "Word3"]
    return [
        tuple(" ".join(random.choice(words, random.integers(1, 31))) for _ in range(2))
        for _ in range(count)
    ]


def read_rows(trained, texts):
    """Returns `ModelRows` of texts, with random features if the model uses features."""
    count, inputs = trained.experiment.feature_count, trained.task.inputs
    examples = [Example(t[: len(inputs)], None, "1", None, None, 1) for t in texts]
    tokenize = RawTextTokenizer(trained.tokenizer)
    prepared = from_examples(examples, tokenize, trained.task, "test")
    reader = dataclasses.replace(trained.reader, feature_settings=None)
    rows = reader.convert(prepared, trained.vocabulary)
    features = np.random.default_rng(1).normal(size=(len(texts), count))
    return dataclasses.replace(
        rows, features=features.astype(np.float32) if count else None
    )


def load_runner(folder):
    import runpy

    return runpy.run_path(str(folder / "run_onnx.py"))["ExportedModel"](folder, 1)


def export(trained, folder, format="onnx", force=False):
    from dsa.inference.export.export_run import export_run

    return export_run(trained, format, OutputFolder(folder, force))
