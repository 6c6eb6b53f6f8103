"""Weights that a training starts from: every family, new words, unusable sources."""

import numpy as np
import pytest

from dsa.backends.weight_files import save_weights
from dsa.data.words.embeddings import EmbeddingSettings, KnownWords, extend_embedding
from dsa.data.words.vector_reader import VectorReader
from dsa.data.words.vocabulary import Vocabulary
from dsa.errors import InputError
from dsa.experiment.yaml_file import load_experiment
from dsa.models.building import build_model
from dsa.runs.run_folder import RunFolder
from dsa.runs.run_records import RUN_FORMAT
from dsa.training.start_weights import find_source, freeze, read_start_weights
from tests.models.test_weights_without_calls import CONFIGS, FURTHER, SMALL
from tests.support.layer_checks import numpy_of

pytestmark = pytest.mark.keras  # run on JAX in CI too

WORDS = ["a", "dog", "man", "runs", "sleeps"]
LABELS = {"entailment": 0, "neutral": 1, "contradiction": 2}


def own(*labels):
    """`data` of pairs with other labels."""
    columns = {"premise": "p", "hypothesis": "h", "label": "l"}
    files = {"train": "train.csv", "dev": "dev.csv"}
    return {"corpus": "own", "columns": columns, "labels": list(labels), **files}


def read_config(name, **overrides):
    settings = {**SMALL, **FURTHER.get(name, {}), **overrides}
    if name == "sick_entailment/abcnn3":
        settings["features.names"] = []  # their statistics are further files of a run
    return load_experiment(f"configs/{name}.yaml", settings)


def write_source(folder, experiment):
    """Writes the run of a model with random weights, and returns the model."""
    run, vocabulary = RunFolder(folder), Vocabulary(WORDS)
    run.path.mkdir()
    model = build_model(experiment, len(vocabulary))
    random = np.random.default_rng(3)
    for weight in model.weights:
        weight.assign(random.normal(size=tuple(weight.shape)))
    run.write("config.yaml", experiment.to_yaml())
    run.write("vocabulary.txt", vocabulary.to_text())
    sizes = {"vocabulary_size": len(vocabulary)}
    facts = {"run_format": RUN_FORMAT, "sha256": {"train": "0", "dev": "1"}, **sizes}
    run.write_json("environment.json", facts)
    save_weights(run.weights, model)
    run.write_record()
    return model


def find_source_of(experiment):
    """Returns the run in `training.start_from`."""
    return find_source(
        experiment.training.start_from, experiment.model, experiment.embedding
    )


def start(experiment, folder):
    """Returns the `StartWeights` of an experiment, and its model at the first step."""
    weights = read_start_weights(experiment, find_source_of(experiment), folder)
    model = build_model(experiment, len(WORDS) + 2)
    model.embedding.set_vectors(weights.words.vectors)
    return weights, model, weights.copy_to(model)


QUICK = "snli/dsa snli/bilstm_max snli/swem snli/esim sick_entailment/abcnn3".split()
FAMILIES = [  # one of each kind of weights in CI
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.exhaustive)
    for name in CONFIGS.split()
]


@pytest.mark.usefixtures("quick_weights")
def test_settings_that_change_the_function_of_the_weights(tmp_path, caplog):
    write_source(tmp_path / "source", read_config("snli/dsa"))
    start_from = {"training.start_from": str(tmp_path / "source")}
    overrides = {**start_from, "model.alpha": 0.0, "tokenizer.lowercase": False}
    _, _, facts = start(read_config("snli/dsa", **overrides), tmp_path)
    assert facts["new"] == []
    (warning,) = [r.getMessage() for r in caplog.records if r.levelname == "WARNING"]
    assert "tokenizer.lowercase True instead of False" in warning
    assert "model.alpha 1.5 instead of 0.0" in warning and warning.count("inst") == 2
    caplog.clear()
    overrides = {**start_from, "model.dropout": 0.0}
    overrides["model.classifier.activation"] = "elu"
    _, _, facts = start(read_config("snli/dsa", **overrides), tmp_path)
    assert facts["new"] and all("logits" in p or "hidden" in p for p in facts["new"])
    assert not [r for r in caplog.records if r.levelname == "WARNING"]


@pytest.mark.usefixtures("quick_weights")
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_starts_with_the_weights_of_its_source(name, tmp_path):
    source = write_source(tmp_path / "source", read_config(name))
    start_from = {"training.start_from": str(tmp_path / "source")}
    experiment = read_config(name, **start_from)
    _, model, facts = start(experiment, tmp_path)
    assert facts["new"] == []
    for weight, expected in zip(model.weights, source.weights, strict=True):
        np.testing.assert_array_equal(numpy_of(weight), numpy_of(expected))
    if experiment.task.inputs != ("premise", "hypothesis"):
        return
    other = read_config(name, **start_from, data=own("no", "yes"))
    _, model, facts = start(other, tmp_path)
    new = [w for w in model.weights if w.path in facts["new"]]
    assert any(w.shape[-1] == 2 for w in new)
    assert len(facts["copied"]) + len(new) + 1 == len(model.weights)  # and the table
    for weight, expected in zip(model.weights, source.weights, strict=True):
        is_equal = weight.shape == expected.shape and np.array_equal(
            numpy_of(weight), numpy_of(expected)
        )
        assert is_equal or weight.path in facts["new"], weight.path


DSA = "snli/dsa"
SIZES = {"model.units": 10, "model.heads": 2, "model.hidden_units": 6}
TASKS = {
    "two labels": own("no", "yes"),
    "other labels of equal number": own("x", "y", "z"),
    "relatedness": {"corpus": "stsb", "train": "a.csv", "dev": "b.csv"},
    "sentences": {
        "corpus": "own",
        "columns": {"sentence": "text", "label": "l"},
        "labels": ["x", "y", "z"],
        "train": "train.csv",
        "dev": "dev.csv",
    },
}


@pytest.mark.parametrize("task", TASKS)
def test_an_encoder_is_copied_to_other_tasks_with_a_new_classifier(task, tmp_path):
    source = write_source(tmp_path / "source", read_config(DSA, **SIZES))
    overrides = {**SIZES, "training.start_from": str(tmp_path / "source")}
    experiment = read_config(DSA, **overrides, data=TASKS[task])
    _, model, facts = start(experiment, tmp_path)
    ids = np.array([[2, 3, 5, 0]])
    np.testing.assert_array_equal(
        numpy_of(model.encode(ids, training=False)),
        numpy_of(source.encode(ids, training=False)),
    )
    layers = {path.split("/")[1] for path in facts["new"]}
    assert layers == {"hidden", "logits"}


def test_the_classifier_is_copied_to_another_corpus_with_the_same_labels(tmp_path):
    write_source(tmp_path / "source", read_config(DSA, **SIZES))
    overrides = {**SIZES, "training.start_from": str(tmp_path / "source")}
    for data in (own(*LABELS), {"corpus": "multinli", "train": "a", "dev": "b"}):
        experiment = read_config(DSA, **overrides, data=data)
        assert start(experiment, tmp_path)[2]["new"] == []


def test_the_facts_contain_the_sha256_of_the_source(tmp_path):
    import hashlib

    write_source(tmp_path / "source", read_config(DSA, **SIZES))
    overrides = {**SIZES, "training.start_from": str(tmp_path / "source")}
    facts = start(read_config(DSA, **overrides), tmp_path)[2]
    content = (tmp_path / "source" / "best.weights.h5").read_bytes()
    assert facts["sha256"] == hashlib.sha256(content).hexdigest()


def damage(folder):
    path = folder / "best.weights.h5"
    path.write_bytes(path.read_bytes()[:-100] + bytes(100))


@pytest.mark.parametrize(
    ("overrides", "change", "message"),
    [
        ({}, damage, "changed after training: best.weights.h5"),
        ({}, lambda f: (f / "best.weights.h5").unlink(), "best.weights.h5 is missing"),
        ({}, lambda f: (f / "config.yaml").unlink(), "config.yaml is missing"),
        ({"model.units": 14}, None, "has 'model.units: 10', .* 'model.units: 14'"),
        ({"embedding.units": 7}, None, "'embedding.units: 6', .* 'embedding.units: 7'"),
        ({"embedding.projection": 9}, None, "has 'embedding.projection: None'"),
        (
            {"model.hidden_units": None},
            None,
            r"sizes: .* \(10, 6\) instead of \(10, 40\)",
        ),
        ({"model": {"name": "esim"}}, None, "'model.name: dsa', .* 'model.name: esim'"),
        ({"training.start_from": "mimi"}, None, "no such run folder.* mean 'mini'"),
    ],
)
def test_an_unusable_source_is_an_error_of_one_line(
    tmp_path, overrides, change, message
):
    write_source(tmp_path / "source", read_config(DSA, **SIZES))
    if change:
        change(tmp_path / "source")
    sizes = {} if "model" in overrides else SIZES
    start_from = {"training.start_from": str(tmp_path / "source")}
    experiment = read_config(DSA, **{**sizes, **start_from, **overrides})
    with pytest.raises(
        InputError, match=f"'training.start_from': .*{message}"
    ) as error:
        read_start_weights(experiment, find_source_of(experiment), tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("key", ["start_from", "frozen"])
def test_linear_models_and_trainings_in_stages_are_errors(key):
    value = {"start_from": "mini", "frozen": ["encoder"]}[key]
    with pytest.raises(InputError, match=f"'training.{key}' requires a network"):
        load_experiment("configs/quora/features.yaml", {f"training.{key}": value})
    with pytest.raises(InputError, match=f"'training.{key}' .* several training"):
        load_experiment("configs/wikiqa/abcnn1_two.yaml", {f"training.{key}": value})


def test_frozen_parts_have_no_trainable_weights():
    model = build_model(read_config("snli/esim"), 9)
    everything = {weight.path for weight in model.trainable_weights}
    freeze(model, ["embedding", "encoder"])
    layers = {weight.path.split("/")[1] for weight in model.trainable_weights}
    assert layers == {"hidden", "logits"}
    model = build_model(read_config("snli/esim"), 9)
    freeze(model, ["embedding"])
    rest = {weight.path for weight in model.trainable_weights}
    assert {path.split("/")[1] for path in everything - rest} == {"embedding"}


SOURCE = KnownWords(
    Vocabulary(["a", "dog", "man", "cat"]), np.arange(12.0).reshape(6, 2), frozen_rows=2
)


def extend(tmp_path, train, dev=(), **settings):
    (tmp_path / "vectors.txt").write_text("bird .5 .25\nfish 1 2\nman 9 9\n")
    path = settings.pop("path", tmp_path / "vectors.txt")
    settings = EmbeddingSettings(units=2, **settings)
    vocabulary, vectors, frozen = extend_embedding(
        SOURCE, settings, path and VectorReader(path, 2), train, dev, 3
    )
    return dict(zip(vocabulary.words, vectors[2:].tolist(), strict=True)), frozen


def test_shared_words_keep_the_vectors_of_the_source_and_new_ones_are_looked_up(
    tmp_path,
):
    words, frozen = extend(tmp_path, ["dog", "bird", "unheard"], ["fish"])
    own_words = {"a": [4, 5], "dog": [6, 7], "man": [8, 9], "cat": [10, 11]}
    assert words == {**own_words, "bird": [0.5, 0.25], "fish": [1, 2]}
    assert frozen == 0
    assert extend(tmp_path, ["dog", "bird"], path=None) == (own_words, 0)


def test_a_vector_file_with_few_words_of_the_corpus_is_a_warning(tmp_path, caplog):
    extend(tmp_path, ["bird", *(f"vogel{n}" for n in range(8))])
    assert "have a vector" not in caplog.text
    extend(tmp_path, [f"vogel{n}" for n in range(8)])
    assert "only 0 of the 8 words of the corpus have a vector" in caplog.text
    caplog.clear()
    words = [f"vogel{n}" for n in range(8)]
    extend(tmp_path, words, words[:3])
    assert "only 0 of the 8 words of the corpus have a vector" in caplog.text


def test_trained_vectors_add_words_of_train_only(tmp_path):
    words, _ = extend(tmp_path, ["bird"], ["fish"], trainable=True)
    assert "bird" in words and "fish" not in words


def test_frozen_words_that_occur_in_train_become_trained(tmp_path):
    words, frozen = extend(
        tmp_path, ["man", "bird"], ["fish"], trainable=True, frozen_outside=True
    )
    assert list(words) == ["a", "dog", "man", "bird", "cat", "fish"]
    assert frozen == 2
    assert words["man"] == [8, 9]


def test_a_file_with_other_vectors_of_known_words_is_a_warning(tmp_path, caplog):
    text = "bird .5 .25\ndog {}\nman {}\n"
    for dog, man, warns in (("6 7", "8 9", False), ("7 -6", "9 -8", True)):
        path = tmp_path / "other.txt"
        path.write_text(text.format(dog, man))
        caplog.clear()
        extend(tmp_path, ["bird", "dog", "man"], path=path)
        assert ("other.txt: the vectors differ from the word" in caplog.text) == warns
